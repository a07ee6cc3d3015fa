#!/bin/sh
# The output of --attribute, --attribute-out and --timeline adds up to the statistics of the run and
# agrees with each other. It is the same with every quantum, engine and number of threads, and
# changes nothing that is simulated.
heddle=$1
scratch=$2
mkdir -p "$scratch"
cd "$scratch" || exit 1
set -eu
cat >mix.cl <<'CL'
__kernel void mix(__global const float *x, __global float *y, __global int *bins) {
    __local float part[128];
    int i = get_global_id(0), l = get_local_id(0);
    float sum = x[i];
    for (int k = 0; k < (l & 7); k++)
        sum += x[(i * 33 + k * 577) & 16383];
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 96)
        y[i] = part[127 - l] + sqrt(sum);
    atomic_add(&bins[i & 15], 1);
}
CL
set -- mix.cl --set n_sms=4 --grid 40 --block 128 --arg rand:64K:1 --arg buf:64K --arg buf:64
run() {
    out=$1
    shift
    "$heddle" run "$@" --json --attribute-out "$out.csv" --timeline "$out.trace.json" >"$out.json"
}
run mix "$@"
run quantum "$@" --quantum 1
run engine "$@" --engine cycle
run threads "$@" --threads 2
run lrr "$@" --scheduler lrr
run printed "$@" --scheduler lrr --set sm.scheduling_delay=printed
run lrr_engine "$@" --scheduler lrr --engine cycle --quantum 2 --threads 3
"$heddle" run "$@" --json --timeline part.trace.json --timeline-sms 3,0 \
    --timeline-cycles 700-1500 >part.json
"$heddle" run "$@" --json >plain.json
"$heddle" run "$@" --json --per-pc >per_pc.json
"$heddle" run bfs --size tiny --json >bfs_plain.json
"$heddle" run bfs --size tiny --json --attribute-out bfs.csv >bfs.json
"$heddle" run bfs --size tiny --attribute >screen
sed 's/void mix/void a_kernel_with_quite_a_long_name/' mix.cl >long.cl
(
    shift
    "$heddle" run long.cl "$@" --attribute >long_name
)
# Other requested output is printed too, beside the cycles.
"$heddle" run "$@" --attribute --locality --belady --kernels >both
"$heddle" run "$@" --locality --belady >alone
for told in both alone; do
    awk '/^  (locality|belady|unbounded)\./ { print $1, $2 }' $told >$told.rows
done
[ -s alone.rows ] && cmp alone.rows both.rows
grep -q '^kernel ' both && grep -q '^  share of cycles' both
for kind in csv trace.json; do
    cmp mix.$kind quantum.$kind
    cmp mix.$kind engine.$kind
    cmp mix.$kind threads.$kind
    cmp lrr.$kind lrr_engine.$kind
done

python3 - <<'PY'
import collections, csv, json
NAMES = {"Scheduling": "scheduling", "Sync": "sync", "Fetch": "fetch", "CtrlHazard": "ctrl_hazard",
         "DataHazard": "data_hazard", "DataCacheMiss": "data_cache_miss", "MSHR": "mshr",
         "StructuralHazard": "structural_hazard", "Exec": "exec"}
def load(name):
    return json.load(open(name + ".json"))
def simulated(run):
    return {k: v for k, v in run["stats"].items() if not k.startswith(("host.", "attribution."))}
def records(name):
    rows = list(csv.DictReader(open(name + ".csv")))
    origin = rows.pop() # the command, in the kernel's column only
    assert origin.pop("record") == "run" and origin.pop("kernel") and not any(origin.values()), origin
    for r in rows:
        for k in r:
            if k not in ("record", "kernel") and r[k] != "":
                r[k] = int(r[k])
    return rows

# Nothing simulated changes; without --attribute there is nothing about it.
for plain, watched in (("plain", "mix"), ("plain", "part"), ("bfs_plain", "bfs")):
    assert simulated(load(plain)) == simulated(load(watched)), watched
    assert not any(k.startswith("attribution") for k in load(plain)["stats"])
    assert "attribution" not in load(plain)

