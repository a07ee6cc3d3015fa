#!/bin/sh
# heddle hetero: features, predictions, training and choices, step by step, as a user would take
# them, and the messages for wrong files.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
. test/behaviour/expect.inc

# --- features, of workloads and files ---
status 0 "$heddle" hetero features bfs --size tiny --json
echo "$out" >"$scratch/bfs.json"
cat >"$scratch/scale.cl" <<'CL'
__kernel void scale(__global float *x, float a, int n)
{
    int i = get_global_id(0);
    if (i < n)
        x[i] = a * x[i] + a / 3.0f;
}
CL
status 0 "$heddle" hetero features "$scratch/scale.cl" --threads 4096 --buffer 16384 --json
echo "$out" >"$scratch/scale.json"
status 0 "$heddle" hetero features "$scratch/scale.cl"
says "vector_mem"
status 2 "$heddle" hetero features bsf
complains "did you mean 'bfs'?"
status 2 "$heddle" hetero features bfs --size large
complains "there is no size 'large'"
status 2 "$heddle" hetero features "$scratch/none.cl"
complains "cannot read"
status 2 "$heddle" hetero features "$scratch/scale.cl" --size tiny
complains "--size and --seed are for workloads"
printf '.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n' >"$scratch/k.ptx"
printf '.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u32 N) {\nbra N;\nN: ret; }\n' >"$scratch/clash.ptx"
status 2 "$heddle" hetero features "$scratch/clash.ptx"
complains "clash.ptx:6:1: error: 'N' is already declared in this scope"
complains "clash.ptx:5:5: error: 'N' is not a label"
status 2 "$heddle" hetero features "$scratch/k.ptx" --build-options -DX
complains "--build-options are for a compiler, and $scratch/k.ptx is not a .cl or .cu file"
status 0 "$heddle" hetero features "$scratch/scale.cl" --build-options -DX
cat >"$scratch/recursive.ptx" <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.func loop()
{
    call loop, ();
    ret;
}
.visible .entry calls_it()
{
    call loop, ();
    ret;
}
PTX
status 2 "$heddle" hetero features "$scratch/recursive.ptx"
complains "error: kernel calls_it: function loop calls itself"
printf '.visible .entry does_not()\n{\n    .reg .b32 %%r<3>;\n    add.s32 %%r1, %%r2, 1;\n    ret;\n}\n' >>"$scratch/recursive.ptx"
status 0 "$heddle" hetero features "$scratch/recursive.ptx" --json
complains "warning: kernel calls_it is left out: function loop calls itself"
echo "$out" >"$scratch/recursive.json"
cat >"$scratch/doubts.ptx" <<'PTX'
.version 7.8
.target sm_80
.address_size 64
.extern .func elsewhere ();
.func helper()
{
    call elsewhere, ();
    call elsewhere, ();
    ret;
}
.visible .entry k()
{
    .reg .f32 %f<5>;
    .reg .b32 %r<5>;
    .reg .b64 %rd<5>;
    fence.proxy.alias;
    tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];
    call helper, ();
    ret;
}
PTX
status 0 "$heddle" hetero features "$scratch/doubts.ptx"
complains "kernel k: 2 calls of unknown functions, of which only the calls are counted; the first is in function helper, $scratch/doubts.ptx:7: call elsewhere;"
complains "kernel k: an instruction that Heddle cannot execute, counted by its name and types, in function k, $scratch/doubts.ptx:17: tex.1d.v4.f32.s32 "
status 2 "$heddle" hetero features bfs --out x
complains "--out has no meaning with heddle hetero features"

# --- models and predictions ---
status 0 "$heddle" hetero models
says "S3 Table A.4"
status 0 "$heddle" hetero models s9150-alone
says "-0.000000461723788"
status 0 "$heddle" hetero predict --model s9150-alone --features "$scratch/bfs.json" --json
echo "$out" >"$scratch/predicted.json"
status 2 "$heddle" hetero predict --model s9150-along --features "$scratch/bfs.json"
complains "did you mean 's9150-alone'?"
status 2 "$heddle" hetero predict --model i7-3770-co-located --features "$scratch/bfs.json"
complains "'llc_misses', which the model needs, is missing"
printf 'target: gpo\nthreads 1 2\n' >"$scratch/gpo.model"
status 2 "$heddle" hetero predict --model "$scratch/gpo.model" --features "$scratch/bfs.json"
complains "gpo.model:1:9: error: there is no target 'gpo': cmp or gpu"
complains "did you mean 'gpu'?"
mkdir "$scratch/swapped"
for target in cmp gpu; do
    "$heddle" hetero models testbed-gpu-alone >"$scratch/swapped/$target-alone.model"
