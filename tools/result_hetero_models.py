"""HeteroPDP's models on doc/results/hetero.md: how well they fit the rows they came from, and what other rows and terms
would change."""
import concurrent.futures
import csv
import json
import os
import subprocess

from result_pages import row

TARGETS = ["cmp", "gpu"]
TITLES = {"cmp": "CMP", "gpu": "GPU"}
MODELS = "models"
BOUNDS = [5, 10, 20, 50, 100]  # percent of error
SIZES = ["tiny", "small"]  # of the rows of a kernel, in this order
# Executed instructions by the classes of the GPU's model.
CLASSES = {"mem": ["ld_global", "st_global", "ld_shared", "st_shared", "ld_local", "st_local", "ld_const", "atomic"], "int": ["int", "cvt", "misc", "warp"],
           "fp": ["fp16", "fp32", "fp64"], "math": ["sfu"], "branch": ["branch", "call"], "barrier": ["barrier"]}


def train(runs, path, *options):
    """What `heddle hetero train` says, and the model."""
    out = os.path.join(runs.folder, "trained.model")
    found = subprocess.run([runs.heddle, "hetero", "train", path, "--out", out, "--json", *options], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(found), out


def models(runs):
    """How well the shipped models fit the rows they came from."""
    text = ("\n## The models\n\n`heddle hetero train models/ROWS` on the rows that come with Heddle, measured by `heddle hetero rows`; none of their kernels is in S3 Table 6.3. S3 "
            "keeps 45 of 63 kernels.\n\n<!-- table hetero-models -->\n")
    head = ["model", "rows", "kernels", "kept", "R^2, kept", "R^2, held out", "R^2, all", *[f"within {b} %" for b in BOUNDS]]
    text += row(head) + row(["---"] * len(head))
    dropped = []
    for scenario in ("alone", "co-located"):
        for target in TARGETS:
            path = f"{MODELS}/testbed-{target}-{scenario}.csv"
            if not os.path.exists(path):
                text += row([f"{TITLES[target]} {scenario}"] + ["-"] * (len(head) - 1))
                continue
            found, _ = train(runs, path)
            within, best = {round(100 * e["within"]): e["share"] for e in found["errors"]}, next(s for s in found["stages"] if s["best"])
            text += row([f"{TITLES[target]} {scenario}", str(found["rows"]), str(found["kernels"]), str(found["kept_kernels"]), f"{found['r_squared_kept']:.3f}",
                         f"{best['held_out_r_squared']:.3f}", f"{found['r_squared_all']:.3f}", *[f"{100 * within[b]:.0f} %" for b in BOUNDS]])
            dropped.append([f"{TITLES[target]} {scenario}",
                            ", ".join(f"{s['goes']} {s['error']:.2f}" for s in found["stages"] if s["kernels"] > found["kept_kernels"])])
    text += ("\nR^2 held out is that of the cross-validation, in which no kernel is predicted from its own rows. Errors are of all rows, dropped kernels included. "
             "Pruning drops the kernel with the largest error in the cross-validation, |p - t| / (|p| + t), again and again, and keeps the stage with the best R^2 held out:\n\n")
    text += row(["model", "dropped kernels, in this order, with their errors"]) + row(["---"] * 2) + "".join(row(d) for d in dropped)
    return text


# --- other rows and terms ---

def count_executed(heddle, workload, size):
    """By kernel: executed warp instructions of each class per warp."""
    command = [heddle, "run", workload, "--size", size, "--functional", "--kernels", "--json"]
    kernels = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)["kernels"]
    return {k["kernel"]: {name: sum(k[f"insts.{part}"] for part in parts) / k["warps"] for name, parts in CLASSES.items()} for k in kernels}


def executed_counts(runs, entries):
    """By (workload, size): of the training kernels and of the launches."""
    with open(f"{MODELS}/testbed-cmp-alone.csv") as file:
        inputs = {(r["kernel"].split("/")[0], size) for r in csv.DictReader(file) for size in SIZES}
    inputs = sorted(inputs | {(e["workload"], e["size"]) for e in entries})
    with concurrent.futures.ThreadPoolExecutor(runs.jobs) as pool:
        return dict(zip(inputs, pool.map(lambda i: count_executed(runs.heddle, *i), inputs)))


