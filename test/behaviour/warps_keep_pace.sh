#!/bin/sh
# What --attribute says of the warps of a CTA (who is the slowest, how accurate criticality is, how
# often it is inverted) is what follows from the records of the warps, worked out anew here.
heddle=$1
scratch=$2
mkdir -p "$scratch"
cd "$scratch" || exit 1
set -eu
run() {
    out=$1
    shift
    "$heddle" run bfs --size tiny --json --attribute-out "$out.csv" "$@" >"$out.json"
}
run lrr --scheduler lrr
run blk --scheduler caws_blk --set criticality.file=lrr.csv
run blk_cycle --scheduler caws_blk --set criticality.file=lrr.csv --engine cycle --quantum 3 --threads 2
run avg --scheduler caws_avg --set criticality.file=lrr.csv
run same --scheduler lrr --set criticality=oracle --set criticality.file=lrr.csv
run cpl --scheduler lrr --set criticality=cpl
run cpl_cycle --scheduler lrr --set criticality=cpl --engine cycle --quantum 1
# One warp a CTA.
"$heddle" run nw --size tiny --json --attribute --set criticality=cpl >nw.json
"$heddle" run bfs --size tiny --attribute --scheduler caws_blk --set criticality.file=lrr.csv >screen
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
        w = warps[slowest]
        for t in range(w["start_cycle"] // PERIOD * PERIOD + PERIOD, w["end_cycle"], PERIOD):
            others = [o for o in warps if o != slowest and t < warps[o]["end_cycle"]]
            less = sum(value[o] < value[slowest] for o in others)
            mine["criticality.samples"] += 1
            mine["criticality.samples_alone"] += not others
            mine["criticality.slow"] += less * 2 >= len(others)
    time = mine.pop("time")
    for n, v in mine.items():
        assert s[n] == v, (name, n, s[n], v)
    near(s["cta.disparity"], mine["cta.slowest_cycles"] / mine["cta.fastest_cycles"] - 1)
    near(s["cta.idle"], mine["cta.idle_cycles"] / time)
    if told:
        near(s["criticality.inversion"], mine["criticality.inversions"] / mine["cta.ctas"])
        slow, n, alone = (s["criticality." + k] for k in ("slow", "samples", "samples_alone"))
        near(s["criticality.accuracy"], slow / n)
        near(s["criticality.accuracy_among_others"], (slow - alone) / (n - alone))
        assert 0 < alone < slow <= n
    return s

none = pace("lrr", False)
assert not any(v for k, v in none.items() if k.startswith("criticality.")) # nobody says anything
assert 0 < none["cta.disparity"]
inverted = {n: pace(n, True)["criticality.inversion"] for n in ("blk", "avg", "same")}
assert inverted["same"] == 0 and inverted["blk"] > 0 and inverted["avg"] > 0, inverted
cpl = pace("cpl", False)
assert cpl["criticality.inversions"] == 0 # it foretells nothing at the start
assert cpl["criticality.samples"] == stats("same")["criticality.samples"] # the same run
assert 0 < cpl["criticality.accuracy"] < 1
assert stats("blk") == stats("blk_cycle") and cpl == stats("cpl_cycle")
# The footnote of S3 section 4.3.3: where a CTA has one warp, it is always right.
nw = stats("nw")
assert nw["criticality.accuracy"] == 1 and nw["criticality.samples"] == nw["criticality.samples_alone"] > 0
assert nw["cta.ctas"] == 0
# The same on a screen.
text, blk = " ".join(open("screen").read().split()), stats("blk")
for line in (f"live {100 * blk['cta.disparity']:.1f} % longer than the fastest",
             f"{100 * blk['cta.idle']:.1f} % of the warp slots",
             f"(oracle): slowest warps of CTAs are in the slower half in {100 * blk['criticality.accuracy']:.1f} %",
             f"in {100 * blk['criticality.accuracy_among_others']:.1f} % of those",
             f"{100 * blk['criticality.inversion']:.1f} % of CTAs have another slowest warp"):
    assert line in text, line
PY
