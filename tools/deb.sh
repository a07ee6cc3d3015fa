#!/bin/sh
# Makes a Debian package of what a build folder has built: heddle_VERSION_ARCH.deb.
#   sh tools/deb.sh BUILD FOLDER
set -eu
build=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
source=$(realpath "$(dirname "$0")/..")
stage=$out/stage
root=$stage/root
rm -rf "$stage"
mkdir -p "$root/DEBIAN" "$stage/debian"

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
architecture=$(dpkg --print-architecture)
DESTDIR=$root cmake --install "$build" --prefix /usr --strip >"$stage/install.log"
doc=$root/usr/share/doc/heddle
mv "$doc/LICENSE" "$doc/copyright"
strip --strip-debug "$root"/usr/lib/libheddle.a
gzip -9n "$root"/usr/share/man/man1/*.1

# The packages that libraries and programs are linked with; and clang with the built-in functions of
# OpenCL C, which compile kernels.
echo "Source: heddle" >"$stage/debian/control"
libraries=$(cd "$stage" && dpkg-shlibdeps -O --ignore-missing-info root/usr/bin/heddle root/usr/lib/libheddle.so.0 \
    root/usr/lib/libheddle_ocl.so | sed -n 's/^shlibs:Depends=//p')
cat >"$root/DEBIAN/control" <<CONTROL
Package: heddle
Version: $version
Architecture: $architecture
Maintainer: The Heddle developers <heddle@localhost>
Section: science
Priority: optional
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f 1)
Depends: $libraries, clang, libclc-14
Recommends: gcc, make, ocl-icd-libopencl1, pkg-config, valgrind
Suggests: bash-completion, liblzma-dev, libyaml-dev, libzstd-dev, python3-matplotlib, python3-pandas, slurm-client
Description: GPU kernels on a simulated GPU, cycle by cycle
 Heddle runs OpenCL C, CUDA C and PTX on a simulated GPU under the warp
 schedulers and cache policies of the literature, compares them, and shows
 where the cycles went. It needs no GPU. With the program come a library
 (libheddle), an OpenCL device (libheddle_ocl) and the headers for your own schedulers and policies.
CONTROL
echo /etc/OpenCL/vendors/heddle.icd >"$root/DEBIAN/conffiles"
echo "activate-noawait ldconfig" >"$root/DEBIAN/triggers"
(cd "$root" && find . -type f ! -path './DEBIAN/*' | sed 's|^\./||' | LC_ALL=C sort | xargs -d '\n' md5sum >DEBIAN/md5sums)
package=$out/heddle_${version}_$architecture.deb
dpkg-deb -Zgzip --root-owner-group --build "$root" "$package" >/dev/null
rm -rf "$stage"
echo "$package"