done
status 2 "$heddle" hetero mixes --measured doc/results/hetero-mixes.json --model "$scratch/swapped"
complains "swapped/cmp-alone.model:1:1: error: the model's target is 'gpu', and it is used as one of 'cmp'"
status 2 "$heddle" hetero predict --model s9150-alone
complains "needs --model and --features"
printf '[{"threads": "many"}]\n' >"$scratch/bad.json"
status 2 "$heddle" hetero predict --model s9150-alone --features "$scratch/bad.json"
complains "bad.json:1:14: error: expected a number, not 'many'"
echo '{"threads":1e300,"mem":1e300,"int":1,"fp":1,"math":1,"branch":1,"barrier":1,"buffer":1e300}' >"$scratch/large.json"
status 2 "$heddle" hetero predict --model s9150-alone --features "$scratch/large.json"
complains "large.json:1:1: error: these values are too large"

echo '{"threads":-1,"mem":1,"int":0x10,"fp":"1","math":1,"branch":1,"barrier":1}' >"$scratch/odd.json"
status 2 "$heddle" hetero predict --model s9150-alone --features "$scratch/odd.json"
complains "'threads' must not be negative, and is -1"
complains "expected a number, not '0x10'"
complains "expected a number, not a text in quotes: '1'"
complains "adds it with --buffer BYTES"
status 2 "$heddle" hetero models s9150-alone s9150-alone
complains "takes [NAME]"

# --- training ---
python3 - "$scratch/rows.csv" <<'PY'
import sys
with open(sys.argv[1], "w") as f:
    print("kernel,threads,mem,time", file=f)
    for k in range(14):
        for s in range(1, 4):
            threads, mem = 1000 * s * s, k * k % 19 + 1
            time = 2e-6 * threads + 3e-4 * mem + 5e-8 * threads * mem
            print(f"k{k},{threads},{mem},{time * (8 if k == 5 else 1)!r}", file=f)
PY
status 0 "$heddle" hetero train "$scratch/rows.csv" --out "$scratch/fit.model" --json
echo "$out" >"$scratch/trained.json"
status 0 "$heddle" hetero train "$scratch/rows.csv"
says "kernels dropped: k5"
status 0 "$heddle" hetero predict --model "$scratch/fit.model" --features "$scratch/scale.json" --json
echo "$out" >"$scratch/refit.json"
status 2 "$heddle" hetero train "$scratch/rows.csv" --folds 15
complains "14 kernels cannot be distributed to 15 folds"
head -4 "$scratch/rows.csv" | cut -d, -f1,2,4 >"$scratch/one.csv"
status 2 "$heddle" hetero train "$scratch/one.csv"
complains "1 kernel cannot be distributed to 7 folds"
head -2 "$scratch/one.csv" >"$scratch/row.csv"
status 0 "$heddle" hetero train "$scratch/row.csv" --folds 0
says "1 row of 1 kernel, 1 feature, 1 term"
says " on the 1 kernel kept, "
status 2 "$heddle" hetero train "$scratch/rows.csv" --folds 1
complains "--folds must be 0, for none, or 2 to 10000"
for option in --passes --seed; do
    status 2 "$heddle" hetero train "$scratch/rows.csv" --folds 0 $option 5
    complains "$option has no meaning with --folds 0"
