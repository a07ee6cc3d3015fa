#!/bin/sh
# heddle compare --why: its numbers are those of the two runs by themselves, it shows what the page
# on schedulers says it shows, and leaves nothing behind.
heddle=$1
scratch=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$scratch"
cd "$scratch" || exit 1
set -eu
export TMPDIR="$PWD/temporary"
rm -rf "$TMPDIR" && mkdir "$TMPDIR"
one='bfs --size tiny --scheduler lrr --l1d stall_bypass'
two='bfs --size tiny --scheduler ccws --set l1d.n_sets=16'
"$heddle" compare --why --json "$one" "$two" >why.json
# shellcheck disable=SC2086
"$heddle" run $one --json --attribute --locality --series 1000 --series-out a.csv >a.json
# shellcheck disable=SC2086
"$heddle" run $two --json --attribute --locality --series 1000 --series-out b.csv >b.json
python3 - <<'PY'
import csv, json
why = json.load(open("why.json"))
def near(a, b):
    assert abs(a - b) <= 1e-6 * max(1, abs(b)), (a, b)
for side in "ab":
    told, stats = why[side], json.load(open(side + ".json"))["stats"]
    rows = [{k: float(v) for k, v in r.items()} for r in csv.DictReader(open(side + ".csv"))]
    for name in ("cycles", "l1d.loads", "l1d.hit_rate", "l1d.misses", "l1d.evictions",
                 "l1d.reservation_fails", "l2.accesses", "dram.bytes", "locality.intra_thread",
                 "locality.inter_thread", "locality.inter_warp"):
        near(told[name], stats[name])
    shares = told["share_of_warp_cycles"]
    assert len(shares) == 9
    near(sum(shares.values()), 1)
    for name, share in shares.items():
        near(share, stats["attribution." + name] / stats["sm.warp_cycles"])
    near(told["whole"]["l1d_hit_rate"], stats["l1d.hit_rate"])
    assert told["whole"]["vta_hits"] == sum(r["vta_hits"] for r in rows)
    assert len(told["steps"]) == 8
    end = stats["elapsed_cycles"]
    for i, step in enumerate(told["steps"]):
        mine = [r for r in rows if (r["cycle"] - 1) * 8 // end == i]
        assert mine
        for name in ("resident_warps", "warps_may_load"):
            near(step[name], sum(r[name] for r in mine) / len(mine))
        total = lambda n: sum(r[n] for r in mine)
        asked = total("l1d.loads") - total("l1d.bypasses")
        near(step["l1d_hit_rate"], (total("l1d.hits") + total("l1d.merges")) / asked if asked else 0)
        assert step["vta_hits"] == total("vta_hits")
assert why["a"]["whole"]["vta_hits"] == 0 < why["b"]["whole"]["vta_hits"]
assert why["b"]["whole"]["warps_may_load"] < why["b"]["whole"]["resident_warps"]
assert json.load(open("a.json"))["stats"]["l1d.bypasses"] > 0
assert why["a"]["cycles"] != why["b"]["cycles"]
PY
# The page shows what comes out.
"$heddle" compare --why 'kmn --size tiny --gpu ccws --scheduler gto' \
    'kmn --size tiny --gpu ccws --scheduler ccws' >screen
sed -n '/^\$ heddle compare --why/,/^```/p' "$root/doc/schedulers.md" | sed '1d;$d' >page
diff page screen
[ "$(wc -l <screen)" -le 40 ]
# Mistakes.
set +e
. "$root/test/behaviour/expect.inc"
status 2 "$heddle" compare --why "$one" "$one" "$one"
complains "between two runs"
status 2 "$heddle" compare --why --first-difference "$one" "$one"
complains "alone"
status 2 "$heddle" compare --why "$one" '$(ls)'
complains "cannot make words"
status 2 "$heddle" compare --why "$one" 'bfs --size tiny --scheduler nobody'
complains "nobody"
silent out
status 2 "$heddle" compare --why 'bfs --functional' "$one"
complains "timed runs"
rmdir "$TMPDIR" || fail "files are left behind"
mkdir -p "$TMPDIR"
finish
