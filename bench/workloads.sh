#!/bin/sh
# workloads.sh [--quick] HEDDLE PROVIDERS_DEF [WORKLOAD...]
#
# How much the host works for one warp instruction of whole workloads (by default bfs, mm, kmn and
# gemm at tiny, on gtx480) under every scheduler, every L1D policy and every criticality provider,
# each with the defaults for the other two. Counts are callgrind's, of the AVX2 variant: what a
# timed run takes beyond a functional one, by warp instructions, and 200 for the functional part of
# each. The budget is 1,000 and 1,500 for each miss or bypass of L1D under lrr and gto with lru,
# 1,500 and 2,000 under everything else. Fails when a count is above its budget and
# over_budget.txt does not list it. --quick: bfs alone, under some that stand for the others.
set -u
quick=
[ "${1:-}" = --quick ] && quick=yes && shift
. "$(dirname "$0")/usage.inc"
needs 2 "$@"
heddle=$1 providers=$2
shift 2
if [ $# -eq 0 ]; then
    if [ $quick ]; then set -- bfs; else set -- bfs mm kmn gemm; fi
fi
. "$(dirname "$0")/over_budget.inc"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# Names of the mechanisms of a topic.
names() { "$heddle" show "$1" | awk 'NR > 1 && NF { print $1 }'; }

# Lines "KIND NAME OPTIONS" of what is to be measured.
mechanisms() {
    names schedulers | sed 's/.*/scheduler & --scheduler &/'
    names policies | sed 's/.*/l1d & --l1d &/'
    sed -n 's/^PROVIDER(\(.*\))$/criticality \1 --set criticality=\1/p' "$providers"
}

# Those that --quick leaves.
stands_for_others() {
    if [ $quick ]; then
        grep -E '^(scheduler (gto|two_level|ccws|caws_blk|cawa)|l1d dlp|criticality cpl) '
    else
        cat
    fi
}

# run OPTION...: the result of the workload as JSON, in $scratch/out.
run() { "$@" run "$workload" --size tiny --host-isa avx2 --json $options >"$scratch/out" 2>"$scratch/err"; }

# Prints the host instructions of a run.
count() {
    run valgrind --tool=callgrind --callgrind-out-file="$scratch/callgrind" "$heddle" || {
        cat "$scratch/err" >&2
        return 1
    }
    awk '/^(totals|summary):/ { print $2; exit }' "$scratch/callgrind"
}

# Prints a statistic of the last run.
statistic() { awk -v name="\"$1\":" '$1 == name { print $2 + 0; exit }' "$scratch/out"; }

printf '%-8s %-12s %-14s %16s %12s %8s\n' workload mechanism name 'insts/warp inst' 'misses/inst' budget
mechanisms | stands_for_others >"$scratch/list"
for workload; do
    times=$scratch/times.$workload
    options=--functional
    run "$heddle" || exit 1 # compiled kernels are cached after this
    functional=$(count) || exit 1
    options="--scheduler lrr --attribute-out $times"
    run "$heddle" || exit 1
    while read -r kind name options; do
        case $name in
        oracle | caws_*) options="$options --set criticality.file=$times" ;;
        esac
        if ! run "$heddle"; then
            printf '%-8s %-12s %-14s %s\n' "$workload" "$kind" "$name" "does not run: $(head -1 "$scratch/err")"
            continue
        fi
        timed=$(count) || exit 1
        row=$(echo "$timed $functional $(statistic sm.issued) $(statistic l1d.misses) $(statistic l1d.bypasses)" |
            awk -v kind="$kind" -v name="$name" '{
                plain = name == "gto" || name == "lrr" || name == "lru" || name == "none" && kind == "criticality"
                m = ($4 + $5) / $3
                printf "%.0f %.3f %.0f", ($1 - $2) / $3 + 200, m, plain ? 1000 + 1500 * m : 1500 + 2000 * m }')
        # shellcheck disable=SC2086 # three words
        printf '%-8s %-12s %-14s %16s %12s %8s' "$workload" "$kind" "$name" $row
        if echo "$row" | awk '{ exit !($1 > $3) }'; then
            over_budget "$workload $name" "${row%% *}" || failed=1
        fi
        printf '\n'
    done <"$scratch/list"
done
exit $failed
