"""Tables of figures of doc/results that follow from the tables of other figures of the same page: a ratio of two of them, or
columns of both side by side. Nothing is simulated for them. The figures' files describe the tables; `write` makes them, and
tools/check_results.py compares them with their sources."""
import csv
import os

from result_pages import cell, geometric_mean

SUFFICIENT = ["hg", "hot", "sten", "sconv", "bp", "sr1", "nw", "gemm", "bt"]
INSUFFICIENT = ["cfd", "pvr", "ss", "bfs", "mm", "srk", "sr2k", "km", "str"]
CACHE_SENSITIVE_S3 = ["bc", "bfs", "csr", "ell", "fld", "km", "mm", "prk", "pvr", "ss", "str"]
SENSITIVE_S3 = ["bfs", "bt", "htw", "km", "nw", "sr1", "sc_small"]
HIGHLY_S4, MODERATELY_S4 = ["bfs", "kmn", "memc", "gc"], ["wp", "sssp", "cfd", "sc_small", "sc_mid"]


def harmonic_mean(values):
    return len(values) / sum(1 / v for v in values)


def larger_l1d(of):
    """LRU with twice the ways beside the schemes with S2's L1D."""
    return ["workload", "Global-Protection", "DLP", "32 KB"], [
        [w, of("s2-fig10", w, "Global-Protection"), of("s2-fig10", w, "DLP"), of("s2-fig5", w, "32 KB (8-way)")] for w in SUFFICIENT + INSUFFICIENT]


def ctrl_c_beside_32kb(of):
    return ["workload", "Ctrl-C", "32 KB"], [[w, of("s3-fig5-7", w, "Ctrl-C"), of("s3-fig5-1", w, "32 KB")] for w in CACHE_SENSITIVE_S3]


def hit_rates(of):
    """Hits without merges over loads that are not bypassed."""
    schemes = ["baseline", "Stall-Bypass", "Global-Protection", "DLP"]
    return ["workload", *schemes], [[w] + [of("s2-fig12b", w, s) / of("s2-fig11a", w, s) for s in schemes] for w in SUFFICIENT + INSUFFICIENT]


def slowest_warp(of):
    causes = ["Scheduling", "MSHR", "StructuralHazard", "DataCacheMiss"]
    return ["scheduler", *causes], [[name] + [of(figure, "16", c) for c in causes] for name, figure in (("RR", "s3-fig3-4"), ("CAWS-avg", "s3-fig3-6"))]


def cacp_over_rr(of):
    """The gain of a scheduler times that of CACP under it."""
    schedulers = ["RR", "2-Level", "GTO"]
    rows = [[w] + [of("s3-fig4-10", w, s) * of("s3-fig4-16", w, s) for s in schedulers] + [of("s3-fig4-10", w, "CAWA")] for w in SENSITIVE_S3]
    return ["workload", *(f"{s} with CACP" for s in schedulers), "CAWA"], rows + [["geometric mean"] + [geometric_mean(c) for c in list(zip(*rows))[1:]]]


def all_misses(of):
    rows = [[w] + [of("s4-fig8" if w in HIGHLY_S4 else "s4-fig10", w, s) for s in ("GTO", "CCWS")] for w in HIGHLY_S4 + MODERATELY_S4]
    return ["workload", "GTO", "CCWS"], rows + [["mean"] + [sum(c) / len(c) for c in list(zip(*rows))[1:]]]


def larger_vta(of):
    return ["workload", "CCWS with 32 tags", "Best-SWL"], [[w, of("s4-fig13", "32", w), of("s4-fig7", w, "Best-SWL")] for w in HIGHLY_S4]


def best_k_throttle(of):
    values = [str(2 ** n) for n in range(8)]
    rows = [[w, of("s4-fig16", "8", w), max(of("s4-fig16", k, w) for k in values)] for w in HIGHLY_S4]
    return ["workload", "K_THROTTLE = 8", "best K_THROTTLE"], rows + [["harmonic mean"] + [harmonic_mean(c) for c in list(zip(*rows))[1:]]]


# By figure: the figure whose machines and model it has, and its table from cells of others, of(FIGURE, ROW, COLUMN).
DERIVED = {
    "s2-fig10-32kb": ("s2-fig10", larger_l1d),
    "s2-fig12a-hits": ("s2-fig12b", hit_rates),
    "s3-fig5-7-32kb": ("s3-fig5-7", ctrl_c_beside_32kb),
    "s3-fig3-6-slowest": ("s3-fig3-6", slowest_warp),
    "s3-fig4-16-rr": ("s3-fig4-16", cacp_over_rr),
    "s4-misses": ("s4-fig8", all_misses),
    "s4-vta": ("s4-fig13", larger_vta),
    "s4-best-k": ("s4-fig16", best_k_throttle),
}


def table_of(name, tables):
    """Head and rows of a derived table, from the tables of a page by figure."""
    return DERIVED[name][1](lambda figure, row, column: cell(tables, f"{figure}:{row}:{column}"))


def write(name, tables, folder):
    """The CSV file of a figure's table."""
    head, rows = table_of(name, tables)
    path = os.path.join(folder, f"{name}.table.csv")
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([head] + rows)
    return path
