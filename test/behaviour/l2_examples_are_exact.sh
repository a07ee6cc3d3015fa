#!/bin/sh
# Write-buffering and read-bypassing (S1 section 4) in the cache laboratory: the worked examples,
# including those where the scheme loses; every decision against a reference written from the text;
# mistakes are named.
heddle=$1
scratch=$2
mkdir -p "$scratch"
. test/behaviour/expect.inc

# lab WAYS POLICY WRITES READS STALE ACCESS...: one set of full lines; `S.cc:a0` stores to line a0.
lab() {
    ways=$1 policy=$2 expected="$4 $3 $5"
    shift 5
    for word; do
        base=0
        case $word in *:b*) base=64 ;; esac
        printf '0 0 0 0 0 %s %x\n' "${word%:*}" $(((base + ${word##*:[ab]}) * 128))
    done >"$scratch/case.txt"
    status 0 "$heddle" cache replay "$scratch/case.txt" --format text --stores write_back --sets 1 --ways "$ways" --line 128 --policy "$policy" --json
    counts=$(printf '%s' "$out" | python3 -c 'import json, sys; r = json.load(sys.stdin)["replays"][0]; print(r["dram_reads"], r["dram_writes"], r["stale_reads"])')
    [ "$counts" = "$expected" ] || fail "$policy, $ways ways, $*: reads, writes, stale $counts, not $expected"
}
stores="S.cc:a0 S.cc:a1 S.cc:a2 S.cc:a3"
ahead="L:a0 L:a1 L:a2 L:a3" back="L:a3 L:a2 L:a1 L:a0"
b="L:b0 L:b1 L:b2 L:b3" b_cp="L.cp:b0 L.cp:b1 L.cp:b2 L.cp:b3"
# shellcheck disable=SC2086
{
    # S1 Figures 4 to 6.
    lab 2 lru 4 4 0 $stores $ahead
    lab 2 write_buffering 2 2 0 $stores $ahead
    lab 2 lru 4 8 0 $stores $b $ahead
    lab 2 write_buffering 4 8 0 $stores $b $ahead
    lab 2 write_buffering 2 6 0 $stores $b_cp $ahead
    # Everything fits; the order in which write-buffering loses; a line that is read twice; a line
    # without C is the victim of a marked store; a line that is stored again is not stale.
    lab 4 lru 0 0 0 $stores $ahead
    lab 4 write_buffering 0 0 0 $stores $ahead
    lab 2 lru 4 2 0 $stores $back
    lab 2 write_buffering 4 4 0 $stores $back
    lab 2 write_buffering 2 1 1 $stores L:a0 L:a0
    lab 2 write_buffering 2 0 0 S.cc:a0 S:b0 S.cc:a1 S.cc:a2
    lab 2 write_buffering 1 3 0 S.cc:a0 L:a0 S:a0 L:b0 L:b1 L:a0
}

# The log: one access per line, with what was written back.
printf '%s\n' "0 0 0 0 0 S.cc 0" "0 0 0 0 0 S 1000" "0 0 0 0 0 S.cc 80" "0 0 0 0 0 S.cc 100" "0 0 0 0 0 L 0 ff" \
    "0 0 0 0 0 L 0" "0 0 0 0 0 L.cp 0" "0 0 0 0 0 L 2000" >"$scratch/log.txt"
status 0 "$heddle" cache replay "$scratch/log.txt" --format text --stores write_back --sets 1 --ways 2 --line 128 --policy write_buffering --log "$scratch/log.csv"
says "stale reads: loads need data that were dropped; the annotations are unsound"
printf '%s\n' "0,miss,,0" "1,miss,,0" "2,miss,0x1000,1" "3,bypass,,0" "4,hit,,0" "5,drop,,0" "6,bypass,,0" "7,miss,,0" | cmp -s - "$scratch/log.csv" ||
    fail "the log: $(cat "$scratch/log.csv")"

# With sectors: a load that lacks one reads those that are present, and may drop the line; it does
# not count as the first hit.
printf '%s\n' "0 0 0 0 0 S.cc 0 ffffffffffffffff" "0 0 0 0 0 L 0 1ffffffff00000000" "0 0 0 0 0 L 0 ffffffff" "0 0 0 0 0 S.cc 80 ffffffff" \
    "0 0 0 0 0 L 80" "0 0 0 0 0 L 80 ff" >"$scratch/sectors.txt"
# sectors DROP STALE LOG...
sectors() {
    drop=$1 stale=$2
    shift 2
    status 0 "$heddle" cache replay "$scratch/sectors.txt" --format text --stores write_back --sets 1 --ways 2 --line 128 --sector 32 --policy write_buffering --set drop="$drop" --log "$scratch/sectors.csv" --json
    says '"sector_bytes": 32' && says "\"stale_reads\": $stale"
    printf '%s\n' "$@" | cmp -s - "$scratch/sectors.csv" || fail "$drop with sectors: $(cat "$scratch/sectors.csv")"
}
sectors all_read 1 "0,miss,,0" "1,miss,,0" "2,drop,,0" "3,miss,,0" "4,miss,0x80,0" "5,miss,,0"
sectors first_hit 0 "0,miss,,0" "1,miss,,0" "2,drop,,0" "3,miss,,0" "4,miss,,0" "5,drop,,0"
sectors demote 0 "0,miss,,0" "1,miss,,0" "2,hit,,0" "3,miss,,0" "4,miss,,0" "5,hit,,0"

# At the end nothing is written unless requested.
printf '%s\n' "0 0 0 0 0 S 0 1" "0 0 0 0 0 S.cc 80" >"$scratch/flush.txt"
status 0 "$heddle" cache replay "$scratch/flush.txt" --format text --stores write_back --sets 1 --ways 2 --line 128 --policy lru,write_buffering --json
says '"dram_writes": 0' && says '"dram_reads": 1' && says '"flushed": false'
status 0 "$heddle" cache replay "$scratch/flush.txt" --format text --stores write_back --sets 1 --ways 2 --line 128 --policy lru,write_buffering --set write_buffering.drop=demote --flush --json
says '"dram_writes": 2' && says '"flushed": true'

# Random streams against the reference: log and counts.
status 0 python3 test/paper/l2_reference.py duel "$heddle" "$scratch" 1 "${HEDDLE_DUELS:-150}" && says "replays agree"

# Mistakes.
l2="--format text --stores write_back --sets 1 --ways 2"
printf '0 0 0 0 0 L 0 100000000\n' >"$scratch/wide.txt"
# shellcheck disable=SC2086
{
    status 0 "$heddle" cache replay "$scratch/wide.txt" $l2 --line 64
    status 2 "$heddle" cache replay "$scratch/wide.txt" $l2 --line 32 && complains "access 0 requests bytes outside a line of 32 bytes"
    status 2 "$heddle" cache replay "$scratch/flush.txt" $l2 --line 256 && complains "lines may have at most 128 bytes"
    status 2 "$heddle" cache replay "$scratch/flush.txt" $l2 --line 128 --policy belady && complains "belady handles loads only"
    status 2 "$heddle" cache replay "$scratch/flush.txt" $l2 --line 128 --insts 5 && complains "insts has no meaning"
    status 2 "$heddle" cache replay "$scratch/flush.txt" $l2 --line 128 --sector 0 && complains "sector 0: expected 1 to 128 bytes"
    status 2 "$heddle" cache replay "$scratch/flush.txt" $l2 --line 64 --sector 128 && complains "must not be more than line_bytes"
    status 2 "$heddle" cache replay "$scratch/flush.txt" --format text --sets 1 --ways 2 --line 128 --sector 32 && complains "without --stores write_back"
}
# With several policies, each has its own log, equal to the one it has alone.
both="--format text --stores write_back --sets 1 --ways 2 --line 128 --flush"
# shellcheck disable=SC2086
{
    rm -f "$scratch"/both*
    status 0 "$heddle" cache replay "$scratch/case.txt" $both --policy lru,write_buffering --set write_buffering.drop=all_read --log "$scratch/both"
    for policy in lru write_buffering; do
        status 0 "$heddle" cache replay "$scratch/case.txt" $both --policy $policy --log "$scratch/alone"
        cmp -s "$scratch/both.$policy" "$scratch/alone" || fail "the log of $policy beside another"
    done
    cmp -s "$scratch/both.lru" "$scratch/both.write_buffering" && fail "two policies have one log"
    status 2 "$heddle" cache replay "$scratch/case.txt" $both --ways 2,4 --policy lru --log "$scratch/both.csv" && complains "log needs a single cache"
}
status 2 "$heddle" cache replay "$scratch/flush.txt" --format text --sets 1 --ways 2 --line 128 --policy write_buffering && complains "is for a cache that keeps what is stored"
status 2 "$heddle" cache replay "$scratch/flush.txt" --format text --sets 1 --ways 2 --line 128 --flush && complains "without --stores write_back"
status 0 "$heddle" cache replay "$scratch/log.txt" --format text --sets 1 --ways 2 --line 128 && complains "have no effect here"
status 2 "$heddle" cache replay "$scratch/flush.txt" --format text --stores back --sets 1 --ways 2 --line 128 && complains "expected evict, keep or write_back"
status 2 "$heddle" run fft --size tiny --l1d write_buffering && complains "is only for L2"
finish
