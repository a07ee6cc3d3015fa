#!/bin/sh
# Experiments, figures and comparisons that cannot mean what they say are refused with the reason,
# and Heddle does not claim to have stored what a store cannot hold.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
python3 - "$heddle" "$scratch" <<'PY'
import csv, io, json, math, os, re, signal, sqlite3, subprocess, sys, time
heddle = os.path.abspath(sys.argv[1])
os.chdir(sys.argv[2])

def call(*words, want=0, **how):
    run = subprocess.run([heddle, *words], capture_output=True, text=True, **how)
    assert run.returncode == want, (words, run.returncode, run.stdout, run.stderr)
    return run

def write(name, text):
    with open(name, "w") as f:
        f.write(text)

def refuses(text, *messages, more=()):
    write("bad.yaml", text)
    said = call("sweep", "bad.yaml", "--dry-run", *more, want=2).stderr
    for message in messages:
        assert message in said, (message, said)
    return said

# --- places that keep nothing ---
write("e.yaml", "workloads: [ss, bp]\nsize: tiny\nschedulers: [lrr, gto]\n")
for place in ("", ":memory:", "file:u.db?mode=memory"):
    assert "is not a file" in call("sweep", "e.yaml", "--store", place, want=2).stderr
assert "cannot write none/r.db: No such file" in call("sweep", "e.yaml", "--store", "none/r.db", want=4).stderr
assert os.listdir(".") == ["e.yaml"], os.listdir(".")
assert "0 failed; results are in r.db" in call("sweep", "e.yaml", "--store", "r.db").stdout
call("query", "--store", "r.db", "SELECT 1")
assert sorted(os.listdir(".")) == ["e.yaml", "r.db"], os.listdir(".")

# --- what is read is not written over ---
write("base.yaml", "base: gtx480\nn_sms: 2\n")
write("gpu.yml", "base: ./base.yaml\nmemory.n_partitions: 2\n")
times = "record,launch,cta,warp,start_cycle,end_cycle\nwarp,0,0,0,0,9\n"
write("times.txt", times)
write("own.yaml", "workloads: ss\nsize: tiny\ngpus: gpu.yml\nset: {criticality: oracle, criticality.file: times.txt}\n")
os.link("base.yaml", "another_name")
for place in ("own.yaml", "./own.yaml", "gpu.yml", "base.yaml", "another_name", "times.txt"):
    said = call("sweep", "own.yaml", "--store", place, want=2).stderr
    assert f"--store {place}: that file is an input" in said, said
for place in ("gpu.yml", "base.yaml"):
    said = call("tune", "swl", "ss", "--gpu", "gpu.yml", "--size", "tiny", "--store", place, want=2).stderr
    assert "that file is an input" in said, said
    assert "that file is an input" in call("run", "ss", "--gpu", "gpu.yml", "--record", place, want=2).stderr
assert os.stat("another_name").st_size == len("base: gtx480\nn_sms: 2\n") and os.stat("times.txt").st_size == len(times)

# --- one thing, one place ---
refuses("workloads: [ss, ss]\nsize: tiny\n", "bad.yaml:1:17: error: 'ss' is given twice")
refuses("workloads: ss\nset: {l1d.n_ways: [4, 8, 4]}\n", "bad.yaml:2:26: error: 'l1d.n_ways=4' is")
refuses("workloads: ss\nschedulers: [gto, swl: {limit: [1, 1]}]\n", "'scheduler.limit=1' is given twice")
refuses("workloads: ss\nschedulers: [lrr, gto]\nset: {scheduler: [lrr]}\n",
        "bad.yaml:3:7: error: 'scheduler' is set under 'schedulers' already")
refuses("workloads: ss\nset: {l1d.n_ways: 4, l1d.n_ways: 8}\n", "'l1d.n_ways' is given twice, first on")
refuses("workloads: ss\n---\nworkloads: bp\n", "bad.yaml:3:1: error: a second document")
refuses("workloads: ss\nsize: tiny\nsizes: small\n", "mean the same")
refuses("workloads: ss\nsizes: [tiny, small]\nsize_of: {ss: tiny}\n", "exceptions from a single 'size'")
refuses("workloads: ss\nsize: tiny\nsize_of: {bp: tiny}\n", "bad.yaml:3:11: error: the experiment has no workload 'bp'")
refuses("workloads: ss\nsize: tiny\nsize_of: {ss: paper-s4}\n", "bad.yaml:3:15: error: ss has no size 'paper-s4'")
refuses("workloads: bfs\nsize: tiny\nsize_of: {bfs: tiny:nope=4}\n", "bad.yaml:3:16: error: bfs has no input 'nope'")
refuses("workloads: bfs\nsize: tiny\nsize_of: {bfs: small}\ninputs: {edges: 9K}\n", "not possible with 'size_of'")
refuses("workloads: ss\nschedulers: []\n", "bad.yaml:2:13: error: 'schedulers' is empty")
refuses("workloads: ss\nset: {l1d.n_ways: []}\n", "'l1d.n_ways' has no values")
refuses("workloads:\n\t- ss\n", "spaces, not tabs")
said = refuses("workloads: all\n", "no workload has a size 'huge'", more=("--size", "huge"))
assert len(said.splitlines()) < 5, said
for jobs in ("0", "5000"):
    assert "--jobs" in call("sweep", "e.yaml", "--store", "r.db", "--jobs", jobs, want=2).stderr
