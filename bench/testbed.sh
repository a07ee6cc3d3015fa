#!/bin/sh
# testbed.sh [--quick] BENCH_TIMING HEDDLE
#
# Host instructions per simulated instruction of i7-s9150 (doc/testbed.md): per warp instruction of
# kernels on the GPU, per CPU instruction of kernels on CPU cores (testbed.on=cmp), and per CPU
# instruction of native programs. Counts are callgrind's, for the AVX2 variant, as in timing.sh:
# (I(large) - I(small)) / (N(large) - N(small)). Misses are those of L1D on the GPU and of the
# private L2 on CPU cores. Fails when a count is above its budget. --quick: a kernel and a native.
set -u
quick=
[ "${1:-}" = --quick ] && quick=yes && shift
. "$(dirname "$0")/usage.inc"
needs 2 "$@"
bench=$1 heddle=$2
. "$(dirname "$0")/budget.inc"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# report WHERE NAME "I N M of small" "I N M of large" BASE PER_MISS: prints a row.
report() {
    row=$(echo "$3 $4" | awk '{ n = $5 - $2; printf "%.0f %.6f", ($4 - $1) / n, ($6 - $3) / n }')
    most=$(echo "$5 $6 ${row#* }" | awk '{ printf "%.0f", $1 + $2 * $3 }')
    # shellcheck disable=SC2086 # two words
    printf '%-14s %-18s %12s %12.4f %8s' "$1" "$2" $row "$most"
    over_budget "${row% *}" "$most" && failed=1
    printf '\n'
}

# kernel NAME SIZE TARGET: prints "HOST_INSTS INSTS MISSES" of a kernel on a target.
kernel() {
    host=$(host_insts "$bench" "$1" "$2" i7-s9150 avx2 1 "testbed.on=$3") || exit 1
    case $3 in
    gpu) fields=1,2 ;;
    cmp) fields=6,7 ;;
    esac
    echo "$host $(cut -d' ' -f$fields "$scratch/out")"
}

# native NAME INSTS: prints the same of a native program; nothing else is timed.
native() {
    host=$(host_insts "$heddle" run bfs --size tiny --gpu i7-s9150 --host-isa avx2 --json \
        --set testbed.launch=1073741824 --cpu "$1:0+$2") || exit 1
    echo "$host $(awk '$1 == "\"cpu0.insts\":" && !n { n = $2 + 0 } $1 == "\"cpu0.l2_misses\":" && !m { m = $2 + 0 }
                       END { print n, m }' "$scratch/out")"
}

kernels() { if [ $quick ]; then grep '^vector_add '; else grep -v '^thrash '; fi; }
natives() {
    echo 'matmul 300000 600000'
    [ $quick ] || printf '%s\n' 'chase 20000 40000' 'fluid 300000 600000' 'perl 300000 600000'
}

printf '%-14s %-18s %12s %12s %8s\n' where what 'host insts' 'misses/inst' budget
"$bench" list | kernels >"$scratch/kernels"
natives >"$scratch/natives"
while read -r name small large _; do
    "$bench" "$name" 1 i7-s9150 avx2 >/dev/null || exit 1 # the compiled kernel is cached after this
    report GPU "$name" "$(kernel "$name" "$small" gpu)" "$(kernel "$name" "$large" gpu)" 1500 2000
    report 'CMP, kernel' "$name" "$(kernel "$name" "$small" cmp)" "$(kernel "$name" "$large" cmp)" 1000 12000
done <"$scratch/kernels"
while read -r name small large; do
    "$heddle" run bfs --size tiny --gpu i7-s9150 --set testbed.launch=1073741824 --cpu "$name:0+1000" \
        >/dev/null || exit 1 # recorded and compiled after this
    report 'CMP, native' "$name" "$(native "$name" "$small")" "$(native "$name" "$large")" 700 3000
done <"$scratch/natives"
exit $failed