def rows_with(runs, target, executed, entries):
    """The rows of a target's model: with executed counts in place of static ones, with launches besides."""
    with open(f"{MODELS}/testbed-{target}-alone.csv") as file:
        rows, seen = list(csv.DictReader(file)), {}
    features = [f for f in rows[0] if f not in ("kernel", "time")]
    for e in entries:
        rows.append({"kernel": f"{e['workload']}/{e['kernel']}", "time": repr(e["alone"][target]), **{f: e["features"][f] for f in features}})
    for r in rows if executed else []:
        workload, kernel = r["kernel"].split("/")
        size = SIZES[seen.setdefault(r["kernel"], 0)]
        seen[r["kernel"]] += 1
        r.update(executed[workload, size][kernel])
    if executed:
        features = ["threads", *CLASSES, "buffer"]
    path = os.path.join(runs.folder, "rows.csv")
    with open(path, "w") as file:
        out = csv.DictWriter(file, ["kernel", "time", *features], extrasaction="ignore")
        out.writeheader()
        out.writerows(rows)
    return path


def predict(runs, model, entries, executed):
    path = os.path.join(runs.folder, "features.json")
    with open(path, "w") as file:
        json.dump([{**e["features"], **(executed[e["workload"], e["size"]][e["kernel"]] if executed else {})} for e in entries], file)
    found = subprocess.run([runs.heddle, "hetero", "predict", "--model", model, "--features", path, "--json"], check=True, stdout=subprocess.PIPE).stdout
    return [p["time"] for p in json.loads(found)]


def variant(runs, entries, executed, options, among):
    """Cells of a row: R^2 held out, shares of launches within 20 and 50 %, share of right targets."""
    held, within, predicted = [], [], {}
    for target in TARGETS:
        found, model = train(runs, rows_with(runs, target, executed, among), *options)
        held.append(next(s for s in found["stages"] if s["best"])["held_out_r_squared"])
        predicted[target] = predict(runs, model, entries, executed)
        errors = [abs(p / e["alone"][target] - 1) for p, e in zip(predicted[target], entries)]
        within.append([sum(x <= bound for x in errors) / len(errors) for bound in (0.2, 0.5)])
    faster = ["gpu" if g < c else "cmp" for c, g in zip(predicted["cmp"], predicted["gpu"])]
    right = sum(f == e["optimal"] for f, e in zip(faster, entries)) / len(entries)
    return [f"{h:.2f}" for h in held] + [f"{w[i]:.2f}" for i in range(2) for w in within] + [f"{right:.2f}"]


def lacking(runs, entries):
    """Which part of S3's models fails: features, terms or training set?"""
    text = ("\n## What the models lack\n\nModels of times alone, trained by the same rules on other rows or with other terms, and their predictions for the launches of the experiment. "
            "*Executed*: instructions that each class executes per warp, by `heddle run NAME --functional --kernels`, in place of static counts. *No pairs*: `heddle hetero train --no-pairs`. "
            "*Launches among the rows*: the launches of the experiment are training kernels too, which S3 does not rule out for its own.\n\n<!-- table hetero-lacking -->\n")
    head = ["training", "R^2 held out, CMP", "R^2 held out, GPU", "within 20 %, CMP", "within 20 %, GPU", "within 50 %, CMP", "within 50 %, GPU", "right target"]
    text += row(head) + row(["---"] * len(head))
    counts = executed_counts(runs, entries)
    for name, executed, options, among in [("as shipped", None, [], []), ("no pairs", None, ["--no-pairs"], []), ("executed", counts, [], []),
                                           ("executed, no pairs", counts, ["--no-pairs"], []), ("launches among the rows", None, [], entries)]:
        text += row([name] + variant(runs, entries, executed, options, among))
    return text
