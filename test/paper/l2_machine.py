#!/usr/bin/env python3
"""The worked examples of write-buffering and read-bypassing on the whole machine: one warp stores and
loads full lines of one set of L2, or their first sectors, one after the other.

    l2_machine.py HEDDLE FOLDER"""
import json
import subprocess
import sys

heddle, folder = sys.argv[1:]
SETS, FIRST = 64, 16  # lines of one set lie 8 KB apart; code and parameters are in other sets


def kernel(accesses):
    text = [".version 6.0", ".target sm_30", ".address_size 64", ".visible .entry k(.param .u64 p) {",
            ".reg .u32 %v, %t, %lane;", ".reg .u64 %a, %x;", ".reg .pred %p;", "ld.param.u64 %a, [p];",
            "mov.u32 %t, %tid.x;", "mov.u32 %lane, %t;", "mul.wide.u32 %x, %t, 4;", "add.u64 %a, %a, %x;",
            "mov.u32 %v, 7;"]
    for word in accesses:
        kind, line = word.split(":")
        kind, _, sectors = kind.partition("/")
        text.append(f"setp.lt.u32 %p, %lane, {8 * int(sectors or 4)};")
        at = ((int(line[1:]) + (4 if line[0] == "b" else 0)) * SETS + FIRST) * 128
        if kind.startswith("S"):
            text += [f"@%p st.global{kind[1:]}.u32 [%a+{at}], %v;", "membar.gl;"]
        else:  # the next address depends on what comes back
            text += [f"@%p ld.global{kind[1:]}.u32 %t, [%a+{at}];", "mul.lo.u32 %t, %t, 0;",
                     "cvt.u64.u32 %x, %t;", "add.u64 %a, %a, %x;"]
    return "\n".join(text + ["ret;", "}"])


def run(accesses, policy, ways, *more):
    with open(f"{folder}/k.ptx", "w") as f:
        f.write(kernel(accesses))
    words = [heddle, "run", f"{folder}/k.ptx", "--json", "--block", "32", "--arg", f"buf:{9 * SETS * 128}", *more]
    for s in ("n_sms=1", "memory.n_partitions=1", "memory.banks=1", f"l2.n_sets={SETS}", f"l2.n_ways={ways}",
              "l2.index=linear", "sm.l1d_global=false", f"l2.policy={policy}"):
        words += ["--set", s]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{accesses}: {done.returncode} {done.stderr}")
    s = json.loads(done.stdout)["stats"]
    return s["dram.reads"], s["dram.writes"], s["l2.stale_reads"], s, done.stderr


def check(writes, reads, stale, policy, ways, accesses, *more):
    accesses = accesses.split()
    # Code and parameters: what is read from DRAM where every line has a way, less the first loads.
    firsts = {w.split(":")[1]: w[0] for w in reversed(accesses)}
    base = run(accesses, "lru", 16)[0] - list(firsts.values()).count("L")
    got = run(accesses, policy, ways, *more)
    if (got[0] - base, got[1], got[2]) != (reads, writes, stale):
        sys.exit(f"{policy} {ways} {accesses} {more}: reads, writes, stale {(got[0] - base, *got[1:3])}, "
                 f"not {(reads, writes, stale)}")
    if bool(stale) != ("a .cc annotation is unsound" in got[4]):
        sys.exit(f"{accesses}: {got[4]}")
    return got[3]


