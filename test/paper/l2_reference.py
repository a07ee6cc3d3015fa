#!/usr/bin/env python3
"""A naive L2 with write-buffering and read-bypassing, to be compared with `heddle cache replay`.

    l2_reference.py replay FILE --sets N --ways N --line BYTES --policy lru|write_buffering
                    [--sector BYTES] [--drop all_read|first_hit|demote] [--mark-stores] [--mark-loads]
                    [--flush]
    l2_reference.py stream SEED ACCESSES LINES LINE_BYTES      a random text stream
    l2_reference.py duel HEDDLE FOLDER FIRST N     N random streams: log and counts of both agree

`replay` prints the log, one line an access, and then `reads writes stale` of DRAM.

Written from the text of S1 section 4 (Choi et al. 2012) and the rules of doc/cache-lab.md, not from
the policy: a set is a list of lines from the oldest to the newest, and byte masks are integers.
"""
import argparse
import contextlib
import io
import json
import random
import subprocess
import sys


class Line:
    def __init__(self, number, way):
        self.number, self.way = number, way
        self.valid = self.dirty = 0  # bytes
        self.c = False
        self.written = self.read = 0  # of a line with C


class L2:
    def __init__(self, o):
        self.o = o
        self.sets = [[] for _ in range(o.sets)]
        self.lost = {}  # line number -> bytes that were dropped and not stored since
        self.reads = self.writes = self.stale = 0
        self.buffers = o.policy == "write_buffering"
        self.all = (1 << o.line) - 1

    def dram_read(self, number, mask):
        self.reads += 1
        if self.lost.get(number, 0) & mask:
            self.stale += 1

    def sectors(self, mask):
        """All bytes of the sectors that have some of these."""
        one = (1 << self.o.sector) - 1
        return sum(one << at for at in range(0, self.o.line, self.o.sector) if mask >> at & one)

    def stored(self, number, mask):
        self.lost[number] = self.lost.get(number, 0) & ~mask

    def allocate(self, lines, number, candidates):
        """Returns the new line, the number of the victim or None, and whether it was written back."""
        if len(lines) < self.o.ways:
            used = {l.way for l in lines}
            way, victim, back = min(w for w in range(self.o.ways) if w not in used), None, 0
        else:
            old = candidates[0]
            lines.remove(old)
            way, victim, back = old.way, old.number, int(old.dirty != 0)
            self.writes += back
        new = Line(number, way)
        lines.append(new)
        return new, victim, back

    def load(self, number, mask, marked):
        lines = self.sets[number % self.o.sets]
        line = next((l for l in lines if l.number == number), None)
        if line is None:
            if marked:
                self.dram_read(number, mask)
                return "bypass", None, 0
            self.dram_read(number, self.sectors(mask))
            line, victim, back = self.allocate(lines, number, lines)
            line.valid = self.sectors(mask)
            return "miss", victim, back
        lines.remove(line)
        lacks = self.sectors(mask) & ~line.valid
        answer = "hit"
        if lacks:  # the line is there without all of its sectors
            self.dram_read(number, lacks)
            line.valid |= lacks
            answer = "miss"
        if line.c:
            line.read |= mask
            done = line.written & ~line.read == 0
            if not lacks if self.o.drop == "first_hit" else self.o.drop == "all_read" and done:
                self.lost[number] = self.lost.get(number, 0) | line.dirty
                return ("miss", number, 0) if lacks else ("drop", None, 0)
            if self.o.drop == "demote" and done:
                line.c = False
                lines.insert(0, line)
                return answer, None, 0
        lines.append(line)
        return answer, None, 0

    def store(self, number, mask, marked):
        lines = self.sets[number % self.o.sets]
        line = next((l for l in lines if l.number == number), None)
        answer, victim, back = "hit", None, 0
        if line is None:
            candidates = [l for l in lines if not l.c] if marked else lines
            if len(lines) == self.o.ways and not candidates:
                self.writes += 1
                self.stored(number, mask)
                return "bypass", None, 0
            line, victim, back = self.allocate(lines, number, candidates)
        else:
            lines.remove(line)
            lines.append(line)
        asked = self.sectors(mask)
        if asked & ~line.valid:
            answer = "miss"
            if mask != asked:
                self.dram_read(number, asked & ~line.valid & ~mask)
        line.valid |= asked
        line.dirty |= mask
        self.stored(number, mask)
        if marked and not line.c:
            line.c, line.written, line.read = True, line.dirty, 0
        elif line.c:
            line.written |= mask
            line.read &= ~mask
        return answer, victim, back

    def access(self, kind, number, mask):
        is_load = kind.startswith("L")
        marked = self.buffers and (
            kind in ("L.cp", "S.cc") or (self.o.mark_loads if is_load else self.o.mark_stores))
        return (self.load if is_load else self.store)(number, mask, marked)

    def flush(self):
        for lines in self.sets:
            self.writes += sum(l.dirty != 0 for l in lines)


