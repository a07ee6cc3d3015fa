#!/usr/bin/env python3
"""A naive last-level cache that applications share, to be compared with `heddle cache replay --shared`.

    llc_reference.py duel HEDDLE FOLDER FIRST N     N random streams: every access and decision agrees

Written from the text of S1 section 5 (UCP: Qureshi and Patt 2006, RRIP: Jaleel et al. 2010, TAP: Lee and
Kim 2012) and the rules of doc/cache-lab.md, not from the policies: a set is a list of ways, recency is a
list of ways from the oldest to the newest, and lookahead compares fractions.
"""
import argparse
import json
import random
import subprocess
import sys
from fractions import Fraction

LEADERS = MONITORED = 32
XS_MAX = 1023


class Line:
    def __init__(self, number, owner, rrpv):
        self.number, self.owner, self.rrpv = number, owner, rrpv


def sampled_sets(sets):
    """The sets that a monitor watches: all, if there are few."""
    n = min(MONITORED, sets)
    return [i * (sets // n) for i in range(n)]


class Monitor:
    """Tags of a few sets as if the application had the cache for itself; hits by recency."""

    def __init__(self, sets, ways):
        self.ways = ways
        self.stacks = {s: [] for s in sampled_sets(sets)}
        self.hits = [0] * ways

    def access(self, at, number):
        stack = self.stacks.get(at)
        if stack is None:
            return
        if number in stack:
            self.hits[stack.index(number)] += 1
            stack.remove(number)
        stack.insert(0, number)
        del stack[self.ways:]


def lookahead(curves, ways, least):
    """Ways of each application. A curve is a list of hits by way, as fractions."""
    dealt = [least] * len(curves)
    while True:
        free = ways - sum(dealt)
        best = None
        for app, curve in enumerate(curves):
            for more in range(1, free + 1):
                gain = Fraction(sum(curve[dealt[app]:dealt[app] + more]), more)
                if gain > 0 and (best is None or gain > best[0]):
                    best = gain, app, more
        if best is None:
            break
        dealt[best[1]] += best[2]
    for i in range(ways - sum(dealt)):
        dealt[i % len(curves)] += 1
    return dealt


class SharedCache:
    def __init__(self, o, n_apps, samples):
        self.o, self.n_apps, self.samples = o, n_apps, samples
        self.ways = [[None] * o.ways for _ in range(o.sets)]
        self.recency = [[] for _ in range(o.sets)]  # ways, from the oldest to the newest
        self.monitors = [Monitor(o.sets, o.ways) for _ in range(n_apps)]
        self.psel = [512] * n_apps
        self.brrip_insertions = [0] * n_apps
        self.accesses = [0] * n_apps
        self.quotas = [o.ways // n_apps + (k < o.ways % n_apps) for k in range(n_apps)]
        self.helps, self.ratio, self.too_often = True, 1, False
        self.log, self.periods = [], []
        self.hits, self.misses = [0] * n_apps, [0] * n_apps

    def is_tap(self):
        return self.o.policy in ("tap_ucp", "tap_rrip")

    def is_rrip(self):
        return self.o.policy in ("srrip", "brrip", "drrip", "tap_rrip")

    def sampler(self, app, warp):
        """'lru', 'mru' or None."""
        if self.samples is None or not self.is_tap() or app != self.o.gpu_app:
            return None
        return {0: "lru", 1: "mru"}.get(warp)

    # --- decisions

    def find_ratio(self):
        """XSRATIO, and whether the GPU accesses more often than it may."""
        gpu = self.accesses[self.o.gpu_app]
        cpu = max([n for k, n in enumerate(self.accesses) if k != self.o.gpu_app] or [0])
        if cpu == 0:
            return (XS_MAX, True) if gpu else (1, False)
        if Fraction(gpu, cpu) <= self.o.xs_threshold:
            return 1, False
        return min(XS_MAX, gpu // cpu), True

    def partition(self):
        gpu = self.o.gpu_app
        curves = [[Fraction(h) for h in m.hits] for m in self.monitors]
        if self.o.policy == "ucp":
            return lookahead(curves, self.o.ways, self.o.min_ways)
        if self.helps:
            curves[gpu] = [h / self.ratio for h in curves[gpu]]
            return lookahead(curves, self.o.ways, self.o.min_ways)
        others = curves[:gpu] + curves[gpu + 1:]
        dealt = lookahead(others, self.o.ways - self.o.min_ways, self.o.min_ways)
        return dealt[:gpu] + [self.o.min_ways] + dealt[gpu:]

    def decide(self):
        if self.is_tap():
            if self.samples:
                a, b = self.samples.pop(0)
                self.helps = 100 * abs(a - b) > self.o.alpha * max(a, b)
            self.ratio, self.too_often = self.find_ratio()
        if self.o.policy in ("ucp", "tap_ucp"):
            self.quotas = self.partition()
        for m in self.monitors:
            m.hits = [h // 2 for h in m.hits]
        self.accesses = [0] * self.n_apps
        period = {}
        if self.o.policy in ("ucp", "tap_ucp"):
            period["quotas"] = list(self.quotas)
        if self.is_tap():
            period["xs_ratio"], period["caching_helps"] = self.ratio, self.helps
        if self.o.policy == "tap_rrip":
            period["gpu_brrip"] = self.forces_brrip()
        self.periods.append(period)

    def forces_brrip(self):
        return not self.helps or self.too_often

    # --- replacement

    def leads(self, app, at):
        """'srrip', 'brrip' or None: what the set tries for the application."""
        n = min(LEADERS, self.o.sets)
        stride = self.o.sets // n
        if at in [(i * stride + 2 * app) % self.o.sets for i in range(n)]:
            return "srrip"
        if at in [(i * stride + 2 * app + 1) % self.o.sets for i in range(n)]:
            return "brrip"
        return None

    def train(self, app, at):
        step = {"srrip": 1, "brrip": -1, None: 0}[self.leads(app, at)]
        self.psel[app] = min(1023, max(0, self.psel[app] + step))

    def insertion(self, app, at):
        """srrip or brrip."""
        if self.o.policy in ("srrip", "brrip"):
            return self.o.policy
        led = self.leads(app, at)
        if led:
            return led
        if self.o.policy == "tap_rrip" and app == self.o.gpu_app and self.forces_brrip():
            return "brrip"
        return "brrip" if self.psel[app] >= 512 else "srrip"

    def rrpv_of(self, app, at, sampler):
        if sampler:
            return 3 if sampler == "lru" else 0
        if self.insertion(app, at) == "srrip":
            return 2
        self.brrip_insertions[app] += 1
        return 2 if self.brrip_insertions[app] % self.o.brrip_period == 0 else 3

    def victim(self, app, at):
        ways, recency = self.ways[at], self.recency[at]
        if self.is_rrip():
            while not any(line.rrpv == 3 for line in ways):
                for line in ways:
                    line.rrpv += 1
            return min(w for w, line in enumerate(ways) if line.rrpv == 3)
        if self.o.policy == "lru":
            return recency[0]
        own = [w for w in recency if ways[w].owner == app]
        others = [w for w in recency if ways[w].owner != app]
        return others[0] if len(own) < self.quotas[app] else own[0]

    def insert(self, app, at, number, sampler):
        """The number of the victim, or None."""
        ways, recency = self.ways[at], self.recency[at]
        gone = None
        if None in ways:
            way = ways.index(None)
        else:
            way = self.victim(app, at)
            gone = ways[way].number
            recency.remove(way)
        rrpv = self.rrpv_of(app, at, sampler) if self.is_rrip() else None
        ways[way] = Line(number, app, rrpv)
        recency.insert(0 if sampler == "lru" else len(recency), way)
        return gone

    def access(self, app, warp, number):
        at = number % self.o.sets
        sampler = self.sampler(app, warp)
        self.accesses[app] += 1
        self.monitors[app].access(at, number)
        for way, line in enumerate(self.ways[at]):
            if line and line.number == number:
                line.rrpv = 0
                self.recency[at].remove(way)
                self.recency[at].append(way)
                self.hits[app] += 1
                self.log.append("hit,")
                return
        self.misses[app] += 1
        if not sampler:
            self.train(app, at)
        gone = self.insert(app, at, number, sampler)
        self.log.append("miss," + (f"0x{gone * self.o.line:x}" if gone is not None else ""))

    def replay(self, accesses):
        for i, (app, warp, address) in enumerate(accesses):
            if i and i % self.o.period == 0:
                self.decide()
            self.access(app, warp, address // self.o.line)
        if len(accesses) % self.o.period == 0:
            self.decide()


# --- the duel

POLICIES = ["lru", "srrip", "brrip", "drrip", "ucp", "tap_ucp", "tap_rrip"]
HAS_PERIOD = ("ucp", "tap_ucp", "tap_rrip")


def draw_accesses(r, o, n_apps, n):
    """Each application has its own lines, some of which others use too: loops, streams, and hot lines."""
    capacity = o.sets * o.ways
    apps = []
    for k in range(n_apps):
        apps.append({"kind": r.choice(["loop", "stream", "random", "hot"]), "base": r.choice([0, k * 4 * capacity]),
                     "lines": max(1, int(capacity * r.choice([0.1, 0.4, 0.9, 1.5, 3]))), "at": 0})
    weights = [r.choice([1, 1, 3, 20]) for _ in apps]
    accesses = []
    for _ in range(n):
        k = r.choices(range(n_apps), weights)[0]
        a = apps[k]
        if r.random() < 0.002:
            a["kind"] = r.choice(["loop", "stream", "random", "hot"])
        a["at"] += 1
        within = {"loop": a["at"] % a["lines"], "stream": a["at"], "random": r.randrange(a["lines"]),
                  "hot": int(a["lines"] * r.random() ** 3)}[a["kind"]]
        warp = r.choice([0, 1, 2, 3]) if r.random() < 0.5 else 7
        accesses.append((k, warp, (a["base"] + within) * o.line + r.randrange(o.line)))
    return accesses


def draw(seed):
    r = random.Random(seed)
    n_apps = r.choice([2, 2, 3, 5])
    o = argparse.Namespace(
        sets=r.choice([1, 2, 3, 8, 31, 32, 48, 64, 128]), ways=r.choice([n_apps, n_apps + 1, 8, 16]),
        line=r.choice([32, 64, 128]), policy=POLICIES[seed % len(POLICIES)], gpu_app=r.randrange(n_apps),
        period=r.choice([1, 7, 50, 200, 333]), min_ways=1, alpha=r.choice([0, 5, 5, 30]),
        xs_threshold=r.choice([1, 2, 10, 10]), brrip_period=r.choice([1, 3, 32, 32]))
    if n_apps * 2 <= o.ways and r.random() < 0.2:
        o.min_ways = 2
    n = r.choice([300, 1000, 2000])
    accesses = draw_accesses(r, o, n_apps, n)
    samples = None
    if r.random() < 0.7:
        a = [r.choice([0, 1000, 5000]) for _ in range(1 + r.randrange(1 + n // o.period))]
        samples = [(x, r.choice([x, x * 95 // 100, x * 94 // 100, 2 * x])) for x in a]
    return o, accesses, samples, max(k for k, _, _ in accesses) + 1


def words_of(o, folder, seed, samples):
    words = ["--sets", o.sets, "--ways", o.ways, "--line", o.line, "--policy", o.policy, "--gpu-app", o.gpu_app,
             "--log", f"{folder}/llc.csv"]
    settings = {}
    if o.policy in HAS_PERIOD:
        settings["period"] = o.period
    if o.policy in ("ucp", "tap_ucp"):
        settings["min_ways"] = o.min_ways
    if o.policy in ("tap_ucp", "tap_rrip"):
        settings |= {"alpha_percent": o.alpha, "xs_threshold": o.xs_threshold}
    if o.policy in ("brrip", "drrip", "tap_rrip"):
        settings["brrip_period"] = o.brrip_period
    for name, value in settings.items():
        words += ["--set", f"{name}={value}"]
    if samples is not None:
        words += ["--sampling", f"{folder}/llc.samples"]
    return [str(w) for w in words]


def replay_with_heddle(heddle, o, folder, seed, accesses, samples):
    with open(f"{folder}/llc.txt", "w") as f:
        for i, (app, warp, address) in enumerate(accesses):
            f.write(f"{i} {app} {warp} 0 0 {'S' if i % 5 == 0 else 'L'} {address:x}\n")
    if samples is not None:
        with open(f"{folder}/llc.samples", "w") as f:
            f.writelines(f"{a} {b}\n" for a, b in samples)
    command = [heddle, "cache", "replay", f"{folder}/llc.txt", "--format", "text", "--shared", "--json",
               *words_of(o, folder, seed, samples)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"seed {seed}: `{' '.join(command)}` ended with {done.returncode}")
    with open(f"{folder}/llc.csv") as f:
        log = [line.strip().split(",", 1)[1] for line in f]
    return json.loads(done.stdout)["replays"][0], log


def compare(seed, o, mine, found, log):
    """The first difference, or None."""
    for i, (a, b) in enumerate(zip(log + [""], mine.log + [""])):
        if a != b:
            return f"access {i} is '{a}', not '{b}'"
    counts = [(a["hits"], a["misses"]) for a in found["applications"]]
    if counts != list(zip(mine.hits, mine.misses)):
        return f"hits and misses are {counts}, not {list(zip(mine.hits, mine.misses))}"
    if o.policy not in HAS_PERIOD:
        return None
    periods = found["periods"]
    if len(periods) != len(mine.periods):
        return f"{len(periods)} periods, not {len(mine.periods)}"
    for i, (a, b) in enumerate(zip(periods, mine.periods)):
        for name, value in b.items():
            if a[name] != value:
                return f"{name} after period {i + 1} is {a[name]}, not {value}"
    return None


def duel(heddle, folder, first, n):
    rows, periods, seen = 0, 0, {"useless": 0, "normalised": 0, "unequal": 0}
    for seed in range(first, first + n):
        o, accesses, samples, n_apps = draw(seed)
        o.gpu_app = min(o.gpu_app, n_apps - 1)
        mine = SharedCache(o, n_apps, list(samples) if samples is not None else None)
        mine.replay(accesses)
        found, log = replay_with_heddle(heddle, o, folder, seed, accesses, samples)
        difference = compare(seed, o, mine, found, log)
        if difference:
            sys.exit(f"seed {seed}: {vars(o)}: {difference}")
        rows += len(log)
        if o.policy in HAS_PERIOD:
            periods += len(mine.periods)
        seen["useless"] += sum(p.get("caching_helps") is False for p in mine.periods)
        seen["normalised"] += sum(p.get("xs_ratio", 1) > 1 for p in mine.periods)
        seen["unequal"] += sum(len(set(p.get("quotas", [0]))) > 1 for p in mine.periods)
    if n >= 2 * len(POLICIES) and not all(seen.values()):
        sys.exit(f"the streams show too little: {seen}")
    print(f"{n} replays agree: {rows} accesses, {periods} decisions ({seen['unequal']} with unequal quotas, "
          f"{seen['useless']} without use for the GPU, {seen['normalised']} normalised)")


def main():
    if len(sys.argv) != 6 or sys.argv[1] != "duel":
        sys.exit(__doc__)
    duel(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))


main()
