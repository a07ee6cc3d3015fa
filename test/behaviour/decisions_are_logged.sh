#!/bin/sh
# The log of HeteroPDP's device has every number of a decision, with and without native programs.
heddle=$1
scratch=$2
export ASAN_OPTIONS=detect_leaks=0 # the threads of another OpenCL never free their memory
rm -rf "$scratch"
mkdir -p "$scratch"
. test/behaviour/expect.inc
program=$(dirname "$heddle")/test/test_hetero_device

[ -x "$program" ] || {
    echo "SKIPPED: decisions of HeteroPDP's device: there is no OpenCL loader"
    exit 77
}
lacks_opencl "decisions of HeteroPDP's device" && exit 77
flat=1.1,1.2,1.3,1.4,1.5,1.6,1.7,1.8
echo "{\"slowdown_reference\": \"best\", \"natives\": [{\"name\": \"n\", \"weight\": 2.5, \"cache\": [1,$flat],
    \"bandwidth\": [1,$flat]}]}" >"$scratch/natives.json"
status 0 "$heddle" exec --device heteropdp --functional --hetero-log "$scratch/alone.log" -- "$program" moving
status 0 "$heddle" exec --device heteropdp --functional --hetero-log "$scratch/beside.log" \
    --hetero-natives "$scratch/natives.json" -- "$program" moving

python3 - "$scratch" <<'PY' || fail "the log"
import json, sys
def near(a, b):
    assert abs(a - b) <= 1e-9 * abs(b), (a, b)
targets = ("cmp", "gpu")
for name in ("alone", "beside"):
    lines = [json.loads(line) for line in open(f"{sys.argv[1]}/{name}.log")]
    assert lines
    for line in lines:
        assert all(line[time][t] > 0 for time in ("alone", "co_located") for t in targets)
        assert ("natives" in line) == (name == "beside")
        if name == "alone":
            continue
        (native,) = line["natives"]
        assert native["name"] == "n" and native["weight"] == 2.5 and line["slowdown_reference"] == "best"
        for t in targets:
            near(line["kernel_slowdown"][t], line["co_located"][t] / line["alone"][t])
            near(line["kernel_slowdown_best"][t], line["co_located"][t] / min(line["alone"].values()))
            near(native["slowdown"][t], native["cache_slowdown"][t] + native["bandwidth_slowdown"][t] - 1)
            near(native["weighted_slowdown"][t], 2.5 * native["slowdown"][t])
            assert native["pressure"][t] == line["kernel_pressure"][t]
PY

# A target that the user names is recorded beside predictions, if there are models for them.
mkdir "$scratch/models"
for target in cmp gpu; do
    "$heddle" hetero models "testbed-$target-alone" >"$scratch/models/$target-alone.model" || fail "a model"
done
forced() { # OPTION...
    rm -f "$scratch/forced.log"
    status 0 "$heddle" exec --device heteropdp --functional --hetero-target gpu --hetero-log "$scratch/forced.log" \
        "$@" -- "$program" moving
}
forced
grep -q '"alone"' "$scratch/forced.log" && fail "predictions without models"
forced --hetero-models "$scratch/models"
grep -qv '"alone"' "$scratch/forced.log" && fail "no predictions"
grep -qv '"reason": *"the mode names this target"' "$scratch/forced.log" && fail "another reason"
mkdir "$scratch/wrong"
cp "$scratch/models/gpu-alone.model" "$scratch/wrong/cmp-alone.model"
"$heddle" exec --device heteropdp --functional --hetero-models "$scratch/wrong" -- "$program" moving >"$scratch/out" 2>&1
grep -q "wrong/cmp-alone.model:1:1: error: the model's target is 'gpu', and it is used as one of 'cmp'" "$scratch/out" ||
    fail "the GPU's model is used for the CMP"

# Where numbers of the native programs cannot be used, the times alone decide, and one message says so.
echo '{"natives": [{"name": "far", "slowdown": {"cmp": 1e308, "gpu": 1}, "weight": 1e300}]}' >"$scratch/far.json"
status 0 "$heddle" exec --device heteropdp --functional --hetero-log "$scratch/far.log" \
    --hetero-natives "$scratch/far.json" -- "$program" moving
complains "times its 'weight', 1e+300, on 'cmp' is inf"
[ "$(echo "$err" | grep -c "native program 'far'")" = 1 ] || fail "one message"
python3 - "$scratch/far.log" <<'PY' || fail "the log"
import json, sys
text = open(sys.argv[1]).read()
assert text and "null" not in text
chosen = [line for line in map(json.loads, text.splitlines()) if "variables" not in line["reason"]]
assert {line["reason"] for line in chosen} <= {"the shorter time alone", "equal times alone: the CMP"}
assert any(line["alone"]["cmp"] != line["alone"]["gpu"] for line in chosen)
for line in chosen:
    assert "natives" not in line and line["alone"][line["target"]] == min(line["alone"].values()), line
PY
finish
