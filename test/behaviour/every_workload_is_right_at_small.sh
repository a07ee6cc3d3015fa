#!/bin/sh
# Every workload agrees with its C reference at the usual size; test_workloads_heddle has `tiny`.
heddle=$1
scratch=$2
mkdir -p "$scratch"
set -eu
"$heddle" run all --functional --size small --json >"$scratch/small.json"
python3 - "$scratch/small.json" <<'PYTHON'
import json, sys
runs = json.load(open(sys.argv[1]))
assert len(runs) >= 46, "only %d workloads ran" % len(runs)
for r in runs:
    assert r["verified"] is True, r["workload"]
    assert r["size"] == "small" and r["stats"]["warp_insts"] > 250000, r["workload"] # contended atomics are short
    assert r["stats"]["thread_insts"] > r["stats"]["warp_insts"], r["workload"]
PYTHON