wait = {**os.environ, "HEDDLE_STORE_WAIT_SECONDS": "abc"}
assert "number of seconds" in call("query", "--store", "r.db", "SELECT 1", want=2, env=wait).stderr
assert "one workload at a time" in call("tune", "swl", "all", "--store", "r.db", want=2).stderr

# --- a limit that is not reached changes nothing; one that is does not stand for others ---
write("wide.yaml", "workloads: [ss, bp]\nsize: tiny\nschedulers: [lrr, gto]\nmax_cycles: 10000000\n")
assert "0 run, 4 stored" in call("sweep", "wide.yaml", "--store", "r.db").stdout
write("narrow.yaml", "workloads: ss\nsize: tiny\nschedulers: swl\nmax_cycles: 100\n")
write("open.yaml", "workloads: ss\nsize: tiny\nschedulers: swl\nmax_cycles: 9999999\n")
assert "1 run, 0 stored before, 1 failed" in call("sweep", "narrow.yaml", "--store", "l.db", want=1).stdout
assert "0 run, 0 stored before, 1 failed" in call("sweep", "narrow.yaml", "--store", "l.db", want=1).stdout
assert "1 run, 0 stored before, 0 failed" in call("sweep", "open.yaml", "--store", "l.db").stdout
with sqlite3.connect("l.db") as db:
    assert db.execute("SELECT count(*) FROM claim").fetchone() == (0,)
table = call("query", "--store", "l.db", "SELECT id, message FROM run").stdout
assert len(table.splitlines()) == 3 and "more lines: --csv" in table, table

# --- figures ---
head = """title: T
source: a test
chart: bars
x: {axis: workload, title: workload}
y: IPC
sweep: {workloads: [ss, bp], size: tiny, schedulers: [lrr, gto]}
"""
def figure(series, paper="", top=head, want=2, more=()):
    write("f.yaml", top + "series:\n  - " + series + "\n" + paper)
    return call("figure", "f.yaml", "--store", "r.db", *more, want=want)
over = "{value: ipc, over: scheduler}"
good = figure(over, want=0).stdout
assert "lrr" in good and "gto" in good
stored = open("r.db", "rb").read()
for option in ("--csv", "--svg"):
    assert f"{option} ./f.yaml: that file is an input" in figure(over, more=(option, "./f.yaml")).stderr
    assert f"{option} also writes to that file" in figure(over, more=(option, "./r.db")).stderr
    assert f"{option} ./r.db: that file is an input" in figure(over, more=(option, "./r.db", "--stored-only")).stderr
assert "--csv f.out: --svg also writes to that file" in figure(over, more=("--csv", "f.out", "--svg", "f.out")).stderr
assert open("r.db", "rb").read() == stored and not os.path.exists("f.out")
write("t.yaml", head.partition("sweep:")[0] + "table: by hand\nseries:\n  - {value: ipc}\n")
write("t.csv", "workload,ipc\nss,1\n")
call("figure", "t.yaml", "--table", "t.csv", "--csv", "drawn.csv")
assert "--csv t.csv: that file is an input" in call("figure", "t.yaml", "--table", "t.csv", "--csv", "t.csv", want=2).stderr
assert "f.yaml:8:13: error: there is no statistic 'cyclez'" in figure("{value: cyclez, over: scheduler}").stderr
swl = head.replace("gto]", "swl: {limit: [1, 2]}]")
assert "two points would coincide" in figure(over, top=swl).stderr
assert "no point of the experiment has 'wrkld'" in figure(over, top=head.replace("axis: workload", "axis: wrkld")).stderr
assert "has no 'scheduler.limit'" in figure("{value: ipc, over: scheduler.limit}", top=swl).stderr
assert "no point has scheduler 'nope'" in figure(
    "{value: ipc, over: scheduler, relative_to: {scheduler: nope}}").stderr
