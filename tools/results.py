#!/usr/bin/env python3
"""Writes a page of doc/results: figures of the papers, made by `heddle figure`, beside what the
papers say.

    tools/results.py PAGE HEDDLE STORE [OPTION of `heddle figure`]...

PAGE is l1d or scheduling. Points that the store lacks are run first (--stored-only runs none). What
stands in the page between `<!-- why FIGURE -->` and `<!-- end -->` is written by people and kept."""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

FOLDER = "doc/results"
PAGES = {
    "l1d": ("Managing L1D: Stall-Bypass, protection, Ctrl-C",
            ["s2-fig5", "s2-fig6", "s2-fig10", "s2-fig10-lines", "s2-fig11a", "s2-fig11b", "s2-fig12a", "s2-fig13",
             "s3-fig5-7", "s3-fig5-8", "s3-fig5-9", "s3-fig5-10", "v100-l1d"]),
    "scheduling": ("Scheduling warps: CCWS, criticality",
                   ["s4-fig3", "s4-fig7", "s4-fig8", "s4-fig9", "s4-fig13", "s4-fig14", "s4-fig16",
                    "s4-fig17", "s4-decay", "s3-fig4-10", "s3-fig4-11", "s3-fig4-16", "v100-schedulers"]),
}
S2_WORKLOADS = ["hg", "hot", "sten", "sconv", "bp", "sr1", "nw", "gemm", "bt",
                "cfd", "pvr", "ss", "bfs", "mm", "srk", "sr2k", "kmn", "str"]
RANGES = ["0-4", "5-8", "9-64", ">64"]
WHY = re.compile(r"<!-- why (\S+) -->\n(.*?)<!-- end -->\n", re.S)


def figure(heddle, name, store, options):
    """The figure as JSON, its drawing left in FOLDER."""
    command = [heddle, "figure", name, "--store", store, "--svg", f"{FOLDER}/{name}.svg", "--json"]
    made = subprocess.run(command + options, stdout=subprocess.PIPE, text=True)
    if made.returncode != 0:
        sys.exit(f"{name}: `{' '.join(command + options)}` ended with {made.returncode}")
    return json.loads(made.stdout)


def row(cells):
    return "| " + " | ".join(cells) + " |\n"


def numbers(f):
    head = row([f["x_axis"]] + [s["title"] for s in f["series"]])
    lines = [head, row(["---"] * (1 + len(f["series"])))]
    for i, x in enumerate(f["x"]):
        values = [s["values"][i] for s in f["series"]]
        lines.append(row([x] + ["-" if v is None else f"{v:.3f}" for v in values]))
    return "".join(lines)


def claims(figures):
    lines = [row(["the paper says", "paper", "Heddle", "agrees", "source"]), row(["---"] * 5)]
    for f in figures:
        for c in f["paper"]:
            lines.append(row([c["says"], c["paper"] or "-", c["heddle"] or "-", c["agrees"], c["source"]]))
    return "".join(lines)


def section(f, why):
    text = f"\n## {f['title']}\n\n{f['source']}; `heddle figure {f['figure']}`.\n\n"
    text += f"![{f['title']}]({f['figure']}.svg)\n\n{numbers(f)}\n"
    if f["paper"]:
        text += claims([f]) + "\n"
    if f["points_stored"] < f["points"] or f["missing"]:
        lack = ", ".join(f["missing"]) or "-"
        text += f"Missing: {f['points'] - f['points_stored']} of {f['points']} points; not in Heddle: {lack}.\n\n"
    return text + f"<!-- why {f['figure']} -->\n{why}<!-- end -->\n"


def recorded(heddle, run, measures):
    """What `heddle cache` says, one answer for each of `measures`, of the L1D stream of a run."""
    with tempfile.TemporaryDirectory() as folder:
        stream = f"{folder}/stream"
        subprocess.run([heddle, "run", *run, "--record-l1d", stream],
                       check=True, stdout=subprocess.DEVNULL)
        return [json.loads(subprocess.run([heddle, "cache", words[0], stream, *words[1:], "--json"],
                                          check=True, stdout=subprocess.PIPE).stdout)
                for words in measures]


def recorded_all(heddle, runs, measures, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda run: recorded(heddle, run, measures), runs))


def shares(distances):
    total = sum(distances[r] for r in RANGES) or 1
    return [f"{100 * distances[r] / total:.1f}" for r in RANGES]


