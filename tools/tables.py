#!/usr/bin/env python3
"""Rewrites the numbers in README.md, from runs made now.

    tools/tables.py build/heddle

replaces the table of warp schedulers between its markers; the rows of workloads that `heddle run all`
prints; statistics shown below a `heddle run` command; the range of speeds. Other output on the page
stays as it is. The numbers are those of this version: they move when the model does, and
CHANGELOG.md says so."""
import json
import math
import re
import shlex
import subprocess
import sys

SCHEDULERS = ["lrr", "gto", "two_level", "swl"]
SIZE = "tiny"
GPU = "gtx480"
PAGE = "README.md"
BEGIN, END = "<!-- schedulers: begin -->\n", "<!-- schedulers: end -->\n"


def run(heddle, scheduler):
    """Runs every workload under a scheduler: name -> statistics. Stops if a result is wrong."""
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


def output(heddle, words):
    """The lines that a command prints."""
    return subprocess.run([heddle] + words, check=True, stdout=subprocess.PIPE,
                          text=True).stdout.splitlines()


def replace_rows(lines, printed):
    """Rows of workloads, with their heading, as printed now."""
    new = {}
    heading = None
    for line in printed:
        row = re.match(r"(\w+) +(small|tiny) +\d", line)
        if line.startswith("workload "):
            heading = line
        elif row:
            new[row.groups()] = (heading, line)
    for i, line in enumerate(lines):
        row = re.match(r"(\w+) +(small|tiny) +\d", line)
        if row and row.groups() in new:
            for k in (i - 1, i - 2):
                if lines[k].startswith("workload "):
                    lines[k] = new[row.groups()][0]
            lines[i] = new[row.groups()][1]


def replace_statistics(heddle, lines):
    """Below `$ build/heddle run ...`: statistics by name."""
    new = {}
    for i, line in enumerate(lines):
        if line.startswith("$ build/heddle "):
            command = line[len("$ build/heddle "):]
            while command.endswith("\\"):
                i += 1
                command = command[:-1] + lines[i]
            below = re.match(r"  ([a-z_0-9.]+) +[0-9][0-9,.]*  ", lines[i + 2])
            new = {}
            if command.startswith("run ") and below:
                words = [re.sub(r"^(out:\w+):.*", r"\1:/dev/null", w)
                         for w in shlex.split(command, comments=True)]
                new = {p.split()[0]: p for p in output(heddle, words) if p.startswith("  ")}
        stat = re.match(r"  ([a-z_0-9.]+) +[0-9][0-9,.]*  ", line)
        if stat and stat.group(1) in new:
            lines[i] = new[stat.group(1)]


def replace_speeds(page, printed):
    """The lowest and highest speed of the workloads in runs without timing."""
    speeds = [float(m.group(1)) for m in (re.search(r" s +([0-9.]+)  yes$", p) for p in printed) if m]
    text = f"**Speed**: {min(speeds):.0f} to {max(speeds):.0f} million"
    return re.sub(r"\*\*Speed\*\*: \d+ to \d+ million", text, page)


def main():
    by_scheduler = {}
    for s in SCHEDULERS:
        print(f"{s} ...", file=sys.stderr, flush=True)
        by_scheduler[s] = run(sys.argv[1], s)
    with open(PAGE, encoding="utf-8") as f:
        page = f.read()
    print("samples ...", file=sys.stderr, flush=True)
    functional = output(sys.argv[1], ["run", "all", "--functional"])
    lines = replace_speeds(page, functional).split("\n")
    replace_rows(lines, functional + output(sys.argv[1], ["run", "all", "--size", "tiny"]))
    replace_statistics(sys.argv[1], lines)
    before, rest = "\n".join(lines).split(BEGIN)
    _, after = rest.split(END)
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(before + BEGIN + "".join(table(by_scheduler)) + END + after)


if __name__ == "__main__":
    main()
