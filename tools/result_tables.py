"""Tables behind the figures of doc/results that show single warps, or runs that need others first: S3
chapters 3 and 4, and those of result_streams.py. `heddle figure NAME --table FILE` draws them;
tools/results.py writes them to the pages."""
import collections
import concurrent.futures
import csv
import json
import os
import subprocess

import result_hetero
import result_mixes
import result_streams

LATENCIES = ["scheduling", "sync", "fetch", "ctrl_hazard", "data_hazard", "data_cache_miss", "mshr",
             "structural_hazard", "exec"]
MEMORY = ["data_cache_miss", "mshr", "structural_hazard"]
SENSITIVE = ["bfs", "bt", "htw", "km", "nw", "sr1", "sc_small"]
CAWS = {"caws_blk": "CAWS-blk", "caws_sm": "CAWS-SM", "caws_avg": "CAWS-avg"}


class Runs:
    """Runs of BFS whose warps are examined one by one. Each takes seconds and is made once, in a
    folder that is removed at the end. Longer runs are in `answers`, and points of sweeps in the
    store."""

    def __init__(self, heddle, folder, store, answers, size, jobs):
        self.heddle, self.folder, self.store, self.answers, self.size = heddle, folder, store, answers, size
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self.jobs, self.quick, self.made = jobs, False, {}

    def start(self, *words, oracle=None):
        """`heddle run WORDS`, after the run that its oracle reads; stats() waits for its end."""
        key = words + (oracle,)
        if key not in self.made:
            known = oracle and self.start(*oracle)
            path = f"{self.folder}/{len(self.made)}.csv"
            self.made[key] = path, self.pool.submit(self.run, words, path, known)
        return self.made[key]

    def run(self, words, path, known):
        told = []
        if known:
            known[1].result()
            told = ["--set", f"criticality.file={known[0]}"]
        command = [self.heddle, "run", *words, *told, "--json", "--attribute-out", path]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["stats"]

    def stream(self, *words):
        """The L1D stream of a run, with CPL's ratings of its warps, and how often each PC loads."""
        key = ("stream",) + words
        if key not in self.made:
            path = f"{self.folder}/{len(self.made)}.zst"
            command = [self.heddle, "run", *words, "--set", "criticality=cpl", "--record-l1d", path,
                       "--record-criticality", "--per-pc", "--json"]
            told = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["per_pc"]
            self.made[key] = path, {pc["pc"]: pc["loads"] for pc in told if pc["loads"]}
        return self.made[key]

    def distances(self, stream, *words):
        """What `heddle cache reuse` prints for it."""
        command = [self.heddle, "cache", "reuse", stream, *words, "--json"]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)

    def stats(self, *words, oracle=None):
        return self.start(*words, oracle=oracle)[1].result()

    def warps(self, *words, oracle=None):
        """The lifetimes of all warps: {(launch, CTA): {warp: its row of numbers}}."""
        path, end = self.start(*words, oracle=oracle)
        end.result()
        found = collections.defaultdict(dict)
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                if row["record"] == "warp":
                    numbers = {k: int(v) for k, v in row.items() if k not in ("record", "kernel") and v}
                    numbers["cycles"] = numbers["end_cycle"] - numbers["start_cycle"]
                    found[numbers["launch"], numbers["cta"]][numbers["warp"]] = numbers
        return found


def bfs(gpu, scheduler, shape="uniform"):
    return "bfs", "--size", f"paper-s3:graph={shape}", "--gpu", gpu, "--scheduler", scheduler


def block_of_s3(warps):
    """S3 shows "Thread-Block 2, SM 3"; here it is that of the launch whose CTAs take longest."""
    time = collections.Counter()
    for (launch, _), cta in warps.items():
        time[launch] += max(w["cycles"] for w in cta.values())
    launch = max(time, key=lambda n: (time[n], -n))
    first = {key: next(iter(cta.values())) for key, cta in warps.items() if key[0] == launch}
    on_sm = sorted((w["start_cycle"], key) for key, w in first.items() if w["sm"] == 3)
    return on_sm[min(2, len(on_sm) - 1)][1]


def ranked(cta):
    """The warps of a CTA from the fastest to the slowest."""
    return sorted(cta.values(), key=lambda w: (w["cycles"], w["warp"]))


