#!/bin/sh
# Whatever is misspelt or missing: the message says so and suggests a correction, and the exit
# status is 2.
heddle=$1
scratch=$2
mkdir -p "$scratch"
. test/behaviour/expect.inc

echo '.version 7.0 .target sm_50 .address_size 64 .visible .entry one() { ret; }' >"$scratch/one.ptx"
status 2 "$heddle" && complains "Usage: heddle COMMAND" && silent out
status 2 "$heddle" rnu && complains "there is no command 'rnu'" && complains "did you mean 'run'?"
status 2 "$heddle" --verison && complains "there is no option '--verison'" &&
    complains "did you mean '--version'?"
status 2 "$heddle" --foo && complains "there is no option '--foo'" && complains "heddle --help"
status 2 "$heddle" run bfs --foo && complains "there is no option '--foo'" &&
    complains "--help after the command lists its options"
# Words after "--" belong to the program, so options stand before it.
status 2 "$heddle" exec && complains "usage: heddle exec [OPTION]... -- PROGRAM [ARGUMENT...]"
status 0 "$heddle" help exec && says "Usage: heddle exec [OPTION]... -- PROGRAM [ARGUMENT...]"
# Options that are passed on as variables: the message names no variable, and no program runs.
status 2 "$heddle" exec --device foo -- echo ran && silent out &&
    complains "there is no device 'foo'" && complains "--device is one of gpu, heteropdp"
status 2 "$heddle" exec --device hetropdp --hetero-target cmp -- echo ran && silent out &&
    complains "did you mean 'heteropdp'?"
status 2 "$heddle" exec --device heteropdp --hetero-target prdict -- echo ran && silent out &&
    complains "there is no target 'prdict'" && complains "did you mean 'predict'?"
status 2 "$heddle" exec --device heteropdp --hetero-target moon -- echo ran && silent out &&
    complains "--hetero-target is one of predict, cmp, gpu, alternate"
status 0 "$heddle" exec --device heteropdp --hetero-target alternate -- echo ran && says ran
status 0 "$heddle" exec --device gpu -- echo ran && says ran
status 0 "$heddle" help report && says "Usage: heddle report " && says "[OPTION]..."
for number in -1 18446744073709551616 99999999T 1e3 many; do
    status 2 "$heddle" run bfs --seed "$number" && complains "--seed $number: expected a whole number from 0 to"
done
status 2 "$heddle" run bfs --quantum most && complains "or max"
status 2 "$heddle" run bfs --quantum 5G && complains "longer than any run"
status 2 "$heddle" run a.ptx --grid -1 && complains "from 1 to 4294967295"
status 2 "$heddle" run a.ptx --grid 4294967296 && complains "from 1 to 4294967295"
printf 'workloads: bfs\nsize: \001tiny\n' >"$scratch/control.yaml"
printf 'workloads: bfs\nsize: ti\000ny\n' >"$scratch/zero.yaml"
printf 'workloads: bfs\nsize: t\377iny\n' >"$scratch/latin.yaml"
status 2 "$heddle" sweep "$scratch/control.yaml" --dry-run && complains "control.yaml:2:7: error: control characters"
status 2 "$heddle" sweep "$scratch/zero.yaml" --dry-run && complains "zero.yaml:2:9: error: control characters"
status 2 "$heddle" sweep "$scratch/latin.yaml" --dry-run && complains "latin.yaml:2:8: error: "
# Settings that would leave a scheduler without its effect, from both sides.
for score in 1023 2000; do
    status 2 "$heddle" run nw --size tiny --scheduler ccws --set scheduler.base_score=$score && silent out &&
        complains "scheduler.base_score ($score) must be less than 1023"
done
status 0 "$heddle" run nw --size tiny --scheduler ccws --set scheduler.base_score=1022 && silent err
status 2 "$heddle" run nw --size tiny --scheduler ccws --set scheduler.vta_entries_per_warp=10 \
    --set scheduler.vta_ways=4 && complains "(10) must be a multiple of scheduler.vta_ways (4): otherwise only 8 tags"
for entries in 3 4 12; do
    status 0 "$heddle" run nw --size tiny --scheduler ccws --set scheduler.vta_entries_per_warp=$entries \
        --set scheduler.vta_ways=4 && silent err
done
status 0 "$heddle" run nw --size tiny --scheduler gcaws --set criticality=none &&
    complains "warning: scheduler gcaws depends on the criticality of warps, but criticality is none"
