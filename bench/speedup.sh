#!/bin/sh
# speedup.sh BENCH_TIMING LEAST
#
# Are two threads at least LEAST times as fast as one, on the 15 SMs of gtx480? Asked of arithmetic;
# what thrashes passes its requests from core to core, and is only measured. The best of several
# tries. A host that is busy, or has one core, cannot tell: a try counts if two simulations of one
# thread each, which share nothing, get through 1.6 times as much side by side as one alone. If too
# few tries count, that is said, and the exit status is 77.
set -u
. "$(dirname "$0")/usage.inc"
needs 2 "$@"
bench=$1 asked=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# seconds NAME SIZE THREADS
seconds() {
    "$bench" "$1" "$2" gtx480 best "$3" | cut -d' ' -f4
}

# measure NAME SIZE: prints "ONE TWO PAIR", seconds.
measure() {
    one=$(seconds "$1" "$2" 1)
    two=$(seconds "$1" "$2" 2)
    seconds "$1" "$2" 1 >"$scratch/a" &
    seconds "$1" "$2" 1 >"$scratch/b"
    wait
    echo "$one $two $(sort -g "$scratch/a" "$scratch/b" | tail -1)"
}

# skip WHY
skip() {
    echo "SKIPPED: threads_speed_up: $1"
    exit 77
}

[ "$(nproc)" -ge 2 ] || skip "this host has one core"
while read -r name size least; do
    "$bench" "$name" 1 gtx480 best >/dev/null || exit 1 # the compiled kernel is cached after this
    : >"$scratch/tries"
    for _ in 1 2 3 4 5 6; do
        measure "$name" "$size" | awk '2 * $1 >= 1.6 * $3 { print $1 / $2, 2 * $1 / $3 }' >>"$scratch/tries"
        [ "$(wc -l <"$scratch/tries")" -lt 3 ] || break
    done
    [ "$(wc -l <"$scratch/tries")" -ge 3 ] || skip "this host has no two cores to spare"
    sort -gr "$scratch/tries" | head -1 | awk -v name="$name" -v least="$least" '{
        printf "%s: %.2f times as fast with two threads, %.2f with two simulations", name, $1, $2
        print ($1 >= least ? "" : "  TOO SLOW")
        exit !($1 >= least) }' || exit 1
done <<END
fma_loop 1500 $asked
thrash 60 0
END
