#!/bin/sh
# heddle advise l2: marks that save traffic and lose no data, the reasons why others are refused,
# and a file for heddle run.
heddle=$1
scratch=$2
mkdir -p "$scratch"
. test/behaviour/expect.inc

small_v100="--gpu v100 --set l2.n_sets=1"
# shellcheck disable=SC2086
{
    status 0 "$heddle" advise l2 fft --size tiny $small_v100 --out "$scratch/fft.l2" && silent err
    printf '%s\n' "$out" | grep -q "^fft_stage  *2  scratch  .cc  *14,336  proposed" || fail "fft_stage 2 is not proposed: $out"
    says "not private:" && says "sound, but DRAM traffic "
    with=$(printf '%s\n' "$out" | awk '/^with them/ { print $5 }')
    without=$(printf '%s\n' "$out" | awk '/^without annotations/ { print $5 }')
    # The file has the effect that the table states, and the command shown runs with it.
    shown="run fft --size tiny $small_v100 --set l2.policy=write_buffering --annotations $scratch/fft.l2"
    says "heddle $shown"
    status 0 "$heddle" $shown --fail-on-stale && silent err
    says "$with  bytes" && lacks "l2.stale_reads"
    status 0 "$heddle" run fft --size tiny $small_v100 && says "$without  bytes"
}
[ "$(echo "$with" | tr -d ,)" -lt "$(echo "$without" | tr -d ,)" ] || fail "$with bytes are not less than $without"

head -1 "$scratch/fft.l2" | grep -qx "# heddle advise l2 fft --size tiny $small_v100" || fail "the file does not say where it is from"

# Data that two SMs read would be dropped too early; a store to a part of a line fetches the rest.
status 0 "$heddle" advise l2 hot --size tiny --set l2.n_sets=8 --json
printf '%s' "$out" | python3 -c '
import json, sys
d = json.load(sys.stdin)
by = {(c["kernel"], c["argument"], c["mark"]): c for c in d["candidates"]}
t = by["hotspot", 3, ".cc"]
assert not t["proposed"] and "two SMs read 846 of its 846 lines (a halo)" in t["reason"] and t["stale_reads"] > 0, t
assert d["annotations"] == "" and d["with"] == d["without"] and d["with"]["stale_reads"] == 0, d
' || fail "hot"
status 0 "$heddle" advise l2 fft --size tiny --set l2.n_sets=8
says "refused: 2,048 stores to a part of a line fetch the rest of it, which would be dropped" && says "fft_stage 1 .cp    # signal"
# Demoted lines lose no data, whatever is marked.
status 0 "$heddle" advise l2 hot --size tiny --set l2.n_sets=8 --set l2.drop=demote && lacks "stale reads)"

# Retained lines pay off only once streams do not evict them: the second round finds that.
status 0 "$heddle" advise l2 sr1 --size tiny --set l2.n_sets=8 --json
printf '%s' "$out" | python3 -c '
import json, sys
d = json.load(sys.stdin)
by = {(c["kernel"], c["argument"], c["mark"]): c for c in d["candidates"]}
assert by["srad2", 6, ".cp"]["proposed"] and any(by["srad", i, ".cc"]["proposed"] for i in range(9, 13)), by
assert "two SMs read 368 of its 1,532 lines" in by["srad", 13, ".cc"]["reason"]
assert d["with"]["dram_bytes"] < d["without"]["dram_bytes"] and d["with"]["stale_reads"] == 0
' || fail "sr1"

# A program of one kernel: what it reads once is streamed.
cat >"$scratch/add.cl" <<'CL'
__kernel void add(__global const int *x, __global const int *same, __global int *y) {
    int i = get_global_id(0);
    y[i] = x[i] + same[i & 1023];
}
CL
status 0 "$heddle" advise l2 "$scratch/add.cl" --grid 256 --block 64 --arg rand:64K:1 --arg rand:4K:2 --arg buf:64K --set l2.n_sets=1 --set l2.n_ways=1
printf '%s\n' "$out" | grep -q "^add  *2  .*refused: not private" || fail "what all CTAs read is not refused: $out"
printf '%s\n' "$out" | grep -q "^add  *3  .*refused: no later launch reads it" || fail "what nobody reads is not refused: $out"
printf '%s\n' "$out" | grep -q "^add 1 .cp" || fail "the stream is not proposed: $out"

status 2 "$heddle" advise l1 fft && complains "there is no subject 'l1'"
status 4 "$heddle" advise l2 fft --size tiny --out "$scratch/none/fft.l2" && complains "cannot write $scratch/none/fft.l2: No such file" && silent out
status 2 "$heddle" advise l2 nosuch && complains "there is no workload 'nosuch'"
status 0 "$heddle" advise l2 fft --size tiny --gpu v100 --out "$scratch/empty.l2" && says "empty.l2 has no mark" && lacks "--annotations" && says "No annotation is both sound and useful" && says "sound, but DRAM traffic grows by 39.9 %: 131,072 more bytes"
status 2 "$heddle" advise l2 fft --size tiny --set l2.policy=lru && complains "--set l2.policy=lru: advice is for l2.policy=write_buffering"
status 2 "$heddle" advise l2 all && complains "one program at a time"
status 2 "$heddle" advise l2 fft --size tiny --set l2.drops=x && complains "l2.drops"
finish