assert "no series 'gtoo'" in figure(over, "paper:\n  - {says: a, source: b, series: gtoo, highest_at: ss}\n").stderr
assert "no point has workload 'sx'" in figure(over, "paper:\n  - {says: a, source: b, series: gto, highest_at: sx}\n").stderr
assert "no workload has a size 'tinny'" in figure(over, more=("--size", "tinny")).stderr
many = head.replace("[lrr, gto]", "swl: {limit: %s}" % list(range(1, 18))).replace("schedulers: swl", "schedulers: {swl").replace("]}}", "]}}}")
assert "more than 16 series" in figure("{value: ipc, over: scheduler.limit}", top=many).stderr
none = call("figure", "s4-fig3", "--store", "r.db", "--stored-only", "--size", "tiny", want=2)
assert "r.db has 0 of the figure's" in none.stderr

# A scheduler may be compared with one that has other parameters.
partner = head.replace("gto]", "swl: {limit: [2]}]")
related = figure("{value: ipc, over: scheduler, relative_to: {scheduler: lrr}, with_mean: geometric}",
                 "paper:\n  - {says: a, source: b, series: swl, at: [ss, bp], about: 1}\n"
                 "  - {says: c, source: b, series: lrr, at: ss, about: 1}\n  - {says: d, source: b}\n",
                 top=partner, want=0, more=("--json",))
doc = json.loads(related.stdout)
assert doc["x"] == ["ss", "bp", "geometric mean"] and doc["series"][0]["values"] == [1, 1, 1]
swl_values = doc["series"][1]["values"]
assert math.isclose(swl_values[2], math.sqrt(swl_values[0] * swl_values[1]), rel_tol=1e-12)
assert [c["agrees"] for c in doc["paper"]] == ["yes" if abs(swl_values[2] - 1) <= 0.05 else "no", "yes", "look"]
assert doc["paper"][0]["heddle"] == f"{swl_values[2]:.3f}"
rows = list(csv.reader(io.StringIO(call("figure", "f.yaml", "--store", "r.db", "--csv", "-").stdout)))
assert rows[0] == ["workload", "lrr", "swl", "lrr (paper)"] and rows[1][3] == "1" and rows[2][3] == ""
assert not os.path.exists("-")

# Nothing in a drawing exceeds its edge, however long its names are.
import xml.etree.ElementTree as xml
write("f.yaml", head.replace("title: T\n", "title: " + "Long & longer " * 12 + "\n") + "series:\n"
      "  - {value: ipc, over: scheduler, names: {lrr: %s, gto: A & B}}\n" % ("round robin " * 12) +
      "paper:\n  - {says: a, source: b, series: A & B, highest_at: ss}\n")
call("figure", "f.yaml", "--store", "r.db", "--svg", "f.svg")
texts = [t for t in xml.parse("f.svg").getroot().iter("{http://www.w3.org/2000/svg}text")]
def width(t): # for ordinary letters; long lines give their own letter size
    letters, style = len("".join(t.itertext())), t.get("style", "")
    return letters * (float(style.partition("font-size:")[2].partition("px")[0]) * 0.55 if style else 5)
for t in texts:
    assert "transform" in t.attrib or float(t.get("x")) + width(t) <= 800 or t.get("text-anchor"), xml.tostring(t)
assert sum(t.get("style") is not None for t in texts) >= 2

# The remaining work is printed if it can be known.
write("more.yaml", "workloads: [ss, bp]\nsize: tiny\nschedulers: [lrr, gto, gtrr]\n")
with sqlite3.connect("r.db") as db:
    db.execute("UPDATE run SET seconds = CASE workload WHEN 'ss' THEN 100 ELSE 20 END")
write("own_input.yaml", "workloads: [ss, bfs]\nsize: tiny\nsize_of: {bfs: tiny:graph=tree}\n")
listed = call("sweep", "own_input.yaml", "--store", "r.db", "--dry-run").stdout
assert re.search(r"^ss +tiny ", listed, re.M) and re.search(r"^bfs +tiny:graph=tree ", listed, re.M), listed
ahead = call("sweep", "more.yaml", "--store", "r.db", "--dry-run").stdout.splitlines()[-1]
assert ahead == "6 points, 2 to run; such points took 2:00 together, one after the other", ahead

# --- comparisons ---
def compares(*words, want=0):
    return call("compare", "--store", "r.db", *words, want=want)
assert "did you mean 'scheduler'?" in compares("sched=lrr", "scheduler=gto", want=2).stderr
assert "they differ in scheduler: add it, as in workload=ss,scheduler=" in compares(
    "workload=ss", "scheduler=gto", want=2).stderr
