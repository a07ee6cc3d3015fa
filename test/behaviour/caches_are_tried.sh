#!/bin/sh
# The cache laboratory from the command line: a recording and a text, tables, logs, mistakes.
heddle=$1
scratch=$2
mkdir -p "$scratch"
. test/behaviour/expect.inc

status 0 "$heddle" run bfs --size tiny --gpu m2090 --record-l1d "$scratch/bfs.zst"
status 0 "$heddle" cache replay "$scratch/bfs.zst" --policy lru,belady,belady_bypass --insts 1M
says "32 sets of 4 ways of 128 bytes, hashed index, stores remove lines, 16 SMs"
says "recorded on m2090 under lru" && says "under lru, immediate fills change"

# The ideal replay under the recorded policy: within half a percent of the recorded miss rate.
status 0 "$heddle" cache replay "$scratch/bfs.zst" --json
printf '%s' "$out" | python3 -c '
import json, sys
d = json.load(sys.stdin)
r, p = d["recorded"], d["replays"][0]
assert p["loads"] == r["hits"] + r["merges"] + r["misses"] + r["bypasses"], "loads"
assert p["hits_intra_thread"] + p["hits_inter_thread"] + p["hits_inter_warp"] == p["hits"]
assert abs(p["misses"] - r["misses"]) < 0.005 * p["loads"], (p, r)
' || fail "the replay is not near the run"

# One pass over all sizes, and the replay of one of them.
status 0 "$heddle" cache curve "$scratch/bfs.zst"
misses=$(printf '%s' "$out" | awk '$1 == 4 { print $3 }')
says "powers of two and the last"
status 0 "$heddle" cache replay "$scratch/bfs.zst" && silent err
says " $misses "
status 0 "$heddle" cache reuse "$scratch/bfs.zst" --insts 1M
says "cache-insufficient (S2)" && says "0-4" && says ">64"
status 0 "$heddle" cache reuse "$scratch/bfs.zst" --insts 1G --ranges 0,7 && says "cache-sufficient (S2)" && says "1-7"
status 0 "$heddle" cache reuse "$scratch/bfs.zst" --json && says '"compulsory_misses"'
status 2 "$heddle" cache reuse "$scratch/bfs.zst" --ranges 7,7 && complains "ascending"

# Distances computed by hand: the loads of PC 1 have 3 others between them, on 2 lines; that of PC 2
# has 1. Several files give one row each; drawings show the printed numbers.
printf '%s\n' "0 0 0 0 1 L 0x0" "1 0 0 0 2 L 0x80" "2 0 0 0 3 L 0x100" "3 0 0 0 4 L 0x80" "4 0 0 0 5 L 0x0" >"$scratch/a.txt"
printf '%s\n' "0 0 0 0 7 L 0x0" "1 0 0 0 7 L 0x0" >"$scratch/b.txt"
one_set="--format text --sets 1 --line 128 --ranges 0,1,2"
# shellcheck disable=SC2086
status 0 "$heddle" cache reuse "$scratch/a.txt" "$scratch/b.txt" $one_set --svg "$scratch/files.svg"
printf '%s\n' "$out" | awk '
    /S2/ { kind = "accesses" } /S3/ { kind = "lines" }
    /a.txt/ { $1 = ""; a[kind] = $0 } /b.txt/ { $1 = ""; b[kind] = $0 }
    END { exit !(a["accesses"] == " 2 0.0 % 50.0 % 0.0 % 50.0 % 1" && a["lines"] == " 2 0.0 % 50.0 % 50.0 % 0.0 % 1" &&
                 b["accesses"] == " 1 100.0 % 0.0 % 0.0 % 0.0 % 0" && b["lines"] == b["accesses"]) }' || fail "distances of two files: $out"