done
status 2 "$heddle" hetero train --machine --out "$scratch/never" --folds 1
complains "--folds must be 0, for none, or 2 to 10000"
[ ! -e "$scratch/never" ] || fail "train --machine begins with wrong options"
status 2 "$heddle" hetero train "$scratch/rows.csv" --out "$scratch/rows.csv"
complains "rows.csv"
printf 'kernel,threads,time\nk,1,soon\n' >"$scratch/broken.csv"
status 2 "$heddle" hetero train "$scratch/broken.csv"
complains "broken.csv:2:5: error: this is not a finite number"
printf 'kernel,2nd,time\nk,1,1\n' >"$scratch/broken.csv"
status 2 "$heddle" hetero train "$scratch/broken.csv"
complains "broken.csv:1:8: error: a feature begins with a letter"
case $err in *"no feature column"*) fail "a second error for a bad column" ;; esac
status 2 "$heddle" hetero train "$scratch/rows.csv" --out ""
complains "--out: '' is not a file"
status 2 "$heddle" hetero rows ss --size tiny --out ""
complains "--out: '' is not a folder"
printf 'kernel,threads,time\nk,-1,1\n' >"$scratch/broken.csv"
status 2 "$heddle" hetero train "$scratch/broken.csv"
complains "broken.csv:2:3: error: a feature must not be negative"
printf 'kernel,time,x,y\na,1,1e200,1e200\nb,2,3,4\nc,3,3,2\n' >"$scratch/large.csv"
status 2 "$heddle" hetero train "$scratch/large.csv" --folds 0
complains "the values of x are too large"
printf 'kernel,threads,time\na,1,2\nb,2,2\nc,3,2\n' >"$scratch/equal.csv"
status 0 "$heddle" hetero train "$scratch/equal.csv" --folds 0 --out "$scratch/equal.model"
says "R^2 undefined on the 3 kernels kept, undefined on all: all times of the kernels kept are equal"
grep -q '^fit: 3 of 3 kernels, R^2 undefined$' "$scratch/equal.model" || fail "the note of equal.model"
status 0 "$heddle" hetero train "$scratch/equal.csv" --folds 3
says "3 *     undefined"
status 0 "$heddle" hetero train "$scratch/equal.csv" --folds 0 --json
says '"r_squared_kept": null'

python3 - "$scratch/few.csv" <<'PY'
import random, sys
draw = random.Random(1)
with open(sys.argv[1], "w") as f:
    print("kernel,time," + ",".join(f"x{i}" for i in range(15)), file=f)
    for k in range(20):
        x = [draw.uniform(1, 5) for i in range(15)]
        print(f"k{k},{sum(x)!r}," + ",".join(map(repr, x)), file=f)
PY
status 0 "$heddle" hetero train "$scratch/few.csv" --no-pairs
says "Pruning ends here, before 14 kernels: with one fewer, a fold leaves too few rows for the terms."
head -10 "$scratch/few.csv" | cut -d, -f1-4 >"$scratch/nine.csv"
status 0 "$heddle" hetero train "$scratch/nine.csv" --no-pairs --passes 2
says "Pruning ends here, before 6 kernels: each fold needs a kernel."
status 0 "$heddle" hetero train "$scratch/nine.csv" --no-pairs --passes 2 --json
says '"ended_because": "each fold needs a kernel"'
status 0 "$heddle" hetero train "$scratch/few.csv" --no-pairs --json
echo "$out" >"$scratch/few.json"

# --- choices ---
cat >"$scratch/question.json" <<'JSON'
{
	"kernel": "k", "goal": "fairness",
	"alone": {"cmp": 4, "gpu": 0.05}, "co_located": {"cmp": 8, "gpu": 0.06},
	"threads": 512, "buffer": 67108864, "transfer": 256e6,
	"natives": [{"name": "mcf",
		"cache": [1, 1.01, 1.03, 1.08, 1.15, 1.25, 1.4, 1.55, 1.7],
		"bandwidth": [1, 1.01, 1.02, 1.04, 1.08, 1.15, 1.26, 1.42, 1.65]}]
}
JSON
status 0 "$heddle" hetero choose "$scratch/question.json" --json
echo "$out" >"$scratch/chosen.json"
status 0 "$heddle" hetero choose "$scratch/question.json"
says "k -> GPU"
status 0 "$heddle" hetero choose "$scratch/question.json" --weight 2.5 --json
echo "$out" >"$scratch/weighted.json"
status 2 "$heddle" hetero choose "$scratch/question.json" --weight 2.5 --weight 1
complains "--weight is given 2 times for 1 native programs"
echo '{"goal": "throughput", "alone": {"cmp": 1, "gpu": 2}}' >"$scratch/nothing.json"
status 2 "$heddle" hetero choose "$scratch/nothing.json" --weight 5
complains "--weight has no meaning: there are no native programs"
status 0 "$heddle" hetero choose "$scratch/nothing.json" --json
says '"goal": "throughput"'
says '"reason": "the shorter time alone"'
status 2 "$heddle" hetero choose "$scratch/question.json" --weight 0
complains "--weight 0: expected a number above 0"
sed 's/fairness/fairnes/' "$scratch/question.json" >"$scratch/goal.json"
status 2 "$heddle" hetero choose "$scratch/goal.json"
complains "there is no goal 'fairnes': fairness, throughput or weighted"
complains "did you mean 'fairness'?"
sed 's/"goal": "fairness"/"pressure_rule": "measured"/' "$scratch/question.json" >"$scratch/rule.json"
status 2 "$heddle" hetero choose "$scratch/rule.json"
complains "there is no pressure_rule 'measured': live or footprint"
complains "give a measured pressure as 'pressure'"
sed 's/1.55, 1.7/1.55/' "$scratch/question.json" >"$scratch/short.json"
status 2 "$heddle" hetero choose "$scratch/short.json"
complains "'cache' must be a list of 9 slowdowns"
sed '/"threads"/d' "$scratch/question.json" >"$scratch/less.json"
status 2 "$heddle" hetero choose "$scratch/less.json"
complains "'threads' is missing here"
# wrong KEY VALUE MESSAGE: the question with another number for a key
wrong()
{
	sed "s/\"$1\": [^,}]*/\"$1\": $2/" "$scratch/question.json" >"$scratch/wrong.json"
	status 2 "$heddle" hetero choose "$scratch/wrong.json"
	complains "$3"
}
wrong threads 0 "'threads' must be above 0"
wrong buffer -1 "'buffer' must not be negative"
wrong transfer -1 "'transfer' must not be negative"
for number in 01 .5 +1 1. 0x10 1e 1e+ -; do
	wrong threads $number "expected a number, not '$number'"
