#!/bin/sh
# Every workload through its OpenCL back end on this device: the result is right, and each launch
# takes the cycles and instructions that `heddle run` counts.
set -eu
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"

for workload in $("$heddle" run all --size tiny --functional --json --quiet |
    sed -n 's/^ *"workload": "\(.*\)",$/\1/p'); do
    "$heddle" run "$workload" --size tiny --json >"$scratch/direct.json"
    rm -f "$scratch/opencl.jsonl"
    "$heddle" exec --json "$scratch/opencl.jsonl" -- "$heddle" run "$workload" --size tiny \
        --on opencl:Heddle --quiet
    python3 - "$workload" "$scratch/direct.json" "$scratch/opencl.jsonl" <<'EOF'
import json, sys
workload, direct, opencl = sys.argv[1:]
one = json.load(open(direct))["stats"]
launches = [json.loads(line)["stats"] for line in open(opencl)]
for name in ("launches", "cycles", "warp_insts", "l1d.misses", "dram.bytes"):
    total = sum(launch[name] for launch in launches)
    if total != one[name]:
        sys.exit(f"{workload}: {name} is {total} through OpenCL, {one[name]} without")
print(f"{workload}: {one['cycles']} cycles")
EOF
done