status 0 "$heddle" run nw --size tiny --scheduler gcaws && silent err
status 0 "$heddle" run nw --size tiny --scheduler gto --set criticality=none && silent err
printf 'workloads: nw\nsize: tiny\nschedulers:\n  - ccws: {base_score: 2000}\n' >"$scratch/score.yaml"
status 2 "$heddle" sweep "$scratch/score.yaml" --dry-run && complains "score.yaml:4" &&
    complains "must be less than 1023"
watched="--attribute --locality --series 1000 --series-out $scratch/s.csv --record-l1d $scratch/l.zst --timeline $scratch/t.json"
# shellcheck disable=SC2086
{
    status 2 "$heddle" run nw --size tiny --scheduler ccws --set criticality=cpl --json $watched --record-decisions "$scratch/d" &&
        complains "too many observers for one run" && silent out
    status 0 "$heddle" run nw --size tiny --scheduler ccws --set criticality=cpl --json $watched
    status 0 "$heddle" run nw --size tiny --scheduler gcaws --json $watched --record-decisions "$scratch/d"
}
status 2 "$heddle" help shwo && complains "did you mean 'show'?"
status 0 "$heddle" help mshr && says "miss status holding register"
status 0 "$heddle" help partition && says "slice, partition, memory partition"
status 2 "$heddle" help MSHRs && complains "no command 'MSHRs'"
status 2 "$heddle" show term MSHRs && complains "did you mean 'MSHR'?"
status 2 "$heddle" run && complains "heddle run needs WORKLOAD"
status 2 "$heddle" run bsf --functional && complains "did you mean 'bfs'?"
status 2 "$heddle" run BFS --functional && complains "did you mean 'bfs'?"
status 2 "$heddle" run all bfs --functional && complains "'all' cannot be combined"
# An OpenCL brings threads of its own, which a sanitizer's search for leaks cannot look into.
status 4 env ASAN_OPTIONS=detect_leaks=0 "$heddle" run bfs --on opencl:none-such &&
    complains "no OpenCL device" && silent out
status 2 "$heddle" run bfs --functionl && complains "did you mean '--functional'?"
status 2 "$heddle" run bfs --functional --size tyni && complains "did you mean 'tiny'?"
status 2 "$heddle" run bfs --functional --gpu gtx840 && complains "did you mean 'gtx480'?"
status 2 "$heddle" run bfs --functional --set n_sm=3 && complains "did you mean 'n_sms'?"
status 2 "$heddle" run bfs --functional --set n_sms=0 && complains "it may be 1 to 1024 SMs"
status 2 "$heddle" run bfs --functional --seed many && complains "expected a whole number"
status 2 "$heddle" run bfs --functional --on moon && complains "expected heddle, opencl"
status 2 "$heddle" run bfs --functional --host-isa mmx && complains "'mmx' is not available"
status 2 "$heddle" run bfs --functional --grid 3 && complains "--grid is for files"
status 2 "$heddle" run bfs --scheduler gt && complains "did you mean 'gto'?" && silent out
status 2 "$heddle" run bfs --l1d lur && complains "did you mean 'lru'?" && silent out
status 2 "$heddle" run bfs --max-insts 10 && complains "limit a timed run in cycles" && silent out
# Options without an effect are refused, not ignored.
for option in "--engine cycle" "--quantum 3" "--max-cycles 3" "--threads 2" \
    "--fast-paths off"; do
    # shellcheck disable=SC2086
    status 2 "$heddle" run nw --size tiny --functional $option && complains "${option% *} is for timed runs" && silent out
done
for option in "--max-insts 9" "--host-isa generic" --strict --kernels; do
    # shellcheck disable=SC2086
    status 2 "$heddle" run nw --size tiny --on opencl $option &&
        complains "${option% *} has no effect on an OpenCL device" && silent out
done
for threads in -1 0 257; do
    status 2 "$heddle" run nw --size tiny --threads $threads && complains "--threads $threads: expected a whole number from 1 to 256"
done
if [ "$(getconf _NPROCESSORS_ONLN)" -lt 256 ]; then
    status 0 "$heddle" run "$scratch/one.ptx" --threads 256
    complains "heddle: warning: --threads 256, but this machine has $(getconf _NPROCESSORS_ONLN) processor"
    status 0 "$heddle" run "$scratch/one.ptx" --threads 256 --quiet && silent err
fi
status 0 "$heddle" run "$scratch/one.ptx" --threads 1 && silent err
# So are options that would show nothing.
status 0 "$heddle" run "$scratch/one.ptx" --timeline "$scratch/t.json" --timeline-cycles 9999999- &&
    complains "the timeline is empty: nothing ran in the cycles 9999999-; the run ended at cycle"
status 0 "$heddle" run "$scratch/one.ptx" --timeline "$scratch/t.json" --timeline-sms 14 &&
    complains "the timeline is empty: nothing ran on the SMs 14; the run ended at cycle"
