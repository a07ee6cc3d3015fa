#!/bin/sh
# functional.sh [--counts-only] BENCH_FUNCTIONAL
#
# Host instructions per warp instruction without timing. Counts are callgrind's, for the AVX2
# variant: (I(large) - I(small)) / (W(large) - W(small)). Wall-clock times are printed beside them,
# because counts can mislead: the best of 3 with the host's best variant, and the time of an
# independent OpenCL for the same kernel and size. Fails when a count exceeds its budget or the two
# devices disagree.
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

# Prints "HOST_INSTS WARP_INSTS" of one run under callgrind.
count() {
    valgrind --tool=callgrind --callgrind-out-file="$scratch/callgrind" "$bench" "$1" "$2" avx2 \
        >"$scratch/out" 2>"$scratch/err" || {
        cat "$scratch/err" >&2
        return 1
    }
    awk '/^(totals|summary):/ { print $2; exit }' "$scratch/callgrind"
    cut -d' ' -f1 "$scratch/out"
}

if [ $counts_only ]; then
    printf '%-18s %16s %8s\n' kernel 'insts/warp inst' budget
else
    printf '%-18s %16s %8s %18s %12s %12s\n' kernel 'insts/warp inst' budget 'M warp insts/s' \
        'Heddle ms' 'OpenCL ms'
fi
"$bench" list >"$scratch/list" || exit 1
while read -r name budget small large timed; do
    "$bench" "$name" "$small" avx2 >/dev/null || exit 1 # the compiled kernel is cached after this
    few=$(count "$name" "$small") && many=$(count "$name" "$large") || exit 1
    # shellcheck disable=SC2086 # both are two words
    per=$(echo $few $many | awk '{ printf "%.1f", ($3 - $1) / ($4 - $2) }')
    printf '%-18s %16s %8s' "$name" "$per" "$budget"
    if ! echo "$per $budget" | awk '{ exit !($1 > 0 && $1 <= $2) }'; then
        failed=1
        printf '  OVER BUDGET'
    fi
    if [ ! $counts_only ]; then
        ours=$("$bench" "$name" "$timed" best 3) || exit 1
        theirs=$("$bench" "$name" "$timed" opencl 3 2>"$scratch/err") || {
            grep '^no OpenCL ' "$scratch/err" >"$scratch/none" || {
                cat "$scratch/err" >&2
                exit 1
            }
            theirs="- - -"
        }
        # shellcheck disable=SC2086 # each is three words
        echo $ours $theirs | awk '{ printf " %18.1f %12.2f", $1 / $2 / 1e6, $2 * 1e3 }
                                  $5 == "-" { printf " %12s", $5; exit }
                                  { printf " %12.2f%s", $5 * 1e3, $3 == $6 ? "" : "  RESULTS DIFFER"
                                    exit $3 != $6 }' || failed=1
    fi
    printf '\n'
done <"$scratch/list"
[ ! -s "$scratch/none" ] || sed 's/^/not compared: /' "$scratch/none"
exit $failed
