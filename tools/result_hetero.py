"""Launches on the CMP or the GPU beside native programs (S3 chapter 6): tables of doc/results/hetero.md, from what
`heddle hetero mixes` says of the simulations in a store.

A mix counts if its simulations, those of its launch alone and the Bubble-up tables of its natives are there."""
import json
import os
import subprocess

from result_pages import geometric_mean, row

TARGETS = ["cmp", "gpu"]
TITLES = {"cmp": "CMP", "gpu": "GPU"}
WEIGHTS = [0.5, 1, 1.5, 2, 2.5]
OUTCOMES = [f"{TITLES[a]}/{TITLES[b]}" for a in TARGETS for b in TARGETS]
ONE, TWO = 156, 38
MODELS = "models"
BOUNDS = [5, 10, 20, 50, 100]  # percent of error
NAMED = ["bit", "hg", "xsb"]  # by S3, in Figure 6.3


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else ""


class Hetero:
    def __init__(self, runs):
        self.runs = runs
        command = [runs.heddle, "hetero", "mixes", "--store", runs.store]
        if not runs.answers.stored_only:
            subprocess.run(command + ["--jobs", str(runs.jobs)] + ["--quick"] * runs.quick, check=True, stdout=subprocess.DEVNULL)
        found = json.loads(subprocess.run(command + ["--stored-only", "--json"], check=True, stdout=subprocess.PIPE).stdout)
        self.natives, self.entries, mixes = found["natives"], found["entries"], found["mixes"]
        self.one, self.two = ([m for m in mixes if len(m["natives"]) == n] for n in (1, 2))


def hetero_of(runs):
    if not hasattr(runs, "hetero"):
        runs.hetero = Hetero(runs)
    return runs.hetero


def name_of(launch):
    """Of two inputs of one workload the second has more clusters."""
    return launch["workload"] + ("_16" if "clusters=16" in launch["size"] else "")


def choice(mix, weight=1, goal="fairness", reference="same", rule="live"):
    """None if it was not asked: the rule `measured` needs the launch beside another native."""
    return next((c for c in mix["choices"] if (c["weight"], c["goal"], c["slowdown_reference"], c["pressure_rule"]) == (weight, goal, reference, rule)), None)


def outcomes(cases):
    """Shares of (predicted, optimal), and of those that agree."""
    if not cases:
        return [""] * 5
    shares = [mean((c["target"], c["optimal"]) == (a, b) for c in cases) for a in TARGETS for b in TARGETS]
    return shares + [shares[0] + shares[3]]


# --- speeds ---

def speedup_alone(entry, target):
    return entry["alone"]["cmp"] / entry["alone"][target]


def speedups(mix, target):
    """Of the natives, of the launch, and of all of them on average, over the launch on the CMP."""
    natives = [s["cmp"] / s[target] for s in mix["slowdowns"]]
    launch = mix["co_located"]["cmp"] / mix["co_located"][target]
    return [mean(natives), launch, mean(natives + [launch])]


def targets_of(mix, weight=1):
    c = choice(mix, weight)
    return {"CMP": "cmp", "GPU": "gpu", "HeteroPDP": c["target"], "optimal": c["optimal"]}


def ratio(a, b):
    return a / b if a != "" and b else ""


def means_alone(h):
    pick = {"CMP": lambda e: "cmp", "GPU": lambda e: "gpu", "HeteroPDP": lambda e: e["target"], "optimal": lambda e: e["optimal"]}
    return {name: mean(speedup_alone(e, of(e)) for e in h.entries) for name, of in pick.items()}


def target_matters(runs):
    h, alone = hetero_of(runs), means_alone(hetero_of(runs))
    fair = {name: mean(choice(m)["measured"][targets_of(m)[name]] for m in h.one) for name in ("CMP", "GPU", "optimal")}
    rows = [[name, alone[name], fair[name]] for name in fair]
    return ["target", "speedup", "fairness"], rows + [["optimal over GPU", ratio(alone["optimal"], alone["GPU"]), ratio(fair["optimal"], fair["GPU"])]]


