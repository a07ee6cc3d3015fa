#!/bin/sh
# heddle hetero bubble and train --machine describe the machine they run on, in files that the other
# steps and the OpenCL device read.
heddle=$1
scratch=$2
export ASAN_OPTIONS=detect_leaks=0 # the threads of another OpenCL never free their memory
rm -rf "$scratch"
mkdir -p "$scratch"
fail() {
    echo "$1"
    exit 1
}

# --- what a native program suffers ---
"$heddle" hetero bubble --llc 1048576 --repeats 1 -- sh -c 'exit 0' >"$scratch/native.json" ||
    fail "no table"
python3 - "$scratch/native.json" "$scratch/question.json" <<'PY' || fail "the table is not one"
import json, sys
d = json.load(open(sys.argv[1]))
n = d["natives"][0]
assert n["name"] == "sh" and d["machine"]["llc_bytes"] == 1048576, d
for kind in ("cache", "bandwidth"):
    assert len(n[kind]) == 9 and n[kind][0] == 1 and min(n[kind]) >= 1, n
assert d["machine"]["dram_gbps"] > 0
d.update(alone={"cmp": 4, "gpu": 2}, co_located={"cmp": 8, "gpu": 3}, threads=512, buffer=4096,
         transfer=4096)
json.dump(d, open(sys.argv[2], "w"))
PY
"$heddle" hetero choose "$scratch/question.json" >"$scratch/out" || fail "choose does not read it"
"$heddle" hetero bubble -- false >"$scratch/out" 2>&1 && fail "a program that fails is measured"
grep -q "false ended with exit status 1" "$scratch/out" || fail "that is not said"
"$heddle" hetero bubble -- "$scratch/none" >"$scratch/out" 2>&1
[ $? = 2 ] && grep -q "none cannot be run: No such file or directory" "$scratch/out" || fail "a missing program"
"$heddle" hetero bubble -- sh -c 'kill -TERM $$' >"$scratch/out" 2>&1
[ $? = 2 ] && grep -q "sh was ended by signal 15, Terminated" "$scratch/out" || fail "a program that is killed"
cat >"$scratch/kill_bubble.sh" <<'SH'
for p in $(cat /proc/$PPID/task/$PPID/children); do
    [ "$p" = $$ ] && continue
    kill -9 "$p"
    while [ -e /proc/$p/status ] && ! grep -q '^State:.Z' /proc/$p/status; do
        sleep 0.01 # it has not ended yet
    done
done
SH
"$heddle" hetero bubble --llc 1048576 --repeats 1 -- sh "$scratch/kill_bubble.sh" >"$scratch/out" 2>&1 &&
    fail "a bubble that ends is not noticed"
grep -q "ended before the program" "$scratch/out" || fail "that is not said"
"$heddle" hetero bubble --repeats 0 -- true >"$scratch/out" 2>&1 && fail "no repeats are accepted"

# --- files without native programs ---
for text in '[]' '"x"' '{"alone": {"cmp": 1, "gpu": 2}}' '{"natives": []}' '{"natives": [{"name": "a", "slowdwn": 1}]}'; do
    echo "$text" >"$scratch/none.json"
    "$heddle" hetero train --machine --out "$scratch/none" red --natives "$scratch/none.json" >"$scratch/out" 2>&1
    [ $? = 2 ] && grep -q 'none.json:1:' "$scratch/out" || fail "natives $text are accepted"
done
[ ! -e "$scratch/none" ] || fail "a folder is made before the natives are read"
touch "$scratch/file"
refuses() { # MESSAGE ARG...
    said=$1
    shift
    "$heddle" hetero "$@" >"$scratch/out" 2>&1
    status=$?
    [ $status = 2 ] || fail "status $status: $*"
    grep -q "$said" "$scratch/out" || fail "not said: $said"
}
refuses "it is a file, not a folder" train --machine red --out "$scratch/file"
refuses "it is a file, not a folder" rows bfs --out "$scratch/file"
refuses "No such file or directory" rows bfs --out "$scratch/no/folder"
refuses "there is no GPU 'nix'" train --machine red --gpu nix --out "$scratch/none"
grep -q "no OpenCL device" "$scratch/out" && fail "another cause is named"
[ ! -e "$scratch/none" ] || fail "a folder is made before the GPU is read"
printf 'kernel,time,x\na,1,1\nb,2,2\n' >"$scratch/rows.csv"
refuses "Is a directory" train "$scratch/rows.csv" --folds 0 --out "$scratch"

# --- options that would be ignored ---
"$heddle" hetero models s9150-alone --json >"$scratch/out" 2>&1 && fail "--json is ignored"
"$heddle" exec --hetero-target cmp -- true >"$scratch/out" 2>&1 && fail "--hetero-target needs no device"
grep -q -- "--hetero-target is for --device heteropdp" "$scratch/out" || fail "that is not said"

