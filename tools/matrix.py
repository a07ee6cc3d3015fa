#!/usr/bin/env python3
"""Runs every workload, cycle by cycle and at the usual size, on every GPU, and checks each result.

    tools/matrix.py build/heddle [SIZE]
"""
import json
import subprocess
import sys


def ask(heddle, *words):
    run = subprocess.run([heddle, *words, "--json"], stdout=subprocess.PIPE, check=False)
    return json.loads(run.stdout)


def main():
    heddle, size = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "small"
    n_wrong = 0
    for gpu in [g["name"] for g in ask(heddle, "show", "gpus")]:
        for workload in [w["name"] for w in ask(heddle, "show", "workloads")]:
            result = ask(heddle, "run", workload, "--gpu", gpu, "--size", size)
            right = result.get("verified") is True and result["stats"]["cycles"] > 0
            n_wrong += not right
            print(f"{gpu:12} {workload:9} {result['stats']['cycles'] if right else 'WRONG'}", flush=True)
    sys.exit(n_wrong != 0)


if __name__ == "__main__":
    main()