def flips(runs):
    rows = []
    for m in hetero_of(runs).one:
        if m["natives"] == ["chase"]:
            a, b = (m[k]["cmp"] / m[k]["gpu"] for k in ("alone", "co_located"))
            rows.append([name_of(m), a, b, int((a > 1) != (b > 1))])
    rows += [[name, "", "", ""] for name in NAMED if name not in [r[0] for r in rows]]
    return ["launch", "alone", "beside mcf", "flips"], rows


def quantile(values, percent):
    """Of sorted values: the one at that share of the way."""
    return values[round(percent / 100 * (len(values) - 1))] if values else ""


def fairness_ratios(runs):
    h = hetero_of(runs)
    ratios = [sorted(choice(m, reference=r)["fairness_ratio"] for m in h.one) for r in ("same", "best")]
    return ["percent", "same", "best"], [[str(p)] + [quantile(r, p) for r in ratios] for p in range(0, 101, 5)]


def ratios_by_weight(runs):
    h, rows = hetero_of(runs), []
    for w in WEIGHTS:
        chosen = [choice(m, w) for m in h.one]
        changed = [c["optimal"] != choice(m)["optimal"] for c, m in zip(chosen, h.one)]
        rows.append([f"{w:g}", geometric_mean([c["fairness_ratio"] for c in chosen]) if chosen else "",
                     mean(c["optimal"] == "gpu" for c in chosen), mean(changed)])
    return ["weight", "ratio", "GPU", "changed"], rows


def accuracy(runs):
    h = hetero_of(runs)
    return ["scenario"] + OUTCOMES + ["right"], [["alone"] + outcomes(h.entries), ["co-located"] + outcomes([choice(m) for m in h.one])]


def errors(runs):
    h = hetero_of(runs)
    found = [[abs(e["predicted"][t] / e["alone"][t] - 1) for e in h.entries] for t in TARGETS]
    found += [[abs(m["predicted"][t] / m["co_located"][t] - 1) for m in h.one] for t in TARGETS]
    head = [f"{TITLES[t]} {s}" for s in ("alone", "co-located") for t in TARGETS]
    return ["percent"] + head, [[str(p)] + [mean(e <= p / 100 for e in es) for es in found] for p in (5, 10, 20, 30, 50, 75, 100)]


def speed_alone(runs):
    alone = means_alone(hetero_of(runs))
    gap = alone["optimal"] - alone["GPU"]
    closed = (alone["HeteroPDP"] - alone["GPU"]) / gap if gap else ""
    rows = [[name, value, closed if name == "HeteroPDP" else ""] for name, value in alone.items()]
    return ["target", "speedup", "gap closed"], rows + [["HeteroPDP over GPU", ratio(alone["HeteroPDP"], alone["GPU"]), ""]]


def speed_of(mixes):
    rows = []
    for name in ("CMP", "GPU", "HeteroPDP", "optimal"):
        chosen = [(m, targets_of(m)[name]) for m in mixes]
        parts = [speedups(m, t) for m, t in chosen]
        rows.append([name] + [mean(p[i] for p in parts) for i in range(3)] + [mean(choice(m)["measured"][t] for m, t in chosen)])
    rows.append(["HeteroPDP over GPU"] + [ratio(a, b) for a, b in zip(rows[2][1:], rows[1][1:])])
    return ["target", "native", "OCL", "average", "fairness"], rows


def accuracy_by_weight(runs):
    h, rows = hetero_of(runs), []
    for w in WEIGHTS:
        chosen = [choice(m, w) for m in h.one]
        rows.append([f"{w:g}"] + outcomes(chosen) + [mean(c["optimal"] == "gpu" for c in chosen)])
    rows.append(["all weights"] + [mean(r[i] for r in rows) if h.one else "" for i in range(1, 7)])
    return ["weight"] + OUTCOMES + ["right", "optimal on the GPU"], rows


