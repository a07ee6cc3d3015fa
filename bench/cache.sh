#!/bin/sh
# cache.sh [--counts-only] BENCH_CACHE
#
# Host instructions per access to a cache: the difference of callgrind's counts of a long and a
# short run, divided by the difference of the accesses; accesses per second are printed beside it.
# Fails when a count exceeds its budget.
set -u
counts_only=
if [ "${1:-}" = --counts-only ]; then
    counts_only=yes
    shift
fi
. "$(dirname "$0")/usage.inc"
needs 1 "$@"
bench=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
small=4096
large=20480

# Prints the host's instructions inside the cache, of one run.
count() {
    valgrind --tool=callgrind --callgrind-out-file="$scratch/callgrind" \
        --toggle-collect=bench_load --toggle-collect=bench_store --toggle-collect=bench_fill \
        "$bench" "$1" "$2" \
        >/dev/null 2>"$scratch/err" || {
        cat "$scratch/err" >&2
        return 1
    }
    awk '/^(totals|summary):/ { print $2; exit }' "$scratch/callgrind"
}

"$bench" list >"$scratch/list" || exit 1
printf '%-18s %13s %8s %16s\n' access 'insts/access' budget 'M accesses/s'
while read -r name budget; do
    few=$(count "$name" $small) && many=$(count "$name" $large) || exit 1
    per=$(echo "$few $many" | awk -v n=$((large - small)) '{ printf "%.1f", ($2 - $1) / n }')
    printf '%-18s %13s %8s' "$name" "$per" "$budget"
    if [ ! $counts_only ]; then
        "$bench" "$name" 20000000 | awk '{ printf " %16.1f", $1 / $2 / 1e6 }'
    fi
    if ! echo "$per $budget" | awk '{ exit !($1 > 0 && $1 <= $2) }'; then
        failed=1
        printf '  OVER BUDGET'
    fi
    printf '\n'
done <"$scratch/list"
exit $failed
