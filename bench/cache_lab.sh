#!/bin/sh
# cache_lab.sh [--counts-only] HEDDLE BENCH_CACHE_LAB
#
# How much the host works for one access in the cache laboratory: callgrind's counts, with accesses
# per second of processor time beside them; several policies in one pass against the sum of each
# alone. With a libCacheSim at hand (HEDDLE_CACHESIM=/path/to/cachesim, or cachesim in PATH), its
# misses and speed beside Heddle's on the same requests. Fails when a count exceeds its budget, or
# when the two do not miss equally often.
set -u
counts_only=
if [ "${1:-}" = --counts-only ]; then
    counts_only=yes
    shift
fi
. "$(dirname "$0")/usage.inc"
needs 2 "$@"
heddle=$1
bench=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
recording=$scratch/l1d.zst
"$heddle" run bfs --size tiny --gpu m2090 --record-l1d "$recording" --quiet || exit 1
long=$scratch/long.zst # for rates: one-time costs become negligible
if [ ! $counts_only ]; then
    "$heddle" run kmn --size tiny --gpu m2090 --record-l1d "$long" --quiet || exit 1
fi

# count FROM POLICIES: host instructions per access, from memory or from the file.
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
        "$bench" "$2" "$3" "$long" | awk '{ printf " %16.1f", $1 / $2 / 1e6 }'
    fi
    if ! echo "$per $4" | awk '{ exit !($1 > 0 && $1 <= $2) }'; then
        failed=1
        printf '  OVER BUDGET'
    fi
    printf '\n'
}

printf '%-34s %13s %8s %16s\n' replay 'insts/access' budget 'M accesses/s'
row "lru from memory" memory lru 95
row "lru from a recording" file lru 250
row "belady and its future" memory belady 300
row "srrip from memory" memory srrip 260
sum=$(for p in lru srrip dlp ship; do count memory $p; done | awk '{ s += $1 } END { print s }')
row "lru,srrip,dlp,ship in one pass" memory lru,srrip,dlp,ship "$sum"

# libCacheSim's misses in a file of whole thousands of requests. It prints a ratio of four digits
# for each thousand, which gives the exact number.
their_misses() {
    "$cachesim" "$3" oracleGeneral "$1" "$2" --ignore-obj-size 1 --report-interval 1000 \
        -o "$scratch/cachesim" 2>&1 |
        awk '/interval miss ratio/ { misses += int($NF * 1000 + 0.5); n += 1000 }
             END { print n + 0, misses + 0 }'
}

# Processor time of a command, in seconds: the second line of `times` has that of children.
processor_seconds() {
    ("$@" >/dev/null 2>&1 && times) | awk 'NR == 2 { split($1 " " $2, t, /[ ms]+/)
        print 60 * t[1] + t[2] + 60 * t[3] + t[4] }'
}

# compare POLICY OBJECTS: the same policy in the same cache must have the same misses.
compare() {
    ours=$("$bench" requests "$1" "$2" "$requests") || exit 1
    theirs=$(their_misses "$1" "$2" "$requests")
    seconds=$(processor_seconds "$cachesim" "$many" oracleGeneral "$1" "$2" --ignore-obj-size 1 \
        --report-interval 2000000000 -o "$scratch/cachesim")
    "$bench" requests "$1" "$2" "$many" >"$scratch/rate" || exit 1
    echo "$ours $theirs" "$(cat "$scratch/rate")" | awk -v what="$1, $2 objects" -v s="$seconds" '
        { printf "%-20s %10d %12d %12d %16.1f %16.1f", what, $1, $5, $2, $6 / s / 1e6, $6 / $8 / 1e6
          if ($1 != $4 || $2 != $5) { print "  DIFFERENT"; exit 1 }
          print "" }' || failed=1
}

# Fully associative caches of equal objects, which both have. The times include reading the file.
cachesim=${HEDDLE_CACHESIM:-$(command -v cachesim)}
if [ ! $counts_only ] && [ -n "$cachesim" ]; then
    requests=$scratch/requests.oracleGeneral # libCacheSim knows by the name that the file includes the future
    many=$scratch/many.oracleGeneral
    "$bench" export "$recording" "$requests" && "$bench" export "$recording" "$many" 20 || exit 1
    printf '\n%-20s %10s %12s %12s %16s %16s\n' 'whole cache' requests 'its misses' 'our misses' \
        'libCacheSim M/s' 'Heddle M/s'
    for policy in lru fifo belady; do
        compare $policy 16
        compare $policy 64
    done
fi
exit $failed
