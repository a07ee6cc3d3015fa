#!/bin/sh
# A kernel that faults or never ends gives exit status 3, the place, and what it waits for or lacks;
# with --json one object that says the same.
heddle=$1
scratch=$2
mkdir -p "$scratch"
. test/behaviour/expect.inc

# kernel NAME LINES...: an entry k(p) whose lines follow, the first in line 7
kernel() {
    name=$1
    shift
    {
        printf '.version 8.0\n.target sm_90\n.address_size 64\n'
        printf '.visible .entry k(.param .u64 p)\n'
        printf '{ .reg .pred %%p; .reg .b32 %%v, %%t; .reg .b64 %%a;\n'
        printf 'ld.param.u64 %%a, [p]; mov.u32 %%t, %%tid.x;\n'
        printf '%s\n' "$@"
        printf 'ret; }\n'
    } >"$scratch/$name.ptx"
}
run() {
    status 3 "$heddle" run "$scratch/$1.ptx" --block 64 --arg buf:64 --set n_sms=1 "$2" "$3"
}

kernel deadlock 'setp.lt.u32 %p, %t, 32; @%p bra FIRST;' 'bar.sync 1, 64; bra END;' \
    'FIRST: bar.sync 2, 64;' 'END:'
for engine in skip cycle; do
    run deadlock --engine $engine
    complains "error: deadlock: nothing can happen" &&
        complains "in kernel 'k', $scratch/deadlock.ptx:9: bar.sync 2, 64;" &&
        complains "waits at barrier 1, where 1 of 2 warps have arrived, $scratch/deadlock.ptx:8" &&
        complains "waits at barrier 2, where 1 of 2 warps have arrived, $scratch/deadlock.ptx:9" &&
        silent out
done

kernel spin 'AGAIN: ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra AGAIN;'
for engine in skip cycle; do
    status 3 "$heddle" run "$scratch/spin.ptx" --block 64 --arg buf:64 --set n_sms=1 \
        --max-cycles 20K --engine $engine
    complains "stopped after 20000 cycles (--max-cycles)" && complains "spin.ptx:7: " &&
        says "PARTIAL statistics" && says "elapsed_cycles"
done
case $out in *" completed on "*) fail "it did not" ;; esac
status 3 "$heddle" run "$scratch/spin.ptx" --block 64 --arg buf:64 --set n_sms=1 --max-cycles 20K --quiet
silent out && complains "stopped after 20000 cycles" && complains "spin.ptx:7: "
case $err in *"SM 0"*) fail "--quiet tells what every part was doing" ;; esac
status 3 "$heddle" run "$scratch/spin.ptx" --block 64 --arg buf:64 --set n_sms=1 --max-cycles 20K --json
printf '%s' "$out" | python3 -c "
import json, sys
r = json.load(sys.stdin)
assert r['status'] == 3 and r['partial'] is True and 'spin.ptx:7' in r['error'], r
assert r['stats']['cycles'] == r['stats']['elapsed_cycles'] == 20000, r
assert r['kernels'][0]['cycles'] == 20000 and r['stats']['ctas'] == 0, r
" || fail "one JSON object with partial statistics"
status 3 "$heddle" run "$scratch/spin.ptx" --functional --block 64 --arg buf:64 --max-insts 1M
complains "instruction" && complains "spin.ptx:7" && says "PARTIAL statistics"

# Without a limit there is a warning while it runs; here the limit only ends the test.
status 3 "$heddle" run "$scratch/spin.ptx" --block 64 --arg buf:64 --set n_sms=1 \
    --set memory.n_partitions=1 --max-cycles 3400K --json
complains "heddle: warning: launch 1 seems to spin forever" && complains "in kernel 'k', $scratch/spin.ptx:7"
case $err in *"seems to spin"*"seems to spin"*) fail "warned twice" ;; esac
case $err in *"warning: "*"error: "*) ;; *) fail "the warning does not come first" ;; esac

kernel livelock 'AGAIN: atom.global.cas.b32 %v, [%a], 0, 1; setp.ne.u32 %p, %v, 0; @%p bra AGAIN;' \
    'atom.global.exch.b32 %v, [%a], 0;'
for limit in --max-cycles=20K --max-insts=20K; do
    how=--quiet
    [ $limit = --max-insts=20K ] && how=--functional
    status 3 "$heddle" run "$scratch/livelock.ptx" --block 64 --arg buf:64 --set n_sms=1 $limit $how
    complains "livelock.ptx:7: " && complains "never ends on machines with a SIMT stack"