functional = call("run", "ss", "--size", "tiny", "--functional", "--json").stdout
write("functional.json", functional)
assert "without timing" in call("compare", "functional.json", "functional.json", want=2).stderr
write("slow.yaml", "workloads: ss\nsize: tiny\nschedulers: gto\nset: {core_clock_mhz: 1300}\n")
call("sweep", "slow.yaml", "--store", "r.db")
clocks = ("core_clock_mhz=700,scheduler=gto", "core_clock_mhz=1300,scheduler=gto")
text = compares(*clocks)
assert "700 MHz" in text.stderr and "in time" in text.stdout, text
doc = json.loads(compares(*clocks, "--json").stdout)
row = doc["rows"][0]["results"][1]
assert math.isclose(doc["against"][0]["geometric_mean_in_time"], row["speedup_in_time"], rel_tol=1e-12)
assert math.isclose(row["speedup_in_time"], row["speedup"] * 1300 / 700, rel_tol=1e-12)
moved = json.loads(compares("scheduler=lrr", "core_clock_mhz=700,scheduler=gto", "--json").stdout)["against"][0]["moved"]
with sqlite3.connect("r.db") as db:
    units = dict(db.execute("SELECT name, unit FROM stat_name"))
assert moved and all(m["unit"] == units[m["name"]] for m in moved), moved
assert "different kernels" in call("compare", "--first-difference", "ss --size tiny",
                                   "bp --size tiny", want=2).stderr

# After an upgrade the results of the previous model can still be named, and do not interfere.
with sqlite3.connect("r.db") as db:
    db.execute("UPDATE run SET model = 'older' WHERE scheduler = 'lrr'")
assert "only for other versions of the model" in compares("scheduler=lrr", "core_clock_mhz=700,scheduler=gto", want=2).stderr
compares("scheduler=lrr,model=older", "core_clock_mhz=700,scheduler=gto")
with sqlite3.connect("r.db") as db:
    columns = ", ".join(r[1] for r in db.execute("PRAGMA table_info(run)") if r[1] not in ("id", "key"))
    db.execute(f"INSERT INTO run (key, {columns}) SELECT key || 'x', {columns} FROM run WHERE model = 'older' AND workload = 'ss'")
    db.execute("INSERT INTO stat_value SELECT max(r.id), v.stat, v.value FROM run r, stat_value v WHERE v.run = "
               "(SELECT min(id) FROM run WHERE model = 'older' AND workload = 'ss') GROUP BY v.stat")
assert "name one by its id" in compares("scheduler=lrr,model=older", "scheduler=gto", want=2).stderr

# --- a reader that has seen enough ---
pipe = subprocess.Popen([heddle, "query", "--store", "r.db", "SELECT a.name FROM stats a, stats b LIMIT 100000"],
                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
pipe.stdout.readline()
pipe.stdout.close()
assert pipe.stderr.read() == b"" and pipe.wait() == -signal.SIGPIPE

# --- sweeps whose store, worker or own process goes away ---
write("long.yaml", "workloads: [str]\nsize: small\nseeds: [74, 75]\n")
def is_run(pid):  # not a compiler that the sweep called earlier
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f.read().split(b"\0")[1:2] == [b"run"]
    except OSError:
        return False
def children_of(process):
    with open(f"/proc/{process.pid}/task/{process.pid}/children") as f:
        return [int(pid) for pid in f.read().split() if is_run(pid)]
def long_sweep(store):
    process = subprocess.Popen([heddle, "sweep", "long.yaml", "--store", store, "--jobs", "1"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while True:
        children = children_of(process)
        if children:
            return process, children[0]
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
process, worker = long_sweep("gone.db")
process.send_signal(signal.SIGTERM)
assert "0 of 2 points are stored in gone.db; run the same command again" in process.communicate()[1]
assert process.returncode == -signal.SIGTERM
process, worker = long_sweep("gone.db")
os.kill(worker, signal.SIGKILL)
while True:
    children = children_of(process)
    if children and children[0] != worker:
        break
    time.sleep(0.05)
os.kill(children[0], signal.SIGKILL)
out, err = process.communicate()
assert process.returncode == 1 and "2 of them because of this machine" in out, (out, err)
assert "signal 9" in err
with sqlite3.connect("gone.db") as db:
    assert db.execute("SELECT (SELECT count(*) FROM run), (SELECT count(*) FROM claim)").fetchone() == (0, 0)
process, worker = long_sweep("gone.db")
for name in ("gone.db", "gone.db-wal", "gone.db-shm"):
    os.remove(name)
os.kill(worker, signal.SIGABRT)  # its own failure, which must be stored
out, err = process.communicate()
assert process.returncode == 4 and "was removed or replaced" in err and "results are in" not in out, (out, err)
PY
