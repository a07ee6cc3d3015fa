"""Results of mixes of CPU programs and a GPU workload: tables of doc/results/llc.md, from the points
of the figures llc-mixes, llc-cpu-alone and llc-gpu-alone in a store.

A mix counts if it has results under all policies, and each of its applications has one alone. The
speedups of a mix are those of its applications, including the GPU. Their geometric mean is TAP's
metric; weighted speedup is the sum of IPC / IPC alone, fairness their harmonic mean."""
import json
import subprocess

from result_pages import geometric_mean, row

POLICIES = {"lru": "LRU", "srrip": "SRRIP", "brrip": "BRRIP", "drrip": "DRRIP", "ucp": "UCP", "tap_ucp": "TAP-UCP", "tap_rrip": "TAP-RRIP"}
OTHERS = [p for p in POLICIES if p != "lru"]
SETTINGS = "cpu.l2_bytes=32K cpu.l1_bytes=8K cpu.insts=2000000 llc.period="  # those of the figures
PERIOD = 10000
SETS, EIGHTH = 32, 4  # of a bank: of the mixes, and an eighth of that
CLASSES = ["streaming", "cache-friendly", "cache-insensitive"]
LOSES, MISSES = 0.05, 0.75  # with an eighth of the cache; of its accesses
PROGRAMS = {1: "1 CPU program", 2: "2 CPU programs", 4: "4 CPU programs"}

QUERY = """SELECT r.id, r.workload, r.size, r.l2, r.settings, s.name, s.value FROM results r JOIN stats s ON s.run = r.id
WHERE r.gpu = 'hetero' AND r.settings LIKE '%%%s%%' AND s.name IN ('ipc', 'cycles', 'cpu0.ipc', 'cpu1.ipc', 'cpu2.ipc', 'cpu3.ipc',
'llc.access_ratio', 'llc.periods', 'llc.periods_judged', 'llc.periods_caching_helps', 'llc.mean_xs_ratio', 'l2.loads', 'l2.hits', 'l2.merges')""" % SETTINGS


class Mixes:
    def __init__(self, runs):
        self.runs_of = {}  # (workload, CPU programs, policy, sets, period): statistics
        sizes = self.sizes(runs)
        found = subprocess.run([runs.heddle, "query", "--store", runs.store, "--json", QUERY], check=True, stdout=subprocess.PIPE)
        for r in json.loads(found.stdout):
            words = dict(w.split("=", 1) for w in r["settings"].split())
            if r["size"] == sizes.get(r["workload"], r["size"]):
                key = r["workload"], words["cpu.programs"], r["l2"], int(words["l2.n_sets"]), int(words["llc.period"])
                self.runs_of.setdefault(key, {})[r["name"]] = r["value"]
        self.workloads = list(sizes)
        self.mixes = [(w, c) for w, c, p, n, t in self.runs_of if (p, n, t) == ("lru", SETS, PERIOD) and w != "none" and c and self.is_whole(w, c)]
        self.mixes.sort(key=lambda mix: (mix[1].count(","), mix[1], mix[0]))

    @staticmethod
    def sizes(runs):
        """The input of each workload of the mixes."""
        command = [runs.heddle, "figure", "llc-mixes", "--store", runs.store, "--stored-only", "--json"]
        f = json.loads(subprocess.run(command + (["--size", runs.size] if runs.size else []), check=True, stdout=subprocess.PIPE).stdout)
        return dict(zip(f["x"], f["sizes"] if "sizes" in f else [f["size"]] * len(f["x"])))

    def stats(self, workload, programs, policy="lru", sets=SETS, period=PERIOD):
        return self.runs_of.get((workload, programs, policy, sets, period))

    def is_whole(self, workload, programs):
        alone = [self.stats(workload, "")] + [self.stats("none", p) for p in programs.split(",")]
        return all(alone) and all(self.stats(workload, programs, p) for p in POLICIES)

    def ipcs(self, mix, policy, sets=SETS, period=PERIOD):
        """Of the CPU programs and the GPU."""
        s = self.stats(*mix, policy, sets, period)
        return [s[f"cpu{i}.ipc"] for i in range(len(mix[1].split(",")))] + [s["ipc"]]

    def alone(self, mix):
        return [self.stats("none", p)["cpu0.ipc"] for p in mix[1].split(",")] + [self.stats(mix[0], "")["ipc"]]

    def speedups(self, mix, policy, over="lru"):
        return [a / b for a, b in zip(self.ipcs(mix, policy), self.ipcs(mix, over))]

    def progress(self, mix, policy):
        return [a / b for a, b in zip(self.ipcs(mix, policy), self.alone(mix))]

    def weighted_speedup(self, mix, policy):
        return sum(self.progress(mix, policy))

    def fairness(self, mix, policy):
        found = self.progress(mix, policy)
        return len(found) / sum(1 / x for x in found)

    def mean_speedup(self, mixes, policy, over="lru"):
        return geometric_mean([geometric_mean(self.speedups(m, policy, over)) for m in mixes])

    def traits(self, workload):
        """Alone: IPC with an eighth of the cache / IPC, misses / loads, loads per cycle; None if a
        run is missing."""
        whole, eighth = self.stats(workload, ""), self.stats(workload, "", sets=EIGHTH)
        if not whole or not eighth:
            return None
        missed = 1 - (whole.get("l2.hits", 0) + whole.get("l2.merges", 0)) / whole["l2.loads"]
        return eighth["ipc"] / whole["ipc"], missed, whole["l2.loads"] / whole["cycles"]

    def class_of(self, workload):
        found = self.traits(workload)
        if not found:
            return None
        if found[0] < 1 - LOSES:
            return "cache-friendly"
        return "streaming" if found[1] >= MISSES else "cache-insensitive"

    def by_programs(self):
        return [(name, [m for m in self.mixes if m[1].count(",") + 1 == n]) for n, name in PROGRAMS.items()]

    def by_class(self):
        return [(c, [m for m in self.mixes if self.class_of(m[0]) == c]) for c in CLASSES]


