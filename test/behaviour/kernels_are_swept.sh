#!/bin/sh
# The user's kernels can be points of an experiment: in OpenCL C, CUDA and PTX. Their results equal
# those of `heddle run`. A changed source or input is run again, and nothing else. The store gets a
# plug-in's own counters, with their units.
heddle=$(realpath "$1")
scratch=$2
examples=$(realpath examples)
rm -rf "$scratch"
mkdir -p "$scratch"
python3 - "$heddle" "$scratch" "$examples" <<'PY'
import json, os, shutil, sqlite3, subprocess, sys
heddle, scratch, examples = sys.argv[1:]
plugins = os.path.join(os.path.dirname(heddle), "test")
os.chdir(scratch)
for name in ("saxpy.cl", "saxpy.cu", "saxpy.ptx"):
    shutil.copy(f"{examples}/{name}", name)
with open("y.bin", "wb") as f:
    f.write(bytes(65536))

def write(name, text):
    with open(name, "w") as f:
        f.write(text)

def sweep(name, store, status=0):
    done = subprocess.run([heddle, "sweep", name, "--store", store], capture_output=True, text=True)
    assert done.returncode == status, (done.stdout, done.stderr)
    return done.stdout + done.stderr

def call(*words):
    done = subprocess.run([heddle, *words], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done

def rows(store, sql):
    with sqlite3.connect(store) as db:
        return db.execute(sql).fetchall()

launch = "--grid 64 --block 256 --arg i32:16384 --arg f32:2.5 --arg rand:64K:1 --arg buf:@y.bin"
write("k.yaml", f"kernel:\n  - saxpy.cl {launch}\n  - saxpy.cu {launch}\n  - saxpy.ptx {launch}\n"
                "schedulers: [lrr, gto]\nseeds: [1, 2]\n")
assert "6 points: 6 run, 0 stored before, 0 failed" in sweep("k.yaml", "k.db")
one = json.loads(subprocess.run([heddle, "run", "saxpy.cl", *launch.split(), "--scheduler", "lrr", "--json"],
                                capture_output=True, text=True, check=True).stdout)
stored = dict(rows("k.db", "SELECT s.name, s.value FROM stats s JOIN run r ON r.id = s.run WHERE workload = 'saxpy.cl'"
                           " AND scheduler = 'lrr'"))
assert stored.keys() == one["stats"].keys()
assert all(stored[k] == v for k, v in one["stats"].items() if not k.startswith("host."))
assert rows("k.db", "SELECT DISTINCT size, grid, block, arg2 FROM results") == [(launch, "64", "256", "f32:2.5")]
assert rows("k.db", "SELECT count(*) FROM kernels WHERE kernel = 'saxpy'")[0][0] >= 4
command = rows("k.db", "SELECT command FROM run WHERE workload = 'saxpy.cl' AND scheduler = 'lrr'")[0][0]
again = subprocess.run(command.replace("heddle", heddle, 1) + " --json", shell=True, capture_output=True, text=True, check=True)
assert json.loads(again.stdout)["stats"]["cycles"] == stored["cycles"]
assert "0 run, 6 stored before" in sweep("k.yaml", "k.db")

# A comment does not change a kernel; a statement does, and so does the file of an argument.
with open("saxpy.cl") as f:
    source = f.read()
write("saxpy.cl", source.replace("a * x[i] + y[i]", "a * x[i] - y[i]"))
assert "2 run, 4 stored before" in sweep("k.yaml", "k.db")
with open("y.bin", "r+b") as f:
    f.write(b"\1")
assert "6 run, 0 stored before" in sweep("k.yaml", "k.db")

for text, message in (("saxpy.c", "1:9: error: 'saxpy.c' is not a .cl, .cu or .ptx file"),
                      ("none.cl", "1:9: error: cannot read none.cl"),
                      ("saxpy.cl --grid", "--grid needs a value"),
                      ("saxpy.cl --gird 1", "did you mean '--grid'?"),
                      ("saxpy.cl --scheduler gto", "the experiment defines the machine"),
                      ("saxpy.cl --arg out:64K:z.bin", "write no files"),
                      ("saxpy.cl --build-options -DA=(", "split into words"),
                      ("saxpy.cl --build-options -Dint=1.5", "error:")):
    write("m.yaml", f"kernel: {json.dumps(text)}\n")
    said = sweep("m.yaml", "m.db", 2)
    assert "m.yaml" in said and message in said, (text, said)
    assert not os.path.exists("m.db")
# A mistake that only the run notices fails its point, not the others.
write("f.yaml", f"kernel:\n  - saxpy.cl {launch} --arg i32:1\n  - saxpy.ptx {launch}\n")
assert "2 points: 2 run, 0 stored before, 1 failed" in sweep("f.yaml", "f.db", 1)

# --- plug-ins ---
write("p.yaml", f"workloads: [ss]\nsize: tiny\nplugins: [{plugins}/plugin_one_in_n.so]\n"
                "l1d: [lru, one_in_n: {n: 3}]\nseries: 10000\n")
assert "2 points: 2 run" in sweep("p.yaml", "p.db")
value, unit = rows("p.db", "SELECT value, unit FROM stats JOIN results ON id = run WHERE name = 'l1d.policy.kept' AND l1d = 'one_in_n'")[0]
assert value > 0 and unit, (value, unit)
assert rows("p.db", "SELECT sum(value) FROM series WHERE name = 'l1d.policy.kept'") == [(value,)]
assert rows("p.db", "SELECT sum(value) FROM kernel_stats WHERE name = 'l1d.policy.kept'") == [(value,)]
# One that crashes when it is loaded is named; the sweep survives.
write("c.yaml", f"workloads: [ss]\nsize: tiny\nplugins: [{plugins}/plugin_fatal.so]\n")
assert "c.yaml:3:11: error: plug-in" in sweep("c.yaml", "c.db", 2) and "crashes when it is loaded" in sweep("c.yaml", "c.db", 2)
# A changed plug-in causes a new run of the points that use it, and of no others. Results of the
# build that was used last count; those of others are available on request.
shutil.copy(f"{plugins}/plugin_youngest.so", "other.so")
shutil.copy(f"{plugins}/plugin_one_in_n.so", "mine.so")
write("p.yaml", "workloads: [ss]\nsize: tiny\nplugins: [other.so, mine.so]\nschedulers: [gto, youngest]\n"
                "l1d: [lru, one_in_n: {n: 3}]\n")
assert "4 points: 4 run, 0 stored before" in sweep("p.yaml", "b.db")
with open("mine.so", "ab") as f:  # another build with the same behaviour
    f.write(b"x")
assert "4 points: 2 run, 2 stored before" in sweep("p.yaml", "b.db")
def mine(*words):
    return [row["id"] for row in json.loads(call("query", "--store", "b.db", "--json", *words,
            "SELECT id FROM results WHERE l1d = 'one_in_n' ORDER BY id").stdout)]
first, second = mine("--all-models")[:2], mine()
assert mine("--all-models") == first + second and len(second) == 2, (first, second)
said = call("compare", "--store", "b.db", "l1d=lru,scheduler=gto", "l1d=one_in_n,scheduler=gto").stdout
assert "ss" in said, said
page = call("report", "--store", "b.db", "-o", "-").stdout
runs = json.loads(page[page.index('"runs":{') + 7:page.index(',\n"left_out"')])
current = runs["columns"].index("is_current")
assert {r[0]: r[current] for r in runs["rows"]} == {i: int(i not in first) for i in range(1, 7)}
# Back at the first build, its results count again; nothing is run.
shutil.copy(f"{plugins}/plugin_one_in_n.so", "mine.so")
assert "0 run, 4 stored before" in sweep("p.yaml", "b.db") and mine() == first
PY
