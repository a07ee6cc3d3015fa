#!/bin/sh
# workloads.sh [--quick] HEDDLE PROVIDERS_DEF [WORKLOAD...]
#
# Host instructions per warp instruction of whole workloads (by default bfs, mm, kmn and gemm at
# tiny, on gtx480) under every scheduler, every L1D policy and every criticality provider, each with
# the defaults for the other two, and under the plug-ins of examples/, which lie beside HEDDLE in
# test/. Counts are callgrind's, for the AVX2 variant: timed run minus functional run, per warp
# instruction, plus 200 for the functional part. Fails when a count is above its budget (budget.inc).
# --quick: bfs under a few representative mechanisms and the plug-ins, and mm under those that are
# closest to their budgets.
set -u
quick=
[ "${1:-}" = --quick ] && quick=yes && shift
. "$(dirname "$0")/usage.inc"
needs 2 "$@"
heddle=$1 providers=$2
shift 2
if [ $# -eq 0 ]; then
    if [ $quick ]; then set -- bfs mm; else set -- bfs mm kmn gemm; fi
fi
. "$(dirname "$0")/budget.inc"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# The mechanisms of --quick for a workload.
stands_for_others() {
    case $quick$workload in
    yesmm) grep -E '^(scheduler (lrr|ccws)|l1d dlp) ' ;;
    yes*) grep -E '^(scheduler (gto|two_level|caws_blk|cawa|youngest)|l1d one_in_n|criticality cpl) ' ;;
    *) cat ;;
    esac
}

# Lines as those of `mechanisms`, and the file of the plug-in.
plugins() {
    cp "$(dirname "$heddle")"/test/plugin_youngest.so "$(dirname "$heddle")"/test/plugin_one_in_n.so "$scratch" || exit 1
    echo "scheduler youngest scheduler=youngest $scratch/plugin_youngest.so"
    echo "l1d one_in_n l1d.policy=one_in_n $scratch/plugin_one_in_n.so"
}

# run COMMAND...: the workload's result as JSON. $options are several words.
run() { "$@" "$heddle" run "$workload" --size tiny --host-isa avx2 --json $options; }

# Prints a statistic of the last run.
statistic() { awk -v name="\"$1\":" '$1 == name { print $2 + 0; exit }' "$scratch/out"; }

plugins >"$scratch/plugins" || exit 1
printf '%-8s %-12s %-14s %16s %12s %8s\n' workload mechanism name 'insts/warp inst' 'misses/inst' budget
for workload; do
    times=$scratch/times.$workload
    { mechanisms "$heddle" "$providers" && cat "$scratch/plugins"; } | stands_for_others >"$scratch/list"
    options=--functional
    run env >/dev/null || exit 1 # compiled kernels are cached after this
    functional=$(run host_insts) || exit 1
    options="--set scheduler=lrr --attribute-out $times"
    run env >/dev/null || exit 1
    while read -r kind name setting plugin; do
        options="--set $setting${plugin:+ --plugin $plugin}"
        case $name in
        oracle | caws_*) options="$options --set criticality.file=$times" ;;
        esac
        if ! run env >/dev/null 2>"$scratch/err"; then
            printf '%-8s %-12s %-14s %s\n' "$workload" "$kind" "$name" "does not run: $(head -1 "$scratch/err")"
            continue
        fi
        timed=$(run host_insts) || exit 1
        row=$(echo "$timed $functional $(statistic sm.issued) $(statistic l1d.misses) $(statistic l1d.bypasses)" |
            awk '{ printf "%.0f %.6f", ($1 - $2) / $3 + 200, ($4 + $5) / $3 }')
        most=$(budget "$kind" "$name" "${row#* }")
        # shellcheck disable=SC2086 # two words
        printf '%-8s %-12s %-14s %16s %12.3f %8s' "$workload" "$kind" "$name" $row "$most"
        over_budget "${row% *}" "$most" && failed=1
        printf '\n'
    done <"$scratch/list"
done
exit $failed
