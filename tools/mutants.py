#!/usr/bin/env python3
"""The tests of the tests: plants known bugs, one at a time, and sees whether a test turns red.

    mutants.py check             every mutant still fits the sources, exactly once
    mutants.py list              what there is
    mutants.py run [NAME...]     plants each (or those named) in a copy of the tree and runs tests
    mutants.py page              doc/mutants.md from what the last run of all of them found

The mutants are in test/mutants/*.txt:

    [name] what is wrong, in a sentence
    path/of/file.c
    - a line of the file, or several
    + what takes their place, or nothing
    @ tests that should notice; these are built and run first

The lines with - must occur exactly once in the file, one after another; blanks at their beginning
do not count. A mutant that none of its tests catches is put to all tests before it counts as a
survivor. Nothing is planted in the tree itself: the copy is build-mutants/tree.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COPY = os.path.join(ROOT, "build-mutants", "tree")
RESULTS = os.path.join(ROOT, "build-mutants", "results.tsv")
BUILD = os.path.join(COPY, "build")
SECONDS = 120  # a mutant that hangs a test for as long is caught too
# Not questions about behaviour: they would notice any change of the text or of the speed.
LEFT_OUT = "timing_counts|functional_budgets|cache_budgets|mutants_fit|generated_pages"


class Mutant:
    def __init__(self, name, what, source):
        self.name, self.what, self.source = name, what, source
        self.path, self.old, self.new, self.tests = "", [], [], []


def read_mutants():
    mutants = []
    for source in sorted(glob.glob(os.path.join(ROOT, "test/mutants/*.txt"))):
        for number, line in enumerate(open(source), 1):
            line = line.rstrip("\n")
            head = re.match(r"\[(\w+)\] (.+)", line)
            if not line or line.startswith("#"):
                continue
            if head:
                mutants.append(Mutant(head[1], head[2], os.path.relpath(source, ROOT)))
            elif not mutants:
                sys.exit(f"{source}:{number}: a mutant begins with [name]")
            elif line[:2] in ("- ", "-"):
                mutants[-1].old.append(line[2:])
            elif line[:2] in ("+ ", "+"):
                mutants[-1].new.append(line[2:])
            elif line.startswith("@ "):
                mutants[-1].tests += line[2:].split()
            else:
                mutants[-1].path = line
    return mutants


def places(mutant):
    """Where in its file the mutant fits: the numbers of first lines."""
    lines = open(os.path.join(ROOT, mutant.path)).read().split("\n")
    old = [line.strip() for line in mutant.old]
    found = [i for i in range(len(lines) - len(old) + 1)
             if [line.strip() for line in lines[i:i + len(old)]] == old]
    return lines, found


def problem(mutant):
    if not mutant.old or not mutant.tests:
        return "needs lines to replace (-) and tests (@)"
    if not os.path.exists(os.path.join(ROOT, mutant.path)):
        return f"no file {mutant.path}"
    n = len(places(mutant)[1])
    return None if n == 1 else f"its lines occur {n} times in {mutant.path}, not once"


def check(mutants):
    names = [m.name for m in mutants]
    bad = [f"{m.source}: [{m.name}] {problem(m)}" for m in mutants if problem(m)]
    bad += [f"[{n}] is there twice" for n in set(names) if names.count(n) > 1]
    for line in bad:
        print(line)
    print(f"{len(mutants)} mutants, {len(bad)} that do not fit the sources")
    return 1 if bad or len(mutants) < 40 else 0


def quiet(command, **kw):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **kw)


def copy_file(path):
    """Only what differs is written, so that only that is compiled again."""
    old, new = os.path.join(ROOT, path), os.path.join(COPY, path)
    data = open(old, "rb").read()
    if not os.path.exists(new) or open(new, "rb").read() != data:
        os.makedirs(os.path.dirname(new), exist_ok=True)
        shutil.copy(old, new)


def make_copy():
    for path in subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).split("\n"):
        if path and os.path.isfile(os.path.join(ROOT, path)):
            copy_file(path)
    quiet(["cmake", "-S", COPY, "-B", BUILD, "-G", "Ninja"], check=True)
    build(["all"]).check_returncode()


def build(targets):
    return quiet(["cmake", "--build", BUILD, "--target"] + targets)


def run_tests(pattern, only_first=True):
    """The names of the tests that fail, or hang."""
    command = ["ctest", "--test-dir", BUILD, "-R", pattern, "-E", LEFT_OUT,
               "--timeout", str(SECONDS)] + (["--stop-on-failure"] if only_first else [])
    out = quiet(command).stdout
    if "No tests were found" in out:
        sys.exit(f"no test matches {pattern}")
    return re.findall(r"^\s*\d+ - (\S+) \(", out, re.M)


def targets_of(tests):
    """A test of its own program is built alone; scripts need the program."""
    return ["heddle" if glob.glob(os.path.join(COPY, "test/behaviour", t + ".sh")) else t
            for t in tests]


def unknown_tests(mutants):
    out = quiet(["ctest", "--test-dir", BUILD, "-N"]).stdout
    there = set(re.findall(r"Test +#\d+: (\S+)", out))
    return sorted({t for m in mutants for t in m.tests} - there)


def plant(mutant):
    lines, found = places(mutant)
    i = found[0]
    indent = re.match(r"\s*", lines[i])[0]
    new = [indent + line.strip() for line in mutant.new]
    text = "\n".join(lines[:i] + new + lines[i + len(mutant.old):])
    with open(os.path.join(COPY, mutant.path), "w") as f:
        f.write(text)


def restore(mutant):
    copy_file(mutant.path)


def fate(mutant):
    plant(mutant)
    try:
        built = build(targets_of(mutant.tests))
        if built.returncode:
            sys.exit(f"[{mutant.name}] does not compile:\n{built.stdout[-2000:]}")
        failed = run_tests("^(" + "|".join(mutant.tests) + ")$")
        if not failed:
            if build(["all"]).returncode:
                return "the build"  # of a generated file, or of a test that asserts as it compiles
            failed = run_tests(".")
        return failed[0] if failed else "SURVIVED"
    finally:
        restore(mutant)


def run(mutants, names):
    unknown = set(names) - {m.name for m in mutants}
    if unknown:
        sys.exit("no such mutant: " + ", ".join(sorted(unknown)))
    chosen = [m for m in mutants if not names or m.name in names]
    make_copy()
    if unknown_tests(chosen):
        sys.exit("no such test: " + " ".join(unknown_tests(chosen)))
    everyone = sorted({t for m in chosen for t in m.tests})
    failed = run_tests("^(" + "|".join(everyone) + ")$")
    if failed:
        sys.exit("fails without any mutant: " + failed[0])
    survivors = 0
    with open(RESULTS, "w") as results:
        for i, m in enumerate(chosen, 1):
            caught_by = fate(m)
            survivors += caught_by == "SURVIVED"
            print(f"{i:3}/{len(chosen)} {m.name:34} {caught_by}", flush=True)
            results.write(f"{m.name}\t{caught_by}\n")
            results.flush()
    print(f"{len(chosen) - survivors} of {len(chosen)} mutants caught, {survivors} survived")
    return 1 if survivors else 0


def page(mutants):
    caught = dict(line.rstrip("\n").split("\t") for line in open(RESULTS))
    missing = [m.name for m in mutants if m.name not in caught]
    if missing:
        sys.exit("not in the last run: " + " ".join(missing))
    n = sum(caught[m.name] != "SURVIVED" for m in mutants)
    out = ["# The tests of the tests", "",
           "Made by `make mutants`, which plants one known bug at a time in a copy of the tree and "
           "runs the tests. The bugs are in `test/mutants`; `make test` checks that each still fits "
           "the sources.", "",
           f"**{n} of {len(mutants)} planted bugs are caught ({100 * n // len(mutants)} %).**", "",
           "| bug | where | noticed by |", "|---|---|---|"]
    out += [f"| {m.what} | `{m.path}` | {caught[m.name]} |" for m in mutants]
    with open(os.path.join(ROOT, "doc", "mutants.md"), "w") as f:
        f.write("\n".join(out) + "\n")
    return 0


def main():
    mutants = read_mutants()
    mode = sys.argv[1] if len(sys.argv) > 1 else ""
    if mode == "check":
        return check(mutants)
    if mode == "list":
        for m in mutants:
            print(f"{m.name:34} {m.path}: {m.what}")
        return 0
    if mode == "run":
        return check(mutants) or run(mutants, sys.argv[2:])
    if mode == "page":
        return page(mutants)
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main())
