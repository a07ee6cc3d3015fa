#!/bin/sh
# What `make install` puts below a prefix works without the sources: the program, plug-ins that `heddle new` begins,
# the library through pkg-config and CMake, the OpenCL device, manual pages and completion.
heddle=$1
scratch=$(realpath -m "$2")
build=$(dirname "$heddle")
source=$PWD
rm -rf "$scratch"
mkdir -p "$scratch/empty"
set -eu
never() { # WORD...: that this succeeds
    if "$@" >never.out 2>&1; then
        echo "succeeds: $*"
        exit 1
    fi
}
prefix=$scratch/prefix
DESTDIR='' cmake --install "$build" --prefix "$prefix" >"$scratch/install.log"
cd "$scratch/empty"
installed=$prefix/bin/heddle
# The only packages that pkg-config finds: linking against the library does not need the packages it
# was built with.
export LD_LIBRARY_PATH="$prefix/lib" PKG_CONFIG_LIBDIR="$prefix/lib/pkgconfig"

# --- the program: nothing in it names the sources ---
strip -o ../stripped "$installed"
never grep -F "$source/" ../stripped
"$installed" --version | grep -q '^heddle 0'
"$installed" run ss --size tiny | grep -q 'verified'
"$installed" show gpu gtx480 | grep -q l1d.n_sets
"$installed" figure | grep -q s2-fig10
"$installed" hetero models >/dev/null
"$installed" run ss --size tiny --gpu "$prefix/share/heddle/configs/m2090.yaml" --functional >/dev/null
"$installed" exec --functional -- "$build/examples/saxpy_opencl" >/dev/null
OCL_ICD_VENDORS=$prefix/etc/OpenCL/vendors HEDDLE_FUNCTIONAL=1 "$build/examples/saxpy_opencl" >/dev/null

# --- plug-ins of one's own: compiled with the installed headers alone, and tried ---
for kind in policy scheduler; do
    "$installed" new $kind "my_$kind" >/dev/null
    grep -qF "$prefix/include/heddle-plugin" "my_$kind/Makefile"
    make -s -C "my_$kind" test CFLAGS='-O2 -Wall -Wextra -Werror' >out || { cat out && exit 1; }
    grep -q "^my_$kind: all tests passed" out
done
# The test fails for a policy that breaks the contract, and for one that differs from what the test
# expects.
sed -i 's/(void)a;/(void)a, ++((struct my_policy *)p->state)->n_misses;/' my_policy/my_policy.c
never make -s -C my_policy test
for wrong in my_policy lru 1st 'a b' ''; do
    status=0
    "$installed" new policy "$wrong" 2>err || status=$?
    [ $status -eq 2 ] && [ -s err ]
done
for example in one_in_n youngest; do
    # shellcheck disable=SC2046
    cc -std=gnu11 -shared -fPIC $(pkg-config --cflags heddle-plugin) "$prefix/share/doc/heddle/examples/$example.c" \
        -o $example.so
done
"$installed" run ss --size tiny --plugin one_in_n.so --l1d one_in_n --plugin youngest.so --scheduler youngest --json |
    grep -q '"scheduler.switches"'

# --- a program that uses the library, by pkg-config (shared and static) and by CMake ---
cp "$prefix/share/doc/heddle/examples/vector_add.c" "$prefix/share/doc/heddle/examples/youngest.c" .
# shellcheck disable=SC2046
cc vector_add.c $(pkg-config --cflags --libs heddle) -o shared
ldd shared | grep -qF "$prefix/lib/libheddle.so.0"
# shellcheck disable=SC2046
cc vector_add.c $(pkg-config --cflags --libs --static heddle | sed 's/-lheddle/-l:libheddle.a/') -o static
ldd static >libraries
never grep libheddle libraries
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(client C)
find_package(heddle 0.1 REQUIRED)
add_executable(client vector_add.c)
target_link_libraries(client heddle::heddle)
add_library(mine MODULE youngest.c)
target_link_libraries(mine PRIVATE heddle::plugin)
CMAKE
cmake -S . -B by_cmake -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >out
cmake --build by_cmake >out || { cat out && exit 1; }
"$installed" show scheduler youngest --plugin by_cmake/libmine.so >/dev/null
for client in ./shared ./static by_cmake/client; do
    $client | grep -q ': 0 of [0-9]* sums are wrong' || { echo "$client failed" && exit 1; }
done

# --- a manual page for each command, which has each of its options and which groff reads without a warning ---
"$installed" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' >commands
[ "$(wc -l <commands)" -ge 20 ]
while read -r command; do
    page=$prefix/share/man/man1/heddle-$command.1
    groff -man -ww -Tascii "$page" 2>warnings | sed 's/\x1b\[[0-9;]*m//g; s/.\x08//g' >text
    [ ! -s warnings ] || { echo "$page: $(cat warnings)" && exit 1; }
    "$installed" help "$command" | sed -n 's/^  \(-., \)*\(--[a-z0-9-]*\).*/\2/p' >options
    while read -r option; do
        grep -q -e " $option" text || { echo "$page lacks $option" && exit 1; }
    done <options
    grep -q "heddle-$command(1)\|heddle\\\\-$command" "$prefix/share/man/man1/heddle.1"
done <commands

# --- completion, as bash asks for it ---
cat >complete.sh <<'BASH'
source "$1"
complete -p heddle >/dev/null
failed=0
completes() { # "WORDS BEFORE" BEGIN WANTED...: exactly these
    local before=$1 want
    COMP_WORDS=(heddle $before "$2") COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    shift 2
    _heddle
    if [[ $(printf '%s\n' "${COMPREPLY[@]}" | sort) != $(printf '%s\n' "$@" | sort) ]]; then
        echo "heddle $before: ${COMPREPLY[*]}, not $*"
        failed=1
    fi
}
completes "" rep repro report
completes "run" memc memc
completes "run memc" --sched --scheduler
completes "run --scheduler" gt gto gtrr
completes "run --scheduler =" gt gto gtrr
completes "run --gpu" v100 v100
completes "run --set" l1d.n_s l1d.n_sets=
completes "run --set l1d.policy =" dl dlp
completes "cache replay --policy" lru,dl lru,dlp
completes "show" sched scheduler schedulers
completes "show workload" memc memc
completes "help" qu query
completes "figure" s2-fig13 s2-fig13
completes "new" p policy
completes "hetero" predi predict
completes "run --plugin" youngest.s youngest.so
completes "run --seed" y ""
completes "exec -- ./sta" ./stat ./static
for command in $(cat commands); do
    COMP_WORDS=(heddle "$command" -) COMP_CWORD=2
    _heddle
    want=$("$2" help "$command" | sed -n 's/^  \(-., \)*\(--[a-z0-9-]*\).*/\2/p' | sort)
    [[ $(printf '%s\n' "${COMPREPLY[@]}" | sort) == "$want" ]] || { echo "options of $command" && failed=1; }
done
exit $failed
BASH
bash complete.sh "$prefix/share/bash-completion/completions/heddle" "$installed"
