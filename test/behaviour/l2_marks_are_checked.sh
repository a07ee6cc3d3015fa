#!/bin/sh
# Marks for L2 on the whole machine: the worked examples, annotations in a separate file, and
# unsound ones, which cause a warning, or fail the run on request.
heddle=$1
scratch=$2
mkdir -p "$scratch"
. test/behaviour/expect.inc

status 0 python3 test/paper/l2_machine.py "$heddle" "$scratch" && says "the machine does as the laboratory"

# Annotations of a workload, from a file: sound where stores fill sectors, unsound where a store
# fetches the rest of a line that was dropped.
printf '# the next stage reads it\nfft_stage 2 .cc\n' >"$scratch/fft.l2"
wb="--set l2.policy=write_buffering"
# shellcheck disable=SC2086
{
    status 0 "$heddle" run fft --size tiny --gpu v100 $wb --annotations "$scratch/fft.l2" --fail-on-stale && silent err
    says "l2.policy.dropped" && lacks "l2.stale_reads"
    status 1 "$heddle" run fft --size tiny $wb --annotations "$scratch/fft.l2" --fail-on-stale
    complains "from DRAM that L2 had dropped without a write-back: a .cc annotation is unsound" && complains "fail-on-stale"
    says "verified, the result agrees" && says "l2.stale_reads"
    status 0 "$heddle" run fft --size tiny $wb --annotations "$scratch/fft.l2" && complains "l2.stale_reads: launch 3 reads data of 'scratch'"
    status 0 "$heddle" run fft --size tiny $wb --set l2.drop=demote --annotations "$scratch/fft.l2" --fail-on-stale && silent err
    status 2 "$heddle" run fft --size tiny $wb --set "l2.annotations=fft_stage 1 .cp" --annotations "$scratch/fft.l2"
    complains "--annotations and --set l2.annotations both annotate buffers"
    # Two CTAs read the border between their tiles: the second finds it dropped.
    status 1 "$heddle" run hot --size tiny $wb --set "l2.annotations=hotspot 3 .cc" --fail-on-stale && complains "launch 2 reads data of 'temperature b'"
    # Atomics count as unmarked stores wherever they are performed, so these lose no data.
    status 0 "$heddle" run hga --size tiny:words=4096 $wb --set l2.mark_stores=true --atomics atom_dir --fail-on-stale && silent err
    status 0 "$heddle" run fft --size tiny --annotations "$scratch/fft.l2" && complains "warning: l2.annotations have no effect with l2.policy lru"
    case $err in *fft_stage*) fail "the warning has the whole file: $err" ;; esac
}

# Data that a kernel stores and reads itself are dropped before the host reads them.
cat >"$scratch/own.ptx" <<'PTX'
.version 6.0
.target sm_30
.address_size 64
.visible .entry own(.param .u64 p) {
.reg .u32 %v;
.reg .u64 %a, %x;
ld.param.u64 %a, [p];
mov.u32 %v, %tid.x;
mul.wide.u32 %x, %v, 4;
add.u64 %a, %a, %x;
st.global.cc.u32 [%a], %v;
st.global.cc.u32 [%a+128], %v;
membar.gl;
ld.global.u32 %v, [%a];
st.global.u32 [%a+256], %v;
ret;
}
PTX
# shellcheck disable=SC2086
{
    status 1 "$heddle" run "$scratch/own.ptx" --block 32 --arg "out:1K:$scratch/out" $wb --fail-on-stale
    complains "the host reads data" && complains "1 reads of data that L2 had dropped"
    status 0 "$heddle" run "$scratch/own.ptx" --block 32 --arg buf:1K $wb --fail-on-stale && silent err # the host does not read them
    status 0 "$heddle" run "$scratch/own.ptx" --block 32 --arg "out:1K:$scratch/out" $wb --json
    printf '%s' "$out" | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d["stats"]["l2.stale_reads"] == 1 == sum(k["l2.stale_reads"] for k in d["kernels"]), d["stats"]["l2.stale_reads"]
' || fail "stale reads by kernel"
    status 0 "$heddle" run "$scratch/own.ptx" --block 32 --arg "out:1K:$scratch/out" --set l2.policy=lru --fail-on-stale && silent err
}

# What there is to mark, with attributes, comments and brackets between the words.
status 0 "$heddle" show kernels fft && says "fft_stage         2  __global float2 *out"
printf '/* kernel void no(int a) */\n#define X kernel\nkernel __attribute__((reqd_work_group_size(8, 1, 1))) void\nboth(global int *a, // kernel\n  local int (*b)[4], int c) { }\n__global__ void __launch_bounds__(64) none(void) {}\n' >"$scratch/k.cl"
status 0 "$heddle" show kernels "$scratch/k.cl" --json
[ "$(printf '%s' "$out" | tr -d '\n ')" = '[{"kernel":"both","arguments":["globalint*a","localint(*b)[4]","intc"]},{"kernel":"none","arguments":[]}]' ] || fail "kernels of a file"
status 2 "$heddle" show kernels nosuch && complains "there is no workload 'nosuch'"