def distances_of_s2(heddle, size, jobs):
    """S2 Figures 3, 4 and 7, from the streams of the machine that S2 has."""
    measures = [["reuse"], ["replay", "--policy", "lru", "--ways", "4,8,16", "--no-compulsory"]]
    found = recorded_all(heddle, [[w, "--size", size, "--gpu", "m2090"] for w in S2_WORKLOADS], measures, jobs)
    text = ("\n## Reuse distances and misses of larger caches\n\nS2 Figures 3 and 4; `heddle run NAME --gpu m2090 "
            "--record-l1d FILE`, then `heddle cache reuse FILE` and `heddle cache replay FILE --ways 4,8,16 "
            "--no-compulsory`. Distances are loads of the set in between, in percent of all reuses; miss rates leave "
            "out compulsory misses.\n\n")
    text += row(["workload"] + RANGES + ["median", "misses, 16 KB", "32 KB", "64 KB"]) + row(["---"] * 9)
    text += row(["MM in S2 section 3.1", "19.5", "35.8", "33.2", "11.5", "-", "-", "-", "-"])
    for name, (reuse, replay) in zip(S2_WORKLOADS, found):
        d = reuse["distances"]["accesses"]
        rates = [r["miss_rate_without_compulsory"] for r in replay["replays"]]
        text += row([name] + shares(d) + [str(d["median"])] + [f"{r:.3f}" for r in rates])
    bfs = found[S2_WORKLOADS.index("bfs")][0]
    text += "\nThe loads of BFS apart (S2 Figure 7):\n\n" + row(["PC", "reuses"] + RANGES + ["median"]) + row(["---"] * 7)
    for pc in bfs["by_pc"]:
        text += row([str(pc["pc"]), f"{pc['reuses']:,}"] + shares(pc["accesses"]) + [str(pc["accesses"]["median"])])
    return text


def belady_of_s4(heddle, size, jobs):
    """S4 Figures 8 and 11: optimal replacement on the stream of each scheduler."""
    workloads, schedulers = ["bfs", "kmn", "memc", "gc"], ["lrr", "two_level_gto", "gto", "ccws"]
    runs = [[w, "--size", size, "--gpu", "ccws", "--scheduler", s] for w in workloads for s in schedulers]
    found = recorded_all(heddle, runs, [["replay", "--policy", "lru,belady"]], jobs)
    text = ("\n## Optimal replacement on the stream of each scheduler\n\nS4 Figures 8 and 11; `heddle run NAME --gpu ccws "
            "--scheduler S --record-l1d FILE`, then `heddle cache replay FILE --policy lru,belady`. Loads that miss, in "
            "percent, and hits by who brought the line, under LRU.\n\n")
    text += row(["workload", "scheduler", "LRU", "Belady", "same thread", "other thread of the warp", "other warp"])
    text += row(["---"] * 7)
    for run, (replay,) in zip(runs, found):
        lru, belady = replay["replays"]
        cells = [f"{100 * r['misses'] / r['loads']:.1f}" for r in (lru, belady)]
        hits = [f"{100 * lru['hits_' + k] / lru['loads']:.1f}" for k in ("intra_thread", "inter_thread", "inter_warp")]
        text += row([run[0], run[6]] + cells + hits)
    return text


LABORATORY = {"l1d": distances_of_s2, "scheduling": belady_of_s4}


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in PAGES:
        sys.exit(__doc__)
    page, heddle, store, options = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    title, names = PAGES[page]
    jobs = int(options[options.index("--jobs") + 1]) if "--jobs" in options else os.cpu_count()
    size = options[options.index("--size") + 1] if "--size" in options else "small"
    path = f"{FOLDER}/{page}.md"
    kept = dict(WHY.findall(open(path).read())) if os.path.exists(path) else {}
    os.makedirs(FOLDER, exist_ok=True)
    figures = [figure(heddle, name, store, options) for name in names]
    with open(path, "w") as out:
        out.write(f"# {title}\n\n")
        out.write(f"Written by `make results` (`tools/results.py {page}`) but for the paragraphs that explain. Inputs are of\n"
                  "size `small` unless a figure says otherwise: smaller than the papers'. \"direction\" means that both\n"
                  "numbers lie on the same side of what they are relative to; \"look\", that only people can tell.\n\n")
        out.write(f"<!-- why {page} -->\n{kept.get(page, '')}<!-- end -->\n\n")
        out.write("## What the papers say\n\n" + claims(figures))
        for f in figures:
            out.write(section(f, kept.get(f["figure"], "")))
        out.write(LABORATORY[page](heddle, size, jobs))
        out.write(f"\n<!-- why {page}-laboratory -->\n{kept.get(page + '-laboratory', '')}<!-- end -->\n")


main()
