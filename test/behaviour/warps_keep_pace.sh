#!/bin/sh
# What --attribute reports about the warps of a CTA (the slowest one, the accuracy of criticality,
# how often it is inverted) follows from the records of the warps; it is recomputed here.
heddle=$1
scratch=$2
mkdir -p "$scratch"
cd "$scratch" || exit 1
set -eu
run() {
    out=$1
    shift
    "$heddle" run bfs --size tiny:edges=32K --json --attribute-out "$out.csv" "$@" >"$out.json"
}
run lrr --scheduler lrr
run blk --scheduler caws_blk --set criticality.file=lrr.csv
run blk_cycle --scheduler caws_blk --set criticality.file=lrr.csv --engine cycle --quantum 3 --threads 2
run avg --scheduler caws_avg --set criticality.file=lrr.csv
awk -F, -v OFS=, '$1 == "warp" {$10 = $9 + 1000} {print}' lrr.csv >equal.csv
run equal_avg --scheduler caws_avg --set criticality.file=equal.csv
run same --scheduler lrr --set criticality=oracle --set criticality.file=lrr.csv
run cpl --scheduler lrr --set criticality=cpl
run turns --scheduler lrr --set sm.rotate_schedulers=true
run turns_cycle --scheduler lrr --set sm.rotate_schedulers=true --engine cycle --quantum 3 --threads 2
run cpl_cycle --scheduler lrr --set criticality=cpl --engine cycle --quantum 1
# One warp per CTA.
"$heddle" run nw --size tiny --json --attribute-out nw.csv --set criticality=cpl >nw.json
"$heddle" run nw --size tiny --json --attribute --set criticality=oracle --set criticality.file=nw.csv >nw_oracle.json
"$heddle" run bfs --size tiny:edges=32K --attribute --scheduler caws_blk --set criticality.file=lrr.csv >screen
# Four warps. The first executes twice as many dependent additions as the others: on the path that
# follows the branch (setp.ne), or on the one at its target (setp.eq). Memory is so fast that the
# branch has executed before the first sample.
path() {
    i=0
    while [ $i -lt "$1" ]; do
        echo 'add.u32 %r2, %r2, %r1;'
        i=$((i + 1))
    done
}
uneven() {
    cat >"uneven_$1.ptx" <<PTX
.version 6.0
.target sm_35
.address_size 64
.visible .entry uneven(.param .u64 out)
{
.reg .pred %p1; .reg .b32 %r<4>; .reg .b64 %rd<2>;
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %r1;
shr.u32 %r3, %r1, 5;
setp.$1.u32 %p1, %r3, 0;
@%p1 bra THERE;
$(path "$2")
bra.uni MEET;
THERE:
$(path "$3")
MEET:
st.global.u32 [%rd1], %r2;
ret;
}
PTX
    for scheduler in lrr gcaws; do
        "$heddle" run "uneven_$1.ptx" --block 128 --arg buf:4 --scheduler $scheduler \
            --set memory.rop_latency=1 --set memory.dram_latency=1 \
            --set criticality=cpl --json --attribute-out "uneven_$1_$scheduler.csv" \
            >"uneven_$1_$scheduler.json"
    done
}
uneven ne 400 200
uneven eq 200 400
python3 - <<'PY'
import collections, csv, json
PERIOD = 256
NAMES = "scheduling sync fetch ctrl_hazard data_hazard data_cache_miss mshr structural_hazard exec".split()
def stats(name):
    return {k[len("attribution."):]: v for k, v in json.load(open(name + ".json"))["stats"].items()
            if k.startswith("attribution.")}
def ctas(name):
    found = collections.defaultdict(dict)
    for r in csv.DictReader(open(name + ".csv")):
        if r["record"] == "run": # what was run, after the last warp
            continue
        key = r["launch"], r["cta"]
        found[key]["cta" if r["record"] == "cta" else int(r["warp"])] = {
            k: int(v) for k, v in r.items() if k not in ("record", "kernel") and v != ""}
    return {k: (v.pop("cta"), v) for k, v in found.items()}
def life(w):
    return w["end_cycle"] - w["start_cycle"]
def near(a, b):
    assert abs(a - b) < 1e-5, (a, b)
oracle = ctas("lrr")

