#!/bin/sh
# The cache laboratory from the command line: a recording and a text, tables, logs, mistakes.
heddle=$1
scratch=$2
mkdir -p "$scratch"
. test/behaviour/expect.inc

status 0 "$heddle" run bfs --size tiny --gpu m2090 --record-l1d "$scratch/bfs.zst"
status 0 "$heddle" cache replay "$scratch/bfs.zst" --policy lru,belady,belady_bypass --insts 1M
says "32 sets of 4 ways of 128 bytes, hashed index, stores remove lines, 16 SMs"
says "recorded on m2090 under lru"

# The ideal replay under the recorded policy: within half a percent of the recorded miss rate.
status 0 "$heddle" cache replay "$scratch/bfs.zst" --json
printf '%s' "$out" | python3 -c '
import json, sys
d = json.load(sys.stdin)
r, p = d["recorded"], d["replays"][0]
assert p["loads"] == r["hits"] + r["merges"] + r["misses"] + r["bypasses"], "loads"
assert p["hits_intra_thread"] + p["hits_inter_thread"] + p["hits_inter_warp"] == p["hits"]
assert abs(p["misses"] - r["misses"]) < 0.005 * p["loads"], (p, r)
' || fail "the replay is not near the run"

# One pass over all sizes, and the replay of one of them.
status 0 "$heddle" cache curve "$scratch/bfs.zst"
misses=$(printf '%s' "$out" | awk '$1 == 4 { print $3 }')
status 0 "$heddle" cache replay "$scratch/bfs.zst"
says " $misses "
status 0 "$heddle" cache reuse "$scratch/bfs.zst" --insts 1M
says "cache-insufficient (S2)" && says "0-4" && says ">64"
status 0 "$heddle" cache reuse "$scratch/bfs.zst" --insts 1G --ranges 0,7 && says "cache-sufficient (S2)" && says "1-7"
status 0 "$heddle" cache reuse "$scratch/bfs.zst" --json && says '"compulsory_misses"'
status 2 "$heddle" cache reuse "$scratch/bfs.zst" --ranges 7,7 && complains "ascending"
status 2 "$heddle" cache curve "$scratch/bfs.zst" --stores keep && complains "there is no curve"

cat >"$scratch/mine.txt" <<'TEXT'
# Two lines of one set in one way, a store that removes the second.
0 0 0 0 1 L 0x0

1 0 0 0 1 L 0x100 # replaces it
2 0 0 0 1 S 0x104
3 0 0 0 1 L 0x108
4 0 0 0 1 L 0x17c
5 1 0 0 1 L 0x100
6 0 0 0 1 L 0x2f
TEXT
small="--format text --sets 2 --ways 1 --line 128"
# shellcheck disable=SC2086
status 0 "$heddle" cache replay "$scratch/mine.txt" $small --log "$scratch/mine.csv"
says "2 sets of 1 ways"
cat >"$scratch/want.csv" <<'CSV'
0,miss,
1,miss,0x0
3,miss,
4,hit,
5,miss,
6,miss,0x100
CSV
cmp "$scratch/mine.csv" "$scratch/want.csv" || fail "the log differs"
# shellcheck disable=SC2086
status 0 "$heddle" cache replay "$scratch/mine.txt" $small --stores keep --json && says '"hits": 2'

echo "0 0 0 0 1 X 0x0" >"$scratch/bad.txt"
# shellcheck disable=SC2086
status 2 "$heddle" cache replay "$scratch/bad.txt" $small && complains "bad.txt:1:11: error: expected a kind"
status 2 "$heddle" cache replay "$scratch/mine.txt" --format text && complains "--sets is missing"
status 2 "$heddle" cache replay "$scratch/mine.txt" && complains "mine.txt"
status 2 "$heddle" cache replay "$scratch/none.zst" && complains "none.zst"
status 2 "$heddle" cache rplay "$scratch/bfs.zst" && complains "did you mean 'replay'?"
status 2 "$heddle" cache replay "$scratch/bfs.zst" --policy lur && complains "did you mean 'lru'?"
status 2 "$heddle" cache replay "$scratch/bfs.zst" --set k=1 && complains "there is no parameter 'k'"
status 2 "$heddle" cache replay "$scratch/bfs.zst" --ways 65 && complains "1 to 64 ways"
status 2 "$heddle" cache replay "$scratch/bfs.zst" --line 96 && complains "power of two"
status 2 "$heddle" cache replay "$scratch/bfs.zst" --index hsh && complains "expected linear or hash"
status 2 "$heddle" cache replay "$scratch/bfs.zst" --policy lru,fifo --log x && complains "one policy"
finish
