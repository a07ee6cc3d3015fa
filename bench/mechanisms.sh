#!/bin/sh
# mechanisms.sh [--quick] BENCH_TIMING HEDDLE PROVIDERS_DEF [GPU...]
#
# The counts of timing.sh under every scheduler, every L1D policy and every criticality provider,
# each with the defaults for the other two; by default on gtx480. Fails when a count is above its
# budget. Mechanisms that need a file of recorded times are left out; workloads.sh measures them.
# --quick: thrash only, under a few representative mechanisms.
set -u
quick=
[ "${1:-}" = --quick ] && quick=yes && shift
. "$(dirname "$0")/usage.inc"
needs 3 "$@"
. "$(dirname "$0")/budget.inc"
bench=$1 heddle=$2 providers=$3
shift 3
[ $# -gt 0 ] || set -- gtx480
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# The mechanisms of --quick.
kernels() { if [ $quick ]; then grep '^thrash '; else cat; fi; }
some() { if [ $quick ]; then grep -E '^(scheduler (cawa|ccws)|l1d dlp) '; else cat; fi; }

"$bench" list | kernels >"$scratch/kernels"
mechanisms "$heddle" "$providers" | grep -v -E '^(scheduler caws_|criticality oracle )' | some >"$scratch/list"
printf '%-8s %-18s %-12s %-14s %16s %12s %8s\n' GPU kernel mechanism name 'insts/warp inst' 'misses/inst' budget
for gpu; do
    while read -r kernel small large _; do
        while read -r kind name setting; do
            # The compiled kernel is cached after this.
            if ! "$bench" "$kernel" 1 "$gpu" avx2 1 "$setting" >/dev/null 2>"$scratch/err"; then
                printf '%-8s %-18s %-12s %-14s %s\n' "$gpu" "$kernel" "$kind" "$name" "does not run: $(head -1 "$scratch/err")"
                continue
            fi
            few=$(bench_count "$bench" "$kernel" "$small" "$gpu" avx2 1 "$setting") || exit 1
            many=$(bench_count "$bench" "$kernel" "$large" "$gpu" avx2 1 "$setting") || exit 1
            # shellcheck disable=SC2086 # both are three words
            row=$(echo $few $many | awk '{ w = $5 - $2; printf "%.0f %.6f", ($4 - $1) / w, ($6 - $3) / w }')
            most=$(budget "$kind" "$name" "${row#* }")
            # shellcheck disable=SC2086 # two words
            printf '%-8s %-18s %-12s %-14s %16s %12.3f %8s' "$gpu" "$kernel" "$kind" "$name" $row "$most"
            over_budget "${row% *}" "$most" && failed=1
            printf '\n'
        done <"$scratch/list"
    done <"$scratch/kernels"
done
exit $failed