def idle_warps(runs):
    warps = runs.warps(*bfs("gtx480-ch3", "lrr"))
    cta = ranked(warps[block_of_s3(warps)])
    slowest = cta[-1]["cycles"]
    rows = [[i + 1, w["cycles"] / slowest, 1 - w["cycles"] / slowest] for i, w in enumerate(cta)]
    mean = sum(w["cycles"] for w in cta) / len(cta)
    return ["rank", "runs", "idle"], rows + [["ideal", mean / slowest, ""]]


def latencies(runs):
    warps = runs.warps(*bfs("gtx480-ch3", "lrr"))
    cta = ranked(warps[block_of_s3(warps)])
    return ["rank"] + LATENCIES, [[i + 1] + [w[n] for n in LATENCIES] for i, w in enumerate(cta)]


def latencies_of_caws(runs):
    warps = runs.warps(*bfs("gtx480-ch3", "lrr"))
    block = block_of_s3(warps)
    caws = runs.warps(*bfs("gtx480-ch3", "caws_avg"), oracle=bfs("gtx480-ch3", "lrr"))[block]
    before = ranked(warps[block])
    rows = [[i + 1] + [caws[w["warp"]][n] for n in LATENCIES] + [caws[w["warp"]]["cycles"] / w["cycles"]]
            for i, w in enumerate(before)]
    whole = max(w["cycles"] for w in caws.values()) / before[-1]["cycles"]
    return ["rank"] + LATENCIES + ["relative"], rows + [["CTA"] + [""] * len(LATENCIES) + [whole]]


def first_round(warps):
    """The CTAs of the longest launch that start before any of its CTAs has ended: S3 section 3.5 has "the first round", and
    its shares are of 45 CTAs, which is what 15 SMs hold at a time."""
    launch, _ = block_of_s3(warps)
    ctas = {key: cta.values() for key, cta in warps.items() if key[0] == launch}
    first_end = min(max(w["end_cycle"] for w in cta) for cta in ctas.values())
    return [key for key, cta in ctas.items() if min(w["start_cycle"] for w in cta) < first_end]


def time_of(warps, ctas):
    found = [w for key in ctas for w in warps[key].values()]
    return max(w["end_cycle"] for w in found) - min(w["start_cycle"] for w in found)


def inversions(before, after, ctas):
    """Shares of CTAs whose slowest warp was not the predicted one, and of those in which it was
    predicted to be faster than the mean of its CTA."""
    others = fast = 0
    for key in ctas:
        predicted, slowest = ranked(before[key])[-1], ranked(after[key])[-1]
        mean = sum(w["cycles"] for w in before[key].values()) / len(before[key])
        is_other = slowest["warp"] != predicted["warp"]
        others += is_other
        fast += is_other and before[key][slowest["warp"]]["cycles"] < mean
    return [others / len(ctas), fast / len(ctas)]


def caws(runs):
    plain = {"gto": "GTO", "two_level": "2-Level"}
    lrr = bfs("gtx480-ch3", "lrr")
    started = {s: (bfs("gtx480-ch3", s), lrr if s in CAWS else None) for s in list(plain) + list(CAWS)}
    for words, oracle in started.values():
        runs.start(*words, oracle=oracle)
    before = runs.warps(*lrr)
    ctas = first_round(before)
    rows = []
    for s, (words, oracle) in started.items():
        after = runs.warps(*words, oracle=oracle)
        whole = runs.stats(*lrr)["cycles"] / runs.stats(*words, oracle=oracle)["cycles"]
        rows.append([(plain | CAWS)[s], time_of(before, ctas) / time_of(after, ctas), whole]
                    + (inversions(before, after, ctas) if oracle else ["", ""]))
    return ["scheduler", "speed-up", "of all launches", "inverted", "inverted by a fast warp"], rows


def disparity(shape):
    def table(runs):
        warps = runs.warps(*bfs("gtx480-cawa", "lrr", shape))
        cta = ranked(warps[block_of_s3(warps)])
        fewest = min(w["exec"] for w in cta)
        return ["rank", "time", "instructions"], [
            [i + 1, w["cycles"] / cta[0]["cycles"], w["exec"] / fewest] for i, w in enumerate(cta)]
    return table


def shares(name, parts):
    def table(runs):
        warps = runs.warps(*bfs("gtx480-cawa", "lrr"))
        cta = ranked(warps[block_of_s3(warps)])
        return ["rank", "time", name], [
            [i + 1, w["cycles"] / cta[-1]["cycles"], sum(w[n] for n in parts) / cta[-1]["cycles"]]
            for i, w in enumerate(cta)]
    return table


