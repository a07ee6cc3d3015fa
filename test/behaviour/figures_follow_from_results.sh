#!/bin/sh
# Figures against arithmetic done in Python from the store, drawings against the numbers they draw.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
python3 - "$heddle" "$scratch" <<'PY'
import csv, math, json, os, re, sqlite3, subprocess, sys
import xml.etree.ElementTree as xml
heddle = os.path.abspath(sys.argv[1])
root_folder = os.getcwd()
os.chdir(sys.argv[2])
svg = "{http://www.w3.org/2000/svg}"

def call(*words, want=0):
    run = subprocess.run([heddle, *words], capture_output=True, text=True)
    assert run.returncode == want, (words, run.returncode, run.stdout, run.stderr)
    return run

def write(name, text):
    with open(name, "w") as f:
        f.write(text)

def table(path):
    with open(path, newline="") as f:
        head, *rows = csv.reader(f)
    return head, {r[0]: [float(v) if v else None for v in r[1:]] for r in rows}

head_of = """title: Warps & <caches>
source: a test
chart: lines
x: {axis: scheduler.limit, title: warps}
y: IPC relative to 8 warps
right: MPKI
sweep:
  workloads: [ss, bp, nosuch]
  size: tiny
  schedulers:
    - swl: {limit: [1, 4, 8]}
"""
write("lines.yaml", head_of + """series:
  - {title: speed, value: ipc, mean: harmonic, relative_to: {scheduler.limit: 8}}
  - {title: misses, value: l1d.mpki, mean: arithmetic, side: right}
  - {value: ipc, over: workload, relative_to: {scheduler.limit: 8}}
paper:
  - {says: rises to the end, series: speed, highest_at: 8, source: a test}
  - {says: peaks at one, series: speed, highest_at: 1, source: a test}
  - {says: peaks inside, series: speed, highest_between: [1, 8], source: a test}
  - {says: falls there, series: speed, lowest_at: 1, source: a test}
  - {says: is itself, series: ss, at: 8, about: 1, source: a test}
  - {says: is twice itself, series: ss, at: 8, about: 2, source: a test}
  - {says: what is missing, series: nosuch, highest_at: 1, source: a test}
  - {says: mere words, source: a test}
""")
assert "to run" in call("figure", "lines.yaml", "--dry-run", "--store", "r.db").stdout and not os.path.exists("r.db")
text = call("figure", "lines.yaml", "--store", "r.db", "--csv", "l.csv", "--svg", "l.svg").stdout
assert "missing: Heddle has no workload 'nosuch'" in text
verdicts = {says: word for says, word in re.findall(
    r"^(\S.*?)  .*  (yes|no|missing|look) +a test$", text, re.M)}
assert verdicts == {"rises to the end": "yes", "peaks at one": "no", "peaks inside": "no",
                    "falls there": "yes", "is itself": "yes", "is twice itself": "no",
                    "what is missing": "missing", "mere words": "look"}, (verdicts, text)

with sqlite3.connect("r.db") as db:
    ipc = {(w, s.split("=")[1]): v for w, s, v in
           db.execute("SELECT workload, settings, ipc FROM results")}
    mpki = {(w, s.split("=")[1]): v for w, s, v in
            db.execute("SELECT workload, settings, l1d_mpki FROM results")}
head, rows = table("l.csv")
assert head == ["scheduler.limit", "speed", "misses", "ss", "bp", "ss (paper)"]
assert list(rows) == ["1", "4", "8"]
for x, (speed, misses, ss, bp, paper) in rows.items():
    assert paper == (1 if x == "8" else None)
    ratios = [ipc[w, x] / ipc[w, "8"] for w in ("ss", "bp")]
    assert [ss, bp] == ratios
    assert abs(speed - 2 / (1 / ratios[0] + 1 / ratios[1])) < 1e-12
    assert abs(misses - (mpki["ss", x] + mpki["bp", x]) / 2) < 1e-12

# The lines pass through their numbers, with a separate scale on each side: logarithmic on the left,
# where relative numbers differ by more than a factor of 5, from 0 on the right.
root = xml.parse("l.svg").getroot()
paths = [p for p in root.iter(svg + "path") if p.get("stroke-width") == "2"]
assert len(paths) == 4 and [bool(p.get("stroke-dasharray")) for p in paths] == [0, 1, 0, 0]
bottom = 460 - 96
def fits(pairs, at_bottom):
    """All (number, y) on one line, which meets the bottom of the plot at a number."""
    (v, y), (w, z) = min(pairs), max(pairs)
    slope = (y - z) / (w - v)
    assert all(abs(y - slope * (u - v) - where) < 0.3 for u, where in pairs), pairs
    assert abs(v - (bottom - y) / slope - at_bottom) < 0.02 * (w - v), (pairs, at_bottom)
