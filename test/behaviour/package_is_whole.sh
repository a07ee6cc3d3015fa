#!/bin/sh
# The Debian package of `make deb`: its contents, its dependencies, and that its program runs from an extracted tree.
heddle=$1
scratch=$(realpath -m "$2")
command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null || {
    echo "SKIPPED: the Debian package: dpkg-dev is not installed"
    exit 77
}
rm -rf "$scratch"
mkdir -p "$scratch"
set -eu
package=$(sh tools/deb.sh "$(dirname "$heddle")" "$scratch")
[ "$package" = "$scratch/heddle_$(dpkg-deb -f "$package" Version)_$(dpkg --print-architecture).deb" ]
dpkg-deb -c "$package" | awk '{ print $1, $2, $6 }' >"$scratch/contents"
while read -r file; do
    grep -q " \./$file\$" "$scratch/contents" || { echo "the package lacks $file" && exit 1; }
done <<'FILES'
etc/OpenCL/vendors/heddle.icd
usr/bin/heddle
usr/include/heddle/heddle.h
usr/include/heddle-plugin/sched/order.h
usr/lib/cmake/heddle/heddleConfig.cmake
usr/lib/libheddle.a
usr/lib/libheddle.so.0
usr/lib/libheddle_ocl.so
usr/lib/pkgconfig/heddle.pc
usr/libexec/heddle/heddle-native
usr/share/bash-completion/completions/heddle
usr/share/doc/heddle/copyright
usr/share/doc/heddle/doc/commands.md
usr/share/doc/heddle/examples/one_in_n.c
usr/share/heddle/configs/gtx480.yaml
usr/share/heddle/figures/s2-fig10.yaml
usr/share/heddle/kernels/bfs/bfs.cl
usr/share/man/man1/heddle-run.1.gz
FILES
[ -z "$(grep -v ' root/root ' "$scratch/contents")" ] # and belongs to root

# Every library that the program needs is in a package that it depends on, as is the compiler of kernels.
dpkg-deb -f "$package" Depends | tr ',' '\n' | sed 's/^ *\([^ ]*\).*/\1/' >"$scratch/depends"
grep -qx clang "$scratch/depends"
grep -qx libclc-14 "$scratch/depends"
objdump -p "$heddle" | sed -n 's/.*NEEDED *//p' | while read -r library; do
    path=$(ldconfig -p | sed -n "s|^\s*$library .*x86-64.* => ||p" | head -n 1)
    owner=$(dpkg -S "$(realpath "$path")" "$path" 2>/dev/null | head -n 1 | sed 's/:.*//')
    grep -qx "$owner" "$scratch/depends" || { echo "$library: $owner is no dependency" && exit 1; }
done

dpkg-deb -x "$package" "$scratch/root"
(cd "$scratch/root" && dpkg-deb -e "$package" ../DEBIAN && md5sum --quiet -c ../DEBIAN/md5sums)
cd "$scratch"
unpacked=$scratch/root/usr/bin/heddle
"$unpacked" --version | grep -q '^heddle 0'
"$unpacked" run bfs --size tiny | grep -q verified
"$unpacked" exec --functional -- "$(dirname "$heddle")/examples/saxpy_opencl" >/dev/null