# shellcheck disable=SC2086
status 0 "$heddle" cache reuse "$scratch/a.txt" "$scratch/b.txt" $one_set --json && says '"file": "'"$scratch/b.txt"'"'
# shellcheck disable=SC2086
status 0 "$heddle" cache reuse "$scratch/a.txt" $one_set --distance accesses --svg "$scratch/pcs.svg"
python3 - "$scratch" <<'PY' || fail "the drawings of distances"
import re, sys
def bars(name):
    text = open(f"{sys.argv[1]}/{name}.svg").read()
    return {(x, r): float(v) for x, r, v in re.findall(r"<title>(\S+), (\S+): ([\d.]+)</title>", text) if float(v)}, text
files, text = bars("files")
assert files == {("a", "1"): 50, ("a", "2"): 50, ("b", "0"): 100}, files
assert "distinct other lines" in text and ">100</text>" in text and ">120</text>" not in text
pcs, text = bars("pcs")
assert pcs == {("1", "&gt;2"): 100, ("2", "1"): 100}, pcs
assert "loads of the set in between" in text
PY
status 2 "$heddle" cache reuse "$scratch/bfs.zst" --distance lines && complains "needs --svg"
status 2 "$heddle" cache reuse "$scratch/bfs.zst" --svg "$scratch/x.svg" --distance far && complains "no distance 'far'"
status 2 "$heddle" cache reuse "$scratch/bfs.zst" --svg "$scratch/x.svg" --ranges 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 && complains "at most 15"
status 2 "$heddle" cache reuse "$scratch/bfs.zst" "$scratch/none.zst" && complains "none.zst"
status 2 "$heddle" cache replay "$scratch/bfs.zst" --svg "$scratch/x.svg" && complains "no meaning"
status 2 "$heddle" cache curve "$scratch/bfs.zst" "$scratch/bfs.zst" && complains "takes one FILE"
[ ! -e "$scratch/x.svg" ] || fail "a mistake leaves a drawing"

# Three lines in turn in a set of two ways: under LRU none ever hits. If one of the three loads
# bypasses, the two others hit, but each time it does not bypass costs both a hit.
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "%d 0 0 0 %d L %x\n", i, i % 3 + 1, i % 3 * 128 }' >"$scratch/turns.txt"
one_set="--format text --sets 1 --ways 2 --line 128"
# shellcheck disable=SC2086
status 0 "$heddle" cache bypass "$scratch/turns.txt" $one_set --json
printf '%s' "$out" | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d["loads"] == 3000 and [b["pc"] for b in d["bypassed"]] == ["1", "2", "3", "all"], d
for b in d["bypassed"][:3]:
    assert b["loads"] == 1000 and b["best_n"] == 7, b
    assert all(abs(hits - 2000 * (1 - 0.5 ** n)) <= 100 * (n > 0) for n, hits in enumerate(b["hits"])), b
everyone = d["bypassed"][3]
assert everyone["hits"][7] > 1000 and everyone["loads"] == 3000, everyone
' || fail "loads that bypass the cache: $out"
# The same as a replay with these parameters, each; chosen ones in the order of PCs.
status 0 "$heddle" cache bypass "$scratch/bfs.zst" --pcs 73,70 --json
bypassed=$out
for n in 1 7; do
    status 0 "$heddle" cache replay "$scratch/bfs.zst" --policy pc_prob --set pc=73 --set n=$n --json
    printf '%s' "$out" | python3 -c '
import json, sys
hits = json.load(sys.stdin)["replays"][0]["hits"]
mine = json.loads(sys.argv[1])["bypassed"]
assert [b["pc"] for b in mine] == ["70", "73", "all"], mine
assert mine[1]["hits"][int(sys.argv[2])] == hits, (mine, hits)
' "$bypassed" $n || fail "bypass is not replay"
done
# Two loads together: both bypass.
# shellcheck disable=SC2086
status 0 "$heddle" cache bypass "$scratch/turns.txt" $one_set --pcs 1+2 --json
printf '%s' "$out" | python3 -c '
import json, sys
both, everyone = json.load(sys.stdin)["bypassed"]
assert both["pc"] == "1+2" and both["loads"] == 2000, both
assert both["hits"][0] == 0 and abs(both["hits"][7] - everyone["hits"][7]) < 200 and 900 < both["hits"][7] < 2000, (both, everyone)
' || fail "two loads together: $out"
status 0 "$heddle" cache replay "$scratch/bfs.zst" --policy pc_prob --set pc=73 --set also=86 --set n=4 --json
hits=$(printf '%s' "$out" | sed -n 's/.*"hits": \([0-9]*\),/\1/p' | sed -n '$p')
status 0 "$heddle" cache bypass "$scratch/bfs.zst" --pcs 73+86 --json && says "
        $hits,"
