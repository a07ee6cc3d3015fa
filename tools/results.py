#!/usr/bin/env python3
"""Writes a page of doc/results: the papers' figures, made by `heddle figure`, beside the papers'
claims.

    tools/results.py PAGE HEDDLE STORE [--stored-only] [--only NAME,...] [--jobs N] [--size SIZE]
    tools/results.py PAGE --texts [HEDDLE]
    tools/results.py hetero HEDDLE STORE|MEASURED.json [--quick] [--commit ID] ...
    tools/results.py commands HEDDLE STORE [--jobs N]

PAGE is atomics, l1d, scheduling, l2, llc or hetero; --quick runs a sample of the page's mixes.
doc/results/hetero-mixes.json has the measurements of that page and can replace STORE; --commit names the
source of its simulations if it is not HEDDLE's.
Results of points are stored in STORE, answers of other long runs in files of the folder
STORE.answers. What is missing there is run first. With --stored-only nothing is run, except for
runs of BFS that take seconds. --only regenerates the figures and tables named and leaves the others
as they are. --texts regenerates only what is written by hand: reasons, notes and explanations; with HEDDLE also the
claims of figures, where the numbers on the page decide them.
`commands` prints the commands that fill both, one shell line each, to be run anywhere:

    python3 tools/results.py commands build/heddle results.db | xargs -P 16 -d '\\n' -n 1 sh -c

The text between `<!-- why FIGURE -->` and `<!-- end -->` is written by hand and kept, except for
the numbers it quotes (tools/result_pages.py). doc/results/reasons.txt has the reasons for
differences."""
import json
import os
import re
import subprocess
import sys
import tempfile

import prose
import result_derived
import result_hetero
import result_machines
import result_tables
from result_answers import Answers, Listing
from result_claims import with_claims
from result_mixes import ask_laboratory, table_of_mixes
from result_pages import CLAIM_HEAD, FOLDER, MEAN_OF, WHY, claims_of, digest, digests, fill, note_of, problems_of, row, sections_of, tables_of
from result_streams import S3_LOADS, ask_all, measure
from result_summary import summary

PAGES = {
    "atomics": ("Atomics units: at L2, or in L1D under mutexes",
                ["s1-fig2", "s1-fig2-v100", "atomics-contention", "v100-atomics-contention", "atomics-bins", "atomics-own-lines", "atomics-per-cycle", "v100-atomics-per-cycle", "atomics-queue", "atomics-visibility"]),
    "l2": ("Managing L2: write-buffering and read-bypassing",
           ["s1-fig7-fft", "s1-fig7-hot", "s1-fig7-sr1", "s1-fig7-sr2", "l2-demote",
            "v100-l2-fft", "v100-l2-hot", "v100-l2-sr1", "v100-l2-sr2", "v100-l2-demote"]),
    "llc": ("CPU programs and the GPU: sharing the last-level cache",
            ["llc-mixes", "llc-cpu-alone", "llc-possible", "llc-gpu-alone", "llc-gpu-classes", "s1-fig8", "llc-classes", "llc-workloads", "llc-sides", "llc-smaller", "llc-pressure", "llc-weighted", "llc-fairness"]),
    "hetero": ("HeteroPDP: launches on the CMP or the GPU beside native programs", list(result_hetero.TABLES)),
    "l1d": ("Managing L1D: Stall-Bypass, protection, Ctrl-C",
            ["s2-fig3", "s2-fig4", "s2-fig5", "s2-fig6", "s2-fig7", "s2-fig10", "s2-fig10-32kb", "s2-fig10-lines", "s2-fig10-mshrs", "s2-fig10-reserved", "s2-fig10-steps", "s2-fig11a", "s2-fig11b", "s2-fig12a", "s2-fig12b", "s2-fig12a-hits", "s2-fig13",
             "s3-fig5-1", "s3-fig5-3", "s3-fig5-4", "s3-fig5-5", "s3-fig5-7", "s3-fig5-7-32kb", "s3-fig5-7-hash", "s3-kmn", "s3-fig5-8", "s3-fig5-9", "s3-fig5-10", "v100-l1d"]),
    "scheduling": ("Scheduling warps: CCWS, criticality",
                   ["s4-fig1", "s4-fig2", "s4-fig3", "s4-fig7", "s4-fig7-bus", "s4-greedy", "s4-over", "s4-fig8", "s4-fig9", "s4-fig10",
                    "s4-sensitive", "s4-misses", "s4-fig11", "s4-bfs-threads", "s4-fig12", "s4-fig13", "s4-vta", "s4-fig14", "s4-fig15", "s4-bfs-degree", "s4-fig16", "s4-best-k", "s4-k128",
                    "s4-fig17", "s4-fig18", "s3-fig3-2", "s3-fig3-3", "s3-fig3-4", "s3-fig3-5", "s3-fig3-6", "s3-fig3-6-slowest", "s3-fig4-1", "s3-fig4-2", "s3-fig4-3",
                    "s3-fig4-4", "s3-fig4-5", "s3-fig4-9", "s3-fig4-10", "s3-kmn-cawa", "s3-kmn-memory", "s3-fig4-11", "s3-fig4-12", "s3-fig4-13", "s3-fig4-14",
                    "s3-fig4-15", "s3-fig4-16", "s3-fig4-16-rr", "v100-schedulers"]),
}


