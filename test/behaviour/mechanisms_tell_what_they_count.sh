#!/bin/sh
# The counters that a cache policy, a scheduler, a criticality provider, plug-ins and parts of the
# machine declare are in the text of a run, in its JSON (for the run and for each kernel), in time series, in the store, in
# comparisons and in `heddle show`, with their units.
heddle=$1
scratch=$2
plugins=$(dirname "$heddle")/test
rm -rf "$scratch"
mkdir -p "$scratch"
python3 - "$heddle" "$scratch" "$plugins" <<'PY'
import csv, json, os, subprocess, sys
heddle, scratch, plugins = map(os.path.abspath, sys.argv[1:])
os.chdir(scratch)

def call(*words, want=0):
    run = subprocess.run([heddle, *words], capture_output=True, text=True)
    assert run.returncode == want, (words, run.returncode, run.stdout, run.stderr)
    return run

def write(name, text):
    with open(name, "w") as f:
        f.write(text)

one_in_n, youngest = f"{plugins}/plugin_one_in_n.so", f"{plugins}/plugin_youngest.so"
COUNTERS = { # of a machine: what it counts, and in what
    "policy": (["--l1d", "dlp"], {"l1d.policy.vta_hits": "hits", "l1d.policy.samples": "samples"}),
    "scheduler": (["--scheduler", "ccws"], {"scheduler.vta_hits": "hits"}),
    "l2": (["--set", "l2.policy=drrip"], {"l2.policy.srrip_insertions": "lines", "l2.policy.brrip_insertions": "lines"}),
    "criticality": (["--scheduler", "gcaws"], {"criticality.stall_cycles": "warp cycles"}),
    "plugins": (["--plugin", one_in_n, "--plugin", youngest, "--l1d", "one_in_n", "--scheduler", "youngest"],
                {"l1d.policy.kept": "misses", "scheduler.issues": "instructions"}),
    # What a discrete GPU adds: the link to its host, and the host's last-level cache.
    "pcie": (["--gpu", "i7-s9150"], {"pcie.transfers": "transfers", "pcie.bytes_to_gpu": "bytes",
                                     "pcie.bytes_from_gpu": "bytes", "pcie.ns": "ns"}),
    "host_llc": (["--gpu", "i7-s9150", "--set", "testbed.on=cmp", "--set", "host_llc.policy=drrip"],
                 {"host_llc.policy.srrip_insertions": "lines", "host_llc.policy.brrip_insertions": "lines"}),
}
GAUGES = {"policy": {"l1d.policy.protection_distance": "loads", "l1d.policy.protecting_entries": "entries"},
          "scheduler": {"scheduler.may_load_share": "fraction", "scheduler.top_score": "points"}}
runs = {}
for name, (words, counters) in COUNTERS.items():
    base = ["run", "bfs", "--size", "tiny", *words]
    run = runs[name] = json.loads(call(*base, "--json", "--series", "700", "--series-out", f"{name}.csv").stdout)
    write(f"{name}.json", json.dumps(run))
    rows = list(csv.DictReader(open(f"{name}.csv")))
    text = call(*base).stdout
    attributed = call(*base, "--attribute").stdout
    for stat, unit in counters.items():
        value = run["stats"][stat]
        assert isinstance(value, int) and value > 0, (stat, value)
        assert sum(k[stat] for k in run["kernels"]) == value, stat
        assert sum(int(r[stat]) for r in rows) == value, stat
        assert run["units"][stat] == unit
        for shown in (text, attributed):
            line = [l.split() for l in shown.splitlines() if l.split()[:1] == [stat]]
            assert line == [[stat, f"{value:,}", *unit.split()]], (stat, line)
    for stat, unit in GAUGES.get(name, {}).items():
        assert run["stats"][stat] >= 0 and run["units"][stat] == unit, stat
        assert all(float(r[stat]) >= 0 for r in rows) and any(float(r[stat]) > 0 for r in rows), stat
    for engine in (["--engine", "cycle"], ["--quantum", "1", "--threads", "3"]):
        other = json.loads(call(*base, "--json", "--series", "700", "--series-out", "other.csv", *engine).stdout)
        assert open("other.csv").read() == open(f"{name}.csv").read(), (name, engine)
        assert {k: v for k, v in other["stats"].items() if not k.startswith("host.")} == \
               {k: v for k, v in run["stats"].items() if not k.startswith("host.")}, (name, engine)

# A state is that at the end; that of the last kernel equals that of the run. Counters agree with
# those of the machine.
assert runs["policy"]["stats"]["l1d.policy.protecting_entries"] in \
       [k["l1d.policy.protecting_entries"] for k in runs["policy"]["kernels"]]
stats = runs["plugins"]["stats"]
assert stats["scheduler.issues"] == stats["warp_insts"]
assert 0 <= (stats["l1d.misses"] + stats["l1d.bypasses"]) // 4 - stats["l1d.policy.kept"] < 15
assert stats["l1d.policy.kept"] <= stats["l1d.misses"]
l2 = runs["l2"]["stats"]
assert l2["l2.policy.srrip_insertions"] + l2["l2.policy.brrip_insertions"] >= l2["l2.misses"] - l2["l2.sector_misses"]
# A machine has the counters of its own mechanisms, and no others.
assert not [s for s in json.loads(call("run", "bfs", "--size", "tiny", "--json").stdout)["stats"]
            if s.startswith(("scheduler.", "criticality.", "l1d.policy.", "l2.policy."))]

# --- columns by name ---
call("run", "bfs", "--size", "tiny", "--quiet", "--scheduler", "ccws", "--series", "700", "--series-out", "named.csv",
     "--series-columns", "scheduler.vta_hits,dram.row_hits,resident_warps")