done
for number in 0.5 10 1e2 1E+2 1.5e-2; do
	sed "s/\"threads\": 512/\"threads\": $number/" "$scratch/question.json" >"$scratch/right.json"
	status 0 "$heddle" hetero choose "$scratch/right.json"
done
wrong threads 1e999 "1e999 is beyond the range of numbers"
wrong cache '[0' "a slowdown must be above 0: 'cache' has 0"
wrong bandwidth '[-1' "a slowdown must be above 0: 'bandwidth' has -1"
# The pressure of one target may be given; that of the other is estimated.
sed 's/"threads"/"pressure": {"cmp": {"llc_bytes": 1048576}}, "threads"/' "$scratch/question.json" >"$scratch/cmp.json"
sed 's/"threads"/"pressure": {"gpu": {"dram_gbps": 2}}, "threads"/' "$scratch/question.json" >"$scratch/gpu.json"
sed 's/"threads"/"pressure": {}, "threads"/' "$scratch/question.json" >"$scratch/none.json"
for given in cmp gpu none; do
    status 0 "$heddle" hetero choose "$scratch/$given.json" --json
    echo "$out" >"$scratch/chosen-$given.json"
done
sed 's/"threads": 512, "buffer": 67108864,//' "$scratch/cmp.json" >"$scratch/enough.json"
status 0 "$heddle" hetero choose "$scratch/enough.json"
sed 's/, "transfer": 256e6//' "$scratch/cmp.json" >"$scratch/less.json"
status 2 "$heddle" hetero choose "$scratch/less.json"
complains "'transfer' is missing here"

# Reading it would take minutes.
python3 -c 'print("{\"kernel\":\n " + "[" * 200000)' >"$scratch/deep.json"
for command in choose "predict --model s9150-alone --features"; do
    # shellcheck disable=SC2086
    status 2 timeout 20 "$heddle" hetero $command "$scratch/deep.json"
    complains "deep.json:2:101: error: lists and maps are nested more than 100 deep"
done

# beside NATIVE CMP MESSAGE: a short question about one native; CMP is the co-located time there
beside()
{
	echo "{\"alone\": {\"cmp\": 1e-300, \"gpu\": 2}, \"co_located\": {\"cmp\": $2, \"gpu\": 2}," \
		"\"threads\": 1, \"buffer\": 1, \"transfer\": 1, \"natives\": [$1]}" >"$scratch/beside.json"
	status 2 "$heddle" hetero choose "$scratch/beside.json"
	complains "$3"
}
flat=1,1,1,1,1,1,1,1
beside "{\"cache\": [0.1,$flat], \"bandwidth\": [$flat,0.2]}" 1 \
	"'cache' has 0.1 and 'bandwidth' has 0.2: together a slowdown of -0.7"
beside "{\"cache\": [1.7e308,$flat], \"bandwidth\": [$flat,1.7e308]}" 1 "their sum is beyond the range of numbers"
beside '{"name": "a", "weight": 1e308, "slowdown": {"cmp": 1e300, "gpu": 1}}' 1e-300 \
	"the slowdown of native program 'a', 1e+300, times its 'weight', 1e+308, on 'cmp' is inf"
