"""Tables behind the figures of doc/results that are made from recorded L1D streams: S3 chapter 5 on
`gtx480`, and S2's reuse distances on `m2090`. Inputs are the papers'."""

WORKLOADS = ["bc", "bfs", "csr", "ell", "fld", "km", "mm", "prk", "pvr", "ss", "str", "bo", "bp", "bt", "clr", "dct",
             "fwt", "hot", "htw", "mis", "nw", "pf", "pth", "sc_small", "sr1", "sr2", "wc"]
ENDS = "3,8,32,64,128"
RANGES = ["0-3", "4-8", "9-32", "33-64", "65-128", ">128"]

S2_WORKLOADS = ["hg", "hot", "sten", "sconv", "bp", "sr1", "nw", "gemm", "bt",
                "cfd", "pvr", "ss", "bfs", "mm", "srk", "sr2k", "km", "str"]
S2_RANGES = ["0-4", "5-8", "9-64", ">64"]
S3_LOADS = {"ell": "139+155,145+162,148+165", "km": "26+33,192+202", "bfs": "12,20,70+83,73+86,110"}


def measure(runs, name):
    """The reuse distances of a workload on gtx480, and the hits with bypassed loads for the loads
    that S3 discusses."""
    commands = [("run", name, "--size", runs.size or "paper-s3", "--record-l1d", "@l1d.zst"),
                ("cache", "reuse", "@l1d.zst", "--ranges", ENDS, "--json")]
    if name in S3_LOADS:
        commands.append(("cache", "bypass", "@l1d.zst", "--pcs", S3_LOADS[name], "--json"))
    return runs.answers.ask(*commands)


def measure_s2(runs, name):
    return runs.answers.ask(
        ("run", name, "--size", runs.size or "paper-s2", "--gpu", "m2090", "--record-l1d", "@l1d.zst"),
        ("cache", "reuse", "@l1d.zst", "--json"),
        ("cache", "replay", "@l1d.zst", "--policy", "lru", "--ways", "4,8,16", "--no-compulsory", "--json"))


def ask_all(runs):
    """Starts the runs that are needed, the longest first."""
    for name in ("pvr", "mm"):
        measure(runs, name)
    for name in S2_WORKLOADS:
        measure_s2(runs, name)
    for name in WORKLOADS:
        measure(runs, name)


def shares(distances, ranges=RANGES):
    total = sum(distances[r] for r in ranges) or 1
    return [100 * distances[r] / total for r in ranges] + [distances["median"]]


def distances(runs):
    ask_all(runs)
    found = [measure(runs, name) for name in WORKLOADS]
    return ["workload"] + RANGES + ["median"], [
        [name] + shares(f.result()[0]["distances"]["lines"]) for name, f in zip(WORKLOADS, found)]


def distances_by_pc(runs):
    loads = measure(runs, "bfs").result()[0]["by_pc"]
    return ["PC"] + RANGES + ["median"], [[load["pc"]] + shares(load["lines"]) for load in loads]


def distances_s2(runs):
    ask_all(runs)
    return ["workload"] + S2_RANGES + ["median"], [
        [name] + shares(measure_s2(runs, name).result()[0]["distances"]["accesses"], S2_RANGES) for name in S2_WORKLOADS]


def misses_s2(runs):
    return ["workload", "16 KB", "32 KB", "64 KB"], [
        [name] + [r["miss_rate_without_compulsory"] for r in measure_s2(runs, name).result()[1]["replays"]]
        for name in S2_WORKLOADS]


def distances_s2_by_pc(runs):
    loads = measure_s2(runs, "bfs").result()[0]["by_pc"]
    return ["PC"] + S2_RANGES + ["median"], [[load["pc"]] + shares(load["accesses"], S2_RANGES) for load in loads]


TABLES = {"s3-fig5-3": distances, "s3-fig5-4": distances_by_pc, "s2-fig3": distances_s2, "s2-fig4": misses_s2,
          "s2-fig7": distances_s2_by_pc}
