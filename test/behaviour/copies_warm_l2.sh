#!/bin/sh
# host.copies_warm_l2 works for `heddle run` and for OpenCL programs, and not for traces.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
. test/behaviour/expect.inc
warm="--set host.copies_warm_l2=true"

status 0 "$heddle" run nw --size tiny --json
echo "$out" >"$scratch/cold.json"
# shellcheck disable=SC2086
status 0 "$heddle" run nw --size tiny --json $warm --record "$scratch/nw.trace"
echo "$out" >"$scratch/warm.json"
# shellcheck disable=SC2086
status 0 "$heddle" exec $warm --result "$scratch/opencl.json" -- "$heddle" run nw --size tiny \
    --on opencl:Heddle --quiet
python3 - "$scratch" <<'PY' || fail "the numbers"
import json, sys
cold, warm, opencl = (json.load(open(f"{sys.argv[1]}/{n}.json"))["stats"] for n in ("cold", "warm", "opencl"))
assert warm["dram.reads"] < cold["dram.reads"] / 2, (warm["dram.reads"], cold["dram.reads"])
assert warm["cycles"] < cold["cycles"]
for name in ("cycles", "dram.reads", "l2.hits"):
    assert warm[name] == opencl[name], (name, warm[name], opencl[name])
PY
# shellcheck disable=SC2086
status 2 "$heddle" run --replay "$scratch/nw.trace" $warm
complains "host.copies_warm_l2 refers to copies, which a trace does not have"
status 0 "$heddle" run --replay "$scratch/nw.trace" --quiet
finish
