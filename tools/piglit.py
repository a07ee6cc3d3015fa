#!/usr/bin/env python3
"""Runs piglit's tests of OpenCL on the simulated GPU, without timing.

    piglit.py HEDDLE [FOLDER]

Those that fail must be the ones of test/icd/piglit_failures.txt, no more and no fewer. Results go
to FOLDER (build/scratch/piglit). Debian's package piglit, 2 GB, is installed if it is missing.
Exit status 77 if it cannot be.
"""
import bz2
import json
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXPECTED = os.path.join(ROOT, "test", "icd", "piglit_failures.txt")
PASSED = ("pass", "skip")


def install():
    if shutil.which("piglit"):
        return True
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    command = root + ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "piglit"]
    try:
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return shutil.which("piglit") is not None


def read_expected():
    """Name -> reason."""
    expected = {}
    with open(EXPECTED) as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                name, reason = line.split("|", 1)
                expected[name.strip()] = reason.strip()
    return expected


def home():
    """Tests name their files relative to the folder that they are installed in."""
    files = subprocess.run(["dpkg", "-L", "piglit"], capture_output=True, text=True, check=True).stdout
    tester = next(f for f in files.splitlines() if f.endswith("/bin/cl-program-tester"))
    return os.path.dirname(os.path.dirname(tester))


def run(heddle, folder):
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([heddle, "exec", "--functional", "--loose-bounds", "--", "piglit", "run", "cl", "-c", folder],
                   cwd=home(), stdout=subprocess.DEVNULL, check=True)
    with bz2.open(os.path.join(folder, "results.json.bz2")) as f:
        return json.load(f)["tests"]


def outcomes(tests):
    """Name -> result, for every test and every part of a test."""
    found = {}
    for name, test in tests.items():
        parts = {k: v for k, v in test.get("subtests", {}).items() if k != "__type__"}
        for part, result in parts.items():
            found[f"{name}@{part}"] = result
        if not parts:
            found[name] = test["result"]
    return found


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if not install():
        print("SKIPPED: piglit: its Debian package cannot be installed")
        sys.exit(77)
    folder = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else "build/scratch/piglit")
    found = outcomes(run(os.path.abspath(sys.argv[1]), folder))
    expected = read_expected()
    failed = {name for name, result in found.items() if result not in PASSED}
    for name in sorted(failed - expected.keys()):
        print(f"{name}: {found[name]}, not expected")
    for name in sorted(expected.keys() - failed):
        print(f"{name}: {found.get(name, 'not run')}, though expected to fail: {expected[name]}")
    skipped = sum(result == "skip" for result in found.values())
    print(f"{len(found) - len(failed) - skipped} passed, {len(failed)} failed "
          f"({len(failed & expected.keys())} as expected), {skipped} skipped")
    sys.exit(failed != expected.keys())


if __name__ == "__main__":
    main()
