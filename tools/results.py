#!/usr/bin/env python3
"""Writes a page of doc/results: figures of the papers, made by `heddle figure`, beside what the
papers say.

    tools/results.py PAGE HEDDLE STORE [OPTION of `heddle figure`]...

PAGE is l1d or scheduling. Points that the store lacks are run first (--stored-only runs none). What
stands in the page between `<!-- why FIGURE -->` and `<!-- end -->` is written by people and kept."""
import json
import os
import re
import subprocess
import sys

FOLDER = "doc/results"
PAGES = {
    "l1d": ("Managing L1D: Stall-Bypass, protection, Ctrl-C",
            ["s2-fig5", "s2-fig10", "s2-fig11b", "s2-fig12a", "s2-fig13",
             "s3-fig5-7", "s3-fig5-8", "s3-fig5-9", "v100-l1d"]),
    "scheduling": ("Scheduling warps: CCWS, criticality",
                   ["s4-fig3", "s4-fig7", "s4-fig8", "s4-fig9", "s4-fig13", "s4-fig14", "s4-fig16",
                    "s4-fig17", "s4-decay", "s3-fig4-10", "s3-fig4-11", "s3-fig4-16", "v100-schedulers"]),
}
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


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in PAGES:
        sys.exit(__doc__)
    page, heddle, store, options = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    title, names = PAGES[page]
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


main()
