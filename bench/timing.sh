#!/bin/sh
# timing.sh [--counts-only] [--update] BENCH_TIMING BASELINE [GPU...]
#
# Host instructions per warp instruction of the cycle-level machine, by default for gtx480. Counts
# are callgrind's, for the AVX2 variant: (I(large) - I(small)) / (W(large) - W(small)), and the same
# per request that L1D sends to L2, including requests that are not misses. Wall-clock time and peak
# memory with the host's best variant are printed beside the counts, because counts can mislead.
# Fails when a count is above its budget (budget.inc), more than 5 % above the one in BASELINE, or
# missing there; --update rewrites BASELINE.
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
. "$(dirname "$0")/budget.inc"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

printf '%-8s %-18s %16s %14s %11s %8s %9s' GPU kernel 'insts/warp inst' 'misses/inst' 'insts/miss' budget baseline
[ $counts_only ] || printf ' %16s %12s %9s' 'M warp insts/s' 'cycles/s' 'peak MB'
printf '\n'
"$bench" list >"$scratch/list" || exit 1
: >"$scratch/baseline"
for gpu; do
    while read -r name small large timed; do
        "$bench" "$name" 1 "$gpu" avx2 >/dev/null || exit 1 # the compiled kernel is cached after this
        few=$(bench_count "$bench" "$name" "$small" "$gpu" avx2) || exit 1
        many=$(bench_count "$bench" "$name" "$large" "$gpu" avx2) || exit 1
        # shellcheck disable=SC2086 # both are three words
        row=$(echo $few $many | awk '{ w = $5 - $2; m = ($6 - $3) / w; i = ($4 - $1) / w
                                      printf "%.0f %.6f %s", i, m, m < 0.001 ? "-" : int(i / m) }')
        most=$(budget scheduler gto "$(echo "$row" | cut -d' ' -f2)")
        was=$(awk -v g="$gpu" -v k="$name" '$1 == g && $2 == k { print $3 }' "$baseline" 2>/dev/null)
        echo "$gpu $name ${row%% *}" >>"$scratch/baseline"
        # shellcheck disable=SC2086 # three words
        printf '%-8s %-18s %16s %14.3f %11s %8s %9s' "$gpu" "$name" $row "$most" "${was:--}"
        if [ ! $counts_only ]; then
            "$bench" "$name" "$timed" "$gpu" best >"$scratch/out" || exit 1
            awk '{ printf " %16.2f %12.0f %9.0f", $1 / $4 / 1e6, $3 / $4, $5 / 1e6 }' "$scratch/out"
        fi
        over_budget "${row%% *}" "$most" && failed=1
        if [ ! $update ] && ! echo "${row%% *} ${was:-0}" | awk '{ exit !($1 > 0 && $1 <= 1.05 * $2) }'; then
            failed=1
            printf '  GREW'
        fi
        printf '\n'
    done <"$scratch/list"
done
if [ $update ]; then # rows of GPUs that were not measured are kept
    awk 'NR == FNR { measured[$1] = 1 } NR != FNR && !measured[$1]' "$scratch/baseline" "$baseline" >"$scratch/kept"
    cat "$scratch/baseline" "$scratch/kept" >"$baseline"
fi
exit $failed
