#!/bin/sh
# test.sh [quick]
# All checks: style, gcc, clang with sanitizers, threads, fuzz targets. `quick` is for daily
# work: one build, style, and the tests that are not labelled `long`. Ends with "N passed, N failed, N
# skipped". HEDDLE_FUZZ_SECONDS (default 10) is how long each fuzz target runs.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/checks.inc

sh tools/check_style.sh
note "style: include direction, formatting, words" $?
python3 tools/check_programs.py
note "every program that is called is installed by tools/setup.sh" $?
python3 tools/mutants.py check
note "the planted bugs of test/mutants fit the sources, and doc/mutants.md names them" $?
if [ "${1:-}" = quick ]; then
    build build && run_tests build -LE long
    summary
    exit
fi
build build && run_tests build
# This build covers clang's warnings, both sanitizers and fuzzing; and processors without AVX2.
build_sanitized && run_tests build-asan && fuzz_all "${HEDDLE_FUZZ_SECONDS:-10}"
targets=unit_tests
build build-tsan -DHEDDLE_TSAN=ON && run_tests build-tsan
summary