status 2 "$heddle" cache bypass "$scratch/bfs.zst" --pcs 70+1 && complains "there are no loads at PC 1"
status 2 "$heddle" cache bypass "$scratch/bfs.zst" --pcs 70+73+79 && complains "expected numbers"
status 2 "$heddle" cache bypass "$scratch/bfs.zst" --pcs 73+73 && complains "the loads at PC 73 are given twice"
status 2 "$heddle" cache bypass "$scratch/bfs.zst" --pcs 70,1 && complains "there are no loads at PC 1"
status 2 "$heddle" cache bypass "$scratch/bfs.zst" --pcs some && complains "expected numbers"
status 2 "$heddle" cache bypass "$scratch/bfs.zst" --ways 4,8 && complains "several caches"
status 2 "$heddle" cache curve "$scratch/bfs.zst" --pcs 70 && complains "no meaning"
# Options without an effect.
status 2 "$heddle" cache curve "$scratch/bfs.zst" --policy dlp && complains "--policy has no meaning with heddle cache curve"
status 2 "$heddle" cache curve "$scratch/bfs.zst" --ways 4 && complains "--ways has no meaning"
status 2 "$heddle" cache curve "$scratch/bfs.zst" --insts 1M && complains "--insts has no meaning"
status 2 "$heddle" cache reuse "$scratch/bfs.zst" --policy dlp && complains "--policy has no meaning"
status 2 "$heddle" cache reuse "$scratch/bfs.zst" --no-compulsory && complains "--no-compulsory has no meaning"
status 2 "$heddle" cache bypass "$scratch/bfs.zst" --policy dlp && complains "--policy has no meaning"
status 2 "$heddle" cache bypass "$scratch/bfs.zst" --set n=1 && complains "--set has no meaning"
status 2 "$heddle" cache bypass "$scratch/bfs.zst" --log x && complains "--log has no meaning"
status 2 "$heddle" cache replay "$scratch/bfs.zst" --ranges 4 && complains "--ranges has no meaning"
status 2 "$heddle" cache replay "$scratch/bfs.zst" --timed --insts 1M && complains "as it was"
for verb in replay reuse; do
    status 2 "$heddle" cache $verb "$scratch/bfs.zst" --insts 0 && complains "--insts 0"
    status 0 "$heddle" cache $verb "$scratch/bfs.zst" --insts 1
done
status 2 "$heddle" run ss --size tiny --gpu v100 --l1d plru && complains "sm.carveout=0 or 65536 or 98304"
status 2 "$heddle" run ss --size tiny --gpu v100 --l1d plru --set sm.carveout=32K && complains "48 ways are not"
case $err in *hint*) fail "a remedy that is none: $err" ;; esac
status 0 "$heddle" run ss --size tiny --gpu v100 --l1d plru --set sm.carveout=98304 --set n_sms=2
status 0 "$heddle" run ss --size tiny --functional --l1d dlp && complains "--l1d has no effect"
status 0 "$heddle" run ss --size tiny --functional --scheduler lrr && complains "--scheduler has no effect"
status 2 "$heddle" cache curve "$scratch/bfs.zst" --stores keep && complains "there is no such curve"

cat >"$scratch/mine.txt" <<'TEXT'
# Two lines of one set in one way, a store that removes the second.
0 0 0 0 1 L 0x0

