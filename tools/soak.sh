#!/bin/sh
# Checks that take longer than a test may: every workload at `small` with every host variant,
# checked against its reference and compared with the others, then on an independent OpenCL; OpenCL
# C's mathematical functions on a million numbers each; piglit's tests of OpenCL; a sweep on Slurm
# whose node fails; every fuzz target for HEDDLE_FUZZ_SECONDS (default 3600). Ends with "N passed, N
# failed, N skipped".
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/checks.inc

heddle=build/heddle

# Runs every workload at small; output that does not depend on the host goes to the file.
run_workloads() {
    to=$1
    shift
    "$heddle" run all --size small --json "$@" >"$log" &&
        python3 - "$log" >"$to" <<'PY'
import json, sys
for run in json.load(open(sys.argv[1])):
    stats = {k: v for k, v in run["stats"].items() if not k.startswith("host.")}
    print(run["workload"], run["verified"], run["input_hash"], run["output_hash"], stats)
    assert run["verified"]
PY
}

reference=$(mktemp)
other=$(mktemp)
trap 'rm -f "$log" "$log.messages" "$reference" "$other"' EXIT
run_workloads "$reference" --functional --host-isa generic
note "workloads at small, generic" $?
for isa in $("$heddle" --version | sed -n 's/^host ISAs available: *generic//p'); do
    run_workloads "$other" --functional --host-isa "$isa" && diff "$reference" "$other"
    note "workloads at small, $isa, the same as generic" $?
done
if run_workloads "$other" --on opencl 2>"$log.messages"; then
    note "workloads at small, another OpenCL" 0
elif grep 'error: no OpenCL device' "$log.messages"; then
    note "workloads at small, another OpenCL" 77
else
    cat "$log.messages"
    note "workloads at small, another OpenCL" 1
fi

build/test/accuracy --items "${HEDDLE_ACCURACY_ITEMS:-1000000}" --all-widths
note "OpenCL C's mathematical functions against MPFR" $?
build/test/exact --all-widths
note "OpenCL C's exact functions in every width" $?

python3 tools/piglit.py "$heddle"
note "piglit's tests of OpenCL" $?

# Other seeds every day.
first_seed=$(date +%Y%m%d)00000
build/test/test_invariance_fuzz "$first_seed" "${HEDDLE_FUZZ_CASES:-5000}"
note "random kernels on random machines, seeds from $first_seed on" $?

HEDDLE_FUZZ_CASES=${HEDDLE_FUZZ_CASES:-5000} HEDDLE_TEST='random*' build/test/test_replay
note "random kernels, recorded and replayed" $?
sh bench/traces.sh "$heddle" small build/scratch/trace_sizes
note "sizes of traces at small" $?

sh test/behaviour/sweeps_run_on_slurm.sh "$heddle" build/scratch/slurm kill
note "a sweep on Slurm whose node fails" $?

targets=fuzzers
build_sanitized && fuzz_all "${HEDDLE_FUZZ_SECONDS:-3600}"
summary
