#!/bin/sh
# A sweep that is killed, runs out of disk space, is locked out or runs twice at once: nothing
# finished is lost, nothing is run twice, and every failure says what to do.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
python3 - "$heddle" "$scratch" <<'PY'
import os, random, resource, signal, sqlite3, subprocess, sys, time
heddle, scratch = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
plugins = os.path.join(os.path.dirname(heddle), "test")
os.chdir(scratch)

def write(name, text):
    with open(name, "w") as f:
        f.write(text)

def sweep(spec, store, *more, **how):
    return subprocess.run([heddle, "sweep", spec, "--store", store, *more], capture_output=True,
                          text=True, timeout=600, **how)

def rows(store, sql="SELECT * FROM run ORDER BY id"):
    with sqlite3.connect(store) as db:
        return db.execute(sql).fetchall()

def simulated(store):
    return set(rows(store, "SELECT r.key, s.name, s.value FROM stats s JOIN run r ON r.id = s.run"
                           " WHERE s.name NOT LIKE 'host.%'"))

def processes_with(word):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                if word.encode() in f.read().split(b"\0"):
                    found.append(pid)
        except OSError:
            pass
    return found

seed = str(random.randrange(10**6, 10**7))
n_points = 12
write("e.yaml", f"workloads: [bp, hot, ss]\nsize: tiny\nschedulers: [lrr, gto]\nl1d: [lru, fifo]\n"
                f"seeds: [{seed}]\n")

# --- the undisturbed sweep, quiet in a pipe ---
whole = sweep("e.yaml", "whole.db")
assert whole.returncode == 0, whole.stderr
assert whole.stdout == "12 points: 12 run, 0 stored before, 0 failed; results are in whole.db\n"
assert whole.stderr == "", whole.stderr
again = sweep("e.yaml", "whole.db")
assert again.stdout.startswith("12 points: 0 run, 12 stored before"), again.stdout
assert {r[0] for r in rows("whole.db", "SELECT state FROM run")} == {"done"}

# The times that an oracle reads are part of the point, whatever their file is called.
def record(name, *words):
    subprocess.run([heddle, "run", "nw", "--size", "tiny", "--attribute-out", name, *words], check=True,
                   stdout=subprocess.DEVNULL)
write("oracle.yaml", "workloads: [nw]\nsize: tiny\nschedulers: [caws_blk]\nset: {criticality.file: o.csv}\n")
record("o.csv", "--scheduler", "lrr")
for expected in ("1 run, 0 stored", "0 run, 1 stored"):
    assert expected in sweep("oracle.yaml", "oracle.db").stdout
record("o.csv", "--scheduler", "gto", "--set", "l1d.n_ways=1")
assert "1 run, 0 stored" in sweep("oracle.yaml", "oracle.db").stdout

# A result equals that of `heddle run`.
import json
one = json.loads(subprocess.run([heddle, "run", "ss", "--size", "tiny", "--seed", seed,
                                 "--scheduler", "lrr", "--l1d", "fifo", "--json"],
                                capture_output=True, text=True, check=True).stdout)
stored = dict(rows("whole.db", "SELECT s.name, s.value FROM stats s JOIN run r ON r.id = s.run WHERE"
                               " workload = 'ss' AND scheduler = 'lrr' AND l1d = 'fifo'"))
assert stored.keys() == one["stats"].keys()
assert all(stored[k] == v for k, v in one["stats"].items() if not k.startswith("host."))

