#!/bin/sh
# No workload needs more threads or shared memory than the smallest GPU has. Limits are the same with
# and without timing, so it is enough to execute them; `make matrix` times them.
heddle=$1
scratch=$2
mkdir -p "$scratch"
. test/behaviour/expect.inc

n_gpus=0
for gpu in $("$heddle" show gpus --json | sed -n 's/^    "name": "\(.*\)",$/\1/p'); do
    status 0 "$heddle" run all --functional --size tiny --gpu "$gpu"
    n_gpus=$((n_gpus + 1))
done
[ "$n_gpus" -ge 6 ] || fail "only $n_gpus GPUs"
finish
