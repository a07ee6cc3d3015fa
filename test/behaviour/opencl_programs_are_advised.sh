#!/bin/sh
# heddle advise l2 -- PROGRAM: an OpenCL program with several launches, two programs of kernels built at
# different times, gets marks that heddle exec --annotations takes; unsound ones fail on request.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
heddle=$(realpath "$heddle")
scratch=$(realpath "$scratch")
. test/behaviour/expect.inc

# The first kernel writes a buffer, the second, which is built after the first has run, reads it:
# `twice` in two launches. `fail` ends with a status, `quiet` without a launch.
cat >"$scratch/stages.c" <<'C'
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
enum { N = 65536 };
static const char *sources[] = {
    "kernel void fill(global int *middle, int n) { middle[get_global_id(0)] = n; }\n",
    "kernel void use(global const int *middle, global const int *stream, global int *sum)\n"
    "{ int i = get_global_id(0); sum[i] += middle[i] + stream[i]; }\n"};
static cl_kernel make(cl_context c, cl_device_id d, const char *source, const char *name)
{
    cl_program p = clCreateProgramWithSource(c, 1, &source, NULL, NULL);
    clBuildProgram(p, 1, &d, "", NULL, NULL);
    return clCreateKernel(p, name, NULL);
}
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "once";
    cl_platform_id p;
    cl_device_id d;
    if (clGetPlatformIDs(1, &p, NULL) || clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &d, NULL))
        return 1;
    if (strcmp(what, "fail") == 0)
        return 3;
    if (strcmp(what, "quiet") == 0)
        return 0;
    cl_context c = clCreateContext(NULL, 1, &d, NULL, NULL, NULL);
    cl_command_queue q = clCreateCommandQueue(c, d, 0, NULL);
    static int data[N];
    cl_mem m[3];
    for (int i = 0; i < 3; i++)
        m[i] = clCreateBuffer(c, CL_MEM_COPY_HOST_PTR, sizeof data, data, NULL);
    int n = 5;
    size_t threads = N;
    cl_kernel fill = make(c, d, sources[0], "fill");
    clSetKernelArg(fill, 0, sizeof m[0], &m[0]);
    clSetKernelArg(fill, 1, sizeof n, &n);
    clEnqueueNDRangeKernel(q, fill, 1, NULL, &threads, NULL, 0, NULL, NULL);
    clFinish(q);
    cl_kernel use = make(c, d, sources[1], "use");
    for (int i = 0; i < 3; i++)
        clSetKernelArg(use, (cl_uint)i, sizeof m[i], &m[i]);
    for (int i = 0; i < (strcmp(what, "twice") == 0 ? 2 : 1); i++)
        clEnqueueNDRangeKernel(q, use, 1, NULL, &threads, NULL, 0, NULL, NULL);
    if (clEnqueueReadBuffer(q, m[2], CL_TRUE, 0, sizeof data, data, 0, NULL, NULL))
        return 4;
    printf("%d\n", data[N - 1]);
    return 0;
}
C
# A device with sanitizers needs a program with them. This one releases nothing.
compiler=${CC:-cc}
if grep -q __asan_init "$(dirname "$heddle")/libheddle_ocl.so"; then
    compiler="clang -fsanitize=address,undefined"
    export ASAN_OPTIONS=detect_leaks=0
fi
$compiler -w -DCL_TARGET_OPENCL_VERSION=120 -o "$scratch/stages" "$scratch/stages.c" -lOpenCL || exit 1
cd "$scratch" || exit 1