1 0 0 0 1 L 0x100 # replaces it
2 0 0 0 1 S 0x104
3 0 0 0 1 L 0x108
4 0 0 0 1 L 0x17c
5 1 0 0 1 L 0x100
6 0 0 0 1 L 0x2f
TEXT
small="--format text --sets 2 --ways 1 --line 128"
# shellcheck disable=SC2086
status 0 "$heddle" cache replay "$scratch/mine.txt" $small --log "$scratch/mine.csv"
says "2 sets of 1 ways"
cat >"$scratch/want.csv" <<'CSV'
0,miss,
1,miss,0x0
3,miss,
4,hit,
5,miss,
6,miss,0x100
CSV
cmp "$scratch/mine.csv" "$scratch/want.csv" || fail "the log differs"
# shellcheck disable=SC2086
status 0 "$heddle" cache replay "$scratch/mine.txt" $small --stores keep --json && says '"hits": 2'

# Several caches and policies in one pass: each gives the result that it gives alone.
status 0 "$heddle" cache replay "$scratch/bfs.zst" --policy lru,srrip,dlp,belady --ways 2,4 --sets 32,64 \
    --line 128,256 --no-compulsory --json
printf '%s' "$out" >"$scratch/all.json"
for shape in "srrip 2 64 128" "dlp 4 32 256" "belady 4 64 128" "lru 2 32 128"; do
    # shellcheck disable=SC2086
    set -- $shape
    status 0 "$heddle" cache replay "$scratch/bfs.zst" --policy "$1" --ways "$2" --sets "$3" --line "$4" \
        --no-compulsory --json
    printf '%s' "$out" | python3 -c '
import json, sys
alone, = json.load(sys.stdin)["replays"]
name, ways, sets, line = sys.argv[2:]
same = [r for r in json.load(open(sys.argv[1]))["replays"] if (r["policy"], r["ways"], r["sets"],
        r["line_bytes"]) == (name, int(ways), int(sets), int(line))]