def speed_by_weight(runs):
    h, rows = hetero_of(runs), []
    for w in WEIGHTS:
        chosen = [(m, choice(m, w)) for m in h.one]
        parts = [speedups(m, c["target"]) for m, c in chosen]
        rows.append([f"{w:g}"] + [mean(p[i] for p in parts) for i in range(3)] + [mean(c["measured"][c["target"]] for _, c in chosen)])
    rows.append(["0.5 over 1"] + [ratio(a, b) for a, b in zip(rows[0][1:], rows[1][1:])])
    return ["weight", "native", "OCL", "average", "weighted fairness"], rows


def accuracy_of_two(runs):
    h = hetero_of(runs)
    return ["scenario"] + OUTCOMES + ["right"], [["two natives"] + outcomes([choice(m) for m in h.two])]


TABLES = {
    "s3-fig6-2": target_matters,
    "s3-fig6-3": flips,
    "s3-fig6-4": fairness_ratios,
    "s3-fig6-5": ratios_by_weight,
    "s3-fig6-7": accuracy,
    "s3-fig6-8": errors,
    "s3-fig6-9": speed_alone,
    "s3-fig6-10": lambda runs: speed_of(hetero_of(runs).one),
    "s3-fig6-11": accuracy_by_weight,
    "s3-fig6-12": speed_by_weight,
    "s3-fig6-13": accuracy_of_two,
    "s3-fig6-14": lambda runs: speed_of(hetero_of(runs).two),
}


# --- sections without a figure ---

def percent(value):
    return "-" if value == "" else f"{100 * value:.0f}"


def measured_when(runs):
    """When the last simulation of the testbed was stored, and of which source."""
    query = "SELECT date(MAX(stored_at)) AS day, count(*) AS n, group_concat(DISTINCT substr(model, 1, 12)) AS model FROM run WHERE gpu = 'i7-s9150' AND state = 'done'"
    found = json.loads(subprocess.run([runs.heddle, "query", "--store", runs.store, "--json", query], check=True, stdout=subprocess.PIPE).stdout)[0]
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE, text=True).stdout.strip() or "an unknown commit"
    return f"{found['day']} by model {found['model']}, page made from commit {commit}; the store has {found['n']} simulations of the testbed"


def conditions(runs):
    """What ran, natives and launches."""
    h = hetero_of(runs)
    text = (f"\n## What was measured\n\nMeasured on {measured_when(runs)}. {len(h.one)} of {ONE} mixes of one native and {len(h.two)} of {TWO} of two are there, and "
            f"{len(h.entries)} of 26 launches alone. Natives, alone on this machine; slowdowns beside bubbles of a half and of the whole pressure:\n\n<!-- table hetero-natives -->\n")
    head = ["native", "stands for", "program", "ms alone", "LLC misses per 1,000 instructions", "DRAM GB/s", "cache 4/8", "cache 8/8", "bandwidth 4/8", "bandwidth 8/8"]
    text += row(head) + row(["---"] * len(head))
    for n in h.natives:
        text += row([n["name"], n["stands_for"], f"`{n['program']}`", f"{1e3 * n['alone']:.3f}", f"{n['llc_mpki']:.1f}", f"{n['dram_gbps']:.2f}"] +
                    [f"{n[k][s]:.3f}" for k in ("cache", "bandwidth") for s in (4, 8)])
    head = ["launch", "input", "kernel", "number", "CMP us", "predicted", "GPU us", "predicted", "faster", "predicted"]
    text += "\nLaunches alone, each the longest of its program on the CMP; times in us:\n\n" + row(head) + row(["---"] * len(head))
    for e in h.entries:
        text += row([name_of(e), f"`{e['size']}`", e["kernel"], str(e["launch"])] + [f"{1e6 * e[k][t]:.1f}" for t in TARGETS for k in ("alone", "predicted")] +
                    [TITLES[e["optimal"]], TITLES[e["target"]]])
    return text


