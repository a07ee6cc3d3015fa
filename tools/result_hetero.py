"""Launches on the CMP or the GPU beside native programs (S3 chapter 6): tables of doc/results/hetero.md, from what
`heddle hetero mixes` says of the simulations in a store.

A mix counts if its simulations, those of its launch alone and the Bubble-up tables of its natives are there. The
measurements are kept in MEASURED, which can stand in for the store."""
import json
import os
import subprocess

from result_hetero_models import TARGETS, TITLES, lacking, models, zeros_of_s3
from result_pages import FOLDER, geometric_mean, row

WEIGHTS = [0.5, 1, 1.5, 2, 2.5]
OUTCOMES = [f"{TITLES[a]}/{TITLES[b]}" for a in TARGETS for b in TARGETS]
ONE, TWO = 156, 38
MEASURED = f"{FOLDER}/hetero-mixes.json"
PREDICTED = ("choices", "predicted", "predicted_alone", "clamped", "target", "optimal")  # made again from MEASURED
NAMED = ["bit", "hg", "xsb"]  # by S3, in Figure 6.3


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else ""


class Hetero:
    def __init__(self, runs):
        self.runs = runs
        command = [runs.heddle, "hetero", "mixes"]
        from_file, in_store = ["--measured", runs.store], ["--store", runs.store]
        is_file = runs.store.endswith(".json")
        if not is_file and not runs.answers.stored_only:
            subprocess.run(command + in_store + ["--jobs", str(runs.jobs)] + ["--quick"] * runs.quick, check=True, stdout=subprocess.DEVNULL)
        source = from_file if is_file else in_store + ["--stored-only"]
        found = json.loads(subprocess.run(command + source + ["--json"], check=True, stdout=subprocess.PIPE).stdout)
        self.when = json.load(open(runs.store))["when"] if is_file else measured_when(runs)
        if not is_file:
            keep(found, self.when)
        self.natives, self.entries, mixes = found["natives"], found["entries"], found["mixes"]
        self.one, self.two = ([m for m in mixes if len(m["natives"]) == n] for n in (1, 2))


