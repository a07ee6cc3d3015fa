#!/usr/bin/env python3
"""Writes the table of warp schedulers in README.md anew, from runs made now.

    tools/tables.py build/heddle        runs, and replaces what is between the markers

The numbers are those of this version: they move when the model does, and CHANGELOG.md says so.
"""
import json
import math
import subprocess
import sys

SCHEDULERS = ["lrr", "gto", "two_level", "swl"]
SIZE = "tiny"
GPU = "gtx480"
PAGE = "README.md"
BEGIN, END = "<!-- schedulers: begin -->\n", "<!-- schedulers: end -->\n"


def run(heddle, scheduler):
    """Every workload under a scheduler: name -> statistics. Stops if a result is wrong."""
    words = [heddle, "run", "all", "--size", SIZE, "--gpu", GPU, "--scheduler", scheduler, "--json"]
    results = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)
    return {r["workload"]: r["stats"] for r in results}


def cell(stats, best):
    cycles = f'{stats["cycles"]:,}'
    if stats["cycles"] == best:
        cycles = f"**{cycles}**"
    return f'{cycles} / {stats["ipc"]:.1f} / {stats["l1d.mpki"]:.1f}'


def table(by_scheduler):
    yield "| workload | " + " | ".join(f"`{s}`" for s in SCHEDULERS) + " |\n"
    yield "|---|" + "---:|" * len(SCHEDULERS) + "\n"
    workloads = list(by_scheduler[SCHEDULERS[0]])
    for w in workloads:
        row = [by_scheduler[s][w] for s in SCHEDULERS]
        best = min(r["cycles"] for r in row)
        yield f"| `{w}` | " + " | ".join(cell(r, best) for r in row) + " |\n"
    speedups = []
    for s in SCHEDULERS:
        logs = [
            math.log(by_scheduler[SCHEDULERS[0]][w]["cycles"] / by_scheduler[s][w]["cycles"])
            for w in workloads
        ]
        speedups.append(f"{math.exp(sum(logs) / len(logs)):.3f}")
    yield f"| speed-up over `{SCHEDULERS[0]}`, geometric mean | " + " | ".join(speedups) + " |\n"


def main():
    by_scheduler = {}
    for s in SCHEDULERS:
        print(f"{s} ...", file=sys.stderr, flush=True)
        by_scheduler[s] = run(sys.argv[1], s)
    with open(PAGE, encoding="utf-8") as f:
        page = f.read()
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(before + BEGIN + "".join(table(by_scheduler)) + END + after)


if __name__ == "__main__":
    main()
