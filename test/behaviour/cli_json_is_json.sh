#!/bin/sh
# Programs read what --json prints: Python's parser accepts it, and the promised keys are there.
heddle=$1
scratch=$2
mkdir -p "$scratch"
set -eu
printf '.version 6.0\n.target sm_35\n.address_size 64\n.entry e()\n{\nret;\n}\n' >"$scratch/e.ptx"

"$heddle" show workloads --json >"$scratch/workloads.json"
"$heddle" show workload bfs --json >"$scratch/workload.json"
"$heddle" show gpus --json >"$scratch/gpus.json"
"$heddle" show gpu ccws --json --set n_sms=7 >"$scratch/gpu.json"
"$heddle" show stats --json >"$scratch/stats.json"
"$heddle" show classes --json >"$scratch/classes.json"
"$heddle" show terms --json >"$scratch/terms.json"
"$heddle" show term mshr --json >"$scratch/term.json"
"$heddle" show schedulers --json --gpu m2090 >"$scratch/schedulers.json"
"$heddle" show policies --json >"$scratch/policies.json"
"$heddle" run bfs --functional --size tiny --json >"$scratch/run.json"
"$heddle" run bfs --size tiny --scheduler lrr --attribute --json >"$scratch/timed.json"
"$heddle" run bfs kmn --functional --size tiny --seed 3 --set n_sms=2 --json >"$scratch/runs.json"
"$heddle" run "$scratch/e.ptx" --functional --block 33 --json >"$scratch/file.json"
"$heddle" ptx "$scratch/e.ptx" --json >"$scratch/ptx.json"

# In a list of many, a broken file still appears.
printf '.version 6.0\n.target sm_35\n.entry e()\n{\n  rett;\n  bar.sink 0;\n}\n' >"$scratch/broken.ptx"
echo '__kernel void k(void) { x; }' >"$scratch/broken.cl"
if "$heddle" ptx --json "$scratch/broken.ptx" "$scratch/none.ptx" "$scratch/broken.cl" \
    "$scratch/e.ptx" >"$scratch/broken.json" 2>"$scratch/messages"; then
    echo "broken files should be an error"
    exit 1
fi

python3 - "$scratch" <<'PY'
import json, os, sys
def load(name):
    with open(f"{sys.argv[1]}/{name}.json") as f:
        return json.load(f)

workloads = load("workloads")
assert len(workloads) >= 20
for w in workloads:
    assert w["name"] and w["paper_name"] and w["title"] and w["summary"] and w["origin"]
    assert set(w["categories"]) == {"s2", "s3-ch3", "s3-ch4", "s3-ch5", "s3-ch6", "s4"}
    assert {"tiny", "small"} <= {s["name"] for s in w["sizes"]}
bfs = next(w for w in workloads if w["name"] == "bfs")
assert bfs["paper_name"] == "BFS" and bfs["categories"]["s4"] == "highly sensitive"
assert load("workload") == bfs

gpus = load("gpus")
assert [g["name"] for g in gpus] == ["gtx480", "gtx480-ch3", "gtx480-cawa", "m2090", "ccws", "v100", "hetero", "i7-s9150"]
by_name = {p["name"]: p for p in gpus[0]["parameters"]}
assert by_name["n_sms"]["value"] == 15 and not by_name["n_sms"]["chosen"]
assert by_name["n_sms"]["source"] == "S3 Table 5.1"
assert by_name["register_granule"]["chosen"]
changed = {p["name"]: p for p in load("gpu")["parameters"]}
assert changed["n_sms"]["value"] == 7 and changed["n_sms"]["source"] == "--set"

# The glossary: every name is explained once, and every page that it names exists.
terms = load("terms")
names_of = [name for t in terms for name in t["term"].lower().split(", ")]
assert len(names_of) == len(set(names_of)) > 60, sorted(names_of)
assert load("term") in terms and load("term")["term"] == "MSHR"
assert all(t["meaning"] and (not t["page"] or os.path.exists("doc/" + t["page"])) for t in terms)

all_stats = load("stats")
names = [s["name"] for s in all_stats if not s["timed"]]
classes = [c["name"] for c in load("classes")]
# Each name that users of GPGPU-Sim look for has Heddle's name beside it.
assert {s["gpgpu_sim"] for s in all_stats if s["gpgpu_sim"]} == {
    "gpu_tot_sim_cycle", "gpu_tot_sim_insn", "gpu_tot_ipc", "gpgpu_n_tot_w_icount",
    "gpu_tot_occupancy", "L1D_total_cache_accesses", "L1D_total_cache_misses",
    "L1D_total_cache_pending_hits", "L1D_total_cache_reservation_fails", "L2_total_cache_accesses",
    "L2_total_cache_misses", "L2_total_cache_pending_hits", "total dram reads",
    "total dram writes"}