done

kernel cooperative 'mov.u32 %v, %envreg2; trap;'
run cooperative --engine skip
complains "executed a trap; it needs a cooperative launch, as grid.sync() does"
kernel trap 'trap;'
run trap --engine skip
complains "executed a trap" && case $err in *cooperative*) fail "not cooperative" ;; esac

# Only the user's allocations are named as the nearest.
kernel beyond 'st.global.u32 [%a+640], %t;'
run beyond --engine skip
complains "nearest allocation: 'argument 1 (buf:64)', 64 bytes at" && complains "ended 576 bytes below"
case $err in *parameters*) fail "names what the user does not know" ;; esac
kernel below 'sub.u64 %a, %a, 11731564544; st.global.u32 [%a], %t;'
run below --engine skip
complains "far away: as a signed number the address is -"
kernel far_off 'add.u64 %a, %a, 11731564544000; st.global.u32 [%a], %t;'
run far_off --engine skip
complains "ended more than 1 TiB below"
for mode in --functional --quiet; do
    status 3 "$heddle" run "$scratch/beyond.ptx" --arg buf:64 --json $mode
    printf '%s' "$out" | python3 -c "
import json, sys
r = json.load(sys.stdin)
assert r['kernel'] == 'k' and r['status'] == 3 and r['file'].endswith('beyond.ptx'), r
assert 'bad access' in r['error'] and 'beyond.ptx:7' in r['error'], r
assert r['partial'] is False, r
assert 'stats' not in r, r
" || fail "one JSON object with the error"
done

# A failed workload does not show statistics as if it had succeeded: none after a fault, marked ones
# after a limit, none in a row of many.
status 3 "$heddle" run bfs --size tiny --max-cycles 3000
complains "stopped after 3000 cycles" && says "NOT verified, it did not run to its end" &&
    says "PARTIAL statistics, up to where"
# The report shows a few warps of each kind.
status 3 "$heddle" run kmn --size tiny --max-cycles 5000
[ "$(printf '%s\n' "$err" | wc -l)" -le 60 ] || fail "a flood"
complains "    ... and 13 more of this kind (sm)" && complains "    ... and 4 more of this kind (partition)"
complains "MSHR 2: line" && complains "        ... and 29 more MSHRs with accesses that wait"
case $err in *"MSHR 3: line"*) fail "four of a kind" ;; esac
status 3 "$heddle" run bfs --size tiny --max-cycles 3000 --json
printf '%s' "$out" | python3 -c "
import json, sys
r = json.load(sys.stdin)
assert r['verified'] is False and r['status'] == 3 and r['partial'] is True, r
assert '--max-cycles' in r['error'] and r['error'] == r['message'], r
s = r['stats']
assert s['elapsed_cycles'] == s['cycles'] + s['wait_cycles'] >= 3000, s
" || fail "a failed workload says so in JSON"
printf '%s' "$out" >"$scratch/failed.json"
status 0 "$heddle" run bfs --size tiny --json
printf '%s' "$out" >"$scratch/good.json"
status 2 "$heddle" compare "$scratch/good.json" "$scratch/failed.json"
complains "failed.json: " && complains "failed, there is nothing to compare"
status 3 "$heddle" run bfs ss --size tiny --max-cycles 3000
says "NO: FAILED" && case $out in *3,000*) fail "statistics of a failed run in a row" ;; esac

# PTX that ptxas would refuse gives a note.
printf '.version 99.0\n.target sm_3x\n.visible .entry k() { ret; }\n' >"$scratch/odd.ptx"
status 0 "$heddle" run "$scratch/odd.ptx" --functional
complains "odd.ptx:1:10: warning: PTX 99.0 is newer than 9.0" &&
    complains "odd.ptx:2:9: warning: 'sm_3x' is not a known target"
printf '.visible .entry k() { ret; }\n' >"$scratch/bare.ptx"
status 0 "$heddle" run "$scratch/bare.ptx" --functional
complains "there is no .version" && complains "there is no .target"
printf '.version 9.0\n.target sm_120f, debug\n.visible .entry k() { ret; }\n' >"$scratch/new.ptx"
status 0 "$heddle" run "$scratch/new.ptx" --functional && silent err

finish