drawn = [[float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", p.get("d"))] for p in paths]
values = [[row[column] for row in rows.values()] for column in range(4)]
assert min(values[0] + values[2] + values[3]) < 0.4 # 2 is stated: a factor of more than 5
fits([(math.log(v), y) for c in (0, 2, 3) for v, y in zip(values[c], drawn[c])], math.log(0.2))
fits(list(zip(values[1], drawn[1])), 0)
stated = [p for p in root.iter(svg + "path") if p.get("class") == "stated"]
titles = [p.find(svg + "title").text for p in stated if p.find(svg + "title") is not None]
assert titles == ["the paper: is itself (1)", "the paper: is twice itself (2)"] and len(stated) == 3, titles # one in the legend
texts = ["".join(t.itertext()) for t in root.iter(svg + "text")]
for wanted in ("Warps & <caches>",
               "a test, by Heddle: inputs of size tiny on gtx480", "warps",
               "IPC relative to 8 warps", "MPKI", "speed", "misses", "ss", "bp", "1", "4", "8",
               "the paper's best", "stated by the paper"):
    assert wanted in texts, (wanted, texts)

# A machine on which one workload gains and another loses: eight ways, and slow shared memory. ss
# thrashes four ways and uses no shared memory; bp hardly reuses lines, and its reductions use
# shared memory.
with open(f"{root_folder}/configs/gtx480.yaml") as f:
    machine = f.read()
for old, new in (("name: gtx480", "name: eight"), ("l1d:\n  n_sets: 32\n  n_ways: 4", "l1d:\n  n_sets: 32\n  n_ways: 8"),
                 (re.search(r"shared_latency: \d+\n", machine).group(0), "shared_latency: 400\n")):
    assert machine.count(old) == 1, old
    machine = machine.replace(old, new)
write("eight.yaml", machine)

def verdict(value, about):
    """What the rule of doc/results says of a relative number."""
    if about == 1:
        return "yes" if abs(value - 1) <= 0.05 else "no"
    effect = (value - 1) / (about - 1)
    return "yes" if abs(effect - 1) <= 0.1 else "direction" if effect >= 0.1 else "no"

# --- bars, with a mean at the end ---
write("bars.yaml", """title: Ways
source: a test
chart: bars
x: {axis: workload, title: workload}
y: IPC
sweep: {workloads: [ss, bp], size: tiny, gpus: [gtx480, eight.yaml]}
series:
  - {value: ipc, over: gpu, relative_to: {gpu: gtx480}, with_mean: geometric,
     names: {gtx480: four, eight.yaml: eight}}
paper:
  - {says: ss wants eight, series: eight, best_at: ss, source: a test}
  - {says: ss wants four, series: four, best_at: ss, source: a test}
  - {says: bp wants four, series: four, best_at: bp, source: a test}
  - {says: both gain, series: eight, at: [ss, bp], about: 1.5, source: a test}
  - {says: each gains, series: eight, every: [ss, bp], at_least: 1.1, source: a test}
  - {says: none doubles, series: eight, every: [ss, bp], at_most: 3, source: a test}
  - {says: eight is less, series: eight, every: [ss, bp], less_than: four, source: a test}
  - {says: at most half, series: eight, at: ss, at_most: 0.5, source: a test}
""")
made = json.loads(call("figure", "bars.yaml", "--store", "r.db", "--json").stdout)
write("scopes.yaml", open("bars.yaml").read().split("paper:")[0] + """paper:
  - {says: most, series: eight, most: [ss, bp], at_least: 1.1, source: a test}
  - {says: some, series: eight, some: [ss, bp], at_least: 1.1, source: a test, variation: true}
  - {says: largest, series: eight, largest_of: [ss, bp], about: 1.2, source: a test}
  - {says: over four, series: eight, every: [ss, bp], at_most: 3, times: four, source: a test}
  - {says: over bp, series: eight, at: ss, about: 1.2, times_at: bp, source: a test}
  - {says: above, series: eight, at: ss, above: others, source: a test}
  - {says: below, series: eight, every: [bp], below: [ss], source: a test}
""")
scopes = json.loads(call("figure", "scopes.yaml", "--store", "r.db", "--json", "--csv", "n.csv", "--svg", "n.svg").stdout)
ss, bp, _ = scopes["series"][1]["values"]
assert [(c["paper"], c["heddle"], c["agrees"], c["scope"], c["variation"]) for c in scopes["paper"]] == [
    ("most: eight at least 1.1", "1 of 2, not bp", "no", "most", False), ("some: eight at least 1.1", "1 of 2, not bp", "yes", "some", True),
    ("largest about 1.2", f"{ss:.3f} (ss)", verdict(ss, 1.2), "largest", False), ("each: eight at most 3 times four", "2 of 2", "yes", "every", False),
    ("about 1.2 times bp", f"{ss / bp:.3f}", verdict(ss / bp, 1.2), "mean", False),
    ("above all others", f"{ss:.3f} against {bp:.3f}", "yes", "mean", False), ("each: eight below ss", "1 of 1", "yes", "every", False)], scopes["paper"]
assert "paper" not in open("n.csv").read() and "the paper" not in open("n.svg").read() # none is at a place of its own
assert [(c["paper"], c["heddle"].split()[0], c["agrees"]) for c in made["paper"]] == [
    ("eight", "eight", "yes"), ("four", "eight", "no"), ("four", "four", "yes"),
    ("about 1.5", made["paper"][3]["heddle"], verdict(float(made["paper"][3]["heddle"]), 1.5)), ("each: eight at least 1.1", "1", "no"), ("each: eight at most 3", "2", "yes"),
    ("each: eight less than four", "1", "no"), ("at most 0.5", made["paper"][7]["heddle"], "no")], made["paper"]
assert [made["paper"][i]["heddle"] for i in (4, 5, 6)] == ["1 of 2, not bp", "2 of 2", "1 of 2, not ss"], made["paper"]
assert made["groups"] == [], made # the geometric mean is a row of its own
call("figure", "bars.yaml", "--store", "r.db", "--csv", "b.csv", "--svg", "b.svg")
head, rows = table("b.csv")
assert head == ["workload", "four", "eight"] and list(rows) == ["ss", "bp", "geometric mean"]
assert abs(rows["geometric mean"][1] - (rows["ss"][1] * rows["bp"][1]) ** 0.5) < 1e-12
bars = [r for r in xml.parse("b.svg").getroot().iter(svg + "rect") if r.find(svg + "title") is not None]
heights = [float(r.get("height")) for r in bars]
tops = [float(r.get("y")) for r in bars]
values = [rows[x][k] for k in (0, 1) for x in rows]
assert len(bars) == 6
# They begin at 1: up, or down from there.
unit = heights[3] / (values[3] - 1)
assert all(abs(h - unit * abs(v - 1)) < 0.2 for h, v in zip(heights, values)), (heights, values)
one = tops[0]
assert all(abs(top - (one - h if v > 1 else one)) < 0.2 for top, h, v in zip(tops, heights, values)) and min(values) < 1

# --- the means of groups that claims are about are drawn as well, with what the paper states ---
write("groups.yaml", open("bars.yaml").read().replace("workloads: [ss, bp]", "workloads: [ss, bp, str]")
      .split("paper:")[0] + """paper:
  - {says: both gain, series: eight, at: [ss, bp], about: 1.5, source: a test}
  - {says: both gain again, series: four, at: [bp, ss], about: 1.2, source: a test}
  - {says: all gain, series: eight, at: [ss, bp, str], about: 1.6, source: a test}
  - {says: others gain, series: eight, at: [bp, str], at_least: 1.2, source: a test}
""")
made = json.loads(call("figure", "groups.yaml", "--store", "r.db", "--json", "--svg", "g.svg").stdout)
assert [g["of"] for g in made["groups"]] == ["ss, bp", "bp, str"], made["groups"]
eight = made["series"][1]["values"]
assert abs(made["groups"][0]["values"][1] - (eight[0] * eight[1]) ** 0.5) < 1e-12
root = xml.parse("g.svg").getroot()
names = [r.find(svg + "title").text.split(",")[0] for r in root.iter(svg + "rect") if r.find(svg + "title") is not None]
assert names.count("geometric mean of ss") == names.count("geometric mean of bp") == 2 and len(names) == 12, names
said = {p.find(svg + "title").text: float(re.match(r"M([\d.]+)", p.get("d")).group(1)) for p in root.iter(svg + "path")
        if p.get("class") == "stated" and p.find(svg + "title") is not None}
place = lambda k: 70 + (k + 0.5) * 660 / 6 # of six: three workloads, their mean, two groups
assert set(said) == {"the paper: both gain (1.5)", "the paper: both gain again (1.2)", "the paper: all gain (1.6)"}, said
assert all(place(k) - 55 < said[s] < place(k) + 55 for k, s in
           ((4, "the paper: both gain (1.5)"), (4, "the paper: both gain again (1.2)"), (3, "the paper: all gain (1.6)"))), said

# --- bars that stand on each other, and a curve of what is measured on the right ---
write("stacked.yaml", """title: Ways
source: a test
chart: stacked
x: {axis: workload, title: workload}
y: IPC
right: MPKI
sweep: {workloads: [ss, bp], size: tiny, set: {l1d.n_ways: [4, 8]}}
series:
  - {value: ipc, over: l1d.n_ways}
  - {title: misses, value: l1d.mpki, mean: arithmetic, side: right}
""")
call("figure", "stacked.yaml", "--store", "r.db", "--csv", "s.csv", "--svg", "s.svg")
_, rows = table("s.csv")
root = xml.parse("s.svg").getroot()
bars = [r for r in root.iter(svg + "rect") if r.find(svg + "title") is not None]
at = {r.find(svg + "title").text.split(":")[0]: r for r in bars}
assert set(at) == {f"{x}, {k}" for x in ("ss", "bp") for k in (4, 8)}, list(at)
low, high = at["ss, 4"], at["ss, 8"]
assert low.get("x") == high.get("x") and low.get("width") == high.get("width")
assert abs(float(low.get("y")) - float(high.get("y")) - float(high.get("height"))) < 0.11
unit = float(low.get("height")) / rows["ss"][0]
for name, bar in at.items():
    x, k = name.split(", ")
    assert abs(float(bar.get("height")) - unit * rows[x][k == "8"]) < 0.2, (name, unit, rows)
assert max(sum(r[:2]) for r in rows.values()) * unit <= 272.1 # the plot is as high as that
curves = [p for p in root.iter(svg + "path") if p.get("stroke-width") == "2"]
assert len(curves) == 1 and len(re.findall("[ML]", curves[0].get("d"))) == 2

# --- a workload with a size of its own, which a size on the command line overrides; two coordinates
# that are one ---
write("sizes.yaml", """title: Sizes
source: a test
chart: bars
x: {axis: workload, title: workload}
y: IPC
sweep: {workloads: [ss, bp], size: paper-s2, size_of: {ss: tiny, bp: tiny}}
series:
  - {value: ipc, over: gpu}
  - {value: cycles, over: workload + size}
""")
made = json.loads(call("figure", "sizes.yaml", "--store", "r.db", "--json").stdout)
assert made["size"] == "tiny" and "sizes" not in made, made
assert [s["title"] for s in made["series"]] == ["gtx480", "ss tiny", "bp tiny"], made
assert made["series"][1]["values"][1] is None and made["series"][2]["values"][0] is None
write("mixed.yaml", open("sizes.yaml").read().replace("size: paper-s2, size_of: {ss: tiny, bp: tiny}",
                                                     "size: tiny, size_of: {bp: paper-s3}"))
made = json.loads(call("figure", "mixed.yaml", "--store", "r.db", "--stored-only", "--json").stdout)
assert made["sizes"] == ["tiny", "paper-s3"] and "size" not in made, made
assert made["points_stored"] == 1 and made["points"] == 2, made
text = call("figure", "mixed.yaml", "--store", "r.db", "--stored-only").stdout
assert "inputs of size tiny (bp: paper-s3) on gtx480" in text, text
made = json.loads(call("figure", "mixed.yaml", "--store", "r.db", "--size", "tiny", "--json").stdout)
assert made["size"] == "tiny" and made["points_stored"] == 2, made

# --- only some of the points, and claims that hold in direction alone ---
_, rows = table("b.csv")
gain, loss = rows["ss"][1], rows["bp"][1]
assert gain > 1.1 and loss < 1, rows
cases = [("gains less", "ss", 1 + (gain - 1) / 2), ("gains as much", "ss", 1 + (gain - 1) * 1.05), ("loses", "ss", 0.5),
         ("loses more", "bp", 1 - (1 - loss) * 2), ("gains", "bp", 1.5), ("does not care", "bp", 1)]
write("where.yaml", """title: Eight ways
source: a test
chart: bars
x: {axis: workload, title: workload}
y: IPC
sweep: {workloads: [ss, bp], size: tiny, gpus: [gtx480, eight.yaml]}
series:
  - {value: ipc, over: gpu, where: {gpu: eight.yaml}, relative_to: {gpu: gtx480}, names: {eight.yaml: eight}}
""" + "paper:\n" + "".join(f"  - {{says: {says}, series: eight, at: {at}, about: {number}, source: a test}}\n"
                          for says, at, number in cases))
text = call("figure", "where.yaml", "--store", "r.db", "--csv", "w.csv").stdout
head, rows = table("w.csv")
assert head == ["workload", "eight", "eight (paper)"], head
assert rows["ss"][0] == gain and rows["bp"][0] == loss, rows
verdicts = {says: word for says, word in re.findall(r"^(\S.*?)  .*  (yes|no|direction) +a test$", text, re.M)}
assert verdicts == {"gains less": "direction", "gains as much": "yes", "loses": "no", "loses more": "direction", "gains": "no",
                    "does not care": verdict(loss, 1)}, (verdicts, text)

# --- the best of several points, beside a point that has no such parameter ---
head_of_best = """title: The best limit
source: a test
chart: bars
y: IPC
sweep:
  workloads: [srk, bp]
  size: tiny
  schedulers: [gto, swl: {limit: [1, 4, 8]}]
"""
best = head_of_best + """x: {axis: workload, title: workload}
series:
  - {title: best, value: ipc, best: ipc, where: {scheduler: swl}, relative_to: {scheduler: gto}, with_mean: harmonic}
  - {title: misses, value: l1d.mpki, best: ipc, where: {scheduler: swl}, side: right}
  - {value: ipc, over: scheduler, where: {scheduler: [gto]}, relative_to: {scheduler: gto}}
"""
write("best.yaml", best)
call("figure", "best.yaml", "--store", "r.db", "--csv", "b.csv")
gain = table("b.csv")[1]["srk"][0] - 1
write("best.yaml", best + f"""paper:
  - {{says: gto is better on bp, series: best, at: bp, less_than: [gto], source: a test}}
  - {{says: gto is better on srk, series: best, at: srk, less_than: gto, source: a test}}
  - {{says: gains at least a little, series: best, at: srk, at_least: {1 + gain / 2}, source: a test}}
  - {{says: gains at least much, series: best, at: srk, at_least: {1 + gain * 2}, source: a test}}
""")
text = call("figure", "best.yaml", "--store", "r.db", "--csv", "b.csv").stdout
with sqlite3.connect("r.db") as db:
    gto = dict(db.execute("SELECT workload, ipc FROM results WHERE scheduler = 'gto' AND gpu = 'gtx480' AND settings IN ('', 'l1d.n_ways=4')"))
    for w, s, i, m in db.execute("SELECT workload, settings, ipc, (SELECT value FROM stats WHERE run = id AND"
                                 " name = 'l1d.mpki') FROM results WHERE workload = 'srk' AND scheduler = 'swl'"):
        ipc[w, s.split("=")[1]], mpki[w, s.split("=")[1]] = i, m
_, rows = table("b.csv")
for w in ("srk", "bp"):
    limit = max(("1", "4", "8"), key=lambda l: ipc[w, l])
    assert rows[w] == [ipc[w, limit] / gto[w], mpki[w, limit], 1], (rows, w)
assert abs(rows["harmonic mean"][0] - 2 / (1 / rows["srk"][0] + 1 / rows["bp"][0])) < 1e-12
verdicts = {says: word for says, word in re.findall(r"^(\S.*?)  .*  (yes|no|direction) +a test$", text, re.M)}
assert rows["srk"][0] > 1 > rows["bp"][0] # otherwise the verdicts show nothing
assert verdicts == {"gto is better on bp": "yes", "gto is better on srk": "no",
                    "gains at least a little": "yes", "gains at least much": "direction"}, (verdicts, text)
write("limits.yaml", head_of_best + """x: {axis: scheduler.limit, title: warps}
series:
  - {value: ipc, over: workload, where: {scheduler: swl}, relative_to: {scheduler: gto}}
""")
call("figure", "limits.yaml", "--store", "r.db", "--csv", "b.csv")
_, rows = table("b.csv")
assert rows == {l: [ipc[w, l] / gto[w] for w in ("srk", "bp")] for l in ("1", "4", "8")}, rows

# --- two coordinates along x, and what runs tell if they are asked ---
write("asked.yaml", """title: Hits
source: a test
chart: stacked
x: {axis: class.s2 + scheduler, title: workload}
y: per 1000 instructions
sweep: {workloads: [ss, bp], size: tiny, schedulers: [gto, lrr], measure: [locality, belady]}
series:
  - {title: own, value: locality.intra_warp_pki, mean: arithmetic}
  - {title: misses, value: belady.mpki, mean: arithmetic}
""")
call("figure", "asked.yaml", "--store", "r.db", "--csv", "a.csv")
head, rows = table("a.csv")
assert head == ["class.s2 + scheduler", "own", "misses"]
assert list(rows) == ["cache-insufficient gto", "cache-insufficient lrr", "cache-sufficient gto",
                      "cache-sufficient lrr"], rows
with sqlite3.connect("r.db") as db:
    for x, (own, misses) in rows.items():
        workload = "ss" if x.startswith("cache-insufficient") else "bp"
        told = dict(db.execute("SELECT name, value FROM stats JOIN results ON id = run WHERE workload = ? AND"
                               " scheduler = ? AND run IN (SELECT run FROM stats WHERE name = 'belady.mpki')",
                               (workload, x.split()[-1])))
        per_thousand = lambda n: 1000 * n / told["thread_insts"]
        assert abs(own - per_thousand(told["locality.intra_thread"] + told["locality.inter_thread"])) < 1e-9
        assert abs(misses - per_thousand(told["belady.misses"])) < 1e-9 and misses > 0
    # Such a result is a different one, with otherwise equal values.
    both = db.execute("SELECT cycles FROM results WHERE workload = 'ss' AND scheduler = 'gto' AND gpu = 'gtx480' AND"
                      " settings IN ('', 'l1d.n_ways=4')").fetchall()
    assert len(both) == 2 and both[0] == both[1], both

# --- gaps: nothing is made up for a point that is not there ---
with sqlite3.connect("r.db") as db:
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("DELETE FROM run WHERE workload = 'bp' AND settings = 'scheduler.limit=4'")
text = call("figure", "lines.yaml", "--store", "r.db", "--stored-only", "--csv", "l.csv").stdout
assert "missing" in text
_, rows = table("l.csv")
assert rows["4"][0] is None and rows["4"][1] is None and rows["4"][3] is None
assert rows["4"][2] == ipc["ss", "4"] / ipc["ss", "8"] and rows["1"][0] is not None
again = call("figure", "lines.yaml", "--store", "r.db", "--csv", "l.csv")
assert table("l.csv")[1]["4"][0] is not None

# --- what runs tell of their warps, as a share of something, sorted by one of the series ---
write("shares.yaml", """title: Cycles
source: a test
chart: stacked
x: {axis: workload, title: workload, sort_by: waits}
y: share
sweep: {workloads: [ss, bp], size: tiny, schedulers: lrr, measure: attribution}
series:
  - {title: waits, value: attribution.data_cache_miss, per: sm.warp_cycles, mean: arithmetic}
  - {title: runs, value: attribution.exec, per: sm.warp_cycles, mean: arithmetic}
""")
call("figure", "shares.yaml", "--store", "r.db", "--csv", "a.csv")
_, rows = table("a.csv")
with sqlite3.connect("r.db") as db:
    for name in rows:
        told = dict(db.execute("SELECT s.name, s.value FROM stats s JOIN results ON id = run WHERE workload = ? AND s.name IN "
                               "('attribution.data_cache_miss', 'attribution.exec', 'sm.warp_cycles') AND id IN "
                               "(SELECT run FROM stats WHERE name = 'attribution.exec')", [name]))
        of = told.pop("sm.warp_cycles")
        assert rows[name] == [told["attribution.data_cache_miss"] / of, told["attribution.exec"] / of], (name, rows)
order = [v[0] for v in rows.values()]
assert len(order) == 2 and order[0] < order[1], rows
write("unsorted.yaml", open("shares.yaml").read().replace("sort_by: waits", "sort_by: wiats"))
assert "no series 'wiats'" in call("figure", "unsorted.yaml", "--store", "r.db", want=2).stderr
write("unmeasured.yaml", open("shares.yaml").read().replace(", measure: attribution", ""))
assert "without `measure: [attribution]`" in call("figure", "unmeasured.yaml", "--store", "r.db", want=2).stderr
write("per.yaml", open("shares.yaml").read().replace("per: sm.warp_cycles", "per: sm.warp_cyles"))
assert "there is no statistic 'sm.warp_cyles'" in call("figure", "per.yaml", "--store", "r.db", want=2).stderr
# The same point with and without: either can be used in a comparison.
write("plain.yaml", "workloads: [ss, bp]\nsize: tiny\nschedulers: lrr\n")
assert "2 run, 0 stored before" in call("sweep", "plain.yaml", "--store", "r.db").stdout
call("compare", "--store", "r.db", "scheduler=lrr,workload=ss", "scheduler=lrr,workload=ss")

# --- a figure of a table ---
write("table.yaml", """title: Warps
source: a test
chart: lines
x: {axis: warp, title: warp}
y: cycles
table: as a test makes it
series:
  - {value: cycles}
  - {title: half, value: less, side: right}
paper:
  - {says: is ten, series: cycles, at: second, about: 10, source: a test}
  - {says: is low, series: half, lowest_at: first, source: a test}
""")
write("warps.csv", "warp,less,cycles\r\nfirst,1.5,20\r\nsecond,5,10.2\r\nthird,,30\r\n")
text = call("figure", "table.yaml", "--table", "warps.csv", "--csv", "t.csv", "--svg", "t.svg").stdout
head, rows = table("t.csv")
assert head == ["warp", "cycles", "half", "cycles (paper)"]
assert rows == {"first": [20, 1.5, None], "second": [10.2, 5, 10], "third": [30, None, None]}, rows
assert re.search("is ten +about 10 +10.200 +yes", text) and re.search("is low +first .* missing", text), text
assert "by Heddle" not in open("t.svg").read()
# A line that is too long for the drawing has a smaller font size, set so that every viewer obeys
# it; others do not.
def sizes_of_source(source):
    write("long.yaml", open("table.yaml").read().replace("source: ", f"source: {source} ", 1))
    call("figure", "long.yaml", "--table", "warps.csv", "--svg", "t.svg")
    line = next(t for t in xml.parse("t.svg").getroot().iter(svg + "text") if source in "".join(t.itertext()))
    assert line.get("textLength") is None
    return [float(px) for px in re.findall("^font-size:(.*)px$", line.get("style") or "")], "".join(line.itertext())
size, line = sizes_of_source("n" * 200)
assert len(size) == 1 and 6 < size[0] and 0.56 * size[0] * len(line) <= 730, (size, line) # Helvetica's n is 0.556 wide
assert sizes_of_source("n" * 80)[0] == []
# The same holds for slanted names that would reach the title of the axis; names that end above it
# keep their size.
def size_of_names(length):
    names = [f"{i:0{length}}" for i in range(12)]
    write("warps.csv", "warp,less,cycles\r\n" + "".join(f"{n},1,2\r\n" for n in names))
    write("long.yaml", open("table.yaml").read().split("paper:")[0])
    call("figure", "long.yaml", "--table", "warps.csv", "--svg", "t.svg")
    drawn = [t for t in xml.parse("t.svg").getroot().iter(svg + "text") if "".join(t.itertext()) in names]
    assert len(drawn) == 12 and all("rotate(-40" in t.get("transform") for t in drawn)
    return {t.get("style") for t in drawn}
assert size_of_names(11) == {None}
size, = (float(re.match("font-size:(.*)px$", s).group(1)) for s in size_of_names(22))
assert 6 < size and 382 + 0.643 * 0.556 * 22 * size < 446 - 10, size # a digit is 0.556 wide, the title 10 high
assert "drawn from a table: --table FILE\n  as a test makes it" in call("figure", "table.yaml", "--store", "r.db", want=2).stderr
assert "--store, not --table" in call("figure", "bars.yaml", "--table", "warps.csv", want=2).stderr
call("figure", "table.yaml", "--table", "nosuch.csv", want=2)
for bad, why in (("warp,cycles\n", "warps.csv:1:1: error: the table has no column 'less'"),
                 ("warp,less,cycles\na,1\n", "warps.csv:2:1: error: the number of fields differs from the number of columns: 'a'"),
                 ("warp,less,cycles\na,1,x\n", "warps.csv:2:1: error: expected a number, found 'x'"),
                 ("warp,less,cycles\na,1,2\n", "the table has no warp 'second'")):
    write("warps.csv", bad)
    assert why in call("figure", "table.yaml", "--table", "warps.csv", want=2).stderr, why
write("warps.csv", "warp,less,cycles\na,1.05,1.05\nb,1.004,1.004\nc,0.98,0.98\nd,1.66,1.66\n")
rule = open("table.yaml").read().split("paper:")[0].replace("{value: cycles}", "{value: cycles, relative: true}") + "paper:\n"
cases = [("a", 1.5, "direction", "no"), ("a", 1.6, "no", "no"), ("b", 1.63, "no", "no"), ("b", 0.96, "no", "yes"), ("c", 0.96, "direction", "yes"),
         ("c", 1, "yes", "yes"), ("d", 1, "no", "no"), ("d", 1.63, "yes", "yes"), ("d", 1.7, "yes", "yes"), ("d", 1.75, "direction", "yes"), ("d", 1.85, "direction", "no")]
write("rule.yaml", rule + "".join(f"  - {{says: case {i} {s}, series: {s}, at: {at}, about: {number}, source: a test}}\n"
                                  for i, (at, number, *_) in enumerate(cases) for s in ("cycles", "half")))
made = json.loads(call("figure", "rule.yaml", "--table", "warps.csv", "--json").stdout)["paper"]
# For relative numbers the sizes of effects are compared, otherwise the numbers: 4 % lost is not 0.4
# % gained.
assert [c["agrees"] for c in made] == [word for *_, relative, plain in cases for word in (relative, plain)], [
    (c["says"], c["heddle"], c["agrees"]) for c in made]
# Entries of several words are quoted, and a figure of one series does not name it.
write("warps.csv", "warp,cycles\na 1,1\nb 2,2\nc,3\n")
write("each.yaml", rule.replace("  - {title: half, value: less, side: right}\n", "")
      + "  - {says: each is large, series: cycles, every: [a 1, b 2, c], at_least: 2.5, source: a test}\n")
each, = json.loads(call("figure", "each.yaml", "--table", "warps.csv", "--json").stdout)["paper"]
assert (each["paper"], each["heddle"]) == ("each at least 2.5", '1 of 3, not "a 1", "b 2"'), each
write("bad.yaml", open("lines.yaml").read().replace("mean: harmonic,", "mean: harmonic, relative: true,"))
assert "others have 'relative_to'" in call("figure", "bad.yaml", "--store", "r.db", want=2).stderr
write("table.yaml", open("table.yaml").read().replace("{value: cycles}", "{value: cycles, over: warp}"))
assert "a series of a table cannot have 'over'" in call("figure", "table.yaml", "--table", "warps.csv", want=2).stderr

# --- those that come with Heddle say what is missing on an empty store ---
names = [line.split()[0] for line in call("figure").stdout.splitlines()[1:]]
assert set(names) >= {"s4-fig3", "s4-fig17", "s2-fig5"}
explained = call("figure", "s3-fig3-3", "--store", "r.db", want=2).stderr
assert "drawn from a table" in explained and "python3 tools/results.py PAGE build/heddle" in explained, explained
assert "--attribute-out FILE" in explained and "- out" not in explained, explained
assert "makes the table.\n  From the source folder" in explained, explained
assert max(map(len, explained.splitlines())) <= 100, explained
assert "tools/results.py" not in call("figure", "table.yaml", "--store", "r.db", want=2).stderr
listed = json.loads(call("figure", "--json").stdout)
of_tables = {f["figure"] for f in listed if not f["points"]}
without_claims = {f["figure"] for f in listed if not f["paper"]}
assert without_claims >= {"v100-l1d"} and "s4-fig7" not in without_claims
assert "s3-fig3-3" in of_tables and "s3-fig3-2" not in of_tables
for name in sorted(set(names) - of_tables):
    empty = call("figure", name, "--store", "r.db", "--stored-only", want=2)
    assert "missing" in empty.stdout and ("the paper says" in empty.stdout) == (name not in without_claims), empty
    assert "without --stored-only they would be run" in empty.stderr
assert "best limit of KMN" in call("figure", "s4-fig17", "--store", "r.db", "--stored-only", want=2).stdout

# --- a figure that names instructions means those its note speaks of: loads, by lines of the source ---
meant = {"ell": {139: 29, 155: 29, 145: 31, 162: 31, 148: 31, 165: 31},
         "km": {26: 13, 33: 13, 192: 54, 202: 54},
         "bfs": {12: 20, 20: 23, 70: 25, 83: 25, 73: 26, 86: 26, 110: 38}}
with open(f"{root_folder}/figures/s3-fig5-5.yaml") as f:
    chosen = f.read()
named = {w: [int(pc) for pc in pcs.split(",")] for w, pcs in
         re.findall(r"- \{workload: (\w+), l1d.policy.pc: \[([\d, ]+)\]\}", chosen)}
also = {int(a): int(b) for a, b in re.findall(r"pc: (\d+), also: (\d+),", chosen)}
for workload, lines in meant.items():
    assert {p for pc in named[workload] for p in (pc, also.get(pc, pc))} == set(lines), named
    assert all(lines[pc] == lines[also.get(pc, pc)] for pc in named[workload]), also
for workload, lines in meant.items():
    size = "tiny:edges=2000" if workload == "bfs" else "tiny"
    rows = json.loads(call("run", workload, "--size", size, "--per-pc", "--json").stdout)["per_pc"]
    found = {r["pc"]: r["source_line"] for r in rows if r["loads"] and r["pc"] in lines}
    assert found == lines, (workload, found)

# --- mistakes ---
assert "did you mean 's4-fig17'" in call("figure", "s4-fgi17", "--store", "r.db", want=2).stderr
assert "needs a store" in call("figure", "s4-fig3", want=2).stderr
write("bad.yaml", head_of + "series:\n  - {value: ipc, ovre: workload}\n")
bad = call("figure", "bad.yaml", "--store", "r.db", want=2).stderr
assert "bad.yaml:13:18: error: there is no key 'ovre' here" in bad and "did you mean 'over'" in bad
assert "one of 'over', 'mean' and 'best'" in bad
write("bad.yaml", head_of + "series:\n  - {title: t, value: belady.mpki, mean: arithmetic}\n"
      "  - {title: u, value: ipc, best: icp}\n  - {value: ipc, over: workload, where: {workload: [ss, ps]}}\n"
      "paper:\n  - {says: s, source: a test, series: t, at: 4, less_than: v}\n")
bad = call("figure", "bad.yaml", "--store", "r.db", want=2).stderr
for complaint in ("measure: [belady] to the experiment", "there is no statistic 'icp'",
                  "no point has workload 'ps'"):
    assert complaint in bad, (complaint, bad)
write("bad.yaml", head_of + "series:\n  - {title: t, value: ipc, mean: arithmetic}\n"
      "paper:\n  - {says: s, source: a test, series: t, at: 4, less_than: [t, v]}\n")
assert "no series 'v'" in call("figure", "bad.yaml", "--store", "r.db", want=2).stderr
for claim, complaint in [("at: 4, about: 2, times: v", "no series 'v'"), ("at: 4, about: 2, times_at: 5", "no point has scheduler.limit '5'"),
                         ("at: 4, above: [5]", "no point has scheduler.limit '5'"), ("at: 4, less_than: t, times: t", "only a number can be `times` another"),
                         ("largest_of: [4], above: others", "only a number can be about the largest value"), ("most: [4]", "give what the paper says here"),
                         ("at: 4, below: []", "give the xs that it is compared with")]:
    write("bad.yaml", head_of + "series:\n  - {title: t, value: ipc, mean: arithmetic}\n"
          "paper:\n  - {says: s, source: a test, series: t, " + claim + "}\n")
    told = call("figure", "bad.yaml", "--store", "r.db", want=2).stderr
    assert complaint in told, (claim, told)
call("figure", "lines.yaml", "--store", "r.db", "--svg", "/proc/x.svg", want=4)

# --- heddle tune: the fewest cycles, of all limits of the machine ---
small = [w for name in ("warps_per_sm=8", "threads_per_sm=256", "threads_per_cta=256")
         for w in ("--set", name)]
tuned = json.loads(call("tune", "swl", "ss", "--size", "tiny", *small, "--store", "r.db",
                        "--json").stdout)
assert [l["limit"] for l in tuned["limits"]] == [1, 2, 3, 4, 5, 6, 7, 8]
best = min(tuned["limits"], key=lambda l: (l["cycles"], l["limit"]))
assert tuned["best_limit"] == best["limit"]
for limit in (2, 6):
    run = json.loads(call("run", "ss", "--size", "tiny", "--scheduler", "swl", "--set",
                          f"scheduler.limit={limit}", *small, "--json").stdout)
    assert run["stats"]["cycles"] == tuned["limits"][limit - 1]["cycles"]
few = call("tune", "swl", "ss", "--size", "tiny", "--limits", "2,4", "--store", "r.db").stdout
assert "limit" in few and "the best limit is 4, the largest one tried" in few
assert tuned["limits"][-1]["speedup"] == 1
assert tuned["limits"][0]["speedup"] == tuned["limits"][-1]["cycles"] / tuned["limits"][0]["cycles"]
assert "no workload 'sss'" in call("tune", "swl", "sss", "--store", "r.db", want=2).stderr
assert "not a whole number" in call("tune", "swl", "ss", "--limits", "x", "--store", "r.db", "--size",
                                    "tiny", want=2).stderr
PY
