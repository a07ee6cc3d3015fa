#!/bin/sh
# heddle sweep with `program:`: a program's launches end up in the store, its output is compared.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
heddle=$(realpath "$heddle")
scratch=$(realpath "$scratch")
. test/behaviour/expect.inc

# Adds twice; prints the sum. `race` prints what depends on the order of warps, `quiet` ends without
# a launch, `fail` with a status, `bad` reads out of bounds.
cat >"$scratch/adder.c" <<'C'
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
static const char *source =
    "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }\n"
    "kernel void race(global int *a, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    for (int k = 0; k < 50 * (i / 32 % 7); k++) n += a[(n * 37 + i + k) % 4096];\n"
    "    a[atomic_inc(&a[4095]) & 2047] = i + (n == 12345); }\n";
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "add";
    cl_platform_id p;
    cl_device_id d;
    if (strcmp(what, "fail") == 0)
        return 3;
    if (clGetPlatformIDs(1, &p, NULL) || clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &d, NULL))
        return 1;
    if (strcmp(what, "quiet") == 0)
        return 0;
    cl_context c = clCreateContext(NULL, 1, &d, NULL, NULL, NULL);
    cl_command_queue q = clCreateCommandQueue(c, d, 0, NULL);
    cl_program program = clCreateProgramWithSource(c, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &d, "", NULL, NULL);
    cl_kernel k = clCreateKernel(program, strcmp(what, "race") == 0 ? "race" : "add", NULL);
    static int data[4096];
    cl_mem m = clCreateBuffer(c, CL_MEM_COPY_HOST_PTR, strcmp(what, "bad") == 0 ? 64 : sizeof data,
                              data, NULL);
    int n = 5;
    size_t threads = 4096;
    clSetKernelArg(k, 0, sizeof m, &m);
    clSetKernelArg(k, 1, sizeof n, &n);
    for (int i = 0; i < 2; i++)
        clEnqueueNDRangeKernel(q, k, 1, NULL, &threads, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(q, m, CL_TRUE, 0, strcmp(what, "bad") == 0 ? 64 : sizeof data, data, 0, NULL,
                        NULL);
    unsigned sum = 0;
    for (int i = 0; i < 4096; i++)
        sum = sum * 31 + (unsigned)data[i];
    printf("%u\n", sum);
    return 0;
}
C
# A device with sanitizers needs a program with them. This one releases nothing.
compiler=${CC:-cc}
if grep -q __asan_init "$(dirname "$heddle")/libheddle_ocl.so"; then
    compiler="clang -fsanitize=address,undefined"
    export ASAN_OPTIONS=detect_leaks=0
fi
$compiler -w -DCL_TARGET_OPENCL_VERSION=120 -o "$scratch/adder" "$scratch/adder.c" -lOpenCL || exit 1
cd "$scratch" || exit 1

cat >add.yaml <<'Y'
program: ./adder add
workloads: nw
size: tiny
seeds: [1, 2]
schedulers: [lrr, gto]
Y
status 0 "$heddle" sweep add.yaml --store s.db
says "6 points: 6 run, 0 stored before, 0 failed"
status 0 "$heddle" sweep add.yaml --store s.db
says "6 points: 0 run, 6 stored before, 0 failed"
status 0 "$heddle" sweep add.yaml --store s.db --dry-run
says "adder"
# The point is the sum of its launches, which are stored too.
status 0 "$heddle" query --store s.db --csv "SELECT scheduler, sum(cycles) FROM results
    WHERE workload = 'add' AND size = './adder add' GROUP BY 1 HAVING count(*) = 2 AND max(seed) = 2"
launches=$out
status 0 "$heddle" query --store s.db --csv "SELECT scheduler, cycles FROM results
    WHERE workload = 'adder' AND size = 'add' ORDER BY 1"
[ "$(echo "$out" | tail -n +2)" = "$(echo "$launches" | tail -n +2)" ] || fail "sums: $launches"
[ "$(echo "$out" | wc -l)" -eq 3 ] || fail "two schedulers"
status 0 "$heddle" compare --store s.db workload=adder,scheduler=lrr workload=adder,scheduler=gto
says "speed-up"
status 0 "$heddle" query --store s.db --csv "SELECT count(DISTINCT output_hash), count(*), min(length(output_hash))
    FROM run WHERE workload = 'adder'"
says "1,2,64"

# A changed program or input file is another point.
echo 1 >input
printf 'program: ./adder add input\n' >input.yaml
status 0 "$heddle" sweep input.yaml --store s.db
status 0 "$heddle" sweep input.yaml --store s.db
says "1 point: 0 run"
echo 2 >input
status 0 "$heddle" sweep input.yaml --store s.db
says "1 point: 1 run"

# Output that depends on the scheduler is detected, also if a result is already stored.
printf 'program: [./adder race]\nschedulers: [lrr, gto]\nset: {n_sms: 2}\n' >race.yaml
status 1 "$heddle" sweep race.yaml --store s.db
complains "its output differs from that of adder race, gtx480 scheduler=lrr"
status 1 "$heddle" sweep race.yaml --store s.db
complains "its output differs from that of"
printf 'program: ./adder race | wc -l\nschedulers: [lrr, gto]\nset: {n_sms: 2}\n' >filter.yaml
status 0 "$heddle" sweep filter.yaml --store s.db

# Programs that fail, each in its own way.
for how in "quiet|it launched no kernel" "fail|it ended with status 3" "bad|a launch failed" \
    "add && ./adder add|several of its processes"; do
    printf 'program: ./adder %s\n' "${how%|*}" >bad.yaml
    status 1 "$heddle" sweep bad.yaml --store s.db
    complains "${how#*|}"
done
printf 'program: ./addr add\n' >mistake.yaml
status 2 "$heddle" sweep mistake.yaml --store s.db
complains "mistake.yaml:1:10: error: there is no program './addr'"
printf 'program: ./adder add\nmeasure: locality\n' >mistake.yaml
status 2 "$heddle" sweep mistake.yaml --store s.db
complains "mistake.yaml:2:10: error: of programs, only attribution can be measured"

# The whole program as one document.
# Programs find the device for any device type they request, unless there are others.
[ "$(env -u HEDDLE_CL_DEVICE_TYPE "$heddle" exec -- printenv HEDDLE_CL_DEVICE_TYPE)" = any ] || fail "any"
[ "$("$heddle" exec --device-type cpu -- printenv HEDDLE_CL_DEVICE_TYPE)" = cpu ] || fail "cpu"
[ -z "$(env -u HEDDLE_CL_DEVICE_TYPE "$heddle" exec --beside -- printenv HEDDLE_CL_DEVICE_TYPE)" ] ||
    fail "beside"

status 0 "$heddle" exec --result a.json -- ./adder add
status 0 "$heddle" exec --result b.json --scheduler lrr -- ./adder add
status 0 "$heddle" compare a.json b.json
says "adder"
finish