beside '{"slowdown": {"cmp": 1, "gpu": 1}}' 1e308 \
	"the slowdown of the kernel, from 'co_located' 1e+308 and 'alone' 1e-300 and 2, on 'cmp' is inf"
beside '{"weight": 1e308, "slowdown": {"cmp": 1e-20, "gpu": 1}}' 1e-300 "weighted on 'cmp' is inf"
beside '{"slowdown": {"cmp": 1, "gpu": 0}}' 1 "a slowdown must be above 0: 'gpu' of 'slowdown' is 0"
beside '{"slowdown": {"cmp": 1, "gpu": 1}, "cache": "rubbish"}' 1 "'cache' must be a list of 9 slowdowns"
beside '{}' 1 "a native program needs 'slowdown'"
beside '{"weight": "2", "slowdown": {"cmp": 1, "gpu": 1}}' 1 "expected a number, not a text in quotes: '2'"
wrong name '"mcf", "pid": 1.5' "'pid' must be the whole number of a process"
wrong name '"mcf", "llc_misses": -1' "'llc_misses' must not be negative"
wrong name '"mcf", "pressure": {"dram_gbps": -1}' "'dram_gbps' must not be negative"
status 2 "$heddle" hetero chose "$scratch/question.json"
complains "did you mean 'choose'?"

python3 - "$scratch" <<'PY' || fail "the numbers above"
import json, sys
def load(name):
    with open(f"{sys.argv[1]}/{name}.json") as f:
        return json.load(f)
def near(a, b):
    assert abs(a - b) <= 1e-9 * abs(b), (a, b)

scale = load("scale")
assert len(scale) == 1 and scale[0]["kernel"] == "scale"
assert scale[0]["threads"] == 4096 and scale[0]["buffer"] == 16384
assert scale[0]["mem"] == 2 and scale[0]["math"] + scale[0]["fp"] >= 2
# The address varies, a / 3 does not.
assert scale[0]["vector_mem"] == 2 and scale[0]["scalar_mem"] == 0 and scale[0]["scalar_alu"] >= 1
bfs = load("bfs")
assert {row["kernel"] for row in bfs} == {"bfs_expand", "bfs_collect"}
assert all(row["threads"] > 0 and row["buffer"] > 0 and row["launches"] > 0 for row in bfs)
for row in load("predicted"):
    assert row["clamped"] == (row["prediction"] <= 0)
    assert row["time"] == (1e-6 if row["clamped"] else row["prediction"])
assert [row["kernel"] for row in load("recursive")] == ["does_not"]
trained = load("trained")
assert trained["dropped_kernels"][0] == "k5" and trained["r_squared_kept"] > 0.999999
assert trained["r_squared_all"] < trained["r_squared_kept"]
few = load("few")
assert few["ended_early"] and few["stages"][-1] == {**few["stages"][-1], "kernels": 18, "goes": None}
assert not trained["ended_early"] and trained["ended_because"] is None
near(load("refit")[0]["time"], 2e-6 * 4096 + 3e-4 * 2 + 5e-8 * 4096 * 2)
chosen = load("chosen")
near(chosen["kernel_pressure"]["cmp"]["llc_bytes"], 3 << 20)
near(chosen["kernel_pressure"]["gpu"]["dram_gbps"], 5.12)
near(chosen["natives"][0]["slowdown"]["cmp"], 1.08)
near(chosen["natives"][0]["cache_slowdown"]["cmp"], 1.08)
near(chosen["natives"][0]["bandwidth_slowdown"]["cmp"], 1)
near(chosen["natives"][0]["bandwidth_slowdown"]["gpu"], chosen["natives"][0]["slowdown"]["gpu"])
near(chosen["natives"][0]["weighted_slowdown"]["cmp"], 1.08)
for given, llc, gbps in (("cmp", 1 << 20, 5.12), ("gpu", 3 << 20, 2), ("none", 3 << 20, 5.12)):
    pressure = load("chosen-" + given)["kernel_pressure"]
    near(pressure["cmp"]["llc_bytes"], llc)
    near(pressure["gpu"]["dram_gbps"], gbps)
weighted = load("weighted")["natives"][0]
assert weighted["weight"] == 2.5
near(weighted["weighted_slowdown"]["cmp"], 2.5 * 1.08)
near(chosen["kernel_slowdown"]["gpu"], 1.2)
near(chosen["fairness"]["cmp"], 1.08 / 2)
assert chosen["target"] == "gpu" and chosen["microseconds"] > 0
PY
finish
