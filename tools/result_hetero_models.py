"""HeteroPDP's models on doc/results/hetero.md: how well they fit the rows they came from, what other rows and terms would
change, and what S3's coefficients say of its own training."""
import concurrent.futures
import csv
import json
import os
import re
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
    inputs = {(r["kernel"].split("/")[0], size) for r in rows_of_model("cmp-alone") for size in SIZES}
    inputs = sorted(inputs | {(e["workload"], e["size"]) for e in entries})
    with concurrent.futures.ThreadPoolExecutor(runs.jobs) as pool:
        return dict(zip(inputs, pool.map(lambda i: count_executed(runs.heddle, *i), inputs)))


def rows_of_model(model):
    with open(f"{MODELS}/testbed-{model}.csv") as file:
        return list(csv.DictReader(file))


def sizes_of_rows():
    """By kernel, threads and bytes: the size. A kernel's rows alone are in the order of SIZES."""
    sizes, seen = {}, {}
    for r in rows_of_model("cmp-alone"):
        sizes.setdefault((r["kernel"], r["threads"], r["buffer"]), SIZES[seen.setdefault(r["kernel"], 0)])
        seen[r["kernel"]] += 1
    return sizes


def launches_as_rows(measured, model):
    """The launches of the experiment as training data of a model."""
    target, scenario = model.split("-", 1)
    features = {(e["workload"], e["size"]): e["features"] for e in measured["entries"]}
    if scenario == "alone":
        cases = [(e, e["alone"][target], {}) for e in measured["entries"]]
    else:
        cases = [(m, m["co_located"][target], {k: m[k] for k in ("llc_misses", "dram_bandwidth")}) for m in measured["mixes"] if len(m["natives"]) == 1]
    kernels = {(e["workload"], e["size"]): e["kernel"] for e in measured["entries"]}
    return [{"kernel": f"{c['workload']}/{kernels[c['workload'], c['size']]}", "time": repr(time), **features[c["workload"], c["size"]], **system} for c, time, system in cases]


def name_target(path, target):
    """`heddle hetero train` takes the target from the features, which may be those of the other one here."""
    with open(path) as file:
        text = file.read()
    with open(path, "w") as file:
        file.write(re.sub(r"^target: .*", f"target: {target}", text, count=1, flags=re.MULTILINE))


def train_variant(runs, folder, model, variant, measured, executed):
    """Trains a model from the variant's rows; returns R^2 held out."""
    rows, sizes = rows_of_model(model), sizes_of_rows()
    features = [f for f in rows[0] if f not in ("kernel", "time")]
    if variant.get("executed"):
        for r in rows:
            workload, kernel = r["kernel"].split("/")
            r.update(executed[workload, sizes[r["kernel"], r["threads"], r["buffer"]]][kernel])
        features = ["threads", *CLASSES, "buffer"] + [f for f in features if f in ("llc_misses", "dram_bandwidth")]
    if variant.get("one_branch") and model.startswith("cmp"):
        for r in rows:
            r["branch"] = 1
    if variant.get("unloaded") and model.endswith("co-located"):
        rows += [{**r, "llc_misses": 0, "dram_bandwidth": 0} for r in rows_of_model(model.replace("co-located", "alone"))]
    if variant.get("among"):
        rows += launches_as_rows(measured, model)
    path = os.path.join(folder, "rows.csv")
    with open(path, "w") as file:
        out = csv.DictWriter(file, ["kernel", "time", *features], extrasaction="ignore")
        out.writeheader()
        out.writerows(rows)
    command = [runs.heddle, "hetero", "train", path, "--out", f"{folder}/{model}.model", "--json", *variant.get("options", [])]
    found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    name_target(f"{folder}/{model}.model", model.split("-")[0])
    return next(s for s in found["stages"] if s["best"])["held_out_r_squared"]


def with_features(measured, variant, executed, path):
    """The measurements, with the variant's features of the launches."""
    found = json.loads(json.dumps(measured))
    for e in found["entries"]:
        if variant.get("executed"):
            e["features"].update(executed[e["workload"], e["size"]][e["kernel"]])
        if variant.get("one_branch"):
            e["features"]["branch"] = 1
    with open(path, "w") as file:
        json.dump(found, file)
    return path


