#!/bin/sh
# heddle compare against arithmetic done in Python from `heddle run --json`, and its first
# difference against an independent reader of the streams of decisions.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
python3 - "$heddle" "$scratch" <<'PY'
import json, math, os, subprocess, struct, sys
heddle, scratch = os.path.abspath(sys.argv[1]), sys.argv[2]
os.chdir(scratch)

def call(*words, want=0):
    run = subprocess.run([heddle, *words], capture_output=True, text=True)
    assert run.returncode == want, (words, run.returncode, run.stdout, run.stderr)
    return run

def write(name, text):
    with open(name, "w") as f:
        f.write(text)

# --- files ---
names = ["ss", "bp", "hot"]
for scheduler in ("lrr", "gto"):
    write(f"{scheduler}.json",
          call("run", *names, "--size", "tiny", "--scheduler", scheduler, "--json").stdout)
runs = {s: json.load(open(f"{s}.json")) for s in ("lrr", "gto")}
said = json.loads(call("compare", "lrr.json", "gto.json", "--json", "--top", "1000").stdout)
ratios = []
for row, a, b in zip(said["rows"], runs["lrr"], runs["gto"]):
    assert row["workload"] == a["workload"] == b["workload"] and row["size"] == "tiny"
    ratio = a["stats"]["cycles"] / b["stats"]["cycles"]
    ratios.append(ratio)
    assert row["results"][0]["speedup"] == 1 and row["results"][1]["speedup"] == ratio
    assert row["results"][1]["l1d_mpki"] == b["stats"]["l1d.mpki"]
    assert row["results"][1]["dram_bytes"] == b["stats"]["dram.bytes"]
assert len(said["rows"]) == 3
against = said["against"][0]
assert math.isclose(against["geometric_mean"], math.prod(ratios) ** (1 / 3), rel_tol=1e-12)
assert math.isclose(against["harmonic_mean"], 3 / sum(1 / r for r in ratios), rel_tol=1e-12)

# What moved: everything that differs and nothing else, the most important for cycles first: the
# difference over the work of its kind, averaged over the workloads.
sums = {s: {k: sum(r["stats"][k] for r in runs[s]) for k in runs[s][0]["stats"]} for s in runs}
differ = {k for k in sums["lrr"] if sums["lrr"][k] != sums["gto"][k] and not k.startswith("host.")}
assert {m["name"] for m in against["moved"]} == differ and against["n_moved"] == len(differ)
weights = {m["name"]: m["weight"] for m in against["moved"]}
assert list(weights.values()) == sorted(weights.values(), reverse=True)
def weight(name, *work):
    pairs = [(a["stats"], b["stats"]) for a, b in zip(runs["lrr"], runs["gto"])]
    return sum(abs(a[name] - b[name]) / max(sum(s[w] for w in work) for s in (a, b)) for a, b in pairs) / len(pairs)
for name, *work in (("cycles", "elapsed_cycles"), ("l1d.misses", "l1d.loads", "l1d.stores"), ("sm.active_cycles", "sm.warp_cycles")):
    assert math.isclose(weights[name], weight(name, *work), rel_tol=1e-9), (name, weights[name])
for m in against["moved"]:
    if isinstance(sums["lrr"][m["name"]], int):
        assert (m["before"], m["after"]) == (sums["lrr"][m["name"]], sums["gto"][m["name"]])
text = call("compare", "lrr.json", "gto.json").stdout
assert "geometric mean" in text and f"{math.prod(ratios) ** (1 / 3):.3f}" in text

# What one side does not have did not move: it is listed separately, and rows that lack it do not
# count.
fewer = json.loads(json.dumps(runs["lrr"]))
for i, run in enumerate(fewer):
    del run["stats"]["l1d.loads"]
    run["stats"]["made.up"] = 7
    run["stats"]["dram.bytes"] += 64
del fewer[0]["stats"]["dram.bytes"]
write("fewer.json", json.dumps(fewer))
lacking = json.loads(call("compare", "lrr.json", "fewer.json", "--json").stdout)["against"][0]
assert lacking["n_moved"] == 1 and lacking["moved"][0]["name"] == "dram.bytes", lacking
others = sum(r["stats"]["dram.bytes"] for r in runs["lrr"][1:])
assert (lacking["moved"][0]["before"], lacking["moved"][0]["after"]) == (others, others + 128)
assert sorted(lacking["only_before"]) == ["dram.bytes", "l1d.loads"], lacking
assert lacking["only_after"] == ["made.up"]
assert against["only_before"] == against["only_after"] == []
text = call("compare", "lrr.json", "fewer.json").stdout
assert "2 statistics of lrr.json are missing in fewer.json and not compared: " in text
assert "1 statistic of fewer.json is missing in lrr.json and not compared: made.up\n" in text, text

# Two inputs of a workload are two rows, each compared with its own, in whatever order they come.
seeds = {"lrr": ["1", "2"], "gto": ["2", "1"]}
for scheduler, order in seeds.items():
    runs_of = [call("run", "ss", "--size", "tiny", "--seed", seed, "--scheduler", scheduler,
                    "--json").stdout for seed in order]
    seeds[scheduler] = {seed: json.loads(run) for seed, run in zip(order, runs_of)}
    write(f"{scheduler}-seeds.json", json.dumps(list(seeds[scheduler].values())))
