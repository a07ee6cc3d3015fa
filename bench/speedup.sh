#!/bin/sh
# speedup.sh BENCH_TIMING LEAST
#
# Are two threads at least LEAST times as fast as one, on the 15 SMs of gtx480? Asked of arithmetic;
# what thrashes passes its requests from core to core, and is only measured. The best of several
# tries of each. A host that is busy, or has one core, cannot tell: beside them, two simulations of
# one thread each run at the same time. Where even those, which share nothing, do not get through
# 1.6 times as much as one alone, that is said and nothing is held against the threads.
set -u
. "$(dirname "$0")/usage.inc"
needs 2 "$@"
bench=$1 asked=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if [ "$(nproc)" -lt 2 ]; then
    echo "skipped: this host has one core"
    exit 0
fi

# seconds NAME SIZE THREADS
seconds() {
    "$bench" "$1" "$2" gtx480 best "$3" | cut -d' ' -f4
}

# least FILE: the smallest number in it.
least() {
    sort -g "$1" | head -1
}

while read -r name size least; do
    "$bench" "$name" 1 gtx480 best >/dev/null || exit 1 # the compiled kernel is cached after this
    try=0
    : >"$scratch/one" && : >"$scratch/two" && : >"$scratch/pair"
    while [ $try -lt 5 ]; do
        seconds "$name" "$size" 1 >>"$scratch/one"
        seconds "$name" "$size" 2 >>"$scratch/two"
        seconds "$name" "$size" 1 >"$scratch/a" &
        seconds "$name" "$size" 1 >"$scratch/b"
        wait
        sort -g "$scratch/a" "$scratch/b" | tail -1 >>"$scratch/pair"
        try=$((try + 1))
        # Good enough: a busy host has other things to do than to be measured.
        echo "$(least "$scratch/one") $(least "$scratch/two") $least" |
            awk '{ exit !($1 >= $3 * $2) }' && [ $try -ge 3 ] && break
    done
    echo "$name $(least "$scratch/one") $(least "$scratch/two") $(least "$scratch/pair") $least" | awk '{
        printf "%s: %.2f times as fast with two threads, %.2f with two simulations", $1, $2 / $3, 2 * $2 / $4
        if ($2 >= $5 * $3) { print "" }
        else if (2 * $2 / $4 < 1.6) { print "; skipped: this host has no two cores to spare" }
        else { print "  TOO SLOW"; exit 1 } }' || exit 1
done <<END
fma_loop 1500 $asked
thrash 60 0
END