def models(runs):
    """How well the shipped models fit the rows they came from."""
    text = ("\n## The models\n\n`heddle hetero train models/ROWS` on the rows that come with Heddle, measured by `heddle hetero rows` of kernels none of which is in S3 Table 6.3. S3 "
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
            out = os.path.join(runs.folder, "trained.model")
            found = json.loads(subprocess.run([runs.heddle, "hetero", "train", path, "--out", out, "--json"], check=True, stdout=subprocess.PIPE).stdout)
            within, best = {round(100 * e["within"]): e["share"] for e in found["errors"]}, next(s for s in found["stages"] if s["best"])
            text += row([f"{TITLES[target]} {scenario}", str(found["rows"]), str(found["kernels"]), str(found["kept_kernels"]), f"{found['r_squared_kept']:.3f}",
                         f"{best['held_out_r_squared']:.3f}", f"{found['r_squared_all']:.3f}", *[f"{percent(within[b])} %" for b in BOUNDS]])
            dropped.append([f"{TITLES[target]} {scenario}",
                            ", ".join(f"{s['goes']} {s['error']:.2f}" for s in found["stages"] if s["kernels"] > found["kept_kernels"])])
    text += ("\nR^2 held out is that of the cross-validation, in which no kernel is predicted from its own rows. Errors are of all rows, dropped kernels included. "
             "Pruning drops the kernel with the largest error in the cross-validation, |p - t| / (|p| + t), again and again, and keeps the stage with the best R^2 held out:\n\n")
    text += row(["model", "dropped kernels, in this order, with their errors"]) + row(["---"] * 2) + "".join(row(d) for d in dropped)
    return text


def rules(runs):
    """What a choice could rest on besides."""
    h = hetero_of(runs)
    text = ("\n## Other rules\n\nShare of the mixes of one native whose optimal target is predicted: with the slowdown of a launch against the faster target alone; with all of "
            "its buffers as its pressure on the cache, in place of what concurrent threads work on; with the pressure of the cache bubble that slows down another native as the launch "
            "does on the CMP; and for other goals.\n\n<!-- table hetero-rules -->\n")
    text += row(["rule", "optimal on the GPU", "right", "mixes"]) + row(["---"] * 4)
    for name, words in [("fairness", {}), ("fairness, against the faster target", {"reference": "best"}), ("fairness, pressure by footprint", {"rule": "footprint"}),
                        ("fairness, pressure measured with another native", {"rule": "measured"}),
                        ("throughput", {"goal": "throughput"}), ("weighted speedup", {"goal": "weighted"})]:
        cases = [c for c in (choice(m, **words) for m in h.one) if c]
        text += row([name, percent(mean(c["optimal"] == "gpu" for c in cases)) + " %", percent(mean(c["optimal"] == c["target"] for c in cases)) + " %", str(len(cases))])
    return text


def every_mix(runs):
    """Every launch, and every mix."""
    h = hetero_of(runs)
    text = ("\n## Every mix\n\nTimes in us, alone and together; slowdowns of the natives; fairness; the fairer target and the predicted one.\n\n<!-- table hetero-mix-table -->\n")
    head = ["launch", "natives", "CMP alone", "CMP", "GPU alone", "GPU", "natives, CMP", "natives, GPU", "fairness, CMP", "fairness, GPU", "fairer", "predicted"]
    text += row(head) + row(["---"] * len(head))
    for m in h.one + h.two:
        c = choice(m)
        times = [f"{1e6 * m[k][t]:.1f}" for t in TARGETS for k in ("alone", "co_located")]
        slow = [", ".join(f"{s[t]:.3f}" for s in m["slowdowns"]) for t in TARGETS]
        text += row([name_of(m), ", ".join(m["natives"])] + times + slow + [f"{c['measured'][t]:.3f}" for t in TARGETS] + [TITLES[c["optimal"]], TITLES[c["target"]]])
    return text


SECTIONS = [("hetero-natives", "What was measured", conditions), ("hetero-models", "The models", models), ("hetero-rules", "Other rules", rules),
            ("hetero-mix-table", "Every mix", every_mix)]
