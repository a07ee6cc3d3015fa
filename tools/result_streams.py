"""Tables behind the figures of doc/results that are made of recorded L1D streams: S3 chapter 5 on `gtx480`."""
import json
import subprocess

WORKLOADS = ["bc", "bfs", "csr", "ell", "fld", "kmn", "mm", "prk", "pvr", "ss", "str", "bo", "bp", "bt", "clr", "dct",
             "fwt", "hot", "htw", "mis", "nw", "pf", "pth", "sc_small", "sr1", "sr2", "wc"]
LARGER = {"pvr": "paper-s2"}  # S3 tells numbers of it, and its distances grow with its input
ENDS = "3,8,32,64,128"
RANGES = ["0-3", "4-8", "9-32", "33-64", "65-128", ">128"]


def cache(heddle, *words):
    return json.loads(subprocess.run([heddle, "cache", *words, "--json"], check=True, stdout=subprocess.PIPE).stdout)


def record(heddle, folder, name, size):
    path = f"{folder}/{name}.zst"
    subprocess.run([heddle, "run", name, "--size", size, "--record-l1d", path], check=True, stdout=subprocess.DEVNULL)
    return path


def measure(runs, name):
    """The reuse distances of a workload; measured once."""
    def made():
        size = LARGER.get(name, "small") if runs.size == "small" else runs.size
        return cache(runs.heddle, "reuse", record(runs.heddle, runs.folder, name, size), "--ranges", ENDS)
    key = ("reuse", name)
    if key not in runs.made:
        runs.made[key] = runs.pool.submit(made)
    return runs.made[key]


def shares(distances):
    total = sum(distances[r] for r in RANGES) or 1
    return [100 * distances[r] / total for r in RANGES] + [distances["median"]]


def distances(runs):
    found = [measure(runs, name) for name in WORKLOADS]
    return ["workload"] + RANGES + ["median"], [
        [name] + shares(f.result()["distances"]["lines"]) for name, f in zip(WORKLOADS, found)]


def distances_by_pc(runs):
    loads = measure(runs, "bfs").result()["by_pc"]
    return ["PC"] + RANGES + ["median"], [[load["pc"]] + shares(load["lines"]) for load in loads]


TABLES = {"s3-fig5-3": distances, "s3-fig5-4": distances_by_pc}
