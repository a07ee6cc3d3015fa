#!/bin/sh
# A kernel that calls malloc and free waits as long when it is replayed as when it was recorded: every
# statistic is the same.
set -eu
heddle=$1
mkdir -p "$2"
kernel=$PWD/test/ptx/heap.ptx
cd "$2"

# What is simulated, without what the host took for it and what the run is called.
statistics() {
    sed -n '/"stats": {/,/}/p' "$1" | grep -v '"host\.'
}

"$heddle" run "$kernel" --entry heap --grid 15 --block 8 --arg buf:64 --record heap.trace --json >recorded
"$heddle" run --replay heap.trace --json >replayed
statistics recorded >recorded.statistics
statistics replayed >replayed.statistics
grep -q '"cycles"' recorded.statistics
cmp recorded.statistics replayed.statistics
