#!/bin/sh
# If fills and instructions come at their recorded points, every access of a run has the same
# outcome in the replay, under every policy that depends on these only; a policy that depends on
# more is seen to differ.
heddle=$1
scratch=$2
mkdir -p "$scratch"
. test/behaviour/expect.inc

cat >"$scratch/count.cl" <<'CL'
/* Counters that are read before and after they are counted, and lines stored to while they come. */
__kernel void count(__global int *n, __global int *y)
{
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < 8; k++) {
        sum += n[(i * 7 + k * 32) & 511];
        atomic_add(&n[(i + 96 * k) & 511], 1);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        y[(i + k * 160) & 1023] = sum;
        sum += y[(i + k * 96) & 1023];
    }
}
CL

# exact WORKLOAD GPU POLICY [NAME=VALUE]
exact() {
    # shellcheck disable=SC2086
    status 0 "$heddle" run "$1" --size tiny --gpu "$2" --l1d "$3" --record-l1d "$scratch/l1d.zst" --json \
        ${4:+--set "l1d.policy.$4"} $more
    for name in hits merges misses bypasses sector_misses; do
        eval "$name=$(printf '%s' "$out" | sed -n "s/.*\"l1d\.$name\": *\([0-9]*\).*/\1/p" | head -1)"
    done
    status 0 "$heddle" cache replay "$scratch/l1d.zst" --timed --json
    says '"different": 0' && silent err
    # The counters of the run itself, which are independent of recordings.
    # shellcheck disable=SC2154
    for want in "\"hit\": $hits" "\"merge\": $merges" "\"miss\": $misses" "\"bypass\": $bypasses" \
        "\"sector_miss\": $sector_misses"; do
        says "$want"
    done
}
# A recording is in the order of simulated time, even if the run computed some accesses ahead of
# time.
for paths in on off; do
    status 0 "$heddle" run mm --size tiny --gpu v100 --fast-paths $paths --record-l1d "$scratch/$paths.zst"
done
cmp "$scratch/on.zst" "$scratch/off.zst" || fail "recordings with and without fast paths differ"

more=""
for policy in lru fifo plru srrip brrip pc_bypass; do
    exact bfs m2090 $policy
done
# These recompute their distances after a number of instructions, or accesses. A small sample ends
# within a run of instructions, with lanes left over that count for nothing; a large one never does.
exact bfs m2090 dlp
exact bfs m2090 pdp max_sample_insns=333
exact bfs m2090 dlp max_sample_insns=1000000000
exact kmn ccws lru
# Loads that bypass instead of waiting: for an MSHR, for a line, or in a queue that a replay does
# not have.
exact bfs m2090 stall_bypass
more="--set sm.miss_queue=1"
exact bfs gtx480 stall_bypass
more="--set n_sms=2 --set l1d.n_mshrs=4"
exact bfs v100 stall_bypass
more=""

# Sectors; lines that are allocated on fill; ways that shared memory takes between kernels; few SMs,
# so that lines are replaced.
more="--set n_sms=2"
exact bfs v100 lru
exact bp v100 random
more="--set n_sms=3 --scheduler ccws"
exact bfs v100 srrip
exact bfs v100 dlp max_sample_insns=1000
more="--set n_sms=2 --scheduler two_level"
exact bfs v100 pc_bypass
exact bp v100 pdp

# The criticality of warps is recorded on demand; then cacp and cawa give the same results too.
more="--record-criticality"
exact bfs gtx480-cawa cacp
more="--record-criticality --scheduler cawa"
exact bfs gtx480-cawa cacp
status 0 "$heddle" cache replay "$scratch/l1d.zst" --policy cacp && silent err
status 0 "$heddle" cache reuse "$scratch/l1d.zst" --critical && says "distances of critical warps"
status 2 "$heddle" cache replay "$scratch/l1d.zst" --critical && complains "no meaning"
status 0 "$heddle" run bfs --size tiny --gpu gtx480-cawa --l1d cacp --record-l1d "$scratch/l1d.zst"
status 1 "$heddle" cache replay "$scratch/l1d.zst" --timed && says "have another outcome"
complains "cacp also depends on which warps are critical"
status 0 "$heddle" cache replay "$scratch/l1d.zst" --policy cacp && complains "--record-criticality"
status 2 "$heddle" cache reuse "$scratch/l1d.zst" --critical && complains "--record-criticality"
status 2 "$heddle" run bfs --size tiny --record-l1d "$scratch/l1d.zst" --record-criticality && complains "criticality=cpl"
status 2 "$heddle" run bfs --size tiny --record-criticality && complains "needs --record-l1d"
status 0 "$heddle" run bfs --size tiny --record-l1d "$scratch/l1d.zst" --record-criticality --set criticality=cpl

status 0 "$heddle" run "$scratch/count.cl" --grid 30 --block 256 --arg rand:2K:1 --arg rand:4K:2 \
    --record-l1d "$scratch/l1d.zst"
status 0 "$heddle" cache replay "$scratch/l1d.zst" --timed && says "have the recorded outcome"

# With the run's parameters, which the recording contains, and with others, by each of their names:
# then results differ, and the exit status says so. Options that would be ignored are refused.
status 0 "$heddle" run bfs --size tiny --gpu m2090 --l1d dlp --set l1d.policy.max_sample_insns=900 \
    --record-l1d "$scratch/l1d.zst"
status 0 "$heddle" cache replay "$scratch/l1d.zst" --timed && says "have the recorded outcome" && silent err
for name in max_sample_insns dlp.max_sample_insns l1d.policy.max_sample_insns; do
    status 0 "$heddle" cache replay "$scratch/l1d.zst" --timed --set $name=900 && says "have the recorded outcome"
    status 1 "$heddle" cache replay "$scratch/l1d.zst" --timed --set $name=901 && says "have another outcome" && silent err