# A sweep names the points whose marks are unsound, those that it finds in its store too.
cat >"$scratch/sweep.yaml" <<'YAML'
workloads: [fft]
size: tiny
gpus: [gtx480]
set:
  l2.policy: [write_buffering]
  l2.annotations: ["", "fft_stage 2 .cc"]
YAML
rm -f "$scratch/sweep.db"
status 0 "$heddle" sweep "$scratch/sweep.yaml" --store "$scratch/sweep.db" && says "2 run, 0 stored before, 0 failed, 1 with stale reads;"
complains "l2.annotations=fft_stage 2 .cc: l2.stale_reads is 2048: a .cc annotation is unsound"
status 1 "$heddle" sweep "$scratch/sweep.yaml" --store "$scratch/sweep.db" --fail-on-stale && says "2 stored before, 0 failed, 1 with stale reads;"
complains "fail-on-stale: 1 point read data that L2 had dropped"
status 0 "$heddle" sweep "$scratch/sweep.yaml" --store "$scratch/sweep.db" --quiet && complains "l2.stale_reads is 2048" && silent out
status 2 "$heddle" sweep "$scratch/sweep.yaml" --dry-run --fail-on-stale && complains "fail-on-stale needs results"

# An atomics unit with nothing to do causes a warning: the histogram adds in shared memory.
status 0 "$heddle" run hg --size tiny --atomics atom_hybrid --set atomics.spec_fetch=true && complains "the atomics unit atom_hybrid had nothing to do"
status 0 "$heddle" run hg --size tiny && silent err
status 0 "$heddle" run hg red --size tiny --atomics atom_dir && silent err

# Mistakes have a place.
mistake() { # PLACE TEXT LINE...
    place=$1 text=$2
    shift 2
    printf '%s\n' "$@" >"$scratch/bad.l2"
    # shellcheck disable=SC2086
    status 2 "$heddle" run fft --size tiny $wb --annotations "$scratch/bad.l2"
    complains "bad.l2:$place" && complains "$text"
}
mistake 1:1 "the program has no kernel 'fft_stag'" "fft_stag 2 .cc"
complains "did you mean 'fft_stage'?"
mistake 2:11 "expected the number of an argument, from 1" "# comment" "fft_stage 0 .cc"
mistake 1:11 "expected the number of an argument, from 1" "fft_stage out .cc"
mistake 1:13 "expected .cc (stores are kept in L2) or .cp" "fft_stage 2 .cg"
mistake 1:12 "expected .cc" "fft_stage 2"
mistake 1:17 "expected the end of the line" "fft_stage 2 .cc .cp"
mistake 3:1 "this annotation is given twice" "fft_stage 2 .cc" "fft_stage 2 .cp" "fft_stage 2 .cc"
mistake 1:1 "kernel 'fft_stage' has 5 arguments" "fft_stage 6 .cc"
mistake 2:1 "argument 4 of kernel 'fft_stage' is not the address of a buffer" "fft_stage 1 .cp" "fft_stage 4 .cc"
# shellcheck disable=SC2086
{
    status 2 "$heddle" run fft --size tiny $wb --set "l2.annotations=fft_stage 1 .cp; fft_stage 2 .c" && complains "l2.annotations:1:30: error: expected .cc"
    status 2 "$heddle" run fft --size tiny $wb --annotations "$scratch/none.l2" && complains "none.l2"
    status 2 "$heddle" run fft --size tiny --functional --annotations "$scratch/fft.l2" && complains "annotations is for timed runs"
    status 0 "$heddle" run fft --size tiny --gpu v100 --quiet --record "$scratch/fft.trace"
    status 2 "$heddle" run --replay "$scratch/fft.trace" --gpu v100 $wb --annotations "$scratch/fft.l2" && complains "which a trace does not have"
    # A trace does not contain the host's reads either.
    status 2 "$heddle" run --replay "$scratch/fft.trace" --gpu v100 $wb --fail-on-stale && complains "fail-on-stale needs the program itself"
    status 0 "$heddle" run --replay "$scratch/fft.trace" --gpu v100 $wb --set l2.mark_stores=true && complains "counts only reads of kernels, because a trace does not have those of the host"
}
status 2 "$heddle" run fft --size tiny --set l2.policy=write_buffering --set l2.allocate_on_fill=true && complains "allocated on fill"
status 2 "$heddle" run fft --size tiny --set l2.drop=demote && complains "l2.drop"
finish
