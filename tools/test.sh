#!/bin/sh
# Every check there is: gcc, clang, sanitizers, fuzz targets, style. Ends with "N passed, N failed".
# HEDDLE_FUZZ_SECONDS (default 10) is how long each fuzz target runs.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/checks.inc

sh tools/check_style.sh
note "style: include direction, formatting, words" $?
python3 tools/mutants.py check
note "the planted bugs of test/mutants fit the sources, and doc/mutants.md names them" $?
build build && run_tests build
build build-clang -DCMAKE_C_COMPILER=clang
build build-asan -DHEDDLE_SANITIZE=ON -DHEDDLE_AVX2=OFF && run_tests build-asan
build build-tsan -DHEDDLE_TSAN=ON && run_tests build-tsan
fuzz_all "${HEDDLE_FUZZ_SECONDS:-10}"
summary