status 0 "$heddle" run "$scratch/one.ptx" --timeline "$scratch/t.json" --timeline-cycles 1- && silent err
status 2 "$heddle" run bfs --engine fast && complains "expected skip or cycle" && silent out
status 2 "$heddle" run bfs --fast-paths no && complains "expected on or off" && silent out
status 2 "$heddle" run bfs --set noc_clock_mhz=331 --set dram_clock_mhz=457 --set l2_clock_mhz=503 &&
    complains "have too small a common divisor"
status 2 "$heddle" run no_such.ptx --functional && complains "no_such.ptx"
status 2 "$heddle" show gpuz && complains "did you mean 'gpus'?"
status 2 "$heddle" show gpu gtx481 && complains "did you mean 'gtx480'?"
status 2 "$heddle" show workload kmnn && complains "did you mean 'kmn'?"
status 2 "$heddle" show gpus extra && complains "too many words"
status 2 "$heddle" ptx && complains "heddle ptx needs FILE"

cat >"$scratch/gpu.yaml" <<'YAML'
n_sms: fifteen
warps_per_sm: 48
wraps_per_sm: 48
YAML
printf 'base: gtx480\n\tn_sms: 4\n' >"$scratch/tab.yaml"
status 2 "$heddle" show gpu "$scratch/tab.yaml" && complains "indent YAML with spaces, not tabs"
status 2 "$heddle" show gpu "$scratch/gpu.yaml"
complains "gpu.yaml:1:8: error: n_sms: 'fifteen' is not a whole number"
complains "gpu.yaml:3:1: error: there is no parameter 'wraps_per_sm'"
complains "did you mean 'warps_per_sm'?"
silent out
for number in -1 0 99999999999999999999; do
    status 2 "$heddle" run bfs --size tiny --set l1d.n_ways=$number
    complains "l1d.n_ways: $number is out of range, it may be 1 to 64 ways"
done
status 0 "$heddle" show statistics && says "l1d.hits"

# Of a GPU's warnings, one for all workloads is enough.
echo "n_sms: 2" >"$scratch/bare.yaml"
status 0 "$heddle" run bfs gemm --functional --size tiny --gpu "$scratch/bare.yaml"
complains "bare.yaml: warning: "
[ "$(printf '%s\n' "$err" | grep -c "parameters are not set")" -eq 1 ] || fail "warns twice"
echo "base: gtx480" >>"$scratch/bare.yaml"
status 0 "$heddle" show gpu "$scratch/bare.yaml" && silent err
says "bare.yaml:1"
says "configs/gtx480.yaml:5: S3 Table 5.1"

# A file of another kind is named as such, and a compiler's flood of errors is cut.
for ending in ptx cl cu; do
    cp "$heddle" "$scratch/binary.$ending"
    status 2 "$heddle" run "$scratch/binary.$ending" && silent out &&
        complains "binary.$ending: byte" && complains "of the file is 0: this is not text"
    status 2 "$heddle" ptx "$scratch/binary.$ending" && silent out && complains "this is not text"
    [ "$(printf '%s\n' "$err" | wc -l)" -le 2 ] || fail "too much is said of a binary file"
done
rm "$scratch"/binary.*
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    echo "int f$i(int x) { return y$i; }"
done >"$scratch/flood.cl"
status 2 "$heddle" run "$scratch/flood.cl" && complains "flood.cl:1:" && complains "more lines from the compiler"
[ "$(printf '%s\n' "$err" | wc -l)" -le 61 ] || fail "a flood of messages"
head -3 "$scratch/flood.cl" >"$scratch/few.cl"
status 2 "$heddle" run "$scratch/few.cl" && complains "few.cl:3:"
case $err in *"more lines"*) fail "a few messages are cut" ;; esac

# A file that cannot be parsed does not prevent the others from being read.
cat >"$scratch/good.ptx" <<'PTX'
.version 6.0
.target sm_35
.address_size 64
.visible .entry nothing()
{
	ret;
}
PTX
echo "not PTX" >"$scratch/bad.ptx"
status 2 "$heddle" ptx "$scratch/bad.ptx" "$scratch/good.ptx" "$scratch/missing.ptx"
says "nothing"
complains "bad.ptx:1:1: error"
complains "missing.ptx"
status 0 "$heddle" ptx /dev/null && says "PTX without .version, without .target" && says "no kernels"
status 0 "$heddle" ptx --print "$scratch/good.ptx" && says ".entry nothing"
for quantum in max 0 1 1K; do
    status 0 "$heddle" run "$scratch/good.ptx" --quantum $quantum && says "elapsed_cycles" && silent err
done
finish