# --- kill -9 at random moments ---
finished, n_kills = [], 0
while len(finished) < n_points:
    process = subprocess.Popen([heddle, "sweep", "e.yaml", "--store", "killed.db", "--jobs", "2"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(random.uniform(0.02, 0.25) if n_kills < 8 else 120)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        n_kills += 1
    deadline = time.time() + 20
    while processes_with(seed) and time.time() < deadline:
        time.sleep(0.05)
    assert not processes_with(seed), "workers outlive their sweep"
    # Killed early, there may be no store yet, or one without its tables.
    has_tables = os.path.exists("killed.db") and rows("killed.db", "SELECT 1 FROM sqlite_master"
                                                                   " WHERE name = 'run'")
    now = rows("killed.db") if has_tables else []
    assert now[:len(finished)] == finished, "a finished run was lost or made again"
    finished = now
assert n_kills > 0
assert simulated("killed.db") == simulated("whole.db")

# Workers end with their sweep, also in the middle of a long run.
write("long.yaml", f"workloads: [str]\nsize: small\nseeds: [{seed}]\n")
process = subprocess.Popen([heddle, "sweep", "long.yaml", "--store", "long.db"])
while not processes_with(seed):
    assert process.poll() is None
    time.sleep(0.05)
process.kill()
process.wait()
deadline = time.time() + 5
while processes_with(seed) and time.time() < deadline:
    time.sleep(0.05)
assert not processes_with(seed), "a worker outlives its sweep"
assert rows("long.db") == []

# --- two sweeps of the same points at once: each point is run by one of them ---
both = [subprocess.Popen([heddle, "sweep", "e.yaml", "--store", "shared.db", "--jobs", "1"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)]
outputs = [p.communicate(timeout=600) for p in both]
assert [p.returncode for p in both] == [0, 0], outputs
n_run = [int(out.split("points: ")[1].split(" run")[0]) for out, _ in outputs]
assert sum(n_run) == n_points and min(n_run) > 0, n_run
assert simulated("shared.db") == simulated("whole.db")

# --- a point that crashes, one that cannot end, and one that is fine ---
write("crash.yaml", f"workloads: [ss]\nsize: tiny\nplugins: [{plugins}/plugin_crasher.so]\n"
                    "schedulers: [crasher, gto]\n")
crash = sweep("crash.yaml", "crash.db")
assert crash.returncode == 1
assert "2 points: 2 run, 0 stored before, 1 failed" in crash.stdout
assert "ss tiny, gtx480 scheduler=crasher: it crashed: signal 6 (Aborted)" in crash.stderr
assert rows("crash.db", "SELECT scheduler, state, exit_status FROM run ORDER BY scheduler") == [
    ("crasher", "failed", 134), ("gto", "done", 0)]
assert "0 run, 1 stored before, 1 failed" in sweep("crash.yaml", "crash.db").stdout
assert "1 run, 1 stored before, 1 failed" in sweep("crash.yaml", "crash.db", "--retry").stdout
write("slow.yaml", "workloads: [ss]\nsize: tiny\nmax_cycles: 100\n")
slow = sweep("slow.yaml", "slow.db")
assert slow.returncode == 1 and "stopped after 100 cycles" in slow.stderr, slow.stderr
assert "warp 0 (CTA 0" in rows("slow.db", "SELECT message FROM run")[0][0]  # the message is stored in full
assert len(slow.stderr.splitlines()) == 2 and "SELECT id, message" in slow.stderr

# --- a plug-in, GPU file, kernel or program that changes while the sweep runs: no result of the new
# one is stored ---
def replace(name, content):
    with open(name + ".new", "wb") as f:
        f.write(content)
    os.chmod(name + ".new", 0o755)
    os.replace(name + ".new", name)

with open(f"{plugins}/plugin_one_in_n.so", "rb") as f:
    inputs = {"mine.so": f.read(), "mine.yaml": b"base: gtx480\n", "mine.cl": b"__kernel void k(int n) {}\n",
              "mine.sh": b"#!/bin/sh\nexec true\n"}
for name, content in inputs.items():
    replace(name, content)
seeds = ", ".join(str(i) for i in range(20))
write("mine.e", f"workloads: [bp]\nsize: tiny\ngpus: [mine.yaml]\nplugins: [mine.so]\nseeds: [{seeds}]\n"
                "l1d: [one_in_n]\nkernel: [mine.cl --grid 1 --block 32 --arg i32:1]\nprogram: [./mine.sh]\n")
for name, content in inputs.items():
    store = name + ".db"
    process = subprocess.Popen([heddle, "sweep", "mine.e", "--store", store, "--jobs", "1"], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not (os.path.exists(store) and rows(store, "SELECT 1 FROM sqlite_master WHERE name = 'run'") and rows(store)):
        assert process.poll() is None and time.monotonic() < deadline, (name, process.communicate())
        time.sleep(0.01)
    replace(name, content + b"\n")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 4 and f"{name} has changed since the sweep began" in err, (name, out, err)
    assert 0 < len(rows(store)) < 20, (name, len(rows(store)))
    replace(name, content)

# --- a disk that is full ---
write("first.yaml", f"workloads: [bp]\nsize: tiny\nseeds: [{seed}]\nschedulers: [lrr]\n"
                    "l1d: [lru]\n")
assert sweep("first.yaml", "full.db").returncode == 0
before = rows("full.db")
limit = os.path.getsize("full.db") + 4096
full = sweep("e.yaml", "full.db",
             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
assert full.returncode == 4, (full.returncode, full.stdout, full.stderr)
assert "heddle: error: cannot write to the store full.db" in full.stderr, full.stderr
assert "what was stored before is safe" in full.stderr and "run the same command again" in full.stderr
kept = rows("full.db")
assert kept[:1] == before and len(kept) < n_points
assert sweep("e.yaml", "full.db").returncode == 0
assert rows("full.db")[:len(kept)] == kept and simulated("full.db") == simulated("whole.db")

# A disk of 100 KB, where the files beside the store do not fit: a mount that only this test sees.
os.makedirs("small-disk", exist_ok=True)
on_small_disk = ["unshare", "-rm", "sh", "-c",
                 'mount -t tmpfs -o size=100k none small-disk || exit 77; exec "$@"', "sh"]
tried = subprocess.run([*on_small_disk, "true"], capture_output=True, text=True)
if tried.returncode:
    print("SKIPPED: a store on a full disk: no disk of 100 KB can be mounted here:", " ".join(tried.stderr.split()))
else:
    full = subprocess.run([*on_small_disk, heddle, "sweep", "first.yaml", "--store", "small-disk/r.db"],
                          capture_output=True, text=True)
    assert full.returncode == 4, (full.returncode, full.stdout, full.stderr)
    assert "the store small-disk/r.db: its disk is full" in full.stderr, full.stderr

# --- a store that another program holds ---
holder = sqlite3.connect("full.db", isolation_level=None)
holder.execute("BEGIN IMMEDIATE")
write("more.yaml", "workloads: [bp]\nsize: tiny\nschedulers: [gtrr]\n")
locked = sweep("more.yaml", "full.db", env={**os.environ, "HEDDLE_STORE_WAIT_SECONDS": "1"})
assert locked.returncode == 4 and "another program is writing to it" in locked.stderr, locked.stderr
patient = subprocess.Popen([heddle, "sweep", "more.yaml", "--store", "full.db"],
                           stdout=subprocess.PIPE, text=True)
time.sleep(1)
holder.execute("ROLLBACK")
assert "1 points: 1 run" in patient.communicate(timeout=120)[0].replace("1 point:", "1 points:")

# --- files that are not stores, places that cannot be written ---
write("text.db", "this is no database, whatever its name says\n" * 100)
refused = sweep("e.yaml", "text.db")
assert refused.returncode == 2 and "not a result store" in refused.stderr, refused.stderr
with open("text.db") as f:
    assert f.read().startswith("this is no database")
with open("whole.db", "rb") as f:
    content = bytearray(f.read())
content[4096:] = b"\xa5" * (len(content) - 4096)
with open("damaged.db", "wb") as f:
    f.write(content)
damaged = sweep("e.yaml", "damaged.db")
assert damaged.returncode == 4 and "damaged" in damaged.stderr and ".recover" in damaged.stderr
query = subprocess.run([heddle, "query", "--store", "damaged.db", "SELECT * FROM run"],
                       capture_output=True, text=True)
assert query.returncode == 4 and "damaged" in query.stderr, query.stderr
for place in ("/proc/results.db", "nowhere/results.db"):
    nowhere = sweep("e.yaml", place)
    assert nowhere.returncode == 4 and ("are writable" in nowhere.stderr or f"cannot write {place}" in nowhere.stderr), nowhere.stderr
missing = subprocess.run([heddle, "query", "--store", "none.db", "SELECT 1"], capture_output=True,
                         text=True)
assert missing.returncode == 2 and not os.path.exists("none.db"), missing

# A store on a medium that cannot be written to can still be read.
os.makedirs("medium")
with open("medium/copy.db", "wb") as copy, open("whole.db", "rb") as f:
    copy.write(f.read())
os.chmod("medium", 0o555)
read = subprocess.run([heddle, "query", "--store", "medium/copy.db", "--csv",
                       "SELECT count(*) AS n FROM results"], capture_output=True, text=True)
os.chmod("medium", 0o755)
assert read.stdout == "n\n12\n", read

# --- 10,000 results ---
with sqlite3.connect("whole.db") as db:
    db.execute("PRAGMA foreign_keys = OFF")
    names = [r[1] for r in db.execute("PRAGMA table_info(run)") if r[1] not in ("id", "key")]
    columns = ", ".join(names)
    db.execute(f"WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 10087)"
               f" INSERT INTO run (id, key, {columns})"
               f" SELECT i, 'copy ' || i, {columns} FROM n, run WHERE run.id = i % 12 + 1")
    db.execute("INSERT INTO stat_value SELECT r.id, v.stat, v.value FROM run r JOIN stat_value v"
               " ON v.run = r.id % 12 + 1 WHERE r.id >= 100")
assert rows("whole.db", "SELECT count(*) FROM run") == [(10000,)]
for sql in ("SELECT workload, scheduler, avg(cycles), avg(l1d_mpki) FROM results GROUP BY 1, 2",
            "SELECT run, value FROM stats WHERE name = 'dram.bytes' ORDER BY value DESC LIMIT 10",
            "SELECT * FROM stats WHERE run = 5000"):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([heddle, "query", "--store", "whole.db", sql], check=True,
                   stdout=subprocess.DEVNULL)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    assert seconds < 5, (sql, seconds)
before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
assert "0 run, 12 stored" in sweep("e.yaml", "whole.db").stdout
assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 5
PY