def scheduling(runs):
    """Shares of the cycles of the slowest warp; and for Algorithm 2 as printed, shares of the sum
    of a warp's categories."""
    head, rows = shares("scheduling", ["scheduling"])(runs)
    words = bfs("gtx480-cawa", "lrr")
    ranks = ranked(runs.warps(*words)[block_of_s3(runs.warps(*words))])
    printed = runs.warps(*words, "--set", "sm.scheduling_delay=printed")[block_of_s3(runs.warps(*words))]
    for row, warp in zip(rows, ranks):
        counted = printed[warp["warp"]]
        row.append(counted["scheduling"] / sum(counted[n] for n in LATENCIES))
    return head + ["printed"], rows


def critical_distances(runs):
    ranges = ["0-3", "4-8", "9-32", "33-64", "65-128", ">128"]
    stream, _ = runs.stream(*bfs("gtx480-ch3", "lrr"))
    columns = []
    for words in (["--critical"], []):
        d = runs.distances(stream, "--ranges", "3,8,32,64,128", *words)["distances"]
        columns.append([d["lines"][r] / d["reuses"] for r in ranges])
    rows = [list(r) for r in zip(ranges, *columns)]
    return ["distance", "critical", "all"], rows + [["evicted"] + [1 - c[0] for c in columns]]


def reuse_by_pc(runs):
    """Which warp loads a line next, if the line is still present, in LRU caches of 16 ways: of 16
    KB and of 256 KB."""
    stream, loads = runs.stream(*bfs("gtx480-cawa", "lrr"))
    rows = []
    hits = {}
    for sets in (128, 8):
        for critical in ([], ["--critical"]):
            found = runs.distances(stream, "--sets", str(sets), "--ranges", "15", *critical)
            hits[sets, bool(critical)] = {pc["pc"]: pc["lines"]["0-15"] for pc in found["by_pc"]}
    for pc, n in sorted(loads.items()):
        for sets, size in ((128, "256 KB"), (8, "16 KB")):
            every, by_critical = (hits[sets, c].get(pc, 0) for c in (False, True))
            rows.append([f"{pc} {size}", by_critical / n, (every - by_critical) / n, 1 - every / n])
    return ["load", "critical", "others", "nobody"], rows


def oracle_of(runs, workload):
    """Statistics under round robin, and under CAWS-avg, which knows the lifetimes of warps in that
    run."""
    size = runs.size or "paper-s3"
    words = ("run", workload, "--size", size, "--gpu", "gtx480-cawa", "--scheduler")
    return runs.answers.ask(words + ("lrr", "--attribute-out", "@warps.csv", "--json"),
                            words + ("caws_avg", "--set", "criticality.file=@warps.csv", "--json"))


def ask_oracles(runs):
    return {w: oracle_of(runs, w) for w in SENSITIVE}


def caws_and_gcaws(runs):
    """CAWS by runs of its own, the other schedulers from the points of S3 Figure 4.10."""
    found = ask_oracles(runs)
    size = ["--size", runs.size] if runs.size else []
    command = [runs.heddle, "figure", "s3-fig4-10", "--store", runs.store, "--stored-only", *size, "--json"]
    others = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    series = {s["title"]: dict(zip(others["x"], s["values"])) for s in others["series"]}
    rows = []
    for w in SENSITIVE:
        plain, caws = (answer["stats"]["cycles"] for answer in found[w].result())
        rows.append([w, plain / caws, series["gCAWS"][w], series["CAWA"][w]])
    return ["workload", "CAWS", "gCAWS", "CAWA"], rows


TABLES = {
    "s3-fig3-3": idle_warps,
    "s3-fig3-4": latencies,
    "s3-fig3-5": caws,
    "s3-fig3-6": latencies_of_caws,
    "s3-fig4-1": disparity("uniform"),
    "s3-fig4-2": disparity("tree"),
    "s3-fig4-3": shares("memory", MEMORY),
    "s3-fig4-4": critical_distances,
    "s3-fig4-5": scheduling,
    "s3-fig4-9": reuse_by_pc,
    "s3-fig4-13": caws_and_gcaws,
    **result_streams.TABLES,
    **result_mixes.TABLES,
    **result_hetero.TABLES,
}


def write(name, runs):
    """The CSV file of a figure's table."""
    head, rows = TABLES[name](runs)
    path = os.path.join(runs.folder, f"{name}.table.csv")
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([head] + rows)
    return path