named, rows = list(csv.reader(open("named.csv"))), list(csv.DictReader(open("scheduler.csv")))
assert named[0] == ["cycle", "scheduler.vta_hits", "dram.row_hits", "resident_warps"]
assert [r[1] for r in named[1:]] == [r["scheduler.vta_hits"] for r in rows]
assert sum(int(r[2]) for r in named[1:]) == runs["scheduler"]["stats"]["dram.row_hits"] > 0
everything = ["run", "kmn", "--size", "tiny:points=512", "--gpu", "v100", "--quiet", "--scheduler", "gcaws", "--attribute",
              "--series", "300", "--series-columns", "all", "--series-out"]
call(*everything, "all.csv")
call(*everything, "all_cycle.csv", "--engine", "cycle")
call(*everything, "all_quantum.csv", "--quantum", "1", "--threads", "2")
assert open("all.csv").read() == open("all_cycle.csv").read() == open("all_quantum.csv").read()
wrong = call("run", "bfs", "--size", "tiny", "--series", "700", "--series-out", "wrong.csv", "--series-columns",
             "l1d.hitss", want=2)
assert "no column 'l1d.hitss'; did you mean 'l1d.hits'?" in wrong.stderr and not os.path.exists("wrong.csv")
assert "needs --series" in call("run", "bfs", "--size", "tiny", "--series-columns", "all", want=2).stderr

# --- the store and comparisons ---
write("sweep.yaml", f"""workloads: [bfs]
size: tiny
plugins: [{one_in_n}, {youngest}]
schedulers: [gto, ccws, youngest]
l1d: [lru, dlp, {{one_in_n: {{n: [2, 4]}}}}]
""")
write("discrete.yaml", "workloads: [bfs]\nsize: tiny\ngpus: [i7-s9150]\nset: {host_llc.policy: drrip}\n")
call("sweep", "sweep.yaml", "--store", "results.db", "--jobs", "2")
call("sweep", "discrete.yaml", "--store", "results.db")
def query(sql):
    return json.loads(call("query", "--store", "results.db", "--json", sql).stdout)
stored = {(r["scheduler"], r["l1d"], r["name"]): (r["value"], r["unit"]) for r in query(
    "SELECT scheduler, l1d, name, value, unit FROM stats JOIN run ON run.id = stats.run WHERE settings NOT LIKE '%n=2%' AND "
    "(name LIKE 'scheduler.%' OR name LIKE 'l1d.policy.%')")}
assert stored["gto", "dlp", "l1d.policy.vta_hits"] == (runs["policy"]["stats"]["l1d.policy.vta_hits"], "hits")
assert stored["ccws", "lru", "scheduler.vta_hits"] == (runs["scheduler"]["stats"]["scheduler.vta_hits"], "hits")
assert stored["youngest", "one_in_n", "l1d.policy.kept"] == (stats["l1d.policy.kept"], "misses")
assert stored["youngest", "one_in_n", "scheduler.issues"] == (stats["scheduler.issues"], "instructions")
assert not query("SELECT name FROM stat_name WHERE unit = ''")
assert query("SELECT value, unit FROM stats WHERE name = 'pcie.transfers' AND value > 0") == \
       [{"value": runs["pcie"]["stats"]["pcie.transfers"], "unit": "transfers"}]
assert query("SELECT DISTINCT unit FROM stats WHERE name = 'host_llc.policy.srrip_insertions'") == [{"unit": "lines"}]
moved = json.loads(call("compare", "--store", "results.db", "--json", "--top", "1000",
                        "scheduler=youngest,l1d=one_in_n,l1d.policy.n=4", "scheduler=youngest,l1d=one_in_n,l1d.policy.n=2").stdout)
kept = [m for m in moved["against"][0]["moved"] if m["name"] == "l1d.policy.kept"]
assert len(kept) == 1 and kept[0]["before"] == stats["l1d.policy.kept"] < kept[0]["after"], kept
# Files need no plug-in to be read: the unit comes with the number.
both = call("compare", "plugins.json", "policy.json").stdout
across = json.loads(call("compare", "pcie.json", "host_llc.json", "--json", "--top", "1000").stdout)
assert "pcie.transfers" in {m["name"] for m in across["against"][0]["moved"]}
assert "host_llc.policy.brrip_insertions" in json.dumps(across["against"][0]["only_after"])
apart = json.loads(call("compare", "plugins.json", "policy.json", "--json").stdout)
assert "l1d.policy.kept" in json.dumps(apart) and "l1d.policy.vta_hits" in json.dumps(apart)

# --- show ---
shown = {s["name"]: s for s in json.loads(call("show", "stats", "--json", "--plugin", one_in_n, "--plugin", youngest).stdout)}
for name, (_, counters) in COUNTERS.items():
    for stat, unit in (counters | GAUGES.get(name, {})).items():
        assert shown[stat]["unit"] == unit and shown[stat]["help"], stat
        assert shown[stat]["asked_for_by"] == "--gpu i7-s9150" if name == "pcie" else shown[stat]["of"], stat
assert "one_in_n" in shown["l1d.policy.kept"]["of"] and "dlp" in shown["l2.policy.vta_hits"]["of"]
assert "l1d.policy.kept" in call("show", "stats", "--plugin", one_in_n).stdout
assert "l1d.policy.kept" not in call("show", "stats").stdout
assert "l1d.policy.vta_hits" in call("show", "policy", "dlp").stdout
assert [s["name"] for s in json.loads(call("show", "scheduler", "swl", "--json").stdout)["stats"]] == \
       ["scheduler.warps_may_load", "scheduler.may_load_share"]
PY