def mixes_of(runs):
    if not hasattr(runs, "mixes"):
        runs.mixes = Mixes(runs)
    return runs.mixes


def with_all(m, groups):
    return [(name, mixes) for name, mixes in groups + [("all mixes", m.mixes)] if mixes]


def speedups_of(groups_of):
    def table(runs):
        m = mixes_of(runs)
        head = ["mixes"] + OTHERS + ["tap_ucp over ucp", "tap_rrip over drrip"]
        return head, [[name] + [m.mean_speedup(g, p) for p in OTHERS] +
                      [m.mean_speedup(g, "tap_ucp", "ucp"), m.mean_speedup(g, "tap_rrip", "drrip")] for name, g in with_all(m, groups_of(m))]
    return table


def classes(runs):
    """The classes of workloads, with the numbers that determine them."""
    m = mixes_of(runs)
    rows = [[f"{w} ({c})", *m.traits(w)] for c in CLASSES for w in m.workloads if m.class_of(w) == c]
    return ["workload", "eighth", "misses", "loads"], rows


def speedups_by_workload(runs):
    m = mixes_of(runs)
    rows = [[w] + [m.mean_speedup(g, p) for p in OTHERS]
            for w in m.workloads for g in [[x for x in m.mixes if x[0] == w]] if g]
    return ["workload"] + OTHERS, rows


SMALLER = 8  # sets
CASES = [("1 MB at 10000", SETS, PERIOD), ("256 KB at 10000", SMALLER, PERIOD),
         ("1 MB at 2500", SETS, 2500), ("1 MB at 40000", SETS, 40000)]


def pressure(runs):
    """Mixes of llc-smaller in a smaller cache, and with other periods."""
    m = mixes_of(runs)
    mixes = [(w, c) for w, c, p, n, t in m.runs_of if (p, n, t) == ("lru", SMALLER, PERIOD) and "," in c]
    rows = []
    for name, sets, period in CASES:
        cells = []
        for p in OTHERS:
            if not mixes or not all(m.stats(*mix, p, sets, period) and m.stats(*mix, "lru", sets) for mix in mixes):
                cells.append("")
                continue
            ratios = [a / b for mix in mixes for a, b in zip(m.ipcs(mix, p, sets, period), m.ipcs(mix, "lru", sets))]
            cells.append(geometric_mean(ratios))
        rows.append([name] + cells)
    return ["case"] + OTHERS, rows