def figure(runs, name, options, table=None):
    """The figure as JSON; its drawing is written to FOLDER."""
    source = ["--store", runs.store, *options]
    if name in result_tables.TABLES:
        table = result_tables.write(name, runs)
    if table:
        source = ["--table", table]
    command = [runs.heddle, "figure", name, *source, "--svg", f"{FOLDER}/{name}.svg", "--json"]
    made = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if made.returncode != 0:
        sys.exit(f"{name}: `{' '.join(command)}` ended with {made.returncode}")
    return json.loads(made.stdout)


def shown(values):
    return ["-" if v is None else f"{v:.3f}" for v in values]


def numbers(f):
    """A row for each x, with its size if sizes differ, and one for each group that a claim
    names."""
    sizes = [[s or "-"] for s in f["sizes"]] if "sizes" in f else [[]] * len(f["x"])
    head = [f["x_axis"]] + ["size"] * ("sizes" in f) + [s["title"] for s in f["series"]]
    lines = [row(head), row(["---"] * len(head))]
    for i, x in enumerate(f["x"]):
        lines.append(row([x] + sizes[i] + shown(s["values"][i] for s in f["series"])))
    for group in f["groups"]:
        lines.append(row([MEAN_OF + group["of"]] + ["-"] * ("sizes" in f) + shown(group["values"])))
    return "".join(lines)


def claims(f):
    lines = [row(CLAIM_HEAD), row(["---"] * len(CLAIM_HEAD))]
    for c in f["paper"]:
        lines.append(row([c["says"], c["paper"] or "-", c["heddle"] or "-", c["agrees"], c["source"]]))
    return "".join(lines)


PICTURE_AND_NOTE = re.compile(r"(!\[[^\]]*\]\([^)]*\.svg\)\n\n).*?(?=<!-- figure )", re.S)


def kept_figure(name, text, claims):
    """A figure as its section of the page has it, for figures that --only does not regenerate.
    `claims`: those of its file, if they are known."""
    title = text.split("\n")[1][len("## "):]
    text = PICTURE_AND_NOTE.sub(lambda m: m.group(1) + note_of(name), text)
    now, before = digests(name)
    text = text.replace(f"<!-- figure {name} of {before} ", f"<!-- figure {name} of {now} ")
    if claims is not None and f"<!-- figure {name} of {now} " in text:
        text = with_claims(text, name, claims)
    return {"figure": name, "title": title, "paper": claims_of(text), "text": text}


