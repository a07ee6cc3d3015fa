#!/bin/sh
# Installs the Debian packages that Heddle's build, run and tests need, if any are missing.
set -eu

packages="build-essential cmake ninja-build pkg-config clang llvm libclc-14 libclang-rt-14-dev
clang-format clang-tidy libyaml-dev libzstd-dev libsqlite3-dev liblapacke-dev liblzma-dev zlib1g-dev libcmocka-dev libmpfr-dev
ocl-icd-opencl-dev opencl-headers
pocl-opencl-icd valgrind spin python3 zstd mount ccache libmicrohttpd-dev chromium fonts-dejavu-core
parallel slurm-wlm munge python3-pandas python3-matplotlib python3-nbclient python3-ipykernel python3-pip
python3-setuptools python3-wheel
bzip2 calculix-ccx gzip groff-base perl sqlite3 xsltproc xz-utils"

missing=""
for p in $packages; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' ||
        missing="$missing $p"
done
# The report's page is bundled with npm. A Node.js from elsewhere brings its own npm, with which
# Debian's package would clash.
command -v npm >/dev/null 2>&1 || missing="$missing nodejs npm"
[ -z "$missing" ] && exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "heddle: missing packages:$missing" >&2
    echo "heddle: this is not a Debian machine: install their equivalents by hand" >&2
    exit 1
fi
root=""
if [ "$(id -u)" -ne 0 ]; then
    root="sudo"
    command -v sudo >/dev/null 2>&1 || {
        echo "heddle: run as root or install sudo, to install:$missing" >&2
        exit 1
    }
fi
echo "Installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$root apt-get -o DPkg::Lock::Timeout=600 update -qq
# shellcheck disable=SC2086
$root apt-get -o DPkg::Lock::Timeout=600 install -y -qq --no-install-recommends $missing >/dev/null
