#!/bin/sh
# scaling.sh BENCH_TIMING
#
# Does the host's work grow with what is simulated, and with nothing else? Host instructions per warp
# instruction, counted by callgrind as in timing.sh:
#   - 48 SMs may cost no more than 16 with the same work for each, and as much memory behind each;
#   - the second part of a long run no more than the first;
# and the peak memory of a run four times as long, on the same input, is the same.
set -u
. "$(dirname "$0")/usage.inc"
needs 1 "$@"
bench=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# Prints "HOST_INSTS WARP_INSTS": count NAME SIZE SETTING...
count() {
    name=$1 size=$2
    shift 2
    valgrind --tool=callgrind --callgrind-out-file="$scratch/callgrind" \
        "$bench" "$name" "$size" gtx480 avx2 1 "$@" >"$scratch/out" 2>"$scratch/err" || {
        cat "$scratch/err" >&2
        return 1
    }
    awk '/^(totals|summary):/ { print $2; exit }' "$scratch/callgrind"
    cut -d' ' -f1 "$scratch/out"
}

# per_inst NAME SMALL LARGE SETTING...: host instructions per warp instruction between two sizes.
per_inst() {
    name=$1 small=$2 large=$3
    shift 3
    few=$(count "$name" "$small" "$@") && many=$(count "$name" "$large" "$@") || return 1
    # shellcheck disable=SC2086 # both are two words
    echo $few $many | awk '{ printf "%.0f", ($3 - $1) / ($4 - $2) }'
}

# compare WHAT BEFORE AFTER: fails when it has grown by more than 5 %.
compare() {
    printf '%-44s %8s %8s' "$1" "$2" "$3"
    if ! echo "$2 $3" | awk '{ exit !($1 > 0 && $2 <= 1.05 * $1) }'; then
        failed=1
        printf '  GREW'
    fi
    printf '\n'
}

# least_peak SIZE: the peak memory of thrash, in bytes. The resident part of files varies by a tenth
# from run to run, so this is the minimum of five.
least_peak() {
    for _ in 1 2 3 4 5; do
        "$bench" thrash "$1" gtx480 avx2 || return 1
    done | cut -d' ' -f5 | sort -n | head -n 1
}

for name in fma_loop divergent_gather; do
    "$bench" $name 1 gtx480 avx2 >/dev/null || exit 1 # the compiled kernel is cached after this
    narrow=$(per_inst $name 16 24 n_sms=16 memory.n_partitions=4) || exit 1
    wide=$(per_inst $name 48 72 n_sms=48 memory.n_partitions=12) || exit 1
    compare "$name: per instruction, 16 and 48 SMs" "$narrow" "$wide"
done
"$bench" vector_add 1 gtx480 avx2 >/dev/null || exit 1
first=$(per_inst vector_add 400 700) && second=$(per_inst vector_add 700 1000) || exit 1
compare "vector_add: per instruction, early and late" "$first" "$second"
"$bench" thrash 1 gtx480 avx2 >/dev/null || exit 1
short=$(least_peak 17) && long=$(least_peak 17x4) || exit 1
compare "thrash: peak bytes, once and four times" "$short" "$long"
exit $failed