done
status 1 "$heddle" cache replay "$scratch/l1d.zst" --timed --set pd_max=3 --json && lacks '"different": 0,'
for setting in dlpp.pd_max=7 pdp.pd_max=7; do
    status 2 "$heddle" cache replay "$scratch/l1d.zst" --timed --set $setting && complains "that policy is not replayed"
done
status 2 "$heddle" cache replay "$scratch/l1d.zst" --timed --set l1d.n_ways=8 && complains "the cache is the recorded one"
status 2 "$heddle" cache replay "$scratch/l1d.zst" --set l1d.n_ways=8 && complains "given by --sets, --ways"
status 2 "$heddle" cache replay "$scratch/l1d.zst" --timed --set pd_mx=8 && complains "there is no parameter 'pd_mx'"
# A replay with immediate fills starts from the same parameters, for that policy only, and states
# its distance from the run only if nothing else differs.
status 0 "$heddle" cache replay "$scratch/l1d.zst" --policy dlp,pdp --json
printf '%s' "$out" | python3 -c '
import json, sys
d = json.load(sys.stdin)
dlp, pdp = d["replays"]
assert dlp["params"]["max_sample_insns"] == 900 and pdp["params"]["max_sample_insns"] == 20000, d
assert "max_sample_insns=900" in d["recorded"]["params"], d
' || fail "parameters of the recorded policy: $out"
status 0 "$heddle" cache replay "$scratch/l1d.zst" --policy dlp && says "immediate fills change"
says "recorded on m2090 under dlp with max_sample_insns=900,"
for other in "--set max_sample_insns=901" "--index linear" "--stores keep"; do
    # shellcheck disable=SC2086
    status 0 "$heddle" cache replay "$scratch/l1d.zst" --policy dlp $other && lacks "immediate fills change"
done
# The same file as if it came from a policy of that name with another parameter.
python3 - "$scratch" <<'PY' || fail "the header cannot be changed"
import subprocess, sys
def zstd(data, *how):
    return subprocess.run(["zstd", "-q", "-c", *how], input=data, capture_output=True, check=True).stdout
whole = zstd(open(sys.argv[1] + "/l1d.zst", "rb").read(), "-d")
last = b"count_merges=false"
end = whole.index(last) + len(last)
assert whole[:end].count(b"pd_max=15") == 1
for name, to in ("unknown", b"pd_mux=15"), ("impossible", b"pd_max=16"):
    open(f"{sys.argv[1]}/{name}.zst", "wb").write(zstd(whole[:end].replace(b"pd_max=15", to), f"--stream-size={end}"))
PY
for how in --timed "--policy dlp" "--policy lru,dlp"; do
    # shellcheck disable=SC2086
    status 2 "$heddle" cache replay "$scratch/unknown.zst" $how && complains "pd_mux=15, a parameter that this dlp does not have"
    # shellcheck disable=SC2086
    status 2 "$heddle" cache replay "$scratch/impossible.zst" $how && complains "pd_max=16, which is not valid here: 16 is out of range"
done
status 2 "$heddle" cache replay "$scratch/unknown.zst" && complains "without an end mark" # lru accepts it
# Files of version 4 contain no parameters. One of them, as if from dlp, and with a bypass instead
# of a miss.
python3 - "$scratch/old.zst" <<'PY' || fail "no file of version 4"
import subprocess, sys
def frame(data):
    return subprocess.run(["zstd", "-q", "-c", f"--stream-size={len(data)}"], input=data, capture_output=True, check=True).stdout
seed, whole, at = open("test/fuzz/corpus/lab/frames", "rb").read(), b"", 1
while at < len(seed):
    n = seed[at] | seed[at + 1] << 8
    content = bytearray(seed[at + 2 : at + 2 + n].replace(b"\3\0\0\0lru", b"\3\0\0\0dlp"))
    if content[:1] == b"A":
        assert content[9] == 0x20
        content[9] = 0x30
    whole, at = whole + frame(bytes(content)), at + 2 + n
open(sys.argv[1], "wb").write(whole)
PY
status 1 "$heddle" cache replay "$scratch/old.zst" --timed && complains "again with --set"
status 0 "$heddle" cache replay "$scratch/old.zst" --policy dlp && complains "does not contain the parameters of dlp" && lacks "immediate fills change"
status 0 "$heddle" cache replay "$scratch/old.zst" && silent err

# Two observers of a run do not interfere: both receive atomics.
for record in "" "--record-l1d $scratch/l1d.zst"; do
    # shellcheck disable=SC2086
    status 0 "$heddle" run "$scratch/count.cl" --grid 30 --block 256 --arg rand:2K:1 --arg rand:4K:2 --belady --json $record
    printf '%s' "$out" | grep -E '"(belady|unbounded)\.' >"$scratch/bounds.${record:+also_}recorded"
done
cmp "$scratch/bounds.recorded" "$scratch/bounds.also_recorded" || fail "a recording changes --belady"
[ -s "$scratch/bounds.recorded" ] || fail "there are no bounds"
status 0 "$heddle" run "$scratch/count.cl" --gpu v100 --grid 4 --block 64 --arg rand:2K:1 --arg rand:4K:2 \
    --record-l1d "$scratch/v100.zst"
status 0 "$heddle" cache replay "$scratch/v100.zst" --timed && says "have the recorded outcome"
status 2 "$heddle" cache replay "$scratch/v100.zst" --timed --whole-lines && complains "as it was"
status 2 "$heddle" cache replay "$scratch/l1d.zst" --timed --policy lru && complains "--set, --plugin and --json"
status 2 "$heddle" cache curve "$scratch/l1d.zst" --timed && complains "no meaning"
finish