# Records: a warp's categories are its lifetime, a CTA's those of its warps, all those of the run.
for name in ("mix", "lrr", "bfs"):
    run, rows = load(name), records(name)
    stats = run["stats"]
    warps = [r for r in rows if r["record"] == "warp"]
    ctas = [r for r in rows if r["record"] == "cta"]
    assert len(warps) == stats["warps"] and len(ctas) == stats["ctas"] and len(rows) == len(warps) + len(ctas)
    assert len({(r["launch"], r["cta"], r["warp"]) for r in warps}) == len(warps)
    members = collections.defaultdict(list)
    for r in warps:
        assert sum(r[n] for n in NAMES.values()) == r["end_cycle"] - r["start_cycle"] > 0
        members[r["launch"], r["cta"]].append(r)
    for r in ctas:
        mine = members[r["launch"], r["cta"]]
        assert len(mine) == r["n_warps"] and {w["sm"] for w in mine} == {r["sm"]}
        assert r["start_cycle"] == min(w["start_cycle"] for w in mine)
        assert r["end_cycle"] == max(w["end_cycle"] for w in mine)
        assert all(r[n] == sum(w[n] for w in mine) for n in NAMES.values())
    for n in NAMES.values():
        assert stats["attribution." + n] == sum(r[n] for r in warps), n
        for k in run["kernels"]:
            assert k["attribution." + n] == sum(r[n] for r in warps if r["kernel"] == k["kernel"])
    units = [v for k, v in stats.items() if k.startswith("attribution.structural_hazard.")]
    assert len(units) == 5 and sum(units) == stats["attribution.structural_hazard"]
    assert stats["attribution.exec"] == stats["sm.issued"] == stats["warp_insts"]
    assert sum(stats["attribution." + n] for n in NAMES.values()) == stats["sm.warp_cycles"]
    # The slowest are the slowest.
    for key, of in (("slowest_ctas", ctas), ("slowest_warps", warps)):
        lives = sorted((r["end_cycle"] - r["start_cycle"] for r in of), reverse=True)
        shown = [r["end_cycle"] - r["start_cycle"] for r in run["attribution"][key]]
        assert len(shown) == 4 and shown == lives[:4], key
    mean = sum(r["end_cycle"] - r["start_cycle"] for r in warps) / len(warps)
    assert abs(run["attribution"]["mean_warp_cycles"] - mean) < 1e-6
used = {n for n in NAMES.values() for f in ("mix", "lrr") if load(f)["stats"]["attribution." + n]}
assert used == set(NAMES.values()), set(NAMES.values()) - used

# S3's Algorithm 2 as printed: every visit counts for its cause and for Scheduling, so Scheduling is
# the whole lifetime.
assert simulated(load("printed")) == simulated(load("lrr"))
for r, p in zip(records("lrr"), records("printed")):
    causes = [n for n in NAMES.values() if n != "scheduling"]
    assert all(p[n] == r[n] for n in causes + ["launch", "cta", "start_cycle", "end_cycle"])
    assert p["scheduling"] == r["scheduling"] + sum(r[n] for n in causes)
    assert r["record"] == "cta" or p["scheduling"] == r["end_cycle"] - r["start_cycle"]

