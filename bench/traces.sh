#!/bin/sh
# traces.sh HEDDLE SIZE SCRATCH: how large the traces of the workloads are. At most 1.5 bytes a warp
# instruction over all of them, and 4 for any one; fails where there are more.
set -u
heddle=$1 size=$2 scratch=$3
mkdir -p "$scratch"
python3 - "$heddle" "$size" "$scratch" <<'PY'
import json, os, subprocess, sys
heddle, size, scratch = sys.argv[1:]
BUDGET_ALL, BUDGET_ONE = 1.5, 4.0
path = os.path.join(scratch, "sizes.trace")
names = [w["name"] for w in json.loads(
    subprocess.run([heddle, "show", "workloads", "--json"], capture_output=True, check=True).stdout)]
total_bytes = total_insts = 0
ok = True
print("| workload | bytes | warp instructions | bytes each | timing-dependent |\n|---|--:|--:|--:|---|")
for name in names:
    run = subprocess.run([heddle, "run", name, "--size", size, "--quiet", "--record", path])
    shown = subprocess.run([heddle, "show", "trace", path, "--json"], capture_output=True)
    if run.returncode or shown.returncode:
        sys.exit(f"{name}: could not be recorded")
    t = json.loads(shown.stdout)
    os.remove(path)
    total_bytes += t["bytes"]
    total_insts += t["warp_insts"]
    each = t["bytes"] / t["warp_insts"]
    ok &= each <= BUDGET_ONE
    print(f"| {name} | {t['bytes']:,} | {t['warp_insts']:,} | {each:.3f}{'' if each <= BUDGET_ONE else ' OVER BUDGET'} "
          f"| {'yes' if t['timing_dependent'] else 'no'} |", flush=True)
each = total_bytes / total_insts
ok &= each <= BUDGET_ALL
print(f"| all | {total_bytes:,} | {total_insts:,} | {each:.3f}{'' if each <= BUDGET_ALL else ' OVER BUDGET'} | |")
sys.exit(not ok)
PY