def derived(runs, name, made):
    """A figure whose table follows from those of others, with the model and the machines of one of them."""
    texts = {n: section(f, "", runs.answers.model) for n, f in made.items()}
    tables = {n: table for text in texts.values() for n, table in tables_of(text).items()}
    f = figure(runs, name, [], result_derived.write(name, tables, runs.folder))
    f["by"] = re.search(r"<!-- figure \S+ of \w+( by .*) -->", texts[result_derived.DERIVED[name][0]]).group(1)
    return f


def section(f, why, model):
    if "text" in f:
        return result_machines.noted(f["text"])
    text = f"\n## {f['title']}\n\n{f['source']}; `heddle figure {f['figure']}`"
    text += f"; inputs of size `{f['size']}`.\n\n" if "size" in f else ".\n\n"
    text += f"![{f['title']}]({f['figure']}.svg)\n\n{note_of(f['figure'])}"
    text += f"<!-- figure {f['figure']} of {digest(f['figure'])}{f.get('by') or f' by {model}' + result_machines.stamp(f['figure'])} -->\n{numbers(f)}\n"
    if f["paper"]:
        text += claims(f) + "\n"
    if f["points_stored"] < f["points"] or f["missing"]:
        lack = ", ".join(f["missing"]) or "-"
        text += f"Missing: {f['points'] - f['points_stored']} of {f['points']} points; not in Heddle: {lack}.\n\n"
    return result_machines.noted(text) + f"<!-- why {f['figure']} -->\n{why}<!-- end -->\n"


def bypasses_of_s3(runs):
    text = ("\n## Figure 5.5 replayed without timing\n\nHits of all loads, in percent, when one load inserts with "
            "probability 1/2^N; `heddle cache bypass FILE --pcs ...` on the streams of S3 Figure 5.3.\n\n<!-- table s3-bypass -->\n")
    text += row(["workload", "PC"] + [f"N = {n}" for n in range(8)] + ["best"]) + row(["---"] * 11)
    for name in S3_LOADS:
        found = measure(runs, name).result()[1]
        for load in found["bypassed"]:
            hits = [f"{100 * h / found['loads']:.1f}" for h in load["hits"]]
            text += row([name, load["pc"]] + hits + [str(load["best_n"])])
    return text


STALE = """SELECT r.workload, r.gpu, a.value AS annotations, d.value AS dropped, MIN(s.value) AS least, MAX(s.value) AS most
FROM results r JOIN stats s ON s.run = r.id AND s.name = 'l2.stale_reads'
JOIN parameters a ON a.run = r.id AND a.name = 'l2.annotations'
JOIN parameters d ON d.run = r.id AND d.name = 'l2.policy.drop'
WHERE a.value != '' AND r.workload IN ('fft', 'hot', 'sr1', 'sr2') AND r.size = '%s' GROUP BY 1, 2, 3, 4"""


def stale_reads(runs):
    """For the points of the page's figures: are the marks sound?"""
    query = STALE % (runs.size or "small")
    found = subprocess.run([runs.heddle, "query", "--store", runs.store, "--json", query], stdout=subprocess.PIPE, check=True)
    text = ("\n## Which marks are sound\n\nReads from DRAM of what L2 had dropped (`l2.stale_reads`) in the runs of the figures above: the fewest and the "
            "most over all sizes of L2. If the most is not 0, the marks are unsound.\n\n<!-- table l2-stale -->\n")
    text += row(["workload", "GPU", "marks", "drop", "fewest", "most"]) + row(["---"] * 6)
    for r in json.loads(found.stdout):
        marks = ".cc and .cp" if ".cp" in r["annotations"] else ".cc"
        text += row([r["workload"], r["gpu"], marks, r["dropped"], f"{int(r['least']):,}", f"{int(r['most']):,}"])
    return text