def pace(name, told):
    s, mine = stats(name), collections.Counter()
    for key, (cta, warps) in ctas(name).items():
        slowest = min(warps, key=lambda w: (-life(warps[w]), w))
        fastest = min(warps, key=lambda w: (life(warps[w]), w))
        idle = sum(cta["end_cycle"] - w["end_cycle"] for w in warps.values())
        assert (cta["slowest_warp"], cta["fastest_warp"]) == (slowest, fastest), key
        assert cta["slowest_cycles"] == life(warps[slowest]) == life(cta), key
        assert cta["fastest_cycles"] == life(warps[fastest]) and cta["idle_cycles"] == idle, key
        mine["cta.ctas"] += 1
        mine["cta.slowest_cycles"] += life(warps[slowest])
        mine["cta.fastest_cycles"] += life(warps[fastest])
        mine["cta.idle_cycles"] += idle
        mine["time"] += life(cta) * len(warps)
        for n in NAMES:
            mine["cta.slowest." + n] += warps[slowest][n]
            mine["cta.fastest." + n] += warps[fastest][n]
        if not told:
            continue
        value = {w: life(oracle[key][1][w]) for w in warps}
        mine["criticality.inversions"] += min(warps, key=lambda w: (-value[w], w)) != slowest
        mine["criticality.inversions_by_fast"] += value[slowest] < sum(value.values()) / len(value)
        w = warps[slowest]
        for t in range(w["start_cycle"] // PERIOD * PERIOD + PERIOD, w["end_cycle"], PERIOD):
            others = [o for o in warps if o != slowest and t < warps[o]["end_cycle"]]
            less = sum(value[o] < value[slowest] for o in others)
            mine["criticality.samples"] += 1
            mine["criticality.samples_alone"] += not others
            mine["criticality.slow_among_others"] += bool(others) and less * 2 >= len(others)
            ended = len(warps) - 1 - len(others)
            mine["criticality.slow"] += (less + ended) * 2 >= len(warps) - 1
    time = mine.pop("time")
    for n, v in mine.items():
        assert s[n] == v, (name, n, s[n], v)
    near(s["cta.disparity"], mine["cta.slowest_cycles"] / mine["cta.fastest_cycles"] - 1)
    near(s["cta.idle"], mine["cta.idle_cycles"] / time)
    if told:
        near(s["criticality.inversion"], mine["criticality.inversions"] / mine["cta.ctas"])
        near(s["criticality.inversion_by_fast"], mine["criticality.inversions_by_fast"] / mine["cta.ctas"])
        slow, among, n, alone = (s["criticality." + k] for k in ("slow", "slow_among_others", "samples", "samples_alone"))
        near(s["criticality.accuracy"], slow / n)
        near(s["criticality.accuracy_among_others"], among / (n - alone))
        assert 0 < alone < slow <= n
    return s

none = pace("lrr", False)
assert not any(v for k, v in none.items() if k.startswith("criticality.")) # no provider rates warps
assert 0 < none["cta.disparity"]
# S3 section 3.4.2: with equal periods CAWS is round robin, cycle by cycle.
def simulated(name):
    return {k: v for k, v in json.load(open(name + ".json"))["stats"].items()
            if not k.startswith(("attribution.criticality.", "host."))}
assert simulated("equal_avg") == simulated("lrr") != simulated("avg")
inverted = {n: pace(n, True)["criticality.inversion"] for n in ("blk", "avg", "same")}
assert inverted["same"] == 0 and inverted["blk"] > 0 and inverted["avg"] > 0, inverted
cpl = pace("cpl", False)
assert cpl["criticality.inversions"] == 0 # it predicts nothing at the start
assert cpl["criticality.samples"] == stats("same")["criticality.samples"] # the same run
assert 0 < cpl["criticality.accuracy"] < 1
assert stats("blk") == stats("blk_cycle") and cpl == stats("cpl_cycle")
# The scheduler that issues first has the load/store unit first: warps of the second scheduler, the
# odd ones, live longer unless the schedulers take turns.
def odd_against_even(name):
    lives = [[life(w) for _, warps in ctas(name).values() for i, w in warps.items() if i % 2 == odd] for odd in (0, 1)]
    assert len(lives[0]) == len(lives[1]) > 1000
    return sum(lives[1]) / sum(lives[0])
assert odd_against_even("lrr") > 1.02 and 0.995 < odd_against_even("turns") < 1.005, [odd_against_even(n) for n in ("lrr", "turns")]
assert stats("turns") == stats("turns_cycle")
# The footnote of S3 section 4.3.3: if a CTA has one warp, the prediction is always right.
nw = stats("nw")
assert nw["criticality.accuracy"] == 1 and nw["criticality.samples"] == nw["criticality.samples_alone"] > 0
assert nw["cta.ctas"] == 0
# A lone warp is not above its own median, but is the slowest of its CTA: either no load is by a
# critical warp, or every load is.
assert nw["criticality.l1d_loads"] == 0 and nw["criticality.l1d_hit_rate"] == 0
every, s = stats("nw_oracle"), json.load(open("nw_oracle.json"))["stats"]
assert every["criticality.l1d_loads"] == s["l1d.loads"] > every["criticality.l1d_hits"] > 0
assert every["criticality.l1d_hits"] == s["l1d.hits"] + s["l1d.merges"]
near(every["criticality.l1d_hit_rate"], s["l1d.hit_rate"])
assert 0 < cpl["criticality.l1d_loads"] < json.load(open("cpl.json"))["stats"]["l1d.loads"]
# The critical warp in a kernel written for this: warp 0, from the branch until its end.
for name in ("ne_lrr", "ne_gcaws", "eq_lrr", "eq_gcaws"):
    s = pace("uneven_" + name, False)
    (cta, warps), = ctas("uneven_" + name).values()
    assert cta["slowest_warp"] == 0 and life(warps[0]) > 400 and len(warps) == 4, cta
    assert s["criticality.samples"] == (warps[0]["end_cycle"] - 1) // PERIOD > s["criticality.samples_alone"], s
    assert s["criticality.accuracy"] == s["criticality.accuracy_among_others"] == 1, (name, s)
# The same on a screen.
text, blk = " ".join(open("screen").read().split()), stats("blk")
for line in (f"live {100 * blk['cta.disparity']:.1f} % longer than the fastest",
             f"{100 * blk['cta.idle']:.1f} % of the warp slots",
             f"(oracle): slowest warps of CTAs are in the slower half in {100 * blk['criticality.accuracy']:.1f} %",
             f"in {100 * blk['criticality.accuracy_among_others']:.1f} % of those",
             f"{100 * blk['criticality.inversion']:.1f} % of CTAs have another slowest warp than recorded,"
             f" {100 * blk['criticality.inversion_by_fast']:.1f} % one that was fast"):
    assert line in text, line
PY
# An oracle of another program or input is refused, with its line. One that does not name its input
# is accepted if kernels, launches and warps agree.
. "$(dirname "$0")/expect.inc"
set +e
last_line=$(wc -l <nw.csv)
oracle="--set criticality=oracle --set criticality.file"
# shellcheck disable=SC2086
{
    status 2 "$heddle" run nw --size tiny --seed 2 --json $oracle=nw.csv
    silent out
    complains "nw.csv:$last_line: the times belong to another input (workload=nw size=tiny seed=1 input_hash="
    grep -v '^run,' nw.csv >old.csv
    status 0 "$heddle" run nw --size tiny --seed 2 --json $oracle=old.csv
    sed 's/nw_[a-z_0-9]*/other/' old.csv >renamed.csv
    status 2 "$heddle" run nw --size tiny --json $oracle=renamed.csv
    complains "renamed.csv:2: times of kernel 'other', where this run launches 'nw_"
    silent out
    # One launch of its last kernel more than the run has.
    awk -F, -v OFS=, '{print} $1 == "warp" && $2 > n {n = $2; row = $0} END {$0 = row; $2 = n + 1; print}' old.csv >more.csv
    status 2 "$heddle" run nw --size tiny --json $oracle=more.csv
    complains "more.csv: "
    complains "launches of kernel 'nw_"
    "$heddle" run nw --size tiny --record nw.trace >/dev/null
    status 0 "$heddle" run --replay nw.trace --json $oracle=nw.csv
    "$heddle" run nw --size tiny --seed 2 --record nw2.trace >/dev/null
    status 2 "$heddle" run --replay nw2.trace --json $oracle=nw.csv
    complains "another input"
    silent out
}
finish
