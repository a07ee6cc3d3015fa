#!/bin/sh
# The output of --kernels, --per-pc, --series, --record-l1d, --locality and --belady adds up to the
# statistics of the run. It is the same with every quantum and engine, and changes nothing that is
# simulated.
heddle=$1
scratch=$2
mkdir -p "$scratch"
cd "$scratch" || exit 1
set -eu
run() {
    out=$1
    shift
    "$heddle" run "$@" --json --per-pc --series 500 --series-out "$out.csv" \
        --record-l1d "$out.zst" --locality --belady >"$out.json"
}
"$heddle" run bfs --size tiny --json >plain.json
run whole bfs --size tiny
run quantum bfs --size tiny --quantum 1
run engine bfs --size tiny --engine cycle
run around bp --size tiny --l1d none # every load is bypassed
cat >stream.cl <<'CL'
__kernel void stream(__global const float *x, __global float *y) {
    int i = get_global_id(0);
    y[i] = x[i] + x[(i * 33) & 4095];
}
CL
set -- stream.cl --grid 64 --block 128 --arg rand:64K:1 --arg buf:64K
run skip "$@"
run cycle "$@" --engine cycle
"$heddle" run "$@" --quiet --series 3 --series-out fine.csv
for kind in csv zst; do
    cmp whole.$kind quantum.$kind
    cmp whole.$kind engine.$kind
    cmp skip.$kind cycle.$kind
done
# Nothing is counted before the row it belongs to.
for gpu in gtx480 v100; do
    over_time() {
        out=$1
        shift
        "$heddle" run stream.cl --grid 64 --block 128 --arg rand:64K:1 --arg buf:64K --gpu $gpu --quiet --series 37 --series-out "$out.csv" "$@"
    }
    over_time row
    over_time row_cycle --engine cycle
    over_time row_quantum --quantum 1
    over_time row_threads --threads 3
    for other in cycle quantum threads; do
        cmp row.csv row_$other.csv
    done
done
# The warps that a scheduler throttles, over time.
throttled() {
    out=$1
    shift
    "$heddle" run bfs --size tiny --quiet --series-out "$out.csv" --series 300 "$@"
}
throttled gto
throttled swl --scheduler swl --set scheduler.limit=3
throttled ccws --scheduler ccws
throttled ccws_cycle --scheduler ccws --engine cycle
throttled ccws_quantum --scheduler ccws --quantum 1 --threads 2
throttled ccws_at_once --scheduler ccws --series 100000000
cmp ccws.csv ccws_cycle.csv
cmp ccws.csv ccws_quantum.csv
"$heddle" cache replay whole.zst --policy lru,belady --json >replay.json
"$heddle" cache reuse whole.zst --json >reuse.json
zstd -tq whole.zst # any zstd can open it, and agrees on the checksums

python3 - <<'PY'
import csv, json
def simulated(run):
    return {k: v for k, v in run["stats"].items()
            if not k.startswith(("host.", "locality.", "belady.", "unbounded."))}
def asked(run):
    return {k: v for k, v in run["stats"].items() if k.startswith(("locality.", "belady.", "unbounded."))}
whole, plain, around = (json.load(open(f"{f}.json")) for f in ("whole", "plain", "around"))
assert simulated(whole) == simulated(plain) and "per_pc" not in plain
for run in (whole, around):
    for name in ["loads", "hits", "merges", "misses", "bypasses", "stores", "evictions"]:
        assert sum(r[name] for r in run["per_pc"]) == run["stats"]["l1d." + name], name
