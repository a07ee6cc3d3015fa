#!/usr/bin/env python3
"""Runs every workload, cycle by cycle and at the usual size, on every GPU, as many at a time as the
host has cores, and checks each result.

    tools/matrix.py build/heddle [SIZE]
"""
import concurrent.futures
import itertools
import json
import os
import subprocess
import sys


def ask(heddle, *words):
    run = subprocess.run([heddle, *words, "--json"], stdout=subprocess.PIPE, check=False)
    return json.loads(run.stdout)


def names(heddle, what):
    return [x["name"] for x in ask(heddle, "show", what)]


def try_one(heddle, gpu, workload, size):
    """Returns a line that reports the outcome, and whether the run succeeded."""
    result = ask(heddle, "run", workload, "--gpu", gpu, "--size", size)
    right = result.get("verified") is True and result["stats"]["cycles"] > 0
    return f"{gpu:12} {workload:9} {result['stats']['cycles'] if right else 'WRONG'}", right


def main():
    heddle, size = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "small"
    all_right = True
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        runs = [pool.submit(try_one, heddle, gpu, workload, size)
                for gpu, workload in itertools.product(names(heddle, "gpus"), names(heddle, "workloads"))]
        for run in runs:
            line, right = run.result()
            all_right &= right
            print(line, flush=True)
    sys.exit(not all_right)


if __name__ == "__main__":
    main()