HOLDS = """SELECT r.workload || ' ' || r.atomics AS run, 1.0 * q.value / a.value AS requests, 1.0 * h.value / a.value AS held,
1.0 * w.value / a.value AS waited, 1.0 * u.value / a.value AS unchanged
FROM results r JOIN stats a ON a.run = r.id AND a.name = 'atomics.acquires' JOIN stats q ON q.run = r.id AND q.name = 'atomics.performed_requests'
JOIN stats h ON h.run = r.id AND h.name = 'atomics.held_cycles' JOIN stats w ON w.run = r.id AND w.name = 'atomics.mutex_wait'
JOIN stats u ON u.run = r.id AND u.name = 'atomics.unchanged'
WHERE r.state = 'done' AND r.gpu = 'gtx480' AND r.size = '%s' AND r.settings IN ('atomics.unit=' || r.atomics, 'atomics.unit=' || r.atomics || ' atomics.spec_fetch=false')
GROUP BY 1 ORDER BY 1"""


def holds_of_mutexes(runs):
    """For the runs of S1 Figure 2 without speculative fetches."""
    query = HOLDS % (runs.size or "small")
    found = subprocess.run([runs.heddle, "query", "--store", runs.store, "--json", query], stdout=subprocess.PIPE, check=True)
    text = ("\n## What a hold of a mutex costs\n\nStatistics of the runs of `s1-fig2` without speculative fetches, each divided by `atomics.acquires`: "
            "`atomics.performed_requests`, `held_cycles`, `mutex_wait` and `unchanged`. `heddle run NAME --gpu gtx480 --atomics UNIT` prints them.\n\n"
            "<!-- table atomics-holds -->\n")
    text += row(["run", "requests a hold", "cycles held", "cycles waited", "unchanged"]) + row(["---"] * 5)
    for r in json.loads(found.stdout):
        text += row([r["run"], f"{r['requests']:.2f}", f"{r['held']:,.0f}", f"{r['waited']:,.0f}", f"{r['unchanged']:.3f}"])
    return text


LABORATORY = {"l1d": [("s3-bypass", "Figure 5.5 replayed without timing", bypasses_of_s3)],
              "atomics": [("atomics-holds", "What a hold of a mutex costs", holds_of_mutexes)],
              "llc": [("llc-mix-table", "Every mix", table_of_mixes)],
              "l2": [("l2-stale", "Which marks are sound", stale_reads)],
              "hetero": result_hetero.SECTIONS}


def page_text(page, figures, runs, old, keeps):
    title, _ = PAGES[page]
    whys = dict(WHY.findall(old))
    headings = [f["title"] for f in figures] + [heading for _, heading, _ in LABORATORY.get(page, [])]
    earlier = [f["figure"] for f in figures if result_machines.changed(f.get("text", ""))]
    text = summary(page, title, figures, headings, whys.get(page, ""), earlier)
    text += "".join(section(f, whys.get(f["figure"], ""), runs and runs.answers.model) for f in figures)
    for i, (name, _, measured) in enumerate(LABORATORY.get(page, [])):
        why = f"{page}-laboratory" if i == 0 else name
        text += sections_of(old)[name] if keeps(name) else (
            measured(runs) + f"\n<!-- why {why} -->\n{whys.get(why, '')}<!-- end -->\n")
    return text


def claims_in_files(heddle):
    """By figure: the claims of its file; none without HEDDLE."""
    if not heddle:
        return {}
    listed = subprocess.run([heddle, "figure", "--json"], check=True, stdout=subprocess.PIPE).stdout
    return {f["figure"]: f["paper"] for f in json.loads(listed)}