assert same == [alone], (same, alone)
assert alone["compulsory_misses"] <= alone["misses"] + alone["bypasses"]
' "$scratch/all.json" "$@" || fail "one of many differs: $shape"
done
set -- "$heddle" "$scratch"
[ "$(grep -c '"policy": "' "$scratch/all.json")" -eq 33 ] || fail "not 4 x 2 x 2 x 2 replays and the recorded one"
status 0 "$heddle" cache replay "$scratch/bfs.zst" --ways 2,4 && says " sets  ways  line " && says "(recorded)"
# Only the first byte of an access is recorded, so the number of shorter lines it needs is unknown.
for verb in replay curve reuse bypass; do
    status 2 "$heddle" cache $verb "$scratch/bfs.zst" --line 64 && complains "shorter than the recorded ones of 128"
done
status 2 "$heddle" cache replay "$scratch/bfs.zst" --ways 2,4 --log x && complains "--log needs a single cache"
status 2 "$heddle" cache replay "$scratch/bfs.zst" --ways 2,x && complains "expected whole numbers"
status 2 "$heddle" cache reuse "$scratch/bfs.zst" --sets 2,4 && complains "only a replay can use several caches"

# Files are read in pieces, or as a whole if a policy needs the future.
status 0 "$heddle" cache replay "$scratch/bfs.zst" --policy lru,ship --json
printf '%s' "$out" >"$scratch/some.json"
status 0 "$heddle" cache replay "$scratch/bfs.zst" --policy lru,ship,belady --json
printf '%s' "$out" | python3 -c '
import json, sys
assert json.load(sys.stdin)["replays"][:2] == json.load(open(sys.argv[1]))["replays"]
' "$scratch/some.json" || fail "reading at once makes a difference"
head -c 20000 "$scratch/bfs.zst" >"$scratch/cut.zst"
status 2 "$heddle" cache replay "$scratch/cut.zst" && complains "cut.zst: byte "
status 2 "$heddle" cache replay "$scratch/cut.zst" --log "$scratch/cut.csv" && complains "in the middle of this frame"
[ ! -e "$scratch/cut.csv" ] || fail "there is a log of a replay that failed"
status 2 "$heddle" cache curve "$scratch/cut.zst" && complains "cut.zst: byte "

# A parameter of one of several policies.
status 0 "$heddle" cache replay "$scratch/bfs.zst" --policy lru,dlp,pdp --set dlp.pd_max=0 --json
printf '%s' "$out" | python3 -c '
import json, sys
lru, dlp, pdp = json.load(sys.stdin)["replays"]
assert lru["misses"] == dlp["misses"] != pdp["misses"]
' || fail "dlp without protection is not lru, or pdp is"
status 2 "$heddle" cache replay "$scratch/bfs.zst" --policy lru,dlp --set pdp.pd_max=0 && complains "not replayed"
for name in pd_max l1d.policy.pd_max; do
    status 2 "$heddle" cache replay "$scratch/bfs.zst" --policy lru,dlp --set $name=0
    complains "there is no parameter" && complains "to set it only for dlp, write dlp.pd_max"
done
status 2 "$heddle" cache replay "$scratch/bfs.zst" --policy dlp --set pd_max && complains "write it as pd_max=VALUE"
status 2 "$heddle" cache replay "$scratch/bfs.zst" --policy dlp --set "=7" && complains "write it as NAME=VALUE"
# By the name that runs and `show policy` use.
status 0 "$heddle" cache replay "$scratch/bfs.zst" --policy lru,dlp --set dlp.pd_max=7 --json
own_name=$out
status 0 "$heddle" cache replay "$scratch/bfs.zst" --policy dlp --set l1d.policy.pd_max=7 --json
printf '%s' "$out" | python3 -c '
import json, sys
dlp, = json.load(sys.stdin)["replays"]
assert dlp == json.loads(sys.argv[1])["replays"][1] and dlp["params"]["pd_max"] == 7, dlp
' "$own_name" || fail "a parameter by the name of runs"
# Controls that could never settle, and the nearest ones that can.
ctrl_c() { want=$1; shift; status "$want" "$heddle" cache replay "$scratch/mine.txt" --format text --sets 1 --ways 2 --line 128 --policy ctrl_c "$@"; }
ctrl_c 2 --set threshold_low=41 && complains "threshold_low=41 is above threshold_high=40"
ctrl_c 0 --set threshold_low=40 && silent err
ctrl_c 2 --set agg_init=4 --set agg_max=3 && complains "agg_init=4 is above agg_max=3"
ctrl_c 0 --set agg_init=3 --set agg_max=3 && silent err
status 2 "$heddle" run ss --size tiny --l1d ctrl_c --set l1d.policy.agg_init=4 --set l1d.policy.agg_max=3 && complains "is above agg_max=3"

# Hits of all loads, where some are bypassed: a third of them inserts next to nothing.
# shellcheck disable=SC2086
status 0 "$heddle" cache replay "$scratch/turns.txt" $one_set --policy lru,pc_prob --set pc_prob.pc=1 --set pc_prob.n=7 --json
printf '%s' "$out" | python3 -c '
import json, sys
lru, prob = json.load(sys.stdin)["replays"]
assert lru["hits_per_load"] == 0 and prob["bypasses"] > 900, (lru, prob)
assert abs(prob["hits_per_load"] - prob["hits"] / 3000) < 1e-6 and 0.6 < prob["hits_per_load"] < 2 / 3 < 0.9 < prob["hit_rate"], prob
' || fail "hits of all loads: $out"
# shellcheck disable=SC2086
status 0 "$heddle" cache replay "$scratch/turns.txt" $one_set --policy none && says "hit rate  of loads"
# Instructions are counted if the file records them, and reported as missing if not: a recording of
# the run itself has as many as its statistics.
for policy in dlp pdp; do
    # shellcheck disable=SC2086
    status 0 "$heddle" cache replay "$scratch/turns.txt" $one_set --policy $policy && complains "$policy also counts executed instructions"
    status 0 "$heddle" cache replay "$scratch/bfs.zst" --policy $policy && silent err
done
never="--set max_sample_insns=1000000000"
# shellcheck disable=SC2086
for settings in "" "$never"; do
    status 0 "$heddle" cache replay "$scratch/bfs.zst" --policy dlp --json $settings
    printf '%s\n' "$out" | sed -n 's/.*"misses": \([0-9]*\),/\1/p' | sed -n '$p'
done >"$scratch/misses"
[ "$(sort -u "$scratch/misses" | wc -l)" -eq 2 ] || fail "instructions end no sample of dlp"
# Nothing stalls where fills are immediate.
# shellcheck disable=SC2086
status 0 "$heddle" cache replay "$scratch/turns.txt" $one_set --policy stall_bypass && complains "depends on stalls"
# Nothing to replay.
echo "0 0 0 0 1 S 0x0" >"$scratch/stores.txt"
for verb in replay reuse curve; do
    # shellcheck disable=SC2086
    status 0 "$heddle" cache $verb "$scratch/stores.txt" --format text --sets 1 --line 128 \
        $([ $verb = replay ] && echo --ways 1) && complains "stores.txt: it contains no loads"
done
# In bytes, and in percent of an L1D, as the papers say it (S2 section 4.3, S3 section 5.3.5).
status 0 "$heddle" show policy dlp && says "1,264 bytes, 7.48 % of the L1D"
status 0 "$heddle" show policy ctrl_c && says "608 bytes"

# Did it do anything?
status 0 "$heddle" cache replay "$scratch/mine.txt" --format text --sets 1 --ways 2 --line 128 --policy lru,none --json
says '"lru_differences": 0' && says '"first_lru_difference": 0'
# A PD of d protects from the next d - 1 loads: with d ways that is LRU, with one way less it is
# not. Three lines in turn in two ways, with a PD of 2 and one of 3; the default is 15.
# shellcheck disable=SC2086
status 0 "$heddle" cache replay "$scratch/turns.txt" $one_set --policy dlp --set pd_init=2 --set pd_max=2 --json
says '"lru_differences": 0' && complains "the next 1 loads of its set, and the set has 2 ways, so the policy behaves like lru"
# shellcheck disable=SC2086
status 0 "$heddle" cache replay "$scratch/turns.txt" $one_set --policy dlp --set pd_init=3 --set pd_max=3 --json
lacks '"lru_differences": 0' && says '"first_lru_difference": 2'
case $err in *"behaves like lru"*) fail "a policy that does something is called lru: $err" ;; esac
status 0 "$heddle" cache replay "$scratch/bfs.zst" --policy dlp --ways 14 && silent err
for ways in 15 16; do
    status 0 "$heddle" cache replay "$scratch/bfs.zst" --policy dlp --ways $ways --json && complains "the next 14 loads"
    says '"lru_differences": 0'
