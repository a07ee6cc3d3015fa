#!/bin/sh
# A kernel that calls malloc and free waits as long in a replay as in the recorded run: every
# statistic is the same.
set -eu
heddle=$1
mkdir -p "$2"
kernel=$PWD/test/ptx/heap.ptx
cd "$2"

# The simulated statistics, without host times and the name of the run.
statistics() {
    sed -n '/"stats": {/,/}/p' "$1" | grep -v '"host\.'
}

"$heddle" run "$kernel" --entry heap --grid 15 --block 8 --arg buf:64 --record heap.trace --json >recorded
"$heddle" run --replay heap.trace --json >replayed
statistics recorded >recorded.statistics
statistics replayed >replayed.statistics
grep -q '"cycles"' recorded.statistics
cmp recorded.statistics replayed.statistics
