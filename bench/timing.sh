#!/bin/sh
# timing.sh [--counts-only] [--update] BENCH_TIMING BASELINE [GPU...]
#
# How much the host works for one warp instruction of the cycle-level machine, by default for
# gtx480. Counts are callgrind's, of the AVX2 variant: (I(large) - I(small)) / (W(large) - W(small)),
# and the same by what L1D sends on, everything that is not a miss included.
# The budget is 1,000, and 1,500 more for each access that L1D sends on. Beside the counts wall-clock and peak memory with the host's best variant, because counts can
# lie. Fails when a count is above its budget and over_budget.txt does not list it, more than 5 % above the one in BASELINE, or has none
# there; --update writes BASELINE anew.
set -u
counts_only= update=
while :; do
    case ${1:-} in
    --counts-only) counts_only=yes ;;
    --update) update=yes ;;
    *) break ;;
    esac
    shift
done
. "$(dirname "$0")/usage.inc"
needs 2 "$@"
bench=$1 baseline=$2
shift 2
[ $# -gt 0 ] || set -- gtx480
. "$(dirname "$0")/over_budget.inc"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# Prints "HOST_INSTS WARP_INSTS L1D_MISSES" of one run under callgrind.
count() {
    valgrind --tool=callgrind --callgrind-out-file="$scratch/callgrind" "$bench" "$1" "$2" "$3" avx2 \
        >"$scratch/out" 2>"$scratch/err" || {
        cat "$scratch/err" >&2
        return 1
    }
    awk '/^(totals|summary):/ { print $2; exit }' "$scratch/callgrind"
    cut -d' ' -f1,2 "$scratch/out"
}

printf '%-8s %-18s %16s %14s %11s %8s %9s' GPU kernel 'insts/warp inst' 'misses/inst' 'insts/miss' budget baseline
[ $counts_only ] || printf ' %16s %12s %9s' 'M warp insts/s' 'cycles/s' 'peak MB'
printf '\n'
"$bench" list >"$scratch/list" || exit 1
: >"$scratch/baseline"
for gpu; do
    while read -r name small large timed; do
        "$bench" "$name" 1 "$gpu" avx2 >/dev/null || exit 1 # the compiled kernel is cached after this
        few=$(count "$name" "$small" "$gpu") && many=$(count "$name" "$large" "$gpu") || exit 1
        # shellcheck disable=SC2086 # both are three words
        row=$(echo $few $many | awk '{ w = $5 - $2; m = ($6 - $3) / w; i = ($4 - $1) / w
                                      b = 1000 + 1500 * m
                                      printf "%.0f %.3f %s %.0f", i, m, m < 0.001 ? "-" : int(i / m), b }')
        was=$(awk -v g="$gpu" -v k="$name" '$1 == g && $2 == k { print $3 }' "$baseline" 2>/dev/null)
        echo "$gpu $name ${row%% *}" >>"$scratch/baseline"
        # shellcheck disable=SC2086 # four words
        printf '%-8s %-18s %16s %14s %11s %8s %9s' "$gpu" "$name" $row "${was:--}"
        if [ ! $counts_only ]; then
            "$bench" "$name" "$timed" "$gpu" best >"$scratch/out" || exit 1
            awk '{ printf " %16.2f %12.0f %9.0f", $1 / $4 / 1e6, $3 / $4, $5 / 1e6 }' "$scratch/out"
        fi
        if echo "$row" | awk '{ exit !($1 > $4) }'; then
            over_budget "$gpu $name" "${row%% *}" || failed=1
        fi
        if [ ! $update ] && ! echo "${row%% *} ${was:-0}" | awk '{ exit !($1 > 0 && $1 <= 1.05 * $2) }'; then
            failed=1
            printf '  GREW'
        fi
        printf '\n'
    done <"$scratch/list"
done
if [ $update ]; then # rows of GPUs that were not measured stay
    awk 'NR == FNR { measured[$1] = 1 } NR != FNR && !measured[$1]' "$scratch/baseline" "$baseline" >"$scratch/kept"
    cat "$scratch/baseline" "$scratch/kept" >"$baseline"
fi
exit $failed