# Timelines: the documented keys; slices of a thread are contiguous and agree with the records.
def check_trace(name, run, rows):
    trace = load(name + ".trace")
    assert trace["otherData"]["gpu"] == "gtx480" and trace["otherData"]["ts"] == "core cycles"
    events = trace["traceEvents"]
    assert {e["ph"] for e in events} == {"X", "i", "C", "M"}
    for e in events:
        assert isinstance(e["pid"], int) and isinstance(e["name"], str) and isinstance(e["args"], dict)
        assert e["ph"] == "M" or (isinstance(e["ts"], int) and e["ts"] >= 0)
        assert e["ph"] == "C" or isinstance(e["tid"], int)
        assert e["ph"] != "X" or e["dur"] > 0
        assert e["ph"] != "i" or e["s"] == "t"
        assert e["ph"] != "C" or all(isinstance(v, int) for v in e["args"].values())
    threads = collections.defaultdict(list)
    for e in events:
        if e["ph"] == "X":
            threads[e["pid"], e["tid"]].append(e)
    for slices in threads.values():
        slices.sort(key=lambda e: e["ts"])
        for a, b in zip(slices, slices[1:]):
            assert a["ts"] + a["dur"] <= b["ts"], (a, b)
    for r in rows:
        is_warp = r["record"] == "warp"
        thread = threads[r["sm"], r["slot"] + (0 if is_warp else 1000)]
        mine = [e for e in thread if r["start_cycle"] <= e["ts"] < r["end_cycle"]]
        assert mine[0]["ts"] == r["start_cycle"]
        assert mine[-1]["ts"] + mine[-1]["dur"] == r["end_cycle"]
        if is_warp:
            sums = collections.Counter()
            for e in mine:
                sums[NAMES[e["name"]]] += e["dur"]
                assert e["cat"] == ("issue" if e["name"] == "Exec" else "stall")
            assert all(sums[n] == r[n] for n in NAMES.values()), r
        else:
            assert len(mine) == 1 and mine[0]["name"] == f"CTA {r['cta']}"
            assert mine[0]["args"] == {"kernel": r["kernel"], "launch": r["launch"], "warps": r["n_warps"]}
    assert sum(len(s) for (_, t), s in threads.items() if t >= 1000) == run["stats"]["ctas"]
    exits = {(e["pid"], e["tid"], e["ts"]) for e in events if e["ph"] == "i"}
    assert exits == {(r["sm"], r["slot"], r["end_cycle"] - 1) for r in rows if r["record"] == "warp"}
    # Samples every 256 cycles, written when they change.
    for title, stat in (("instructions issued", "sm.issued"), ("L1D misses", "l1d.misses")):
        total = 0
        for sm in range(4):
            steps = [e for e in events if e["ph"] == "C" and e["pid"] == sm and e["name"] == title]
            assert steps and steps[-1]["args"]["value"] == 0  # idle again
            for a, b in zip(steps, steps[1:]):
                total += a["args"]["value"] * -(-(b["ts"] - a["ts"]) // 256)
        assert total == run["stats"][stat], title
    return events
# A slice names its instruction as --per-pc does; hazards by unit add up to the statistics.
UNITS = {"sp": "SP units", "int": "integer units", "fp64": "FP64 units", "sfu": "SFUs", "ldst": "load/store"}
def check_instructions(run, events):
    per_pc = {r["pc"]: r for r in load("per_pc")["per_pc"]}
    seen, waits = set(), collections.Counter()
    for e in events:
        if e["ph"] != "X" or e["tid"] >= 1000:
            continue
        args = e["args"]
        assert args["kernel"] == "mix" and args["op"]
        if args["pc"] in per_pc:
            known = per_pc[args["pc"]]
            assert args["op"] == known["instruction"].split("@")[-1].split(" ")[known["instruction"][0] == "@"], (args, known)
            assert args["source"] == f"mix.cl:{known['source_line']}", (args, known)
            seen.add(args["pc"])
        assert ("unit" in args) == (e["name"] == "StructuralHazard")
        waits[args.get("unit")] += e["dur"]
    assert seen == set(per_pc), set(per_pc) - seen
    for name, title in UNITS.items():
        assert waits[title] == run["stats"]["attribution.structural_hazard." + name], title
    assert sum(waits[t] > 0 for t in UNITS.values()) > 1
for name in ("mix", "lrr"):
    events = check_trace(name, load(name), records(name))
    check_instructions(load(name), events)

# A window equals the same part of the whole.
whole, part = load("mix.trace")["traceEvents"], load("part.trace")["traceEvents"]
expected = []
for e in whole:
    if e["pid"] not in (0, 3) or e["ph"] == "C":
        continue
    if e["ph"] in "Xi":
        end = min(e["ts"] + e.get("dur", 1), 1500)
        e["ts"] = max(e["ts"], 700)
        if e["ts"] >= end:
            continue
        if e["ph"] == "X":
            e["dur"] = end - e["ts"]
    expected.append(e)
key = lambda e: json.dumps(e, sort_keys=True)
drawn = [e for e in part if e["ph"] != "C"]
assert sorted(map(key, drawn)) == sorted(map(key, expected)) and len(drawn) > 500
assert all(e["pid"] in (0, 3) and 700 <= e["ts"] < 1500 for e in part if e["ph"] == "C")

# On a screen: shares that sum up, in at most 40 lines of 100 letters. A long name has a number there.
lines = open("screen").read().splitlines()
assert len(lines) <= 40 and max(map(len, lines)) <= 100
long = open("long_name").read().splitlines()
assert "  (1) a_kernel_with_quite_a_long_name" in long and max(map(len, long)) <= 100, long
assert long[2].split()[-1] == "(1)" and sum(" (1) " in l for l in long[:-1]) >= 2, long
shares = {l.split()[0]: float(l.split()[1]) for l in lines if l.split() and l.split()[0] in NAMES}
assert set(shares) == set(NAMES) and abs(sum(shares.values()) - 100) < 0.5
total = load("bfs")["stats"]["sm.warp_cycles"]
for title, name in NAMES.items():
    assert abs(shares[title] - 100 * load("bfs")["stats"]["attribution." + name] / total) < 0.051
PY

# If something cannot be attributed or drawn, the message says so, and no file is left.
refused() {
    words=$1
    shift
    status=0
    "$heddle" run "$@" >out 2>err || status=$?
    [ $status -eq 2 ] || { echo "status $status: $*" && exit 1; }
    grep -q -e "$words" err || { cat err && exit 1; }
    [ ! -e refused ]
}
refused "is for timed runs" bfs --functional --attribute
refused "is for timed runs" bfs --on opencl --timeline refused
refused "one workload at a time" bfs nw --attribute
refused "one workload at a time" bfs nw --json --attribute-out refused
refused "need --timeline" bfs --size tiny --timeline-sms 0
refused "expected FIRST-END" bfs --size tiny --timeline refused --timeline-cycles 5-5
refused "expected FIRST-END" bfs --size tiny --timeline refused --timeline-cycles 100
refused "expected FIRST-END" bfs --size tiny --timeline refused --timeline-cycles -
refused "expected FIRST-END" bfs --size tiny --timeline refused --timeline-cycles 1-2x
refused "0 to 14" bfs --size tiny --timeline refused --timeline-sms 15
refused "numbers of SMs" bfs --size tiny --timeline refused --timeline-sms 0,,1
refused "numbers of SMs" bfs --size tiny --timeline refused --timeline-sms 1,
"$heddle" run nw hg --size tiny --json --attribute >several.json
python3 -c '
import json
runs = json.load(open("several.json"))
assert all(r["stats"]["attribution.exec"] == r["stats"]["sm.issued"] > 0 for r in runs)'
"$heddle" run nw --size tiny --quiet --timeline open.json --timeline-cycles 100-
"$heddle" run nw --size tiny --quiet --timeline open.json --timeline-cycles -200 --timeline-sms 14

# A file name in .gz is compressed, and a limit ends the drawing at a sample; the drawing is then
# the beginning of the whole.
"$heddle" run "$@" --quiet --timeline whole.json.gz
python3 -c 'import gzip; assert gzip.open("whole.json.gz").read() == open("mix.trace.json", "rb").read()'
"$heddle" run "$@" --quiet --timeline limited.json.gz --timeline-limit 1M 2>err
grep -q "warning: the timeline ends at cycle [0-9]*, where it reached --timeline-limit" err
python3 - <<'PY'
import gzip, json, re
end = int(re.search("cycle ([0-9]+)", open("err").read()).group(1))
text = gzip.open("limited.json.gz").read()
part = json.loads(text)["traceEvents"]
whole = json.load(open("mix.trace.json"))["traceEvents"]
def slices(events, end):
    cut = [(e["pid"], e["tid"], e["ts"], min(e["ts"] + e["dur"], end)) for e in events if e["ph"] == "X"]
    return sorted(s for s in cut if s[2] < s[3])
assert 1 << 20 < len(text) < len(open("mix.trace.json").read()) / 2, len(text)
assert slices(part, 1 << 60) == slices(whole, end)
PY
refused "need --timeline" bfs --size tiny --timeline-limit 1M

# A disk that is full ends the run at once.
for option in "--timeline /dev/full" "--record-l1d /dev/full" "--series 100 --series-out /dev/full"; do
    status=0
    # shellcheck disable=SC2086
    "$heddle" run kmn --size tiny $option >out 2>err || status=$?
    [ $status -eq 4 ] && grep -q "cannot write /dev/full: No space left on device" err &&
        grep -q "the launch was stopped" err && ! grep -q "elapsed_cycles" out
done

# A run that is stopped is attributed and drawn up to there, including warps that are still alive,
# with either engine.
for engine in skip cycle; do
    status=0
    "$heddle" run "$@" --max-cycles 6000 --engine $engine --json --attribute-out cut_$engine.csv \
        --timeline cut_$engine.trace.json --series 100 --series-out cut_$engine.series \
        --record refused >cut_$engine.json 2>err || status=$?
    [ $status -eq 3 ] && [ ! -e refused ] && grep -q "refused is not written" err
done
for kind in csv trace.json series; do
    cmp cut_skip.$kind cut_cycle.$kind
done
"$heddle" run "$@" --max-cycles 6000 --attribute >cut 2>/dev/null || true
grep -q "of them were still alive when it was stopped" cut
python3 - <<'PY'
import collections, csv, json
runs = [json.load(open("cut_%s.json" % e)) for e in ("skip", "cycle")]
s = runs[0]["stats"]
assert runs[0]["attribution"] == runs[1]["attribution"]
assert not [k for k in s if s[k] != runs[1]["stats"][k] and not k.startswith("host.")]
names = ("scheduling sync fetch ctrl_hazard data_hazard data_cache_miss mshr structural_hazard "
         "exec").split()
assert sum(s["attribution." + n] for n in names) == s["sm.warp_cycles"] > 0
assert s["attribution.exec"] == s["sm.issued"]
rows = [r for r in csv.DictReader(open("cut_skip.csv")) if r["record"] in ("warp", "live")]
live = [r for r in rows if r["record"] == "live"]
assert len(live) == s["attribution.live_warps"] > 0 and len(rows) - len(live) == s["warps"] > 0
assert {int(r["end_cycle"]) for r in live} == {s["elapsed_cycles"]} == {6000}
for n in names:
    assert sum(int(r[n]) for r in rows) == s["attribution." + n], n
drawn = collections.Counter()
exits = 0
for e in json.load(open("cut_skip.trace.json"))["traceEvents"]:
    if e["ph"] == "X" and e["tid"] < 1000:
        drawn[e["name"]] += e["dur"]
    exits += e["ph"] == "i"
assert sum(drawn.values()) == s["sm.warp_cycles"] and drawn["Exec"] == s["sm.issued"]
assert exits == s["warps"]
PY
