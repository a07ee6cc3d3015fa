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
"$heddle" run bfs --functional --size tiny --json >"$scratch/run.json"
"$heddle" run bfs kmn --functional --size tiny --seed 3 --set n_sms=2 --json >"$scratch/runs.json"
"$heddle" run "$scratch/e.ptx" --functional --block 33 --json >"$scratch/file.json"
"$heddle" ptx "$scratch/e.ptx" --json >"$scratch/ptx.json"

python3 - "$scratch" <<'PY'
import json, sys
def load(name):
    with open(f"{sys.argv[1]}/{name}.json") as f:
        return json.load(f)

workloads = load("workloads")
assert len(workloads) >= 20
for w in workloads:
    assert w["name"] and w["paper_name"] and w["title"] and w["summary"] and w["origin"]
    assert set(w["categories"]) == {"s2", "s3-ch4", "s3-ch5", "s4"}
    assert {"tiny", "small"} <= {s["name"] for s in w["sizes"]}
bfs = next(w for w in workloads if w["name"] == "bfs")
assert bfs["paper_name"] == "BFS" and bfs["categories"]["s4"] == "highly sensitive"
assert load("workload") == bfs

gpus = load("gpus")
assert [g["name"] for g in gpus] == ["gtx480", "gtx480-ch3", "gtx480-cawa", "m2090", "ccws"]
by_name = {p["name"]: p for p in gpus[0]["parameters"]}
assert by_name["n_sms"]["value"] == 15 and not by_name["n_sms"]["chosen"]
assert by_name["n_sms"]["source"] == "S3 Table 5.1"
assert by_name["register_granule"]["chosen"]
changed = {p["name"]: p for p in load("gpu")["parameters"]}
assert changed["n_sms"]["value"] == 7 and changed["n_sms"]["source"] == "--set"

names = [s["name"] for s in load("stats")]
classes = [c["name"] for c in load("classes")]
assert "warp_insts" in names and all("insts." + c in names for c in classes)

run = load("run")
assert run["workload"] == "bfs" and run["size"] == "tiny" and run["gpu"] == "gtx480"
assert run["verified"] is True and run["message"] is None
assert list(run["stats"]) == names
stats = run["stats"]
assert stats["warp_insts"] == sum(stats["insts." + c] for c in classes) > 0
assert stats["warp_insts"] <= stats["thread_insts"] <= 32 * stats["warp_insts"]
assert stats["launches"] == run["launches"]

bfs, kmn = load("runs")
assert bfs["seed"] == 3 and bfs["config"]["n_sms"] == 2
assert bfs["input_hash"] != run["input_hash"]
assert kmn["workload"] == "kmn" and kmn["verified"] is True

# One instruction, `ret`, in two warps of 32 lanes and 1.
file = load("file")
assert file["kernel"] == "e" and file["stats"]["warp_insts"] == 2
assert file["stats"]["thread_insts"] == 33 and file["stats"]["warps"] == 2
assert load("ptx")[0]["kernels"][0]["name"] == "e"
PY
