#!/bin/sh
# What kernels print becomes visible like what they store: at the end of each visibility period,
# ordered by SM, and within an SM in the order of printing. It is the same with any engine, quantum
# and number of threads.
heddle=$1
scratch=$2
mkdir -p "$scratch"
. test/behaviour/expect.inc

# CTA 0, on SM 0, is slow to print; CTA 1, on SM 1, is not.
cat >"$scratch/say.cu" <<'CU'
#include <stdio.h>
__global__ void say(volatile int *slow)
{
    if (blockIdx.x == 0)
        for (int i = 0; i < 200; i++)
            slow[0] = slow[0] + 1;
    printf("one of %d\n", blockIdx.x);
    printf("two of %d\n", blockIdx.x);
}
CU
# expect WANT VISIBILITY: with every engine, quantum and number of threads
expect() {
    for manner in "--engine skip" "--engine cycle" "--quantum 1" "--threads 2" "--threads 3"; do
        # shellcheck disable=SC2086
        status 0 "$heddle" run "$scratch/say.cu" --quiet --grid 2 --arg buf:4 --set n_sms=2 \
            --set visibility_cycles="$2" $manner
        got=$(printf '%s' "$out" | tr '\n' ',')
        [ "$got" = "$1" ] || fail "'$got', not '$1' ($2 cycles, $manner)"
    done
}
expect "one of 1,two of 1,one of 0,two of 0" 20
expect "one of 0,two of 0,one of 1,two of 1" 100000
finish
