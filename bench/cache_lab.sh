#!/bin/sh
# cache_lab.sh [--counts-only] HEDDLE BENCH_CACHE_LAB
#
# How much the host works for one access in the cache laboratory: callgrind's counts, with accesses
# per second of processor time beside them; several policies in one pass against the sum of each
# alone. With a libCacheSim at hand (HEDDLE_CACHESIM=/path/to/cachesim, or cachesim in PATH), its
# LRU and Heddle's side by side on the same requests. Fails when a count exceeds its budget.
set -u
counts_only=
if [ "${1:-}" = --counts-only ]; then
    counts_only=yes
    shift
fi
heddle=$1
bench=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
recording=$scratch/l1d.zst
"$heddle" run bfs --size tiny --gpu m2090 --record-l1d "$recording" --quiet || exit 1

# count FROM POLICIES: host instructions an access, from memory or from the file.
count() {
    functions="--toggle-collect=lab_replay_all"
    [ "$1" = file ] && functions="--toggle-collect=lab_replay_opened --toggle-collect=read_ahead"
    # shellcheck disable=SC2086
    valgrind --tool=callgrind --callgrind-out-file="$scratch/callgrind" $functions \
        "$bench" "$1" "$2" "$recording" >"$scratch/out" 2>"$scratch/err" || {
        cat "$scratch/err" >&2
        return 1
    }
    awk 'NR == FNR { n = $1; next } /^(totals|summary):/ { printf "%.1f\n", $2 / n; exit }' \
        "$scratch/out" "$scratch/callgrind"
}

# row NAME FROM POLICIES BUDGET
row() {
    per=$(count "$2" "$3") || exit 1
    printf '%-34s %13s %8s' "$1" "$per" "$4"
    if [ ! $counts_only ]; then
        "$bench" "$2" "$3" "$recording" | awk '{ printf " %16.1f", $1 / $2 / 1e6 }'
    fi
    if ! echo "$per $4" | awk '{ exit !($1 > 0 && $1 <= $2) }'; then
        failed=1
        printf '  OVER BUDGET'
    fi
    printf '\n'
}

printf '%-34s %13s %8s %16s\n' replay 'insts/access' budget 'M accesses/s'
row "lru from memory" memory lru 95
row "lru from a recording" file lru 400
row "belady and its future" memory belady 300
row "srrip from memory" memory srrip 260
sum=$(for p in lru srrip dlp ship; do count memory $p; done | awk '{ s += $1 } END { print s }')
row "lru,srrip,dlp,ship in one pass" memory lru,srrip,dlp,ship "$sum"

# Both on the same requests: 64 objects, which is a set of 64 ways.
cachesim=${HEDDLE_CACHESIM:-$(command -v cachesim)}
if [ ! $counts_only ] && [ -n "$cachesim" ]; then
    "$bench" export "$recording" "$scratch/requests" || exit 1
    "$cachesim" "$scratch/requests" oracleGeneral lru 64 --ignore-obj-size 1 | grep -i 'throughput'
    "$heddle" cache replay "$scratch/requests" --format oracleGeneral --sets 1 --ways 64
fi
exit $failed
