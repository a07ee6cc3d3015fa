#!/bin/sh
# Every check there is: gcc, clang, sanitizers, fuzz targets, style. Ends with "N passed, N failed".
# HEDDLE_FUZZ_SECONDS (default 20) is how long each fuzz target runs.
set -u
cd "$(dirname "$0")/.." || exit 1

jobs=$(nproc)
fuzz_seconds=${HEDDLE_FUZZ_SECONDS:-20}
passed=0
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

note() {
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
        echo "ok    $1"
    else
        failed=$((failed + 1))
        echo "FAILED $1"
    fi
}

# Builds into $1 with the CMake flags that follow; a build that fails counts as one failed check.
build() {
    dir=$1
    shift
    echo "== building in $dir"
    cmake -S . -B "$dir" -G Ninja "$@" >"$log" 2>&1 && cmake --build "$dir" -j "$jobs" >>"$log" 2>&1
    status=$?
    [ $status -eq 0 ] || tail -40 "$log"
    note "build $dir" $status
    return $status
}

# Runs the tests of a build folder and counts each.
run_tests() {
    dir=$1
    shift
    echo "== tests in $dir"
    (cd "$dir" && ctest --output-on-failure -j "$jobs" "$@") >"$log" 2>&1
    grep -E '^ *[0-9]+/[0-9]+ Test' "$log"
    good=$(grep -cE '^ *[0-9]+/[0-9]+ Test .* Passed' "$log")
    all=$(grep -cE '^ *[0-9]+/[0-9]+ Test ' "$log")
    [ "$good" -eq "$all" ] && [ "$all" -gt 0 ] || cat "$log"
    [ "$all" -gt 0 ] || failed=$((failed + 1))
    passed=$((passed + good))
    failed=$((failed + all - good))
}

fuzz() {
    name=$1
    corpus=$(mktemp -d)
    dict=""
    [ -f "test/fuzz/$name.dict" ] && dict="-dict=test/fuzz/$name.dict"
    # shellcheck disable=SC2086
    "build-fuzz/test/fuzz/fuzz_$name" -max_total_time="$fuzz_seconds" -timeout=10 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix=build-fuzz/ $dict "$corpus" "test/fuzz/corpus/$name" \
        >"$log" 2>&1
    status=$?
    [ $status -eq 0 ] || tail -30 "$log"
    grep -E 'number_of_executed_units' "$log"
    note "fuzz $name for $fuzz_seconds s" $status
    rm -rf "$corpus"
}

sh tools/check_style.sh
note "style: include direction, formatting, words" $?

build build && run_tests build
build build-clang -DCMAKE_C_COMPILER=clang
build build-asan -DHEDDLE_SANITIZE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo && run_tests build-asan -LE slow
if build build-fuzz -DCMAKE_C_COMPILER=clang -DHEDDLE_FUZZ=ON -DHEDDLE_SANITIZE=ON; then
    for target in build-fuzz/test/fuzz/fuzz_*; do
        [ -x "$target" ] && [ -f "$target" ] && fuzz "$(basename "$target" | sed 's/^fuzz_//')"
    done
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