stores = "S.cc:a0 S.cc:a1 S.cc:a2 S.cc:a3 "
ahead = "L:a0 L:a1 L:a2 L:a3"
back = "L:a3 L:a2 L:a1 L:a0"
b = "L:b0 L:b1 L:b2 L:b3 "
wb = "write_buffering"
check(4, 4, 0, "lru", 2, stores + ahead)
check(2, 2, 0, wb, 2, stores + ahead)
check(4, 8, 0, "lru", 2, stores + b + ahead)
check(4, 8, 0, wb, 2, stores + b + ahead)
s = check(2, 6, 0, wb, 2, stores + b.replace("L", "L.cp") + ahead)
assert s["l2.policy.load_bypasses"] == 4 and s["l2.policy.store_bypasses"] == 2 and s["l2.policy.dropped"] == 2, s
check(4, 4, 0, "none", 2, stores + ahead)
check(0, 0, 0, "lru", 4, stores + ahead)
check(0, 0, 0, wb, 4, stores + ahead)
check(4, 2, 0, "lru", 2, stores + back)
check(4, 4, 0, wb, 2, stores + back)
check(2, 1, 1, wb, 2, stores + "L:a0 L:a0")
check(2, 0, 0, wb, 2, "S.cc:a0 S:b0 S.cc:a1 S.cc:a2")
check(1, 3, 0, wb, 2, "S.cc:a0 L:a0 S:a0 L:b0 L:b1 L:a0")
# In lines with sectors; S/1 stores to the first one alone. A load that lacks sectors returns the others too: it may
# give the line up, read a part of what was written, or end a demotion.
quarters = ("--set", "l2.sector_bytes=32")
fill = " L:b0 L:b1 L:b2"
for words, drop, dropped, writes in (("S.cc/1:a0 L:a0" + fill, "all_read", 1, 0), ("S.cc/3:a0 L/1:a0 L:a0" + fill, "all_read", 1, 0),
                                     ("S.cc/1:a0 L:a0" + fill, "first_hit", 0, 1), ("S.cc/1:a0 L:a0 L:a0" + fill, "first_hit", 1, 0),
                                     ("S.cc/2:a0 L/1:a0" + fill, "all_read", 0, 1)):
    s = run(words.split(), wb, 2, *quarters, "--set", f"l2.drop={drop}")[3]
    assert (s["l2.policy.dropped"], s["dram.writes"], s["l2.stale_reads"]) == (dropped, writes, 0), (words, drop, s)
for words, victim in (("S.cc/1:a0 L/1:a0 S:b0 L:a0 L:b1", "b0"), ("S.cc/1:a0 S:b0 L:a0 L:b1", "a0")):
    bytes_moved = [run(words.split(), wb, ways, *quarters, "--set", "l2.drop=demote")[3]["dram.bytes"] for ways in (2, 4)]
    assert bytes_moved[0] - bytes_moved[1] == {"a0": 32, "b0": 128}[victim], (words, bytes_moved)  # what is dirty of it
got = run("S.cc/1:a0 L:a0 L/1:a0".split(), wb, 2, *quarters)
assert got[2] == 1 and "a .cc annotation is unsound" in got[4], got
# Marks of the whole program, and the short names of parameters.
plain = stores.replace(".cc", "")
check(2, 2, 0, wb, 2, plain + ahead, "--set", "l2.mark_stores=true")
check(2, 6, 0, wb, 2, plain + "L:b0 L:b1 L:b2 L:b3 L:a0 L:a1 L:a2 L:a3", "--set", "l2.mark_stores=true", "--set", "l2.policy.mark_loads=true")
check(2, 1, 1, wb, 2, stores + "L:a0 L:a0", "--set", "l2.drop=first_hit")
s = check(2, 0, 0, wb, 2, stores + "L:a0 L:a0", "--set", "l2.drop=demote")
assert s["l2.policy.demoted"] == 1 and s["l2.drops"] == 0, s
# The same by annotations of the buffer, whatever the kernel says.
check(2, 2, 0, wb, 2, plain + ahead, "--set", "l2.annotations=k 1 .cc")
check(2, 6, 0, wb, 2, plain + "L:b0 L:b1 L:b2 L:b3 L:a0 L:a1 L:a2 L:a3", "--set", "l2.annotations=k 1 .cc; k 1 .cp")
# The engine and the fast paths make no difference.
for word in (("--engine", "cycle"), ("--fast-paths", "off"), ("--threads", "2"), ("--quantum", "1")):
    check(2, 1, 1, wb, 2, stores + "L:a0 L:a0", *word)
print("the machine does as the laboratory")