done
# Unless a store uses a line, which shortens no life: then the other of the two lines is protected.
printf '%s\n' "0 0 0 0 1 L 0" "1 0 0 0 1 L 80" "2 0 0 0 1 S 0" "3 0 0 0 1 L 100" >"$scratch/kept.txt"
# shellcheck disable=SC2086
status 0 "$heddle" cache replay "$scratch/kept.txt" $one_set --policy dlp --set pd_init=2 --set pd_max=2 --stores keep --json
says '"lru_differences": 1' && complains "so the policy behaves like lru, except for lines in flight and lines that stores use or allocate"
status 0 "$heddle" run bfs --size tiny --gpu m2090 --l1d srrip && says "first differed from lru at cycle"
# In runs it is not, because lines can be in flight.
few_sets="--size tiny --gpu m2090 --l1d dlp --set l1d.n_sets=4"
# shellcheck disable=SC2086
status 0 "$heddle" run bfs $few_sets --set l1d.n_ways=15 && complains "the next 14 loads" && says "first differed from lru at cycle"
# shellcheck disable=SC2086
status 0 "$heddle" run bfs $few_sets --set l1d.n_ways=14 && silent err

# A file that is read is never written to, under any name, and no file is written twice; a folder is
# not a file. Existing content stays.
rm -f "$scratch"/read.txt "$scratch"/k.*
cp "$scratch/mine.txt" "$scratch/read.txt"
ln -sf read.txt "$scratch/link.txt"
ln -f "$scratch/read.txt" "$scratch/other_name.txt"
for log in "$scratch/read.txt" "$scratch/../$(basename "$scratch")/read.txt" "$scratch/link.txt" "$scratch/other_name.txt"; do
    # shellcheck disable=SC2086
    status 2 "$heddle" cache replay "$scratch/read.txt" $small --log "$log" && complains "--log $log: that file is an input"
    status 2 "$heddle" cache reuse "$scratch/b.txt" "$scratch/link.txt" --format text --sets 1 --line 128 --svg "$log" && complains "that file is an input"