def replay(o):
    l2, index = L2(o), 0
    for text in open(o.file):
        words = text.split("#")[0].split()
        if not words:
            continue
        mask = int(words[7], 16) if len(words) > 7 else l2.all
        answer, victim, back = l2.access(words[5], int(words[6], 16) // o.line, mask)
        print(f"{index},{answer},{'' if victim is None else hex(victim * o.line)},{back}")
        index += 1
    if o.flush:
        l2.flush()
    print(l2.reads, l2.writes, l2.stale)


def stream(o):
    """Runs of stores and loads over few lines, so that each line is written, read and evicted."""
    r = random.Random(o.seed)
    for cycle in range(o.accesses):
        kind = r.choice(["L", "L", "L", "L.cp", "S", "S.cc", "S.cc"])
        line = r.randrange(o.lines)
        mask = ""
        if r.random() < 0.5:
            first = r.randrange(o.line)
            n = r.choice([1, o.line // 4, o.line // 2, o.line])
            bits = ((1 << n) - 1) << first & (1 << o.line) - 1
            mask = f" {r.choice(['', '0x'])}{bits:x}"
        print(f"{cycle} {r.randrange(3)} 0 0 {r.randrange(8)} {kind} "
              f"{line * o.line + r.randrange(o.line):x}{mask}")


def text_of(action, o):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        action(o)
    return out.getvalue()


def replay_with_heddle(heddle, o, log):
    words = [heddle, "cache", "replay", o.file, "--format", "text", "--stores", "write_back",
             "--sets", o.sets, "--ways", o.ways, "--line", o.line, "--policy", o.policy,
             "--log", log, "--json"]
    if o.sector != o.line:
        words += ["--sector", o.sector]
    if o.policy == "write_buffering":
        for name in ("drop", "mark_stores", "mark_loads"):
            words += ["--set", f"{name}={str(getattr(o, name)).lower()}"]
    if o.flush:
        words.append("--flush")
    got = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, check=True).stdout
    r = json.loads(got)["replays"][0]
    return open(log).read() + f"{r['dram_reads']} {r['dram_writes']} {r['stale_reads']}\n"


def duel(o):
    stale = drops = bypasses = 0
    for seed in range(o.first, o.first + o.n):
        r = random.Random(seed)
        line = r.choice([32, 64, 128])
        c = argparse.Namespace(
            file=f"{o.folder}/{seed}.txt", sets=r.choice([1, 2, 3, 8]), ways=r.choice([1, 2, 3, 9, 16]),
            line=line, policy="lru" if r.random() < 0.1 else "write_buffering",
            drop=r.choice(["all_read", "first_hit", "demote"]), mark_stores=r.random() < 0.2,
            mark_loads=r.random() < 0.2, flush=r.random() < 0.3)
        c.sector = r.choice([line, max(32, line // 2), 32])
        lines = max(2, int(c.sets * c.ways * r.choice([0.7, 1.5, 3])))
        with open(c.file, "w") as f:
            f.write(text_of(stream, argparse.Namespace(seed=seed, accesses=600, lines=lines, line=line)))
        want = text_of(replay, c)
        got = replay_with_heddle(o.heddle, c, f"{o.folder}/{seed}.csv")
        if got != want:
            pairs = zip(got.splitlines() + [""], want.splitlines() + [""])
            first = next((i, a, b) for i, (a, b) in enumerate(pairs) if a != b)
            sys.exit(f"seed {seed}: {vars(c)}: line {first[0]} is '{first[1]}', not '{first[2]}'")
        stale += int(want.split()[-1])
        drops += want.count(",drop,")
        bypasses += want.count(",bypass,")
    if not (stale and drops and bypasses):
        sys.exit(f"the streams show too little: {stale} stale reads, {drops} drops, {bypasses} bypasses")
    print(f"{o.n} replays agree: {drops} drops, {bypasses} bypasses, {stale} stale reads")


def main():
    p = argparse.ArgumentParser()
    verbs = p.add_subparsers(dest="verb", required=True)
    v = verbs.add_parser("replay")
    v.add_argument("file")
    for name in ("sets", "ways", "line"):
        v.add_argument(f"--{name}", type=int, required=True)
    v.add_argument("--sector", type=int)
    v.add_argument("--policy", choices=["lru", "write_buffering"], required=True)
    v.add_argument("--drop", choices=["all_read", "first_hit", "demote"], default="all_read")
    for name in ("mark-stores", "mark-loads", "flush"):
        v.add_argument(f"--{name}", action="store_true")
    v = verbs.add_parser("stream")
    for name in ("seed", "accesses", "lines", "line"):
        v.add_argument(name, type=int)
    v = verbs.add_parser("duel")
    v.add_argument("heddle")
    v.add_argument("folder")
    v.add_argument("first", type=int)
    v.add_argument("n", type=int)
    o = p.parse_args()
    if o.verb == "replay":
        o.sector = o.sector or o.line
    {"replay": replay, "stream": stream, "duel": duel}[o.verb](o)


main()