def write_page(page, runs, options):
    path = f"{FOLDER}/{page}.md"
    old = re.sub(r"\nTo be made: .*\n$", "", open(path).read()) if os.path.exists(path) else ""
    only, sections, names = only_of(options), sections_of(old), PAGES[page][1]
    keeps = lambda name: only is not None and name not in only
    figures = [figure(runs, name, options_of_figure(options)) for name in names if not keeps(name) and name not in result_derived.DERIVED]
    made = {f["figure"]: f for f in figures if 2 * f["points_stored"] >= f["points"]}
    claims = claims_in_files(runs.heddle if runs else option(options, "--claims-of", None))
    made.update((name, kept_figure(name, sections[name], claims.get(name))) for name in names if keeps(name) and name in sections)
    made.update([(name, derived(runs, name, made)) for name in names if not keeps(name) and name in result_derived.DERIVED])
    figures, lacking = [made[name] for name in names if name in made], [name for name in names if name not in made]
    text, problems = fill(prose.wrap(page_text(page, figures, runs, old, keeps)))
    text += f"\nTo be made: {', '.join(lacking)}.\n" if lacking else ""
    with open(path, "w") as out:  # long runs are saved in any case
        out.write(text)
    problems += problems_of(text)
    for problem in problems:
        print(f"{path}: {problem}", file=sys.stderr)
    return 1 if problems else 0


def print_commands(heddle, runs, jobs):
    """Single runs, the longest first; then one process for each figure; all share the store.
    Machines other than the papers' come last."""
    ask_all(runs)
    result_tables.ask_oracles(runs)
    ask_laboratory(runs)
    for commands in runs.answers.asked:
        print(runs.answers.shell(commands, heddle))
    names = sum((names for _, names in PAGES.values()), [])
    print(f"{heddle} hetero mixes --store {runs.store} --jobs {jobs} >/dev/null")
    for name in sorted(names, key=lambda name: name.startswith("v100")):
        if name not in result_tables.TABLES and name not in result_derived.DERIVED:
            print(f"{heddle} figure {name} --store {runs.store} --jobs {jobs} >/dev/null")


def only_of(options):
    """The names after --only; None without it."""
    names = option(options, "--only", None)
    if names is None:
        return None
    if not names:
        return []
    known = sum((names for _, names in PAGES.values()), [name for of_page in LABORATORY.values() for name, _, _ in of_page])
    for name in names.split(","):
        if name not in known:
            sys.exit(f"--only: no figure or table is called '{name}'")
    return names.split(",")


def options_of_figure(options):
    """The options that `heddle figure` takes too."""
    for name in ("--only", "--commit"):
        at = options.index(name) if name in options else len(options)
        options = options[:at] + options[at + 2:]
    return [o for o in options if o != "--quick"]


def option(options, name, default):
    return options[options.index(name) + 1] if name in options else default


def main():
    if sys.argv[2:3] == ["--texts"] and len(sys.argv) <= 4 and sys.argv[1] in PAGES:
        heddle = ["--claims-of", sys.argv[3]] if len(sys.argv) == 4 else []
        sys.exit(write_page(sys.argv[1], None, ["--only", "", *heddle]))
    if len(sys.argv) < 4 or sys.argv[1] not in [*PAGES, "commands"]:
        sys.exit(__doc__)
    page, heddle, store, options = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    jobs = int(option(options, "--jobs", os.cpu_count()))
    os.makedirs(FOLDER, exist_ok=True)
    kind = Listing if page == "commands" else Answers
    with tempfile.TemporaryDirectory() as folder:
        kept = f"{folder}/answers" if store.endswith(".json") else store + ".answers"
        answers = kind(heddle, kept, jobs, "--stored-only" in options)
        if store.endswith(".json"):
            with open(store) as measured: # the figures are those of the model that measured
                answers.model = json.load(measured)["when"]["by"]
        runs = result_tables.Runs(heddle, folder, store, answers, option(options, "--size", None), jobs)
        runs.quick, runs.commit = "--quick" in options, option(options, "--commit", None)
        if page == "commands":
            print_commands(heddle, runs, jobs)
        else:
            sys.exit(write_page(page, runs, options))


main()