small="--set l2.n_sets=8" # 96 KB: less than the first launch writes
wb="--set l2.policy=write_buffering"
# shellcheck disable=SC2086
{
    status 0 "$heddle" advise l2 $small --out once.l2 -- ./stages once && silent err
    printf '%s\n' "$out" | grep -q "^fill  *1  middle  .cc  *2,048  proposed" || fail "middle is not proposed: $out"
    printf '%s\n' "$out" | grep -q "^use  *2  stream  .cp  *2,048  proposed" || fail "stream is not proposed: $out"
    says "refused: no later launch reads it" && says "heddle exec $small --set l2.policy=write_buffering --annotations once.l2 -- ./stages once"
    with=$(printf '%s\n' "$out" | awk '/^with them/ { print $5 }' | tr -d ,)
    without=$(printf '%s\n' "$out" | awk '/^without annotations/ { print $5 }' | tr -d ,)
    [ "$with" -lt "$without" ] || fail "$with bytes are not less than $without"
    # The file has the effect that the table states, and the program's output is unchanged.
    status 0 "$heddle" exec $small $wb --annotations once.l2 --fail-on-stale --result result.json -- ./stages once && says 5 && silent err
    grep -q "\"dram.bytes\":$with\b" result.json || fail "the run with the file does not move $with bytes"
    status 0 "$heddle" advise l2 $small --json -- ./stages twice
    printf '%s' "$out" | python3 -c '
import json, sys
d = json.load(sys.stdin)
by = {(c["kernel"], c["argument"], c["mark"]): c for c in d["candidates"]}
assert "are read again before they are stored to" in by["fill", 1, ".cc"]["reason"], by
assert d["program"] == "./stages twice" and d["with"]["stale_reads"] == 0
' || fail "lines that are read twice"
    # A command of several lines does not break the file.
    status 0 "$heddle" advise l2 $small --out lines.l2 -- sh -c "true
./stages once"
    sed 1d once.l2 >once && sed 1d lines.l2 | cmp - once || fail "lines.l2: $(cat lines.l2)"
    # An unsound mark causes a warning, and fails on request; the program itself does not notice.
    printf 'fill 1 .cc\nstage 1 .cc\n' >bad.l2
    status 0 "$heddle" exec $small $wb --annotations bad.l2 -- ./stages twice && says 10
    complains "l2.stale_reads: launch 3 reads data of 'middle'" && complains "bad.l2:2:1: warning: the program launched no kernel 'stage'"
    status 1 "$heddle" exec $small $wb --annotations bad.l2 --fail-on-stale -- ./stages twice && says 10
    complains "fail-on-stale: " && complains "reads of data that L2 had dropped"
    status 1 "$heddle" exec $small $wb --set "l2.annotations=fill 1 .cc; use 2 .cp" --fail-on-stale -- ./stages twice && complains "fail-on-stale: "
    status 3 "$heddle" exec --fail-on-stale -- ./stages fail
    status 2 "$heddle" exec --fail-on-stale -- ./none && complains "cannot run ./none"
    # A mark that does not fit its kernel is an error of the launch.
    printf 'fill 2 .cc\n' >scalar.l2
    status 0 "$heddle" exec $wb --annotations scalar.l2 -- ./stages && complains "argument 2 of kernel 'fill' is not the address of a buffer"
    status 2 "$heddle" advise l2 $small --set n_sms=0 -- ./stages && complains "n_sms"
    printf 'fill one .cc\n' >text.l2
    status 1 "$heddle" exec $wb --annotations text.l2 -- ./stages && complains "text.l2:1:6: error: expected the number of an argument"
}
status 2 "$heddle" exec --annotations none.l2 -- ./stages && complains "cannot read none.l2"
status 2 "$heddle" exec --annotations once.l2 --set l2.annotations="fill 1 .cc" -- ./stages && complains "both annotate buffers"
status 2 "$heddle" exec --functional --annotations once.l2 -- ./stages && complains "annotations is for timed runs"
status 0 "$heddle" exec --atomics atom_dir --json launches.jsonl -- ./stages && grep -q '"atomics.acquires":0' launches.jsonl || fail "no such unit"
complains "warning: the atomics unit atom_dir had nothing to do"
status 0 "$heddle" exec -- ./stages && silent err
status 2 "$heddle" advise l2 -- ./stages fail && complains "its exit status is 3"
status 2 "$heddle" advise l2 -- ./stages quiet && complains "it launched no kernel on the simulated GPU"
status 2 "$heddle" advise l2 -- ./none && complains "cannot run ./none"
status 2 "$heddle" advise l2 --size tiny -- ./stages once && complains "size is for workloads and files"
status 2 "$heddle" advise l2 fft -- tiny && complains "advice is for one program at a time"
finish
