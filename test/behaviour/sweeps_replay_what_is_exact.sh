#!/bin/sh
# A sweep with traces stores the same results as a sweep without them, to the last counter; a
# workload whose trace depends on time is executed at every point; a damaged trace is recorded
# again.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
python3 - "$heddle" "$scratch" <<'PY'
import os, sqlite3, subprocess, sys
heddle = os.path.abspath(sys.argv[1])
os.chdir(sys.argv[2])

def sweep(store, *more, want=0):
    run = subprocess.run([heddle, "sweep", "e.yaml", "--store", store, *more], capture_output=True,
                         text=True)
    assert run.returncode == want, (run.returncode, run.stdout, run.stderr)
    return run

def rows(store, sql):
    with sqlite3.connect(store) as db:
        return db.execute(sql).fetchall()

def simulated(store):
    return set(rows(store, "SELECT r.key, s.name, s.value FROM stats s JOIN run r ON r.id = s.run"
                           " WHERE s.name NOT LIKE 'host.%'"))

with open("e.yaml", "w") as f:
    f.write("workloads: [ss, bp, sssp]\nsize: tiny\nschedulers: [lrr, gto]\n"
            "set: {l1d.n_ways: [4, 8]}\n"
            "except: [{workload: sssp, l1d.n_ways: 8}, {workload: sssp, scheduler: gto}]\n")
sweep("plain.db")
sweep("traced.db", "--traces", "traces", "--jobs", "1")
assert simulated("traced.db") == simulated("plain.db") and len(simulated("plain.db")) > 1000
count = "SELECT workload, sum(replayed), count(*), sum(verified) FROM run GROUP BY 1 ORDER BY 1"
assert rows("plain.db", count) == [("bp", 0, 4, 4), ("ss", 0, 4, 4), ("sssp", 0, 1, 1)]
# The first point of each workload records; sssp reads what its atomics return.
assert rows("traced.db", count) == [("bp", 3, 4, 1), ("ss", 3, 4, 1), ("sssp", 0, 1, 1)]
names = sorted(os.listdir("traces"))
assert [n.split("-")[0] for n in names] == ["bp", "ss", "sssp"], names

# The traces of one sweep are used by the next; a damaged one is recorded again.
with open(f"traces/{names[0]}", "r+b") as f:
    f.seek(100)
    f.write(b"\xff" * 50)
sweep("again.db", "--traces", "traces", "--jobs", "1")
assert rows("again.db", count) == [("bp", 3, 4, 1), ("ss", 4, 4, 0), ("sssp", 0, 1, 1)]
assert simulated("again.db") == simulated("plain.db")
assert "cannot create the folder" in sweep("none.db", "--traces", "no/where", want=4).stderr
PY