two = json.loads(call("compare", "lrr-seeds.json", "gto-seeds.json", "--json").stdout)
assert [row["results"][1]["speedup"] for row in two["rows"]] == [
    seeds["lrr"][n]["stats"]["cycles"] / seeds["gto"][n]["stats"]["cycles"] for n in "12"]

# --- a store: ids and conditions give what files give ---
write("e.yaml", "workloads: [ss, bp, hot]\nsize: tiny\nschedulers: [lrr, gto]\n"
                "set: {l1d.n_ways: [4, 8]}\n")
call("sweep", "e.yaml", "--store", "r.db")
sets = json.loads(call("compare", "--store", "r.db", "scheduler=lrr,l1d.n_ways=4",
                       "scheduler=gto,l1d.n_ways=4", "scheduler=gto,l1d.n_ways=8", "--json").stdout)
assert math.isclose(sets["against"][0]["geometric_mean"], against["geometric_mean"], rel_tol=1e-12)
assert len(sets["against"]) == 2 and sets["against"][1] != sets["against"][0]
by_id = json.loads(call("query", "--store", "r.db", "--json", "SELECT id FROM results WHERE "
                        "workload = 'ss' AND settings = 'l1d.n_ways=4' ORDER BY scheduler").stdout)
pair = json.loads(call("compare", "--store", "r.db", *(str(r["id"]) for r in by_id), "--json").stdout)
assert math.isclose(pair["rows"][0]["results"][1]["speedup"], 1 / ratios[0])  # gto is first here

# --- mistakes ---
assert "has two results of" in call("compare", "--store", "r.db", "scheduler=lrr", "scheduler=gto",
                                    want=2).stderr
assert "has no result with" in call("compare", "--store", "r.db", "scheduler=lrr",
                                    "scheduler=none", want=2).stderr
assert "needs --store" in call("compare", "1", "2", want=2).stderr
assert "is not there" in call("compare", "--store", "r.db", "1", "999", want=2).stderr
write("none.json", '{"a": 1}')
assert "contains no results" in call("compare", "lrr.json", "none.json", want=2).stderr
write("half.json", open("lrr.json").read()[:5000])
assert "contains no results" in call("compare", "lrr.json", "half.json", want=2).stderr
write("bp.json", json.dumps(runs["gto"][1:]))
left_out = call("compare", "lrr.json", "bp.json")
assert "ss (tiny), seed 1 is left out" in left_out.stderr and "bp" in left_out.stdout

# --- the first difference ---
record = struct.Struct("<QQIIIHHBB")
def decisions(path):
    data, at, found = open(path, "rb").read(), 19, []
    assert data[:at] == b"heddle-decisions 1\n"
    while data[at:at + 1] != b"e":
        if data[at:at + 1] == b"p":
            at += 11 + struct.unpack_from("<H", data, at + 9)[0]
        else:
            assert data[at:at + 1] == b"d"
            found.append(record.unpack_from(data, at + 1))
            at += 1 + record.size
    assert struct.unpack_from("<Q", data, at + 1)[0] == len(found) and at + 9 == len(data)
    assert all(a[0] <= b[0] for a, b in zip(found, found[1:])), "cycles go back"
    return found

def check(a, b):
    for name, words in (("a", a), ("b", b)):
        call("run", *words.split(), "--quiet", "--record-decisions", name)
    x, y = decisions("a"), decisions("b")
    said = json.loads(call("compare", "--first-difference", a, b, "--json").stdout)
    n = next((i for i, (p, q) in enumerate(zip(x, y)) if p != q), min(len(x), len(y)))
    assert said["common_decisions"] == n and said["same"] == (x == y)
    for name, stream in (("a", x), ("b", y)):
        shown = [(i["cycle"], i["sm"], i["launch"] - 1) for i in said[name]]
        assert shown == [(d[0], d[3], d[2]) for d in stream[n:n + 3]], (shown, stream[n:n + 3])
    return said, x

said, stream = check("ss --size tiny --scheduler lrr", "ss --size tiny --scheduler gto")
# After warp 0's first instruction round-robin turns to another warp, greedy stays.
assert "warp 0 issues" in said["b"][0]["decision"] and "warp 0 " not in said["a"][0]["decision"]
stats = runs["lrr"][0]["stats"]
kinds = [sum(d[7] == k for d in stream) for k in range(8)]
assert kinds[0] == stats["warp_insts"]  # one issue an instruction
assert kinds[1] == stats["l1d.hits"] and kinds[2] == stats["l1d.merges"]
assert kinds[3] == stats["l1d.misses"] and kinds[7] == stats["l1d.stores"]
said, _ = check("ss --size tiny --l1d lru", "ss --size tiny --l1d fifo")
assert "line from L1D" in said["a"][0]["decision"] and "line from L1D" in said["b"][0]["decision"]
# Another quantum, another engine, more threads: no difference to be found.
said, _ = check("ss --size tiny --engine cycle", "ss --size tiny --quantum 1")
assert said["same"]
said, _ = check("ss --size tiny --threads 3", "ss --size tiny --threads 2 --quantum 2")
assert said["same"]
call("compare", "--first-difference", "ss --size tiny", want=2)
assert "no workload 'sss'" in call("compare", "--first-difference", "ss --size tiny",
                                   "sss --size tiny", want=2).stderr
PY
