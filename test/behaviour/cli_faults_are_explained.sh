#!/bin/sh
# A kernel that goes wrong, or never ends: exit status 3, the place, and what it waits for or lacks;
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
    complains "deadlock" && complains "waits at a barrier, at line 8" &&
        complains "waits at a barrier, at line 9" && silent out
done

kernel spin 'AGAIN: ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra AGAIN;'
for engine in skip cycle; do
    status 3 "$heddle" run "$scratch/spin.ptx" --block 64 --arg buf:64 --set n_sms=1 \
        --max-cycles 20K --engine $engine
    complains "limit of cycles" && complains "at line 7" && silent out
done
status 3 "$heddle" run "$scratch/spin.ptx" --functional --block 64 --arg buf:64 --max-insts 1M
complains "instruction" && complains "spin.ptx:7" && silent out

kernel livelock 'AGAIN: atom.global.cas.b32 %v, [%a], 0, 1; setp.ne.u32 %p, %v, 0; @%p bra AGAIN;' \
    'atom.global.exch.b32 %v, [%a], 0;'
run livelock --max-cycles 20K
complains "at line 7" && complains "never ends on machines with a SIMT stack" && silent out

kernel cooperative 'mov.u32 %v, %envreg2; trap;'
run cooperative --engine skip
complains "executed a trap; it asks for a cooperative launch, as grid.sync() does"
kernel trap 'trap;'
run trap --engine skip
complains "executed a trap" && case $err in *cooperative*) fail "not cooperative" ;; esac

# Only what the user has allocated is named as the nearest.
kernel beyond 'st.global.u32 [%a+640], %t;'
run beyond --engine skip
complains "nearest allocation: 'argument 1 (buf:64)', 64 bytes at" && complains "ended 576 bytes below"
case $err in *parameters*) fail "names what the user does not know" ;; esac
for mode in --functional --quiet; do
    status 3 "$heddle" run "$scratch/beyond.ptx" --arg buf:64 --json $mode
    printf '%s' "$out" | python3 -c "
import json, sys
r = json.load(sys.stdin)
assert r['kernel'] == 'k' and r['status'] == 3 and r['file'].endswith('beyond.ptx'), r
assert 'bad access' in r['error'] and 'beyond.ptx:7' in r['error'], r
assert 'stats' not in r, r
" || fail "one JSON object with the error"
done

# What ptxas would not take is mentioned.
printf '.version 99.0\n.target sm_3x\n.visible .entry k() { ret; }\n' >"$scratch/odd.ptx"
status 0 "$heddle" run "$scratch/odd.ptx" --functional
complains "odd.ptx:1:10: warning: PTX 99.0 is newer than 9.0" &&
    complains "odd.ptx:2:9: warning: 'sm_3x' is no target"
printf '.visible .entry k() { ret; }\n' >"$scratch/bare.ptx"
status 0 "$heddle" run "$scratch/bare.ptx" --functional
complains "there is no .version" && complains "there is no .target"
printf '.version 9.0\n.target sm_120f, debug\n.visible .entry k() { ret; }\n' >"$scratch/new.ptx"
status 0 "$heddle" run "$scratch/new.ptx" --functional && silent err

finish
