#!/usr/bin/env python3
"""The tests of the tests: plants known bugs, one at a time, and checks that a test fails.

    mutants.py check                every mutant still fits the sources, exactly once, and
                                    doc/mutants.md lists them all
    mutants.py list                 lists all mutants
    mutants.py run [NAME...]        plants each (or those named) in a copy of the tree, runs tests
    mutants.py run --named [...]    the same, but runs only the tests named for each mutant
    mutants.py page                 writes doc/mutants.md, with the outcomes of runs since then

The mutants are in test/mutants/*.txt:

    [name] what is wrong, in a sentence
    path/of/file.c
    - a line of the file, or several
    + its replacement, or nothing
    @ tests that should notice

The lines with - must occur exactly once in the file, consecutively; leading blanks do not count.
The tests are built and run one after another until one fails. If none of a mutant's own tests
fails, all other tests run before it counts as a survivor. A test that takes 10 times as long as
without a mutant, and at least a minute, counts as hanging; the mutant is then noticed if the test
has a time limit in `make test`, as those of test/CMakeLists.txt have.

Nothing is planted in the tree itself: the copy is build-mutants/tree."""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import prose

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COPY = os.path.join(ROOT, "build-mutants", "tree")
RESULTS = os.path.join(ROOT, "build-mutants", "results.tsv")
PAGE = os.path.join(ROOT, "doc", "mutants.md")
BUILD = os.path.join(COPY, "build")
SURVIVED, NOT_RUN = "nobody", "not run yet"
# These do not test behaviour: they would fail on any change of the text or of the speed.
LEFT_OUT = {"timing_counts", "functional_budgets", "cache_budgets", "scaling_counts", "testbed_budgets",
            "threads_speed_up", "generated_pages_are_current"}


# --- mutants ---

class Mutant:
    def __init__(self, name, what, source):
        self.name, self.what, self.source = name, what, source
        self.path, self.old, self.new, self.tests = "", [], [], []


def read_file(path):
    with open(path) as f:
        return f.read()


def read_mutants():
    mutants = []
    for source in sorted(glob.glob(os.path.join(ROOT, "test/mutants/*.txt"))):
        for number, line in enumerate(read_file(source).split("\n"), 1):
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


def places(mutant, root):
    """The numbers of the lines at which the mutant fits its file."""
    lines = read_file(os.path.join(root, mutant.path)).split("\n")
    old = [line.strip() for line in mutant.old]
    found = [i for i in range(len(lines) - len(old) + 1)
             if [line.strip() for line in lines[i:i + len(old)]] == old]
    return lines, found


def problem(mutant):
    if not mutant.old or not mutant.tests:
        return "needs lines to replace (-) and tests (@)"
    if not os.path.isfile(os.path.join(ROOT, mutant.path)):
        return f"no file {mutant.path}"
    n = len(places(mutant, ROOT)[1])
    return None if n == 1 else f"its lines occur {n} times in {mutant.path}, not once"


def check(mutants):
    names = [m.name for m in mutants]
    bad = [f"{m.source}: [{m.name}] {problem(m)}" for m in mutants if problem(m)]
    bad += [f"[{n}] is there twice" for n in sorted(set(names)) if names.count(n) > 1]
    bad += [] if len(mutants) >= 40 else ["there should be 40 mutants at least"]
    for line in bad:
        print(line)
    print(f"{len(mutants)} mutants, {len(bad)} complaints")
    return 1 if bad else 0


# --- the copy ---

def quiet(command, **kw):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **kw)


def copy_file(path):
    """Writes only what differs, so that only that is compiled again."""
    old, new = os.path.join(ROOT, path), os.path.join(COPY, path)
    with open(old, "rb") as f:
        data = f.read()
    if os.path.exists(new):
        with open(new, "rb") as f:
            if f.read() == data:
                return
    os.makedirs(os.path.dirname(new), exist_ok=True)
    shutil.copy(old, new)


def remove_others(paths):
    """Sources are globbed, so files that the tree no longer has must not stay in the copy."""
    for folder, folders, files in os.walk(COPY):
        if folder == COPY and "build" in folders:
            folders.remove("build")
        for name in files:
            path = os.path.join(folder, name)
            if os.path.relpath(path, COPY) not in paths:
                os.remove(path)


