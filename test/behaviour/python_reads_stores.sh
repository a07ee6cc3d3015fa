#!/bin/sh
# The Python package: pip installs it without a network, its data frames agree with SQLite, mistakes
# are exceptions with Heddle's own messages, and the notebook of examples/ runs. It reads through
# `heddle export`.
heddle=$(realpath "$1")
scratch=$2
root=$PWD
rm -rf "$scratch"
mkdir -p "$scratch"
python=/usr/bin/python3 # Debian's, for Debian's pandas
$python -c 'import pandas, matplotlib, nbclient, ipykernel, setuptools' 2>/dev/null || {
    echo "SKIPPED: the Python package: $python has not pandas, matplotlib, nbclient, ipykernel and setuptools"
    exit 77
}
set -eu
cp -r python "$scratch/source" # pip builds in the folder
cd "$scratch"
$python -m pip install --quiet --no-build-isolation --no-deps --no-index --target installed ./source >pip.log 2>&1 ||
    { cat pip.log && exit 1; }
export PYTHONPATH="$PWD/installed" HEDDLE="$heddle" MPLBACKEND=Agg IPYTHONDIR="$PWD/ipython" JUPYTER_RUNTIME_DIR="$PWD/runtime"
$python - <<'PY'
import csv, io, json, os, sqlite3, subprocess
import pandas
import heddle
assert heddle.__file__.startswith(os.getcwd())
store = heddle.sweep({"workloads": ["bp", "ss"], "size": "tiny", "schedulers": ["lrr", "gto"], "series": 5000,
                      "measure": ["per_pc"], "set": {"n_sms": [4, 15]}}, store="r.db", jobs=2)
db = sqlite3.connect("r.db")
results = store.results()
assert len(results) == 8 and str(results["cycles"].dtype) == "Int64" and str(results["ipc"].dtype) == "float64"
assert str(results["verified"].dtype) == "boolean" and results["verified"].all()
assert results["stored_at"].dt.tz is not None
for run, cycles, ipc in db.execute("SELECT id, cycles, ipc FROM results"):
    assert results.loc[run, "cycles"] == cycles and results.loc[run, "ipc"] == ipc
wide = store.results(wide=True)
for run, name, value in db.execute("SELECT run, name, value FROM stats WHERE name LIKE 'scheduler.%' OR name = 'l1d.fills'"):
    assert wide.loc[run, name] == value, (run, name)
assert len(store.statistics()) == db.execute("SELECT count(*) FROM stats").fetchone()[0]
assert len(store.kernels()) == db.execute("SELECT count(*) FROM kernel").fetchone()[0]
found = store.speedup("scheduler", "lrr")
assert len(found) == 8
cycles = {r[:3]: r[3] for r in db.execute("SELECT workload, settings, scheduler, cycles FROM results")}
for row in found.itertuples():
    assert row.speedup == cycles[row.workload, row.settings, "lrr"] / cycles[row.workload, row.settings, row.scheduler]
run = int(results.index[0])
series = store.series(run)
assert series["warp_insts"].sum() == results.loc[run, "warp_insts"] and series.index[0] == 5000
assert len(store.plot_speedup("scheduler", "lrr", where={"settings": "n_sms=4"}).patches) == 2
assert store.plot_series(run, "ipc").lines
assert store.query("SELECT count(*) AS n FROM results").n[0] == 8
document = heddle.run("ss", size="tiny", scheduler="gto", settings={"n_sms": 4})
assert document["stats"]["cycles"] == cycles["ss", "n_sms=4", "gto"]
for wrong, words in ((lambda: heddle.run("sss"), "there is no workload"), (lambda: heddle.open("none.db").results(), "none.db"),
                     (lambda: store.series(999), "no time series"),
                     (lambda: store.query("SELECT x FROM y"), "no such table")):
    try:
        wrong()
        raise SystemExit("no exception")
    except heddle.HeddleError as error:
        assert words in str(error), error

# --- export: one type per column, whatever it contains ---
def export(*words):
    return subprocess.run([os.environ["HEDDLE"], "export", "--store", "r.db", *words], capture_output=True, text=True, check=True).stdout

plain = list(csv.DictReader(io.StringIO(export())))
assert [int(r["cycles"]) for r in plain] == [r[0] for r in db.execute("SELECT cycles FROM results ORDER BY id")]
text = export("--table", "wide", "--typed", "--schema", "schema.json")
with open("schema.json") as f:
    types = {c["name"]: c["type"] for c in json.load(f)}
assert types["cycles"] == "int64" and types["ipc"] == "double" and types["workload"] == "string"
assert types["verified"] == "bool" and types["stored_at"] == "timestamp"
for row in csv.DictReader(io.StringIO(text)):
    assert list(row) == list(types)
    for name, value in row.items():
        if value and types[name] == "int64":
            assert str(int(value)) == value, (name, value)
        elif value and types[name] == "double":
            assert "." in value or "e" in value, (name, value)
            float(value)
    assert row["verified"] == "true" and pandas.Timestamp(row["stored_at"]).tz is not None and "T" in row["stored_at"]
    assert "," not in row["cycles"]
assert '"bp"' in text
assert len(list(csv.DictReader(io.StringIO(export("--table", "per_pc"))))) == db.execute("SELECT count(*) FROM per_pc").fetchone()[0]
PY
mkdir notebook
cd notebook
unset MPLBACKEND
$python - "$root/examples/schedulers.ipynb" <<'PY' 2>../notebook.log || { cat ../notebook.log && exit 1; }
import sys
import nbclient, nbformat
notebook = nbformat.read(sys.argv[1], 4)
assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are not kept with the notebook"
nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
assert sum("image/png" in o.get("data", {}) for cell in notebook.cells for o in cell.get("outputs", [])) == 2
PY
