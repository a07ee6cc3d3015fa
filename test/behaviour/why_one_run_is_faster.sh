#!/bin/sh
# heddle compare --why: its numbers equal those of the two separate runs, it shows what the page on
# schedulers says it shows, and leaves no files.
heddle=$1
scratch=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$scratch"
cd "$scratch" || exit 1
set -eu
export TMPDIR="$PWD/temporary"
rm -rf "$TMPDIR" && mkdir "$TMPDIR"
one='bfs --size tiny:edges=32K --scheduler lrr --l1d stall_bypass'
two='bfs --size tiny:edges=32K --scheduler ccws --set l1d.n_sets=16'
"$heddle" compare --why --json "$one" "$two" >why.json
# shellcheck disable=SC2086
"$heddle" run $one --json --attribute --locality --series 1000 --series-out a.csv >a.json
# shellcheck disable=SC2086
"$heddle" run $two --json --attribute --locality --series 1000 --series-out b.csv >b.json
"$heddle" compare --why "$one" "$two" >one_two
# shellcheck disable=SC2086
"$heddle" run $two >b.txt
"$heddle" run nw --size tiny --scheduler swl >swl.txt
"$heddle" run nw --size tiny >plain.txt
python3 - <<'PY'
import csv, json
why = json.load(open("why.json"))
def near(a, b):
    assert abs(a - b) <= 1e-6 * max(1, abs(b)), (a, b)
for side in "ab":
    told, stats = why[side], json.load(open(side + ".json"))["stats"]
    rows = [{k: float(v) for k, v in r.items()} for r in csv.DictReader(open(side + ".csv"))]
    for r in rows: # a scheduler that throttles no warp has neither column
        r["vta_hits"] = r.get("scheduler.vta_hits", 0)
        r["warps_may_load"] = r.get("scheduler.warps_may_load", r["resident_warps"])
    for name in ("cycles", "l1d.loads", "l1d.hit_rate", "l1d.misses", "l1d.evictions",
                 "l1d.bypasses", "l1d.reservation_fails", *("l1d.reservation_fails." + cause for cause in
                 ("mshr", "merge", "line", "miss_queue", "port", "bypass_table")), "l2.accesses", "dram.bytes", "locality.intra_thread",
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
# A separate run reports what its scheduler did, if the scheduler may throttle warps.
total = lambda name: sum(float(r[name]) for r in rows) # of b, the last
told = {l.split()[0]: l.split()[1] for l in open("b.txt") if len(l.split()) == 3}
assert told["scheduler.vta_hits"] == f"{why['b']['whole']['vta_hits']:,}"
assert told["scheduler.may_load_share"] == f"{total('warps_may_load') / total('resident_warps'):.3f}", told
assert "scheduler.may_load_share" in open("swl.txt").read() and "scheduler.vta_hits" not in open("swl.txt").read()
assert "scheduler." not in open("plain.txt").read()
# On the screen: what bypassed L1D, and stall causes that differ by at least a hundredth of the
# longer run.
screen = {" ".join(l.split()[:-3]): l.split()[-3:-1] for l in open("one_two") if len(l.split()) > 3}
a, b = why["a"], why["b"]
number = lambda text: int(text.replace(",", ""))
assert list(map(number, screen["bypasses"])) == [a["l1d.bypasses"], b["l1d.bypasses"]]
longer, n_shown = max(a["l1d.reservation_fails"], b["l1d.reservation_fails"]), 0
for title, cause in (("an MSHR", "mshr"), ("room in its line's MSHR", "merge"), ("a line not reserved", "line"),
                     ("the miss queue", "miss_queue"), ("the network", "port"), ("a bypass slot", "bypass_table")):
    x, y = (s["l1d.reservation_fails." + cause] for s in (a, b))
    shown = screen.get("for " + title)
    assert (shown is not None) == (x != y and 100 * abs(x - y) >= longer), (title, x, y)
    assert not shown or list(map(number, shown)) == [x, y], (title, shown, x, y)
    n_shown += shown is not None
assert 0 < n_shown < 6, screen
PY
# The page shows the output.
"$heddle" compare --why 'kmn --size tiny --gpu ccws --scheduler gto' \
    'kmn --size tiny --gpu ccws --scheduler ccws' >screen
sed -n '/^\$ heddle compare --why/,/^```/p' "$root/doc/schedulers.md" | sed '1d;$d' >page
diff page screen
[ "$(wc -l <screen)" -le 40 ]
# Mistakes.
set +e
. "$root/test/behaviour/expect.inc"
status 2 "$heddle" compare --why "$one" "$one" "$one"
complains "needs two runs"
status 2 "$heddle" compare --why --first-difference "$one" "$one"
complains "no other option"
status 2 "$heddle" compare --why "$one" '$(ls)'
complains "cannot split"
status 2 "$heddle" compare --why "$one" 'bfs --size tiny:edges=32K --scheduler nobody'
complains "nobody"
silent out
# What is refused before anything runs, with the side at fault, and what is not refused.
refused() {
    wanted=$1
    shift
    status 2 "$heddle" compare --why "$@"
    complains "$wanted"
    silent out
}
refused "B has --functional, so it has no cycles" 'bfs' 'bfs --functional'
refused "A runs kmn and B bfs" 'kmn --size tiny' 'bfs --size tiny'
refused "A has --seed 1 and B 2" 'ss --size tiny' 'ss --size tiny --seed 2'
refused "A has the size tiny and B small" 'ss --size tiny' 'ss'
refused "--scheduler needs a value" "$one" 'bfs --size tiny --scheduler'
refused "A has --series-out, which --why sets itself" 'ss --size tiny --series 9 --series-out mine.csv' 'ss --size tiny'
refused "A has several workloads" 'ss nw --size tiny' 'ss --size tiny'
refused "--store has no effect" --store none.db 'ss --size tiny' 'ss --size tiny'
[ ! -e mine.csv ] && [ ! -e none.db ] || fail "a file was made"
status 0 "$heddle" compare --why 'nw --size tiny --seed 1' 'nw --seed=1 --size tiny --l1d fifo'
says "times as fast"
# A run that does not end says so, whichever of the two it is.
status 3 "$heddle" compare --why 'nw --size tiny --max-cycles 100' 'nw --size tiny'
complains "A did not run to its end"
complains "the launch was stopped after 100 cycles"
silent out
status 3 "$heddle" compare --why 'nw --size tiny' 'nw --size tiny --max-cycles 100'
complains "B did not run to its end"
silent out
rmdir "$TMPDIR" || fail "files are left behind"
mkdir -p "$TMPDIR"
finish
