#!/bin/sh
# Every parameter of every GPU, scheduler, policy and atomics unit is in doc/commands.md with its
# unit, range and meaning, and in `heddle show gpu` with the place where its value was set and, if
# chosen, the reason.
heddle=$1
scratch=$2
mkdir -p "$scratch"
set -eu
"$heddle" show gpus --json >"$scratch/gpus.json"
"$heddle" show schedulers --json >"$scratch/schedulers.json"
"$heddle" show policies --json >"$scratch/policies.json"
"$heddle" show atomics --json >"$scratch/atomics.json"
"$heddle" show gpu m2090 --set n_sms=3 --set scheduler=cawa >"$scratch/gpu.txt"
"$heddle" show gpu m2090 --set n_sms=3 --set scheduler=cawa --json >"$scratch/gpu.json"

python3 - "$scratch" <<'PY'
import json, re, sys
def load(name):
    with open(f"{sys.argv[1]}/{name}.json") as f:
        return json.load(f)

# Rows of the page: name -> what is in the cells. Mechanisms share names, so there may be several.
rows = {}
with open("doc/commands.md") as f:
    for line in f:
        cells = [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 5 and cells[0].startswith("`"):
            rows.setdefault(cells[0].strip("`"), []).append(tuple(cells[1:]))

gpus = load("gpus")
assert len(gpus) == 8 and all(len(g["parameters"]) > 150 for g in gpus)
parameters = [p for g in gpus for p in g["parameters"]]
mechanisms = [p for m in load("schedulers") + load("policies") + load("atomics") for p in m["params"]]
assert len(mechanisms) > 40
free_texts = {"name", "description", "scheduler", "criticality", "sm.carveout", "atomics.unit", "l2.annotations",
              "cpu.programs", "llc.sample_sms", "l2.policy.quotas", "quotas"}
for p in parameters + mechanisms:
    want = (p["default"], p["range"], p["unit"] or "", p["help"])
    assert want in rows.get(p["name"], []), (p["name"], want)
    assert p["help"], p["name"]
    is_text = p["name"] in free_texts or p["name"].endswith(".policy")
    assert bool(p["range"]) != is_text, p["name"]

# The text of one GPU: a line with value, unit, range and meaning, then where it comes from.
with open(f"{sys.argv[1]}/gpu.txt") as f:
    lines = f.read().splitlines()
def value_text(p):
    v = p["value"]
    return ("true" if v else "false") if isinstance(v, bool) else str(v)
for i, p in enumerate(load("gpu")["parameters"]):
    first, second = lines[2 * i], lines[2 * i + 1]
    assert first[0] == ("*" if p["chosen"] else " "), first
    for part in (p["name"], value_text(p), p["unit"] or "", p["range"], p["help"]):
        assert part in first, (part, first)
    assert p["place"] in second, second
    if p["chosen"]:
        assert p["source"] in second and re.search(r"chosen \(.+\)", second), second

places = {p["name"]: p["place"] for p in load("gpu")["parameters"]}
assert places["n_sms"] == "--set n_sms=3"
assert places["l1d.policy"] == "goes with scheduler cawa"
with open("configs/m2090.yaml") as f:
    yaml = f.read().splitlines()
file, line = places["dram.t_rc"].split(":")
assert file == "configs/m2090.yaml" and yaml[int(line) - 1].strip() == "t_rc: 40"
PY
