#!/bin/sh
# A last-level cache that applications share, in the cache laboratory: every access and every
# decision of UCP, RRIP per application and TAP is compared with a reference written from the text.
# CPU programs alone are points of experiments, shared by all experiments that need them. A run
# names its programs.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
. test/behaviour/expect.inc

duels=${HEDDLE_DUELS:-${HEDDLE_SANITIZED:+4}}
status 0 python3 test/paper/llc_reference.py duel "$heddle" "$scratch" 1 "${duels:-28}" && says "replays agree"

cat >"$scratch/mixes.yaml" <<'YAML'
workloads: [none, fir]
size: tiny
gpus: [hetero]
cpu: [none, cache_bubble_2, [cache_bubble_2, cache_bubble_0]]
llc: [lru, ucp]
set: {llc.period: 1000}
except:
  - {workload: none, cpu: [none, "cache_bubble_2,cache_bubble_0"]}
  - {workload: none, llc: ucp}
YAML
status 0 "$heddle" sweep "$scratch/mixes.yaml" --store "$scratch/r.db" && says "7 points: 7 run"
status 0 "$heddle" sweep "$scratch/mixes.yaml" --store "$scratch/r.db" && says "7 points: 0 run, 7 stored before"
status 0 "$heddle" query --store "$scratch/r.db" --csv "SELECT size, value, command FROM results JOIN stats ON run = id AND name = 'cpu0.insts' WHERE workload = 'none'"
says "-,1000000,heddle run --cpu cache_bubble_2 --gpu hetero"
# Another experiment needs the same program alone.
cat >"$scratch/alone.yaml" <<'YAML'
workloads: none
gpus: [hetero]
cpu: [cache_bubble_2]
llc: [lru]
seeds: [1, 2]
set: {llc.period: 1000}
YAML
status 0 "$heddle" sweep "$scratch/alone.yaml" --store "$scratch/r.db" && says "1 point: 0 run, 1 stored before"
# With a CPU program that does not touch memory, the GPU runs as if alone.
status 0 "$heddle" query --store "$scratch/r.db" --csv "SELECT count(DISTINCT cycles) FROM results WHERE workload = 'fir' AND settings NOT LIKE '%cache_bubble_2%'"
says "
1"
# A run names the program above what its core did.
status 0 "$heddle" run fir --size tiny --gpu hetero --cpu cache_bubble_2,cache_bubble_0 --set cpu.insts=1000
echo "$out" | grep -A 1 "^  cpu1 .* cache_bubble_0  program$" | grep -q "^  cpu1.ipc " || fail "core 1's program is not above its IPC"
# A small number of decisions causes a remark.
status 2 "$heddle" run fir --size tiny --gpu hetero --llc drrip --set l2.policy.leader_sets=4 --cpu cache_bubble_0 && complains "leader_sets is for a cache of one application"
status 0 "$heddle" run fir --size tiny --gpu hetero --llc ucp --cpu cache_bubble_0 && complains "times: the run is short for a period of 50000 cycles"
status 0 "$heddle" run fir --size tiny --gpu hetero --llc ucp --cpu cache_bubble_0 --set llc.period=1000
case $err in *"times only"*) fail "complains of few decisions" ;; esac
# A point that would run nothing.
sed '/workload: none, cpu/d' "$scratch/mixes.yaml" >"$scratch/nothing.yaml"
status 2 "$heddle" sweep "$scratch/nothing.yaml" --dry-run && complains "nothing.yaml:1:13: error: a point has neither a workload nor a CPU program"
status 2 "$heddle" sweep "$scratch/nothing.yaml" --dry-run && complains "except: [{workload: none, cpu: none}]"
finish
