#!/usr/bin/env python3
"""Writes a page of doc/results: figures of the papers, made by `heddle figure`, beside what the
papers say.

    tools/results.py PAGE HEDDLE STORE [OPTION of `heddle figure`]...

PAGE is l1d or scheduling. Points that the store lacks are run first (--stored-only runs none). What
stands in the page between `<!-- why FIGURE -->` and `<!-- end -->` is written by people and kept, but for
the numbers it quotes (tools/result_pages.py)."""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

import result_tables
from result_pages import FOLDER, WHY, digest, fill, geometric_mean, groups_of, note_of
from result_streams import cache, record

PAGES = {
    "l1d": ("Managing L1D: Stall-Bypass, protection, Ctrl-C",
            ["s2-fig5", "s2-fig6", "s2-fig10", "s2-fig10-lines", "s2-fig11a", "s2-fig11b", "s2-fig12a", "s2-fig12b", "s2-fig13",
             "s3-fig5-1", "s3-fig5-3", "s3-fig5-4", "s3-fig5-5", "s3-fig5-7", "s3-fig5-7-hash", "s3-kmn", "s3-fig5-8", "s3-fig5-9", "s3-fig5-10", "v100-l1d"]),
    "scheduling": ("Scheduling warps: CCWS, criticality",
                   ["s4-fig1", "s4-fig2", "s4-fig3", "s4-fig7", "s4-over", "s4-fig8", "s4-fig9", "s4-fig10",
                    "s4-sensitive", "s4-fig11", "s4-fig12", "s4-fig13", "s4-fig14", "s4-fig15", "s4-fig16", "s4-k128",
                    "s4-fig17", "s4-fig18", "s4-decay", "s3-fig3-2", "s3-fig3-3", "s3-fig3-4", "s3-fig3-5", "s3-fig3-6", "s3-fig4-1", "s3-fig4-2", "s3-fig4-3",
                    "s3-fig4-4", "s3-fig4-5", "s3-fig4-9", "s3-fig4-10", "s3-kmn-cawa", "s3-fig4-11", "s3-fig4-12", "s3-fig4-13", "s3-fig4-14",
                    "s3-fig4-15", "s3-fig4-16", "v100-schedulers"]),
}
S2_WORKLOADS = ["hg", "hot", "sten", "sconv", "bp", "sr1", "nw", "gemm", "bt",
                "cfd", "pvr", "ss", "bfs", "mm", "srk", "sr2k", "kmn", "str"]
RANGES = ["0-4", "5-8", "9-64", ">64"]
S3_LOADS = {"ell": "139+155,145+162,148+165", "kmn": "26+33,105+115", "bfs": "12,20,70+83,73+86,110"}


def figure(heddle, name, store, options, runs):
    """The figure as JSON, its drawing left in FOLDER."""
    source = ["--store", store, *options]
    if name in result_tables.TABLES:
        source = ["--table", result_tables.write(name, runs)]
    command = [heddle, "figure", name, *source, "--svg", f"{FOLDER}/{name}.svg", "--json"]
    made = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if made.returncode != 0:
        sys.exit(f"{name}: `{' '.join(command)}` ended with {made.returncode}")
    return json.loads(made.stdout)


def row(cells):
    return "| " + " | ".join(cells) + " |\n"


def shown(values):
    return ["-" if v is None else f"{v:.3f}" for v in values]


def means(f, members):
    """Of each series, over some of the xs; None where a number is missing or 0."""
    found = [[s["values"][f["x"].index(x)] for x in members] for s in f["series"]]
    return [geometric_mean(values) if all(values) else None for values in found]


def numbers(f):
    """A row for each x, with its size where sizes differ, and one for each group that a claim speaks of."""
    sizes = [[s or "-"] for s in f["sizes"]] if "sizes" in f else [[]] * len(f["x"])
    head = [f["x_axis"]] + ["size"] * ("sizes" in f) + [s["title"] for s in f["series"]]
    lines = [row(head), row(["---"] * len(head))]
    for i, x in enumerate(f["x"]):
        lines.append(row([x] + sizes[i] + shown(s["values"][i] for s in f["series"])))
    for name, members in groups_of(f["paper"], f["x"]).items():
        lines.append(row([name] + ["-"] * ("sizes" in f) + shown(means(f, members))))
    return "".join(lines)