def make_copy():
    tracked = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).split("\n")
    paths = {path for path in tracked if path and os.path.isfile(os.path.join(ROOT, path))}
    for path in sorted(paths):
        copy_file(path)
    remove_others(paths)
    # Warnings are not errors, because many mutants leave something unused; debug information
    # would only make linking slower.
    launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    quiet(["cmake", "-S", COPY, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Mutant",
           "-DCMAKE_C_FLAGS_MUTANT=-O2", "-DHEDDLE_WERROR=OFF"] + launcher).check_returncode()


def build(targets):
    environment = {"CCACHE_BASEDIR": COPY, "CCACHE_NOHASHDIR": "1", **os.environ}
    return quiet(["cmake", "--build", BUILD, "--target"] + targets, env=environment)


def write_lines(path, lines):
    with open(os.path.join(COPY, path), "w") as f:
        f.write("\n".join(lines))


def plant(mutant):
    """Returns the lines to restore. The tree may change in the meantime; the copy counts."""
    lines, found = places(mutant, COPY)
    i = found[0]
    indent = re.match(r"\s*", lines[i])[0]
    new = [indent + line.strip() for line in mutant.new]
    write_lines(mutant.path, lines[:i] + new + lines[i + len(mutant.old):])
    return lines


# --- tests ---

PASSES, FAILS, HANGS = "passes", "fails", "hangs"


