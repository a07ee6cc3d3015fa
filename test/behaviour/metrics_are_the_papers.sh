#!/bin/sh
# The numbers that figures compare with S2 and S3 are what these papers define. They are recomputed
# from counts: loads are those of L1D after coalescing, each of which hits, merges, misses or is
# bypassed.
heddle=$1
scratch=$2
mkdir -p "$scratch"
set -eu
for policy in lru dlp stall_bypass; do
    "$heddle" run bfs --size tiny --gpu m2090 --l1d $policy --json >"$scratch/$policy.json"
done
for name in bfs hg; do
    "$heddle" run $name --size tiny --gpu m2090 --l1d lru --record-l1d "$scratch/$name.zst" --json \
        >"$scratch/$name.json"
    insts=$(sed -n 's/.*"thread_insts": \([0-9]*\).*/\1/p' "$scratch/$name.json" | head -n 1)
    "$heddle" cache reuse "$scratch/$name.zst" --insts "$insts" --json >"$scratch/reuse_$name.json"
done
cd "$scratch"
python3 - <<'PY'
import json

def read(name):
    with open(name + ".json") as f:
        return json.load(f)

def same(told, value, what):
    assert abs(told - value) <= 1e-6 * abs(value), (what, told, value)

for policy in ("lru", "dlp", "stall_bypass"):
    stats = read(policy)["stats"]
    s = {name[4:]: value for name, value in stats.items() if name.startswith("l1d.")}
    insts = stats["thread_insts"]
    assert s["loads"] == s["hits"] + s["merges"] + s["misses"] + s["bypasses"], policy
    assert (s["bypasses"] > 0) == (policy != "lru")
    # S2 section 6.2: "DLP only allows 47.5% of baseline cache traffic", by bypassing the others.
    kept = s["loads"] - s["bypasses"]
    same(s["kept_loads"], kept, "traffic")
    # S2 section 6.3.1: "the bypassed memory accesses do not count towards the L1D cache [hit] rate".
    same(s["hit_rate"], (s["hits"] + s["merges"]) / kept, "hit rate")
    # S2 section 3.2: memory accesses over the instructions that threads execute.
    same(s["access_ratio"], (s["loads"] + s["stores"]) / insts, "memory access ratio")
    # S3 sections 4.3.2 and 5.3.3: misses per kilo instructions. A bypassed load is a miss.
    same(s["mpki"], 1000 * (s["misses"] + s["bypasses"]) / insts, "MPKI")
    same(s["mpki_no_bypass"], 1000 * s["misses"] / insts, "MPKI of loads that were not bypassed")
    # S3 section 5.3.4: the percentage of zero-reuse lines, of those that are replaced.
    same(s["zero_reuse"], s["evictions_unused"] / s["evictions"], "zero reuse")
    same(stats["ipc"], insts / stats["cycles"], "IPC")

# S2 section 3.2: "The memory access ratio threshold is set as 1%."
for name, kind in (("bfs", "cache-insufficient"), ("hg", "cache-sufficient")):
    ratio, reuse = read(name)["stats"]["l1d.access_ratio"], read("reuse_" + name)
    same(reuse["memory_access_ratio"], ratio, name)
    assert reuse["s2_class"] == kind and (ratio > 0.01) == (kind == "cache-insufficient"), (name, ratio)
PY