done
# shellcheck disable=SC2086
status 2 "$heddle" cache replay /dev/stdin $small --log "$scratch/read.txt" <"$scratch/link.txt" && complains "that file is an input"
printf '__kernel void k(__global int *x) { x[get_global_id(0)]++; }' >"$scratch/k.cl"
cp "$scratch/k.cl" "$scratch/k.before"
for option in --record-l1d --record --record-decisions --attribute-out --timeline "--series 9 --series-out"; do
    # shellcheck disable=SC2086
    status 2 "$heddle" run "$scratch/k.cl" --arg out:4:"$scratch/k.out" $option "$scratch/k.cl" && complains "k.cl: that file is an input"
done
status 2 "$heddle" run "$scratch/k.cl" --arg out:4:"$scratch/k.cl" && complains "that file is an input"
status 2 "$heddle" run "$scratch/k.cl" --arg buf:@"$scratch/k.before" --record-l1d "$scratch/k.before" && complains "that file is an input"
status 2 "$heddle" run "$scratch/k.cl" --arg buf:4 --record "$scratch/k.new" --record-l1d "$scratch/./k.new" && complains "--record-l1d also writes to that file"
for option in "--arg buf:4 --record-l1d $scratch" "--arg out:4:$scratch"; do # and the error comes before the run
    # shellcheck disable=SC2086
    status 2 "$heddle" run "$scratch/k.cl" --block 64 $option && complains "Is a directory"
done
status 3 "$heddle" run "$scratch/k.cl" --block 64 --arg buf:4
cmp "$scratch/read.txt" "$scratch/mine.txt" && cmp "$scratch/k.cl" "$scratch/k.before" || fail "a file that was read is another one"
[ ! -e "$scratch/k.new" ] && [ ! -e "$scratch/k.out" ] || fail "a mistake leaves a file"
status 0 "$heddle" run "$scratch/k.cl" --arg buf:4 --record "$scratch/k.trace" --record-l1d /dev/null --record-decisions /dev/null
cp "$scratch/k.trace" "$scratch/k.trace.before"
status 2 "$heddle" run --replay "$scratch/k.trace" --record-l1d "$scratch/k.trace" && complains "that file is an input"
cmp "$scratch/k.trace" "$scratch/k.trace.before" || fail "a trace that was replayed is another one"
# A buffer is written back to the file it came from if its argument says so, and replaces the
# content.
printf '\1\0\0\0' >"$scratch/x.bin"
status 0 "$heddle" run "$scratch/k.cl" --arg inout:@"$scratch/x.bin":"$scratch/x.bin" --record-l1d "$scratch/k.trace"
[ "$(od -An -td4 "$scratch/x.bin" | tr -d ' ')" = 2 ] || fail "a buffer in place"
# First loads left out: of 6 loads by two SMs 3 are first loads, and one of the others misses.
status 0 "$heddle" cache replay "$scratch/mine.txt" --format text --sets 2 --ways 4 --line 128 --no-compulsory --json
says '"compulsory_misses": 3' && says '"miss_rate_without_compulsory": 0.333'
status 0 "$heddle" cache curve "$scratch/bfs.zst" --no-compulsory && says "misses but first"