class Test:
    """A test that ctest lists. It is run without ctest, whose time limits are too long for
    mutants."""

    def __init__(self, entry):
        properties = {p["name"]: p["value"] for p in entry.get("properties", [])}
        self.name, self.command = entry["name"], entry["command"]
        self.folder = properties.get("WORKING_DIRECTORY", BUILD)
        self.environment = dict(e.split("=", 1) for e in properties.get("ENVIRONMENT", []))
        self.limit = properties.get("TIMEOUT")
        self.seconds = None  # how long it takes without a mutant
        self.sound = True  # it passes then

    def targets(self):
        """The built targets that its command runs; it creates its scratch folder itself. `heddle exec`
        opens the OpenCL library."""
        inside = [os.path.relpath(word, BUILD) for word in self.command if word.startswith(BUILD)]
        return [path for path in inside if not path.startswith("scratch")] + ["heddle_ocl"] * ("heddle" in inside)

    def run(self, patience):
        process = subprocess.Popen(self.command, cwd=self.folder, start_new_session=True,
                                   env={**os.environ, **self.environment},
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return FAILS if process.wait(patience) else PASSES
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return HANGS

    def measure(self):
        """True if the test passes."""
        began = time.monotonic()
        passes = self.run(self.limit) == PASSES
        self.seconds = time.monotonic() - began
        return passes

    def patience(self):
        patience = max(60, 10 * (self.seconds or 0))
        return min(patience, self.limit) if self.limit else patience


def list_tests():
    out = subprocess.check_output(["ctest", "--test-dir", BUILD, "--show-only=json-v1"], text=True)
    return [entry for entry in json.loads(out)["tests"] if entry["name"] not in LEFT_OUT]


def read_tests():
    """All tests. ctest knows only the commands of tests that have been built."""
    if not all("command" in entry for entry in list_tests()):
        built = build(["all"])
        if built.returncode:
            sys.exit(f"the copy cannot be built:\n{built.stdout[-2000:]}")
    return {entry["name"]: Test(entry) for entry in list_tests()}


# --- fates ---

def verdict(test):
    """How the test noticed the mutant, in the page's words; None if it did not."""
    end = test.run(test.patience())
    if end == FAILS:
        return test.name
    return f"{test.name} (time limit)" if end == HANGS and test.limit else None


def is_sound(test, mutant, lines):
    """Does the test pass without a mutant? Determined once for each test, at its first use."""
    if test.seconds is None:
        write_lines(mutant.path, lines)
        test.sound = build(test.targets()).returncode == 0 and test.measure()
        plant(mutant)
        if not test.sound:
            print(f"    {test.name} fails without any mutant", flush=True)
    return test.sound


def fate_planted(mutant, tests, lines):
    for i, test in enumerate(tests):
        if not is_sound(test, mutant, lines):
            continue
        built = build(test.targets())
        if built.returncode and i:  # a test that fails to compile
            return "the build"
        if built.returncode:
            print(f"[{mutant.name}] does not compile:\n{built.stdout[-2000:]}")
            return SURVIVED
        noticed = verdict(test)
        if noticed:
            return noticed
    return SURVIVED


def fate(mutant, tests, named_only):
    own = [tests[name] for name in mutant.tests]
    others = sorted((t for t in tests.values() if t not in own),
                    key=lambda t: (t.seconds is None, t.seconds or 0))
    lines = plant(mutant)
    try:
        return fate_planted(mutant, own + ([] if named_only else others), lines)
    finally:
        write_lines(mutant.path, lines)


def read_results():
    if not os.path.exists(RESULTS):
        return {}
    return dict(line.split("\t") for line in read_file(RESULTS).split("\n") if line)


def write_results(results):
    with open(RESULTS, "w") as f:
        f.writelines(f"{name}\t{noticed}\n" for name, noticed in results.items())


def run(mutants, words):
    named_only, names = "--named" in words, set(words) - {"--named"}
    unknown = names - {m.name for m in mutants}
    if unknown:
        sys.exit("no such mutant: " + ", ".join(sorted(unknown)))
    chosen = [m for m in mutants if not names or m.name in names]
    make_copy()
    tests = read_tests()
    missing = {name for m in chosen for name in m.tests} - set(tests)
    if missing:
        sys.exit("no such test: " + ", ".join(sorted(missing)))
    results, n_caught = read_results(), 0
    for i, m in enumerate(chosen, 1):
        began = time.monotonic()
        noticed = fate(m, tests, named_only)
        n_caught += noticed != SURVIVED
        print(f"{i:3}/{len(chosen)} {time.monotonic() - began:5.0f} s  {m.name:34} {noticed}",
              flush=True)
        results[m.name] = noticed
        write_results(results)
    print(f"{n_caught} of {len(chosen)} mutants caught, {len(chosen) - n_caught} survived")
    return 0 if n_caught == len(chosen) else 1


# --- the page ---

def read_page():
    """Rows of the page by name: what is wrong, which test noticed it."""
    if not os.path.exists(PAGE):
        return {}
    rows = re.findall(r"^\| `(\w+)` \| (.*) \| (.*) \|$", read_file(PAGE), re.M)
    return {name: (what, noticed) for name, what, noticed in rows}


def check_page(mutants):
    page, told = read_page(), {m.name: m.what for m in mutants}
    drifted = sorted(set(told) - set(page)) + sorted(set(page) - set(told))
    drifted += [n for n in told if n in page and page[n][0] != told[n]]
    for name in drifted:
        print(f"doc/mutants.md and test/mutants differ in [{name}]: run 'python3 tools/mutants.py "
              f"run {name}', then 'page'")
    return 1 if drifted else 0


def title_of(source):
    """The comment at the top of the file, without its final full stop."""
    return re.match(r"# (.*?)\.( |$)", read_file(os.path.join(ROOT, source)), re.M)[1]


def page_rows(mutants, noticed):
    rows, source = [], None
    for m in mutants:
        if m.source != source:
            source = m.source
            rows += ["", f"## {title_of(source)}", f"`{source}`", "", "| bug | what is wrong | noticed by |",
                     "|---|---|---|"]
        rows.append(f"| `{m.name}` | {m.what} | {noticed[m.name]} |")
    return rows


def page(mutants):
    noticed = {name: row[1] for name, row in read_page().items()}
    noticed.update(read_results())
    noticed = {m.name: noticed.get(m.name, NOT_RUN) for m in mutants}
    n = sum(who not in (SURVIVED, NOT_RUN) for who in noticed.values())
    out = ["# The tests of the tests", "",
           "`make mutants` plants one known bug at a time in a copy of the tree and runs tests until "
           "one fails. This page lists the results. `make test` checks that each bug can still be planted, "
           "and that the page lists all of them.", "",
           f"**Tests detect {n} of {len(mutants)} planted bugs ({100 * n / len(mutants):.0f} %).** "
           "The table names the first test that failed; a time limit means that the test hung."]
    text = prose.wrap("\n".join(out + page_rows(mutants, noticed)))
    with open(PAGE, "w") as f:
        f.write(text)
    return 0


def main():
    mutants = read_mutants()
    mode = sys.argv[1] if len(sys.argv) > 1 else ""
    if mode == "check":
        return check(mutants) | check_page(mutants)
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