NAMES = ["bzip2", "xz", "gzip", "cc1", "lattice", "python3", "chase", "sqlite3"]
SIZES = {64: "128 KB", 128: "256 KB", 512: "1 MB"}  # by sets of 32 lines of 64 bytes
RECORDED_INSTS = 10_000_000


def ask_laboratory(runs):
    """Misses of each program's recording, without time, under LRU and optimal replacement."""
    words = ("--format", "cpu", "--sets", ",".join(map(str, SIZES)), "--ways", "32", "--line", "64", "--stores", "keep", "--policy", "lru,belady", "--json")
    return {name: runs.answers.ask(("cache", "replay", name) + words) for name in NAMES}


def possible(runs):
    rows = []
    for name, answer in ask_laboratory(runs).items():
        found = {(r["policy"], r["sets"]): r["misses"] for r in answer.result()[0]["replays"]}
        rows.append([name] + [1000 * found[p, n] / RECORDED_INSTS for p in ("lru", "belady") for n in SIZES])
    return ["program"] + [f"{p} {size}" for p in ("LRU", "optimal") for size in SIZES.values()], rows


def side_means(m, mixes, policy):
    """Geometric means over all CPU programs, and over the GPU's part of the mixes."""
    cpus = [s for mix in mixes for s in m.speedups(mix, policy)[:-1]]
    return [geometric_mean(cpus), geometric_mean([m.speedups(mix, policy)[-1] for mix in mixes])]


def sides(runs):
    m = mixes_of(runs)
    return ["policy", "CPU programs", "GPU"], [[POLICIES[p]] + side_means(m, m.mixes, p) for p in OTHERS]


def means_of(metric):
    def table(runs):
        m = mixes_of(runs)
        rows = [[name] + [sum(metric(m, x, p) for x in g) / len(g) for p in POLICIES] for name, g in with_all(m, m.by_programs() + m.by_class())]
        return ["mixes"] + list(POLICIES), rows
    return table


TABLES = {
    "s1-fig8": speedups_of(Mixes.by_programs),
    "llc-classes": speedups_of(Mixes.by_class),
    "llc-gpu-classes": classes,
    "llc-workloads": speedups_by_workload,
    "llc-sides": sides,
    "llc-pressure": pressure,
    "llc-possible": possible,
    "llc-weighted": means_of(Mixes.weighted_speedup),
    "llc-fairness": means_of(Mixes.fairness),
}


def table_of_mixes(runs):
    """Every mix by itself."""
    m = mixes_of(runs)
    text = (f"\n## Every mix\n\n{len(m.mixes)} of 152 mixes have results under all policies. Geometric means of the speedups over LRU; under LRU "
            "the weighted speedup and the access ratio; under TAP-UCP the periods, in how many of them the sampling SMs were busy enough "
            "to judge by, after how many caching helps the GPU, and the mean of XSRATIO.\n\n<!-- table llc-mix-table -->\n")
    head = ["CPU programs", "GPU", "class"] + [POLICIES[p] for p in OTHERS] + ["weighted speedup", "access ratio", "periods", "judged", "helps", "XSRATIO"]
    text += row(head) + row(["---"] * len(head))
    for mix in m.mixes:
        lru, tap = m.stats(*mix), m.stats(*mix, "tap_ucp")
        text += row([mix[1].replace(",", ", "), mix[0], m.class_of(mix[0]) or "-"] + [f"{m.mean_speedup([mix], p):.3f}" for p in OTHERS] +
                    [f"{m.weighted_speedup(mix, 'lru'):.3f}", f"{lru['llc.access_ratio']:.2f}"] +
                    [f"{int(tap.get(n, 0)):,}" for n in ("llc.periods", "llc.periods_judged", "llc.periods_caching_helps")] + [f"{tap['llc.mean_xs_ratio']:.2f}"])
    return text