# Traces of other simulators, from bytes: an instruction that loads and stores, twice; three requests.
champsim='\100\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\020\0\0\0\0\0\0\0\0\0\0\0\0\0\0\100\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
# shellcheck disable=SC2059
printf "$champsim$champsim" >"$scratch/c.trace"
status 0 "$heddle" cache replay "$scratch/c.trace" --format champsim --sets 1 --ways 1 --json
says '"hits": 1' && says '"misses": 1' && says '"stores": 2' && says '"line_bytes": 64'
head -c 100 "$scratch/c.trace" >"$scratch/cut.trace"
status 2 "$heddle" cache replay "$scratch/cut.trace" --format champsim --sets 1 --ways 1
complains "cut.trace: byte 64: the file ends in the middle of a record"
request='\1\0\0\0\7\0\0\0\0\0\0\0\1\0\0\0\377\377\377\377\377\377\377\377'
# shellcheck disable=SC2059
printf "$request$request$request" | "$heddle" cache replay /dev/stdin --format oracleGeneral --sets 1 --ways 1 --json >"$scratch/o.json"
grep -q '"hits": 2' "$scratch/o.json" || fail "requests are not read from a pipe"
# shellcheck disable=SC2059
printf "$request" >"$scratch/o.bin"
status 2 "$heddle" cache replay "$scratch/o.bin" --format oracleGeneral --sets 1 --ways 1 --line 64 && complains "an object is a line"
status 0 "$heddle" cache replay "$scratch/o.bin" --format oracleGeneral --sets 1 --ways 1 --line 1
status 2 "$heddle" cache replay "$scratch/c.trace" --format oraclegeneral && complains "did you mean 'oracleGeneral'?"
status 2 "$heddle" cache replay "$scratch/c.trace" --format oracleGeneral --sets 1 --ways 1 && complains "byte "

echo "0 0 0 0 1 X 0x0" >"$scratch/bad.txt"
# shellcheck disable=SC2086
status 2 "$heddle" cache replay "$scratch/bad.txt" $small && complains "bad.txt:1:11: error: expected a kind"
status 2 "$heddle" cache replay "$scratch/mine.txt" --format text && complains "--sets is missing"
status 2 "$heddle" cache replay "$scratch/mine.txt" && complains "mine.txt: byte 0: this is not a recording of an L1D" && complains "--format"
status 2 "$heddle" cache replay "$scratch/none.zst" && complains "none.zst"
status 2 "$heddle" cache rplay "$scratch/bfs.zst" && complains "did you mean 'replay'?"
status 2 "$heddle" cache replay "$scratch/bfs.zst" --policy lur && complains "did you mean 'lru'?"
status 2 "$heddle" cache replay "$scratch/bfs.zst" --set k=1 && complains "there is no parameter 'k'"
status 2 "$heddle" cache replay "$scratch/bfs.zst" --ways 65 && complains "1 to 64 ways"
status 2 "$heddle" cache replay "$scratch/bfs.zst" --line 96 && complains "power of two"
status 2 "$heddle" cache replay "$scratch/bfs.zst" --index hsh && complains "expected linear or hash"
status 0 "$heddle" cache replay "$scratch/bfs.zst" --policy lru,fifo --log "$scratch/several.csv"
for policy in lru fifo; do
    status 0 "$heddle" cache replay "$scratch/bfs.zst" --policy $policy --log "$scratch/alone.csv"
    status 0 cmp "$scratch/several.csv.$policy" "$scratch/alone.csv"
done
finish