# --- measured times; the CPU device is another OpenCL's ---
"$heddle" run red --size tiny --on opencl --quiet >"$scratch/out" 2>&1 || {
    echo "SKIPPED: times of kernels on this machine: $(head -1 "$scratch/out")"
    exit 0
}
if [ -x "$(dirname "$heddle")/test/test_hetero_device" ]; then
    "$heddle" exec --device heteropdp --functional --hetero-target alternate --hetero-log /dev/full -- \
        "$(dirname "$heddle")/test/test_hetero_device" moving >"$scratch/out" 2>&1 ||
        fail "launches depend on the log"
    [ "$(grep -c 'cannot write the log of HeteroPDP to /dev/full: No space left' "$scratch/out")" = 1 ] ||
        fail "a full disk is not named once"
fi
"$heddle" hetero train --machine --out "$scratch/models" red mm --folds 0 >"$scratch/out" 2>&1 &&
    fail "two workloads suffice for a model of 36 terms"
grep -q "rows" "$scratch/out" || fail "why not is not said"
[ "$(head -1 "$scratch/models/cmp-alone.csv")" = \
    "kernel,time,threads,scalar_alu,scalar_mem,vector_alu,vector_mem,branch,atomic,buffer" ] ||
    fail "the rows have other columns"
grep -q '^mm/' "$scratch/models/cmp-alone.csv" && grep -q '^red/' "$scratch/models/cmp-alone.csv" ||
    fail "a workload is missing"
awk -F, 'NR > 1 && !($2 > 0 && $3 > 0 && $NF > 0) { exit 1 }' "$scratch/models/cmp-alone.csv" ||
    fail "a time, a number of threads or of bytes is 0"
"$heddle" hetero train --machine --out "$scratch/cut_off" hot mis mm pf red wc >"$scratch/out" 2>"$scratch/err" &
measuring=$!
while [ ! -d "$scratch/cut_off" ] && kill -0 $measuring; do
    sleep 0.02
done
sleep 0.1
kill -TERM $measuring # SIGINT is ignored in the background
wait $measuring
grep -q "interrupted: the times of . of 6 workloads on the CMP are lost" "$scratch/err" || fail "what is lost is not said"
"$heddle" hetero train --machine --out "$scratch/models" reed >"$scratch/out" 2>&1 && fail "reed is known"
grep -q "did you mean" "$scratch/out" || fail "no suggestion"
"$heddle" hetero train --machine --out "$scratch/few" hot mis mm pf red wc --folds 0 --no-pairs --json \
    >"$scratch/trained.json" 2>"$scratch/err" || fail "six workloads do not suffice for a model of 8 terms"
python3 - "$scratch" <<'PY' || fail "train --machine --json is not one document"
import json, sys
models = json.load(open(f"{sys.argv[1]}/trained.json"))
assert [m["model"].split("/")[-1] for m in models] == ["cmp-alone.model", "gpu-alone.model"], models
PY
"$heddle" exec --functional --device heteropdp --hetero-models "$scratch/few" -- "$heddle" run red --size tiny \
    --on opencl --quiet >"$scratch/out" 2>&1 || fail "the models are not read"
"$heddle" exec --functional --device heteropdp --hetero-models "$scratch/few" --hetero-natives "$scratch/native.json" \
    -- "$heddle" run red --size tiny --on opencl --quiet >"$scratch/out" 2>&1 &&
    fail "models of a kernel alone are used beside natives"
grep -q "cmp-co-located.model is missing" "$scratch/out" || fail "that is not said"
HEDDLE_MAX_CYCLES=3000 "$heddle" hetero train --machine --out "$scratch/limit" hot mis mm pf red wc --folds 0 --no-pairs >"$scratch/out" 2>&1 &&
    fail "times of the CMP are the GPU's"
grep -q "on the GPU: .*the launch was stopped after 3000 cycles" "$scratch/out" || fail "the limit is not named"
odd=$(dirname "$heddle")/test/libodd_cmp.so # its launches fail from the second one on
[ -e "$odd" ] || exit 0
HEDDLE_HETERO_GPU=$odd ODD_CMP=failing "$heddle" hetero train --machine --out "$scratch/cut" hot mis mm pf red wc \
    --folds 0 --no-pairs >"$scratch/out" 2>&1
grep -q "left out, which failed on the GPU" "$scratch/out" || fail "what is left out is not said"
[ "$(wc -l <"$scratch/cut/gpu-alone.csv")" -lt "$(wc -l <"$scratch/few/gpu-alone.csv")" ] ||
    fail "times of the CMP are in the GPU's rows"
