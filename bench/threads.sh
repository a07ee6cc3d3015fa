#!/bin/sh
# threads.sh BENCH_TIMING [GPU...]
#
# How speed scales with threads: million warp instructions per second with 1, 2, 4, 8 and 16
# threads, the best of three, for arithmetic, matrices and thrashing, on gtx480 and, if configured,
# v100. Prints a table in Markdown. Leaves out thread counts above the host's number of cores.
set -u
. "$(dirname "$0")/usage.inc"
needs 1 "$@"
bench=$1
shift
[ $# -gt 0 ] || set -- gtx480 v100
cores=$(nproc)

# best NAME SIZE GPU THREADS: million warp instructions per second.
best() {
    for _ in 1 2 3; do
        "$bench" "$1" "$2" "$3" best "$4" || exit 1
    done | awk '{ rate = $1 / $4 / 1e6; if (rate > best) best = rate } END { printf "%.2f", best }'
}

printf '| GPU | kernel |'
for threads in 1 2 4 8 16; do
    [ $threads -gt "$cores" ] || printf ' %s |' $threads
done
printf '\n|---|---|'
for threads in 1 2 4 8 16; do
    [ $threads -gt "$cores" ] || printf -- '---|'
done
printf '\n'
for gpu; do
    "$bench" fma_loop 1 "$gpu" best >/dev/null 2>&1 || continue # no such GPU
    while read -r name size; do
        "$bench" "$name" 1 "$gpu" best >/dev/null || exit 1
        printf '| `%s` | `%s` |' "$gpu" "$name"
        one=
        case $name-$gpu in # more CTAs for more SMs; the matrix has 32 rows of them
        naive_gemm-v100) n=32 ;;
        *-v100) n=$((size * 5)) ;;
        *) n=$size ;;
        esac
        for threads in 1 2 4 8 16; do
            [ $threads -le "$cores" ] || continue
            rate=$(best "$name" "$n" "$gpu" $threads)
            one=${one:-$rate}
            echo "$rate $one" | awk '{ printf " %s (x %.2f) |", $1, $1 / $2 }'
        done
        printf '\n'
    done <<END
fma_loop 1500
naive_gemm 16
thrash 60
END
done