assert around["stats"]["l1d.bypasses"] == around["stats"]["l1d.loads"] > 0
stats = whole["stats"]
# Which warps' lines were hit, and the laboratory's result for the same recording.
quantum, engine = (json.load(open(f"{f}.json")) for f in ("quantum", "engine"))
assert asked(whole) == asked(quantum) == asked(engine) and len(asked(whole)) == 18 and not asked(plain)
owners = ["intra_thread", "inter_thread", "inter_warp"]
assert sum(stats["locality." + o] for o in owners) == stats["l1d.hits"] + stats["l1d.merges"]
assert all(stats["locality." + o] > 0 for o in owners)
assert sum(around["stats"]["locality." + o] for o in owners) == 0
lru, belady = json.load(open("replay.json"))["replays"]
assert (lru["policy"], belady["policy"]) == ("lru", "belady")
assert stats["belady.lru_misses"] == lru["misses"] and stats["belady.misses"] == belady["misses"]
assert belady["misses"] < lru["misses"]
unbounded = json.load(open("reuse.json"))["unbounded"]
assert stats["unbounded.misses"] == unbounded["compulsory_misses"] + unbounded["other_misses"]
assert all(stats["unbounded." + o] == unbounded[o] for o in owners)
assert stats["unbounded.misses"] <= belady["misses"]
per_thousand = lambda n: 1000 * n / stats["thread_insts"]
assert abs(stats["belady.mpki"] - per_thousand(belady["misses"])) < 1e-9
own = stats["locality.intra_thread"] + stats["locality.inter_thread"]
assert abs(stats["locality.intra_warp_pki"] - per_thousand(own)) < 1e-9
for r in whole["per_pc"]:
    assert r["source_file"].endswith("bfs.cl") and r["source_line"] > 0
    assert r["loads"] == 0 or r["instruction"].startswith("ld."), r
    assert r["stores"] == 0 or r["instruction"].startswith("st."), r

rows = list(csv.DictReader(open("whole.csv")))
cycles = [int(r["cycle"]) for r in rows]
assert cycles[:-1] == [500 * (i + 1) for i in range(len(rows) - 1)]
assert cycles[-2] < cycles[-1] <= cycles[-2] + 500
# Launches and the waits after them cover all the time, on every axis.
assert stats["launches"] > 1 and stats["wait_cycles"] > stats["launches"]
assert cycles[-1] == stats["elapsed_cycles"] == stats["cycles"] + stats["wait_cycles"]
for name in ["cycles", "wait_cycles", "elapsed_cycles"]:
    assert sum(k[name] for k in whole["kernels"]) == stats[name], name
for name in ["warp_insts", "thread_insts", "l1d.loads", "l1d.misses", "l1d.evictions",
             "l2.accesses", "dram.bytes"]:
    assert sum(int(r[name]) for r in rows) == stats[name], name
assert max(int(r["resident_warps"]) for r in rows) > 0 == int(rows[-1]["resident_warps"])
# No row is missing, not even while the machine drains.
fine = [int(r["cycle"]) for r in csv.DictReader(open("fine.csv"))]
assert fine[:-1] == [3 * (i + 1) for i in range(len(fine) - 1)] and fine[-1] - fine[-2] <= 3
def throttle(name):
    names = ["warps_may_load", "vta_hits", "score_sum", "top_score"]
    return [(int(r["resident_warps"]), *(int(r.get("scheduler." + n, 0)) for n in names))
            for r in csv.DictReader(open(name + ".csv"))]
assert "scheduler" not in open("gto.csv").readline() # throttles no warp
limited = [(warps, may) for warps, may, *_ in throttle("swl")]
assert all(may <= min(warps, 3 * 15) for warps, may in limited) and (15 * 3 in {m for _, m in limited})
ccws = throttle("ccws")
assert [sum(r[2] for r in ccws)] == [r[2] for r in throttle("ccws_at_once")]
assert sum(r[2] for r in ccws) > 0 and any(may < warps for warps, may, *_ in ccws)
for warps, may, hits, sum_, top in ccws: # scores: from the base of 100 up to 10 bits
    assert 100 * warps <= sum_ <= 1023 * warps and (warps == 0 or 100 <= top <= 1023)
    assert may <= warps and (may > 0) == (warps > 0)
    assert sum_ > 100 * warps or may == warps # no score is raised, so no warp is throttled
before = 0
for r in rows:
    ipc = int(r["thread_insts"]) / (int(r["cycle"]) - before)
    assert abs(float(r["ipc"]) - ipc) < 1e-5
    before = int(r["cycle"])
PY

# If something cannot be watched, the message says so, and no file is left.
refused() {
    words=$1
    shift
    status=0
    "$heddle" run "$@" --record-l1d refused.zst >out 2>err || status=$?
    [ $status -eq 2 ] || { echo "status $status: $*" && exit 1; }
    grep -q "$words" err
    [ ! -e refused.zst ]
}
refused "is for timed runs" bfs --functional --size tiny
refused "one workload at a time" bfs bp --size tiny --belady
refused "has sectors" bfs --gpu v100 --size tiny --belady
refused "knows the future" bfs --size tiny --l1d belady
refused "one workload at a time" all --size tiny
refused "one workload at a time" bfs bp --size tiny --kernels
refused "needs a destination" bfs --size tiny --series 100
