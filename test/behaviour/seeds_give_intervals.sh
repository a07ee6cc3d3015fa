#!/bin/sh
# Several seeds: `compare` and figures show means with confidence intervals, which are recomputed
# here from the single results. Results of another model are shown on request only.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
python3 - "$heddle" "$scratch" <<'PY'
import csv, json, math, os, statistics, subprocess, sys
heddle, scratch = os.path.abspath(sys.argv[1]), sys.argv[2]
os.chdir(scratch)

def run(*words):
    done = subprocess.run([heddle, *words], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout

def write(name, text):
    with open(name, "w") as f:
        f.write(text)

write("e.yaml", "workloads: [bfs, mis]\nsize: tiny\nschedulers: [lrr, gto]\nseeds: [1, 2, 3]\n")
write("one.yaml", "workloads: [hot]\nsize: tiny\nschedulers: [lrr, gto]\n")
run("sweep", "e.yaml", "--store", "r.db")
run("sweep", "one.yaml", "--store", "r.db")
cycles = {}
for r in json.loads(run("query", "--store", "r.db", "--json", "SELECT * FROM results")):
    cycles[r["workload"], r["scheduler"], r["seed"]] = r["cycles"]
T = {3: 4.3027}  # Student's t, 97.5 %, two degrees of freedom

def interval(values):
    return statistics.mean(values), T[3] * statistics.stdev(values) / math.sqrt(3)

def close(a, b):
    return abs(a - b) < 1e-9 * abs(b)

compared = json.loads(run("compare", "--store", "r.db", "--json", "scheduler=lrr", "scheduler=gto"))
assert len(compared["rows"]) == 7
means = []
for group in compared["over_seeds"]:
    name, gto = group["workload"], group["results"][1]
    seeds = [1, 2, 3] if name != "hot" else [1]
    assert group["seeds"] == len(seeds)
    speedups = [cycles[name, "lrr", s] / cycles[name, "gto", s] for s in seeds]
    means.append(statistics.mean(speedups))
    assert close(gto["speedup"]["mean"], means[-1])
    if name == "hot":
        assert gto["speedup"]["half_width_95"] is None
        continue
    mean, half = interval(speedups)
    assert half > 0 and close(gto["speedup"]["half_width_95"], half), (gto, half)
    mean, half = interval([cycles[name, "gto", s] for s in seeds])
    assert close(gto["cycles"]["mean"], mean) and close(gto["cycles"]["half_width_95"], half)
# Each workload counts once, however many seeds it has.
assert close(compared["against"][0]["geometric_mean"], math.prod(means) ** (1 / 3))
text = run("compare", "--store", "r.db", "scheduler=lrr", "scheduler=gto")
assert "+/- 95 %" in text and "Student's t" in text and "seeds" in text.splitlines()[0]
text = run("compare", "--store", "r.db", "scheduler=lrr,seed=1", "scheduler=gto,seed=1")
assert "+/-" not in text and "seeds" not in text

write("f.yaml", """title: Seeds
source: a test
chart: bars
x: {axis: workload, title: workload}
y: IPC
sweep: {workloads: [bfs, mis], size: tiny, schedulers: [lrr, gto], seeds: [1, 2, 3]}
series:
  - {value: cycles, over: scheduler, relative_to: {scheduler: lrr}, where: {scheduler: gto}}
""")
run("figure", "f.yaml", "--store", "r.db", "--csv", "f.csv")
with open("f.csv", newline="") as f:
    rows = list(csv.reader(f))
assert rows[0] == ["workload", "gto", "gto (+/- 95 %)"], rows
for name, value, half in rows[1:]:
    mean, expected = interval([cycles[name, "gto", s] / cycles[name, "lrr", s] for s in (1, 2, 3)])
    assert close(float(value), mean) and close(float(half), expected), (name, value, half)
drawn = json.loads(run("figure", "f.yaml", "--store", "r.db", "--json"))
assert all(h > 0 for h in drawn["series"][0]["half_widths_95"])
run("figure", "f.yaml", "--store", "r.db", "--svg", "f.svg")
with open("f.svg") as f:
    assert f.read().count('class="interval"') == 2

# --- another model ---
import sqlite3
with sqlite3.connect("r.db") as db:
    db.execute("UPDATE run SET model = '0.0.1+0' WHERE workload = 'hot'")
    db.execute("UPDATE run SET parts = json_set(parts, '$.\"scheduler gto\"', 'old') WHERE workload = 'mis' AND seed = 1 AND scheduler = 'gto'")

def answer(*words):
    done = subprocess.run([heddle, "query", "--store", "r.db", "--csv", *words], capture_output=True, text=True)
    return done.stdout.split()[-1], done.stderr

count = "SELECT count(*) AS n FROM results"
n, note = answer(count)
assert n == "11" and "3 results of other versions of the model are not in the views; --all-models shows all" in note, (n, note)
assert answer("--all-models", count) == ("14", "")
assert answer("SELECT count(DISTINCT run) AS n FROM stats")[0] == "11"
assert len(json.loads(run("compare", "--store", "r.db", "--json", "scheduler=lrr", "scheduler=gto"))["rows"]) == 5
run("compare", "--store", "r.db", "scheduler=lrr,model=0.0.1+0", "scheduler=gto,model=0.0.1+0")
refused = subprocess.run([heddle, "compare", "--store", "r.db", "workload=hot,scheduler=lrr", "workload=hot,scheduler=gto"],
                         capture_output=True, text=True)
assert refused.returncode == 2 and "only for other versions of the model" in refused.stderr, refused
PY