def measured_when(runs):
    """When the last simulation of the testbed was stored, and of which source: that of the program."""
    query = "SELECT date(MAX(stored_at)) AS day, group_concat(DISTINCT model) AS model FROM run WHERE gpu = 'i7-s9150' AND state = 'done'"
    found = json.loads(subprocess.run([runs.heddle, "query", "--store", runs.store, "--json", query], check=True, stdout=subprocess.PIPE).stdout)[0]
    folder = os.path.dirname(os.path.abspath(runs.heddle))
    commit = runs.commit or subprocess.run(["git", "-C", folder, "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE, text=True).stdout.strip()
    return {"day": found["day"], "model": found["model"], "commit": commit or "unknown", "by": runs.answers.model}


def keep(found, when):
    """Writes MEASURED, a line for each native, launch and mix."""
    with open(MEASURED, "w") as out:
        out.write(f'{{"when": {json.dumps(when)},\n"llc_bytes": {found["llc_bytes"]}')
        for key in ("natives", "entries", "mixes"):
            lines = [json.dumps({k: v for k, v in item.items() if k not in PREDICTED}) for item in found[key]]
            out.write(f',\n"{key}": [\n' + ",\n".join(lines) + "\n]")
        out.write("}\n")


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


def conditions(runs):
    """What ran, natives and launches."""
    h = hetero_of(runs)
    text = (f"\n## What was measured\n\n{len(h.one)} of {ONE} mixes of one native, {len(h.two)} of {TWO} of two, and {len(h.entries)} of 26 launches alone, measured on "
            f"{h.when['day']} with the source of commit {h.when['commit']} (model {h.when['model']}). `{MEASURED}` has the measurements; `heddle hetero mixes --measured FILE` makes "
            "predictions and choices from them.\n\nNatives, alone on this machine; slowdowns beside bubbles at half (4/8) and full (8/8) pressure:\n\n<!-- table hetero-natives -->\n")
    head = ["native", "stands for", "program", "ms alone", "LLC misses per 1,000 instructions", "DRAM GB/s", "cache 4/8", "cache 8/8", "bandwidth 4/8", "bandwidth 8/8"]
    text += row(head) + row(["---"] * len(head))
    for n in h.natives:
        text += row([n["name"], n["stands_for"], f"`{n['program']}`", f"{1e3 * n['alone']:.3f}", f"{n['llc_mpki']:.1f}", f"{n['dram_gbps']:.2f}"] +
                    [f"{n[k][s]:.3f}" for k in ("cache", "bandwidth") for s in (4, 8)])
    return text


def launches(runs):
    """Every launch alone: where its time goes, and what is predicted."""
    h = hetero_of(runs)
    text = ("\n## Launches alone\n\nEach is the longest launch of its program on the CMP. Times in us; a prediction of 1.0 is clamped. \"PCIe\" is the share of transfers in the time "
            "on the GPU.\n\n<!-- table hetero-launches -->\n")
    head = ["launch", "input", "kernel", "number", "CMP us", "predicted", "GPU us", "predicted for the GPU", "PCIe", "faster", "predicted target"]
    text += row(head) + row(["---"] * len(head))
    for e in h.entries:
        times = [f"{1e6 * e[k][t]:.1f}" for t in TARGETS for k in ("alone", "predicted")]
        text += row([name_of(e), f"`{e['size']}`", e["kernel"], str(e["launch"]), *times, f"{e['transfer_s'] / e['alone']['gpu']:.2f}", TITLES[e["optimal"]], TITLES[e["target"]]])
    gpu, n = [e for e in h.entries if e["optimal"] == "gpu"], len(h.entries)
    share = lambda entries: mean(e["transfer_s"] / e["alone"]["gpu"] for e in entries)
    ratios = [speedup_alone(e, "gpu") for e in h.entries]
    text += "\nOver all of them:\n\n<!-- table hetero-launch-means -->\n" + row(["what", "value"]) + row(["---"] * 2)
    for what, value in [("launches that are faster on the CMP", f"{n - len(gpu)}"), ("launches that are faster on the GPU", f"{len(gpu)}"),
                        ("share of PCIe in the time on the GPU, of launches that are faster on the CMP", f"{share([e for e in h.entries if e not in gpu]):.2f}"),
                        ("share of PCIe, of launches that are faster on the GPU", f"{share(gpu):.2f}"),
                        ("speedup of always-GPU without PCIe", f"{mean(e['alone']['cmp'] / (e['alone']['gpu'] - e['transfer_s']) for e in h.entries):.2f}"),
                        ("geometric mean of the speedup of always-GPU", f"{geometric_mean(ratios):.3f}"),
                        ("geometric mean of the speedup of the optimal target", f"{geometric_mean([max(r, 1) for r in ratios]):.3f}"),
                        ("clamped predictions of times alone, CMP", str(clamped(h.entries, "cmp"))), ("clamped predictions of times alone, GPU", str(clamped(h.entries, "gpu"))),
                        ("clamped predictions beside one native, CMP", str(clamped(h.one, "cmp"))), ("clamped predictions beside one native, GPU", str(clamped(h.one, "gpu")))]:
        text += row([what, value])
    return text


def clamped(cases, target):
    """Predictions that were not positive are 1 us."""
    return sum(c["predicted"][target] == 1e-6 for c in cases)


def slowdown_of_launch(mix, target, is_measured):
    times, alone = ("co_located", "alone") if is_measured else ("predicted", "predicted_alone")
    return mix[times][target] / mix[alone][target]


def right_with(mixes, measured_launch, measured_natives):
    """Share of right targets if the slowdowns of launches or those of natives were measured instead of predicted."""
    def fairness(mix, target):
        natives = mix["slowdowns"] if measured_natives else choice(mix)["predicted_slowdowns"]
        all_of_it = [slowdown_of_launch(mix, target, measured_launch)] + [s[target] for s in natives]
        return min(all_of_it) / max(all_of_it)
    return mean(("gpu" if fairness(m, "gpu") > fairness(m, "cmp") else "cmp") == choice(m)["optimal"] for m in mixes)


def slowdowns(runs):
    """Of launches and natives, and which of their predictions decide."""
    h = hetero_of(runs)
    text = ("\n## Slowdowns\n\nSlowdowns of the launch and of the natives beside it, by the target of the launch: mean, least and greatest over the mixes.\n\n"
            "<!-- table hetero-slowdowns -->\n")
    head = ["mixes", "launch, mean", "launch, least", "launch, greatest", "natives, mean", "natives, least", "natives, greatest"]
    text += row(head) + row(["---"] * len(head))
    for n, mixes in (("one native", h.one), ("two natives", h.two)):
        for t in TARGETS:
            found = [[slowdown_of_launch(m, t, True) for m in mixes], [s[t] for m in mixes for s in m["slowdowns"]]]
            text += row([f"{n}, {TITLES[t]}"] + [f"{of(values):.3f}" for values in found for of in (mean, min, max)])
    text += ("\nShare of mixes whose fairer target is found, with slowdowns of launches predicted by the models or measured, and of natives from their Bubble-up tables or measured:\n\n"
             "<!-- table hetero-decides -->\n")
    head = ["launches", "natives", "one native", "two natives"]
    text += row(head) + row(["---"] * len(head))
    for launch, natives in ((False, False), (False, True), (True, False)):
        text += row(["measured" if launch else "models", "measured" if natives else "tables"] + [f"{right_with(mixes, launch, natives):.2f}" for mixes in (h.one, h.two)])
    return text


def rules(runs):
    """What a choice could rest on besides."""
    h = hetero_of(runs)
    text = ("\n## Other rules\n\nShare of the mixes of one native whose optimal target is predicted: with the slowdown of a launch relative to the faster target alone; with all of "
            "its buffers as its pressure on the cache, not just those that concurrent threads work on; with the pressure of the cache bubble that slows down another native as much as "
            "the launch does on the CMP; and for other goals.\n\n<!-- table hetero-rules -->\n")
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


def all_variants(runs):
    hetero_of(runs)  # writes MEASURED, if it is not what the page is made from
    return lacking(runs, MEASURED)


SECTIONS = [("hetero-natives", "What was measured", conditions), ("hetero-launches", "Launches alone", launches), ("hetero-models", "The models", models),
            ("hetero-zeros", "What S3 says of its training", zeros_of_s3),
            ("hetero-lacking", "What the models lack", all_variants), ("hetero-slowdowns", "Slowdowns", slowdowns), ("hetero-rules", "Other rules", rules),
            ("hetero-mix-table", "Every mix", every_mix)]