def choose_with(runs, folder, path):
    """What HeteroPDP predicts and chooses with the models of a folder."""
    command = [runs.heddle, "hetero", "mixes", "--measured", path, "--model", folder, "--json"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def share(values):
    values = list(values)
    return f"{sum(values) / len(values):.2f}"


def is_right(mix):
    c = next(c for c in mix["choices"] if (c["weight"], c["goal"], c["slowdown_reference"], c["pressure_rule"]) == (1, "fairness", "same", "live"))
    return c["target"] == c["optimal"]


def train_all(runs, name, variant, measured, executed):
    """The models of a variant, in a folder of their own; returns it and R^2 held out of each."""
    folder = os.path.join(runs.folder, name)
    os.makedirs(folder)
    return folder, [train_variant(runs, folder, f"{t}-{s}", variant, measured, executed) for s in ("alone", "co-located") for t in TARGETS]


def cells_of(runs, trained, variant, measured, executed):
    """Of a row: R^2 held out, shares of launches within 20 % alone and beside one native, shares of right targets."""
    folder, held = trained
    if variant.get("gpu_alone"):  # a missing co-located model is replaced by the one alone
        os.remove(f"{folder}/gpu-co-located.model")
        held = [*held[:3], None]
    found = choose_with(runs, folder, with_features(measured, variant, executed, f"{folder}/measured.json"))
    one, two = ([m for m in found["mixes"] if len(m["natives"]) == n] for n in (1, 2))
    near = [share(abs(c["predicted"][t] / c[of][t] - 1) <= 0.2 for c in cases) for cases, of in ((found["entries"], "alone"), (one, "co_located")) for t in TARGETS]
    right = [share(e["target"] == e["optimal"] for e in found["entries"]), share(map(is_right, one)), share(map(is_right, two))]
    return ["-" if h is None else f"{h:.2f}" for h in held] + near + right


VARIANTS = [
    ("as shipped", {}),
    ("GPU as alone", {"gpu_alone": True}),
    ("rows alone too", {"unloaded": True}),
    ("no pairs", {"options": ["--no-pairs"]}),
    ("executed", {"executed": True}),
    ("executed, no pairs", {"executed": True, "options": ["--no-pairs"]}),
    ("one branch", {"one_branch": True}),
    ("launches among the rows", {"among": True}),
    ("launches among the rows, none dropped", {"among": True, "options": ["--no-prune"]}),
    ("the same, GPU as alone", {"gpu_alone": True}),
]


def lacking(runs, measured_path):
    """Which part of S3's models fails: features, terms or training set?"""
    text = ("\n## What the models lack\n\nModels trained by the same rules on other rows or with other terms, and what they predict for the experiment. *No pairs*: `heddle hetero "
            "train --no-pairs`. *Executed*: instructions that each class executes per warp, by `heddle run NAME --functional --kernels`, in place of static counts. *One branch*: all "
            "kernels have one branch on the CMP, as Table A.1 suggests. *GPU as alone*: no model for the GPU beside natives, as Table A.4 suggests. *Rows alone too*: the models "
            "beside natives are fitted to the rows of kernels alone as well, with 0 LLC misses and 0 GB/s. *Launches among the rows*: the launches of the experiment are training "
            "kernels too, which S3 does not rule out for its own.\n\n<!-- table hetero-lacking -->\n")
    scenarios = [f"{t}{s}" for s in ("", " co-located") for t in ("CMP", "GPU")]
    head = ["training", *[f"R^2 held out, {s}" for s in scenarios], *[f"within 20 %, {s}" for s in scenarios], "right alone", "right beside one native", "beside two"]
    text += row(head) + row(["---"] * len(head))
    with open(measured_path) as file:
        measured = json.load(file)
    counts = executed_counts(runs, measured["entries"])
    for name, variant in VARIANTS:
        if not variant.get("gpu_alone"):  # otherwise the models of the row above
            trained = train_all(runs, name, variant, measured, counts)
        text += row([name] + cells_of(runs, trained, variant, measured, counts))
    return text


# --- what S3's coefficients say ---

PAPER = [("A.1", "i7-3770-alone"), ("A.2", "s9150-alone"), ("A.3", "i7-3770-co-located"), ("A.4", "s9150-co-located")]


def zeros_of_s3(runs):
    """The terms that S3's tables give no coefficient."""
    text = ("\n## What S3 says of its training\n\nTerms of S3's tables whose coefficient is 0 (`heddle hetero models NAME`); 1 stands for a single feature.\n\n"
            "<!-- table hetero-zeros -->\n" + row(["table", "terms", "0", "terms whose coefficient is 0"]) + row(["---"] * 4))
    for table, model in PAPER:
        shown = subprocess.run([runs.heddle, "hetero", "models", model], check=True, stdout=subprocess.PIPE, text=True).stdout
        terms = [line.split() for line in shown.splitlines() if line and line[0] != "#" and ": " not in line]
        zeros = [f"{a} x {b}" for a, b, value in terms if float(value) == 0]
        text += row([table, str(len(terms)), str(len(zeros)), ", ".join(zeros)])
    return text