# Hardware costs computed by hand: 48 warps and 2 issue slots, groups of 8 warps.
schedulers = {s["name"]: s for s in load("schedulers")}
assert {"lrr", "gto", "oldest", "gtrr", "two_level", "two_level_gto", "swl"} <= set(schedulers)
two_level = schedulers["two_level"]
assert two_level["gpu"] == "m2090" and two_level["citation"]
assert [p["name"] for p in two_level["params"]][0] == "scheduler.group_size"
assert two_level["cost_bits"] == {"total": 2 * 2 + 2 * 3 * 3 + 48,
                                  "parts": {"active group": 4, "last warps": 18, "stalled warps": 48}}
policies = {p["name"]: p for p in load("policies")}
# Criticality-aware mechanisms include their provider: four counters of 32 bits per warp; CAWA
# includes its L1D policy.
def parts(name, whose):
    return {k: v for k, v in schedulers[name]["cost_bits"]["parts"].items() if k.startswith(whose + ": ")}
for name in ("gcaws", "cawa"):
    cost = schedulers[name]["cost_bits"]
    assert sum(parts(name, "cpl").values()) == 48 * 4 * 32 and sum(cost["parts"].values()) == cost["total"], cost
cacp = policies["cacp"]["cost_bits"]
assert parts("cawa", "cacp") == {"cacp: " + k: v for k, v in cacp["parts"].items()} and cacp["total"] > 0
assert schedulers["cawa"]["cost_bits"]["total"] == schedulers["gcaws"]["cost_bits"]["total"] + cacp["total"]
assert not parts("gto", "cpl") and not parts("gcaws", "cacp")
assert {"lru", "fifo", "random", "plru", "none"} <= set(policies)
assert policies["plru"]["cost_bits"]["total"] == 32 * 3  # 32 sets of 4 ways: trees of 3 bits
assert "warp_insts" in names and all("insts." + c in names for c in classes)

run = load("run")
assert run["workload"] == "bfs" and run["size"] == "tiny" and run["gpu"] == "gtx480"
assert run["verified"] is True and run["message"] is None
assert list(run["stats"]) == names
stats = run["stats"]
assert stats["warp_insts"] == sum(stats["insts." + c] for c in classes) > 0
assert stats["warp_insts"] <= stats["thread_insts"] <= 32 * stats["warp_insts"]
assert stats["launches"] == run["launches"]

timed = load("timed")
assert timed["scheduler"] == "lrr" and timed["l1d_policy"] == "lru" and timed["mode"] == "timing"
assert timed["config"]["scheduler"] == "lrr" and timed["gpu"] == "gtx480"
stats = timed["stats"]
assert list(stats) == [s["name"] for s in all_stats if not s["asked_for_by"] and not s["of"]] and stats["cycles"] > 0
assert {s["asked_for_by"] for s in all_stats} == {None, "--gpu hetero", "--gpu i7-s9150", "--locality", "--belady"}
causes = [k for k in stats if k.startswith("l1d.reservation_fails.")]
assert stats["l1d.reservation_fails"] == sum(stats[c] for c in causes) > 0
# What the kernels counted adds up to what the run counted, and instructions do not depend on time.
assert [k["kernel"] for k in timed["kernels"]] == ["bfs_expand", "bfs_collect"]
for name, value in stats.items():
    if isinstance(value, int) and not name.startswith("host."):
        assert sum(k[name] for k in timed["kernels"]) == value, name
for k, f in zip(timed["kernels"], run["kernels"]):
    assert k["kernel"] == f["kernel"] and k["thread_insts"] == f["thread_insts"] > 0
    assert abs(k["ipc"] - k["thread_insts"] / k["cycles"]) < 1e-9

bfs, kmn = load("runs")
assert bfs["seed"] == 3 and bfs["config"]["n_sms"] == 2
assert bfs["input_hash"] != run["input_hash"]
assert kmn["workload"] == "kmn" and kmn["verified"] is True

# One instruction, `ret`, in two warps of 32 lanes and 1.
file = load("file")
assert file["kernel"] == "e" and file["stats"]["warp_insts"] == 2
assert file["stats"]["thread_insts"] == 33 and file["stats"]["warps"] == 2
ptx = load("ptx")[0]
assert ptx["kernels"][0]["name"] == "e" and ptx["errors"] == []

broken, none, source, whole = load("broken")
assert all(set(o) == set(ptx) for o in (broken, none, source, whole)) and whole == ptx
assert broken["file"].endswith("/broken.ptx") and broken["kernels"] == []
assert broken["errors"][0] == {"line": 5, "column": 3, "message": "unknown instruction 'rett'",
                               "hint": "did you mean 'ret'?"}
assert broken["errors"][1]["line"] == 6
assert none["errors"][0]["line"] is None and "cannot read" in none["errors"][0]["message"]
assert "undeclared identifier 'x'" in source["errors"][0]["message"]
PY
