#!/bin/sh
# --record, --replay and show trace from the command line: results, refusals, messages, exit
# statuses.
heddle=$1
scratch=$2
mkdir -p "$scratch"
cd "$scratch" || exit 1
rm -f ./*.trace
here=$(dirname "$0")
case $here in
/*) ;;
*) here=$OLDPWD/$here ;;
esac
# shellcheck source=test/behaviour/expect.inc
. "$here/expect.inc"

# The output of a run, without host times.
statistics() {
    python3 -c "
import json, sys
run = json.load(sys.stdin)
stats = {k: v for k, v in run['stats'].items() if not k.startswith('host.')}
print(run['gpu'], run['scheduler'], run['l1d_policy'], json.dumps(stats, sort_keys=True))"
}
same() {
    [ "$1" = "$2" ] || fail "not the same: $3"
}

status 0 "$heddle" run nw --size tiny --seed 3 --record nw.trace --json
executed=$(echo "$out" | statistics)
echo "$out" >executed.json
status 0 "$heddle" run --replay nw.trace --json
says '"verified": null'
says '"replayed": true'
same "$executed" "$(echo "$out" | statistics)" "a replay"
echo "$out" >replayed.json
python3 -c "
import json
a, b = (json.load(open(f)) for f in ('executed.json', 'replayed.json'))
for key in ('workload', 'size', 'seed', 'input_hash', 'launches', 'status', 'error', 'partial'):
    assert a[key] == b[key], (key, a[key], b[key])
assert b['replay_forced'] is False and b['seed'] == 3
" || fail "a replay says what it is of"
# So it can be compared with runs.
status 0 "$heddle" compare executed.json replayed.json && says "0 statistics differ" && says "1.000"
status 0 "$heddle" show trace nw.trace --json && says '"input_hash"' && says '"format": 2'
status 0 "$heddle" run nw --size tiny --seed 3 --gpu ccws --scheduler lrr --l1d plru --set l1d.n_mshrs=3 --json
executed=$(echo "$out" | statistics)
status 0 "$heddle" run --replay nw.trace --gpu ccws --scheduler lrr --l1d plru --set l1d.n_mshrs=3 --json
same "$executed" "$(echo "$out" | statistics)" "a replay on another machine"
status 0 "$heddle" run --replay nw.trace --kernels --per-pc
says "replayed on gtx480; no results are computed or verified"
says "nw_"
status 0 "$heddle" run --replay nw.trace --quiet
silent out

# A user's file, with text.
cat >own.cl <<'CL'
__kernel void own(__global uint *a)
{
    uint i = get_global_id(0);
    if (i % 3 == 0)
        a[i * 7 % 64] += i;
    if (i == 40)
        printf("forty %u\n", i);
}
CL
status 0 "$heddle" run own.cl --grid 2 --block 32 --arg rand:256:1 --record own.trace
says "forty 40"
status 0 "$heddle" run --replay own.trace
says "forty 40"
status 0 "$heddle" run --replay own.trace --json
says '"kernel": "own"' && says '"file": "own.cl"'
status 0 "$heddle" show trace own.trace
says "own.cl"
says "Not timing-dependent"

# Variables in local memory are accessed by name: the address is not recorded, but the accesses are.
status 0 "$heddle" run "$here/probe/probes.ptx" --entry named_local --block 32 --arg buf:128 --record local.trace --json
executed=$(echo "$out" | statistics)
says '"l1d.loads": 1,'
status 0 "$heddle" run --replay local.trace --json
same "$executed" "$(echo "$out" | statistics)" "a kernel with a variable in local memory"

# A trace that depends on time is valid only for its machine.
cat >clock.ptx <<'PTX'
.version 7.0
.target sm_50
.address_size 64
.visible .entry k() { .reg .u32 %r<2>; mov.u32 %r1, %clock; ret; }
PTX
status 0 "$heddle" run clock.ptx --record clock.trace
status 0 "$heddle" run --replay clock.trace
status 2 "$heddle" run --replay clock.trace --scheduler lrr
complains "launch 1 (k) may behave differently at other times: a clock"
complains "first at clock.ptx:4: mov.u32 %r1, %clock;"
complains "--force-replay"
status 0 "$heddle" run --replay clock.trace --scheduler lrr --force-replay
says "BY FORCE" && complains "heddle: warning: clock.trace: launch 1 (k) may behave differently at other times"
complains "first at clock.ptx:4" && complains "(--force-replay)"
status 0 "$heddle" run --replay clock.trace --scheduler lrr --force-replay --json
says '"replay_forced": true'
# If --force is not needed, it changes nothing.
status 0 "$heddle" run --replay clock.trace --force-replay --json && silent err
says '"replay_forced": false'
status 0 "$heddle" run --replay own.trace --scheduler lrr --force-replay --json
says '"replay_forced": false'
status 2 "$heddle" run --replay clock.trace --scheduler lrr --json && says '"status": 2'
status 0 "$heddle" show trace clock.trace
says "Timing-dependent"
status 0 "$heddle" show trace clock.trace --json
says '"timing_dependent": true'
says '"reason": "clock"'

# Mistakes.
status 2 "$heddle" run --replay none.trace && complains "none.trace: cannot read it: No such file"
status 2 "$heddle" run --replay own.cl && complains "own.cl: byte 0: this is not a Heddle trace"
status 2 "$heddle" show trace own.cl && complains "own.cl: byte 0: this is not a Heddle trace"
status 2 "$heddle" run --replay nw.trace --seed 3 && complains "--seed has no effect with --replay"
status 2 "$heddle" run --replay nw.trace --strict && complains "--strict has no effect with --replay"
status 2 "$heddle" run own.cl --seed 3 && complains "--seed is for workloads"
status 2 "$heddle" run --replay nw.trace --threads 5000 && complains "--threads 5000: expected a whole number from 1 to 256"
{
    cat nw.trace
    printf 'more'
} >long.trace
status 2 "$heddle" run --replay long.trace
complains "long.trace: byte $(wc -c <nw.trace): the trace ends here, but 4 bytes follow"
head -c 3000 nw.trace >cut.trace
status 2 "$heddle" run --replay cut.trace && complains "cut.trace: byte 3000: the file ends here"
{
    head -c 2000 nw.trace
    printf 'XXXXXXXX'
    tail -c +2009 nw.trace
} >bad.trace
status 2 "$heddle" run --replay bad.trace && complains "bad.trace: byte" && complains "damaged"
status 2 "$heddle" show trace bad.trace && complains "bad.trace: byte" && complains "damaged" && silent out
status 0 "$heddle" show trace bad.trace --unchecked && says "not checked for damage"
status 0 "$heddle" show trace bad.trace --unchecked --json && says '"checked": false'
status 0 "$heddle" show trace nw.trace && says "checked: none of its"
status 0 "$heddle" show trace nw.trace --json && says '"checked": true'
status 2 "$heddle" show gpus --unchecked && complains "--unchecked has no effect with heddle show gpus"
{
    head -c $(($(wc -c <nw.trace) - 1)) nw.trace
    printf 'X'
} >end.trace
status 2 "$heddle" show trace end.trace && complains "the mark at the end of the file is damaged"
status 2 "$heddle" run nw --replay nw.trace && complains "replaces 'nw'"
status 2 "$heddle" run --replay nw.trace --functional && complains "exclude each other"
status 2 "$heddle" run --replay nw.trace --record x.trace && complains "exclude each other"
status 2 "$heddle" run --replay nw.trace --size tiny && complains "--size has no effect with --replay"
status 2 "$heddle" run nw --force-replay && complains "--force-replay needs --replay"
status 2 "$heddle" run nw --size tiny --functional --record x.trace && complains "--record is for timed runs"
status 2 "$heddle" run nw bfs --size tiny --record x.trace && complains "one workload at a time"
status 2 "$heddle" run --replay nw.trace --set threads_per_cta=8 && complains "is too large"

# Nothing half-written.
cat >fault.ptx <<'PTX'
.version 7.0
.target sm_50
.address_size 64
.visible .entry k() { trap; }
PTX
status 3 "$heddle" run fault.ptx --record fault.trace
[ ! -e fault.trace ] || fail "a failed run left a trace"
status 4 "$heddle" run nw --size tiny --record /nowhere/x.trace
[ ! -e x.trace ] || fail "a refused run left a trace"
[ -z "$(find . -name '*.trace.*')" ] || fail "something unfinished was left"
finish
