#!/bin/sh
# heddle hetero run and rows: simulations of a launch on both targets, alone and beside a native, are
# kept in a store, found again, and become training data.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch/rows"
. test/behaviour/expect.inc

status 0 "$heddle" hetero run hot --size tiny --with bandwidth_bubble_8 --store "$scratch/t.db" --json
echo "$out" >"$scratch/run.json"
status 0 "$heddle" hetero run hot --size tiny --with bandwidth_bubble_8 --store "$scratch/t.db"
says "beside bandwidth_bubble_8:"
says "kernel on cmp"
status 0 "$heddle" query --csv --store "$scratch/t.db" "SELECT count(*) FROM run"
echo "$out" >"$scratch/count"
# On the default machine, not on that of the experiment.
status 0 "$heddle" hetero rows hot --out "$scratch/rows" --store "$scratch/t.db" --set host_llc.n_sets=2048 \
    --set cpu.l2_bytes=256K --set cpu.l1_bytes=32K
says "rows added to $scratch/rows: 1 each, there before: 0"
cp "$scratch/rows/cmp-alone.csv" "$scratch/first.csv"
status 0 "$heddle" hetero rows hot --out "$scratch/rows" --store "$scratch/t.db" --set host_llc.n_sets=2048 \
    --set cpu.l2_bytes=256K --set cpu.l1_bytes=32K
says "rows added to $scratch/rows: 0 each, there before: 1"
cmp -s "$scratch/rows/cmp-alone.csv" "$scratch/first.csv" || fail "a row is there twice"
mkdir -p "$scratch/other"
echo "kernel,time,x" >"$scratch/other/cmp-alone.csv"
status 2 "$heddle" hetero rows hot --out "$scratch/other" --store "$scratch/t.db" --set host_llc.n_sets=2048 \
    --set cpu.l2_bytes=256K --set cpu.l1_bytes=32K
complains "cmp-alone.csv has other columns than this command writes"
# Results depend on the sources of the policy of the host's last-level cache, too.
status 0 "$heddle" hetero run hot --size tiny --on cmp --launch 1 --set host_llc.policy=drrip --store "$scratch/drrip.db"
status 0 "$heddle" query --csv --store "$scratch/drrip.db" "SELECT parts FROM run"
says "cache policy drrip"
says "cache policy lru"
# A table describes a native program for a choice.
status 0 "$heddle" hetero table chase:1000+2000 --set cpu.insts=2000 --json
echo "$out" >"$scratch/table.json"
python3 - "$scratch" <<'PY' || fail "the table is not one"
import json, sys
d = json.load(open(f"{sys.argv[1]}/table.json"))
assert d["machine"] == {"llc_bytes": 8 << 20, "dram_gbps": 22}, d["machine"]
assert len(d["measured"]["cache_ids"]) == 9 and d["measured"]["llc_mpki"] > 0
d.update(alone={"cmp": 4, "gpu": 2}, co_located={"cmp": 8, "gpu": 3}, threads=512, buffer=4096, transfer=4096)
json.dump(d, open(f"{sys.argv[1]}/question.json", "w"))
PY
status 0 "$heddle" hetero choose "$scratch/question.json"
says "slowdown of chase:1000+2000"
status 2 "$heddle" hetero run hot --on dsp
complains "--on dsp: expected cmp, for the CPU's cores, or gpu"
status 2 "$heddle" hetero run hot --size tiny --launch 99 --on cmp
complains "has no launch 99"
python3 - "$scratch" <<'PY'
import json, sys
folder = sys.argv[1]
run = json.load(open(f"{folder}/run.json"))
cmp, gpu = run["cmp"], run["gpu"]
# A launch on the GPU has two transfers of 10 us at least; beside a stream nothing is faster.
assert gpu["alone"] > 20e-6 > cmp["alone"] > 1e-6 and gpu["pcie_bytes"] > 100000 and not cmp["pcie_bytes"]
assert cmp["co_located"] > cmp["alone"] and gpu["co_located"] >= gpu["alone"]
assert cmp["natives"][0] >= 1 and gpu["natives"][0] > 1
ids = [cmp["alone_id"], cmp["co_located_id"], gpu["alone_id"], gpu["co_located_id"], run["natives"][0]["alone_id"]]
assert len(set(ids)) == 5
# The five, and the run that finds the longest launch.
assert open(f"{folder}/count").read().split()[-1] == "6"
rows = [open(f"{folder}/rows/{t}-alone.csv").read().splitlines() for t in ("cmp", "gpu")]
for lines, seconds in zip(rows, (cmp["alone"], gpu["alone"])):
    assert len(lines) == 2 and lines[1].startswith("hot/hotspot,")
    # The mean of its launches; the longest was run alone.
    assert 0.5 * seconds < float(lines[1].split(",")[1]) <= seconds + 1e-12
PY
