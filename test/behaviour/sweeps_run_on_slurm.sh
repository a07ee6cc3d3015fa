#!/bin/sh
# sweeps_run_on_slurm.sh HEDDLE SCRATCH [kill]
# A sweep as a job array of a Slurm cluster of this machine (tools/one_node_slurm.sh): it has the results of a sweep
# here; it is resumed when its driver was killed. With `kill` (make soak), the node's daemon and its jobs are
# killed in the middle too, and the node comes back: no point is missing, none has two results.
heddle=$(realpath "$1")
scratch=$2
tools=$(realpath tools)
rm -rf "$scratch"
mkdir -p "$scratch"
scratch=$(cd "$scratch" && pwd)
cd "$scratch" || exit 1
sh "$tools/one_node_slurm.sh" start cluster >environment || exit $?
trap 'sh "$tools/one_node_slurm.sh" stop "$scratch/cluster"' EXIT
. ./environment
set -eu

fail() {
    echo "$*"
    exit 1
}
simulated() {
    "$heddle" query --csv --store "$1" "SELECT key, name, value FROM stats s JOIN run r ON r.id = s.run
        WHERE name NOT LIKE 'host.%' ORDER BY 1, 2"
}
same_as_here() {
    "$heddle" sweep "$1" --store here.db --quiet
    simulated here.db >here.csv
    simulated "$2" >there.csv
    cmp here.csv there.csv || fail "the results of $2 are not those of a sweep here"
}

cat >e.yaml <<'YAML'
workloads: [ss, bp]
size: tiny
schedulers: [lrr, gto]
YAML
out=$("$heddle" sweep e.yaml --store r.db --on slurm --jobs 2 --sbatch time=5)
[ "$out" = "4 points: 4 run, 0 stored before, 0 failed; results are in r.db" ] || fail "$out"
[ ! -e r.db.slurm ] || fail "r.db.slurm is left"
same_as_here e.yaml r.db
out=$("$heddle" sweep e.yaml --store r.db --on slurm)
[ "$out" = "4 points: 0 run, 4 stored before, 0 failed; results are in r.db" ] || fail "$out"

# The driver is killed; the job continues. The next driver finds the job, or its results.
"$heddle" sweep e.yaml --size tiny --store s.db --on slurm --jobs 1 >/dev/null 2>&1 &
driver=$!
while [ ! -s s.db.slurm/job ]; do sleep 0.1; done
kill -9 $driver
wait $driver 2>/dev/null || true
job=$(cat s.db.slurm/job)
"$heddle" sweep e.yaml --size tiny --store s.db --on slurm --jobs 1 >out
grep -q "4 points: .* 0 failed" out || fail "$(cat out)"
[ "$(scontrol show job "$job" | grep -c 'UserId')" -eq 4 ] || fail "the job is not the one that was resumed"
[ "$(scontrol show job | grep -c 'UserId')" -eq 8 ] || fail "points were submitted twice"
[ "$(squeue -h | wc -l)" -eq 0 ] || fail "a job is left"
same_as_here e.yaml s.db

# A cluster that refuses says why.
status=0
"$heddle" sweep e.yaml --store t.db --on slurm --sbatch partition=none >/dev/null 2>err || status=$?
[ $status -eq 4 ] && grep -q "sbatch: .*partition" err || fail "$(cat err)"
[ "${3:-}" = kill ] || exit 0

cat >long.yaml <<'YAML'
workloads: [kmn]
size: small
schedulers: [lrr, gto]
YAML
"$heddle" sweep long.yaml --store k.db --on slurm >out 2>&1 &
driver=$!
for _ in $(seq 300); do
    [ "$(squeue -h -t R | wc -l)" -gt 0 ] && break
    sleep 0.1
done
sleep 1
sh "$tools/one_node_slurm.sh" stop-node cluster
sleep 1
sh "$tools/one_node_slurm.sh" start-node cluster
wait $driver || fail "$(cat out)"
grep -q "2 points: 2 run, 0 stored before, 0 failed" out || fail "$(cat out)"
grep -q "Requeu\|requeu\|NODE_FAIL\|Killing" cluster/slurmctld.log || fail "no job was lost with the node"
rm -f here.db
same_as_here long.yaml k.db
