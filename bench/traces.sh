#!/bin/sh
# traces.sh HEDDLE SIZE SCRATCH [--update PAGE [WORKLOAD...]|--check PAGE WORKLOAD...]
#
# The sizes of the workloads' traces. Fails above 1.5 bytes per warp instruction over all of them,
# or above 4 for any one; the limit is 6 for hga, whose short loop counts random bins, and 5 for
# bfsq, which reads random neighbours. --update writes the table between the markers of a page; if
# workloads are named, only their rows are new. --check fails if the page has other rows for these
# workloads, except for the effect of added or removed machine parameters, which every trace names.
set -u
. "$(dirname "$0")/usage.inc"
needs 3 "$@"
mkdir -p "$3"
python3 - "$@" <<'PY'
import json, os, subprocess, sys
heddle, size, scratch = sys.argv[1:4]
task, page, *only = sys.argv[4:] or (None, None)
BUDGET_ALL, BUDGET_ONE, BUDGET_OF = 1.5, 4.0, {"bfsq": 5.0, "hga": 6.0}
BEGIN, END = "<!-- sizes: begin -->\n", "<!-- sizes: end -->\n"
path = os.path.join(scratch, "sizes.trace")


def record(name):
    """What `heddle show trace` says of a trace made now."""
    run = subprocess.run([heddle, "run", name, "--size", size, "--quiet", "--record", path])
    shown = subprocess.run([heddle, "show", "trace", path, "--json"], capture_output=True)
    if run.returncode or shown.returncode:
        sys.exit(f"{name}: could not be recorded")
    os.remove(path)
    return json.loads(shown.stdout)


def row(name, n_bytes, insts, budget, dependent):
    each = n_bytes / insts
    mark = "" if each <= budget else " OVER BUDGET"
    return f"| {name} | {n_bytes:,} | {insts:,} | {each:.3f}{mark} |{dependent} |"


def said():
    """The page's rows: {workload: its cells}."""
    found = {}
    for line in open(page, encoding="utf-8").read().split(BEGIN)[1].split(END)[0].splitlines()[2:]:
        cells = [c.strip().replace(",", "") for c in line.strip("|").split("|")]
        found[cells[0]] = cells[1:]
    return found


def kept(name):
    """The row of a workload that is not recorded again."""
    n_bytes, insts, _, dependent = said()[name]
    return {"bytes": int(n_bytes), "warp_insts": int(insts), "timing_dependent": dependent == "yes"}


def table():
    yield "| workload | bytes | warp instructions | bytes each | timing-dependent |"
    yield "|---|--:|--:|--:|---|"
    listed = subprocess.run([heddle, "show", "workloads", "--json"], capture_output=True, check=True)
    total_bytes = total_insts = 0
    for name in (w["name"] for w in json.loads(listed.stdout)):
        t = kept(name) if only and name not in only else record(name)
        total_bytes += t["bytes"]
        total_insts += t["warp_insts"]
        yield row(name, t["bytes"], t["warp_insts"], BUDGET_OF.get(name, BUDGET_ONE), " yes" if t["timing_dependent"] else " no")
    yield row("all", total_bytes, total_insts, BUDGET_ALL, "")


def check():
    """The page's rows of some workloads against traces made now."""
    for name in only:
        t, before = record(name), kept(name)
        if (abs(before["bytes"] - t["bytes"]) > 512 + t["bytes"] / 50 or before["warp_insts"] != t["warp_insts"]
                or before["timing_dependent"] != t["timing_dependent"]):
            sys.exit(f"{page} has drifted: of {name} it has {said()[name]}, a trace made now {t['bytes']} bytes "
                     f"of {t['warp_insts']} warp instructions; `make tables` writes it anew")


if task == "--check":
    check()
    sys.exit()
lines = []
for line in table():
    print(line, flush=True)
    lines.append(line + "\n")
if task == "--update":
    with open(page, encoding="utf-8") as f:
        before, rest = f.read().split(BEGIN)
    with open(page, "w", encoding="utf-8") as f:
        f.write(before + BEGIN + "".join(lines) + END + rest.split(END)[1])
sys.exit(any("OVER BUDGET" in line for line in lines))
PY