def claims(figures, named):
    """A row for each claim of the figures, with the figure's name in a page's list of all."""
    head = ["the paper says", "paper", "Heddle", "agrees", "source"] + ["figure"] * named
    lines = [row(head), row(["---"] * len(head))]
    for f in figures:
        for c in f["paper"]:
            cells = [c["says"], c["paper"] or "-", c["heddle"] or "-", c["agrees"], c["source"]]
            lines.append(row(cells + [f"`{f['figure']}`"] * named))
    return "".join(lines)


def section(f, why):
    text = f"\n## {f['title']}\n\n{f['source']}; `heddle figure {f['figure']}`"
    text += f"; inputs of size `{f['size']}`.\n\n" if f.get("size", "small") != "small" else ".\n\n"
    text += f"![{f['title']}]({f['figure']}.svg)\n\n{note_of(f['figure'])}"
    text += f"<!-- figure {f['figure']} of {digest(f['figure'])} -->\n{numbers(f)}\n"
    if f["paper"]:
        text += claims([f], named=False) + "\n"
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
    text += "<!-- table s2-distances -->\n"
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


def bypasses_in_replays(heddle, folder):
    text = ("\nWhat replays without time say of Figure 5.5: hits of all loads, in percent, when one load inserts with probability "
            "1/2^N; `heddle cache bypass NAME.zst --pcs ...`:\n\n<!-- table s3-bypass -->\n")
    text += row(["workload", "PC"] + [f"N = {n}" for n in range(8)] + ["best"]) + row(["---"] * 11)
    for name, pcs in S3_LOADS.items():
        found = cache(heddle, "bypass", f"{folder}/{name}.zst", "--pcs", pcs)
        for load in found["bypassed"]:
            hits = [f"{100 * h / found['loads']:.1f}" for h in load["hits"]]
            text += row([name, load["pc"]] + hits + [str(load["best_n"])])
    return text


def bypasses_of_s3(heddle, size, jobs):
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda name: record(heddle, folder, name, size), S3_LOADS))
        return bypasses_in_replays(heddle, folder)


def distances(heddle, size, jobs):
    return distances_of_s2(heddle, size, jobs) + bypasses_of_s3(heddle, size, jobs)


LABORATORY = {"l1d": distances}


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
    with tempfile.TemporaryDirectory() as folder:
        runs = result_tables.Runs(heddle, folder, size, jobs)
        figures = [figure(heddle, name, store, options, runs) for name in names]
    text = f"# {title}\n\n"
    text += (f"Written by `make results` (`tools/results.py {page}`) but for the paragraphs that explain. Inputs are of\n"
             "size `small` unless a figure says otherwise: smaller than the papers'. \"yes\" means that a number is within\n"
             "5 % of the paper's (itself, not what it gains: 0.96 beside 0.998 is a \"yes\"), or that what is said holds;\n"
             "\"direction\", that both numbers lie on the same side of what they are relative to; \"look\", that only people can\n"
             "tell. What is said of a group of workloads is the last rows' of a table, \"geometric mean of A to B\", A and B\n"
             "being rows; a bare \"mean\" is that of all rows. Rows go by Heddle's names (`heddle show workloads`); where a\n"
             "paper has others, they stand below the picture.\n\n")
    text += f"<!-- why {page} -->\n{kept.get(page, '')}<!-- end -->\n\n"
    text += "## What the papers say\n\n" + claims(figures, named=True)
    text += "".join(section(f, kept.get(f["figure"], "")) for f in figures)
    if page in LABORATORY:
        text += LABORATORY[page](heddle, size, jobs)
        text += f"\n<!-- why {page}-laboratory -->\n{kept.get(page + '-laboratory', '')}<!-- end -->\n"
    problem = None
    try:
        text = fill(text)
    except (KeyError, ValueError) as why: # what took so long to make is kept in any case
        problem = f"{path} is written, but a sentence there quotes what is not there: {why}"
    with open(path, "w") as out:
        out.write(text)
    sys.exit(problem)


main()
