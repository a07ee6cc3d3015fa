#!/bin/sh
# heddle hetero mixes: a launch beside a native on both targets, the predictions for it, and the
# tables of the results page; the store has every simulation, and none is run twice. The models of
# the testbed are what training gives for the rows that come with them.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
. test/behaviour/expect.inc
mixes="hetero mixes --size tiny --set n_sms=4 --store $scratch/t.db"

status 2 "$heddle" hetero mixes bfs --store "$scratch/t.db"
complains "is not a launch of S3 Table 6.3"
status 2 "$heddle" hetero mixes ac --with lattice --store "$scratch/t.db"
complains "no mix of the experiment"
status 0 "$heddle" $mixes ac --with chase --stored-only
says "0 of 1 mixes measured"
status 0 "$heddle" $mixes ac --with chase --json
echo "$out" >"$scratch/run.json"
status 0 "$heddle" query --csv --store "$scratch/t.db" "SELECT count(*) FROM run"
echo "$out" >"$scratch/count"
status 0 "$heddle" $mixes ac --with chase --stored-only --json
echo "$out" >"$scratch/again.json"
# unmeasured SCRIPT MESSAGE: measurements that sed made wrong
unmeasured()
{
    sed "$1" doc/results/hetero-mixes.json >"$scratch/wrong.json"
    status 2 "$heddle" hetero mixes ac --with chase --measured "$scratch/wrong.json"
    complains "$2"
}
unmeasured '2s/[0-9][0-9]*/0/' "'llc_bytes' must be above 0, not 0"
unmeasured '4s/"alone": [0-9.e-]*,/"alone": 0,/' "'alone' must be above 0, not 0"
unmeasured '12s/"alone": {"cmp": [0-9.e-]*,/"alone": {"cmp": 0,/' "'cmp' of 'alone' must be above 0, not 0"
unmeasured 's/"slowdowns": \[{"cmp": [0-9.e-]*,/"slowdowns": [{"cmp": -1,/' "'cmp' must be above 0, not -1"
unmeasured '4s/"cache": \[1,/"cache": [0,/' "a slowdown must be above 0: 'cache' has 0"
unmeasured '/^"mixes"/{s/.*/"mixes": "x"}/;q}' "'mixes' must be a list"
# Ids of a file are kept; older files lack some.
sed '4s/"cache"/"cache_ids": ["i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8"], "cache"/
    12s/"launch"/"find_id": "found", "launch"/; s/"llc_misses"/"sample_id": "sampled", "llc_misses"/' \
    doc/results/hetero-mixes.json >"$scratch/ids.json"
status 0 "$heddle" hetero mixes ac --with chase --measured "$scratch/ids.json" --json
echo "$out" >"$scratch/kept.json"
for model in cmp-alone gpu-alone cmp-co-located gpu-co-located; do
    status 0 "$heddle" hetero train "models/testbed-$model.csv" --out "$scratch/$model.model"
    python3 - "$scratch/$model.model" "models/testbed-$model.model" <<'PY' || fail "$model is not the model of its rows"
import sys
def terms(path):
    lines = [line.split() for line in open(path) if line.strip() and line[0] != "#" and ": " not in line]
    return {(a, b): float(value) for a, b, value in lines}
fitted, shipped = map(terms, sys.argv[1:])
assert list(fitted) == list(shipped)
for term, value in shipped.items():  # the last digits depend on the BLAS
    assert abs(fitted[term] - value) <= 1e-9 * abs(value), (term, value, fitted[term])
PY
done
status 0 "$heddle" hetero models
says "testbed-gpu-co-located  gpu     co-located     45  models/testbed-gpu-co-located.csv"

python3 - "$scratch" <<'PY' || fail "the mix is not what it should be"
import json, sys
folder = sys.argv[1]
sys.path.insert(0, "tools")
import result_hetero
run, again = (json.load(open(f"{folder}/{name}.json")) for name in ("run", "again"))
assert run == again
# The search for the launch; alone twice; together twice; the sample; the native alone and beside 18 bubbles.
assert open(f"{folder}/count").read().split()[-1] == str(1 + 2 + 2 + 1 + 19)
(mix,), (entry,), (native,) = run["mixes"], run["entries"], run["natives"]
assert mix["natives"] == ["chase"] and native["stands_for"] == "mcf" and entry["kernel"]
ids = {entry["find_id"], native["alone_id"], mix["sample_id"], *native["cache_ids"], *native["bandwidth_ids"]}
ids |= {*entry["ids"].values(), *mix["ids"].values()}
assert len(ids) == 1 + 2 + 2 + 1 + 19 and all(len(i) == 64 for i in ids), ids
kept = json.load(open(f"{folder}/kept.json"))
assert kept["natives"][0]["cache_ids"] == [f"i{i}" for i in range(9)] and "bandwidth_ids" not in kept["natives"][0]
assert kept["entries"][0]["find_id"] == "found" and kept["mixes"][0]["sample_id"] == "sampled"
assert native["llc_mpki"] > 5 and mix["llc_misses"] > 1e6 and 0.5 < mix["dram_bandwidth"] < 22
assert abs(native["cache"][0] - 1) < 0.01 and native["bandwidth"][8] > native["bandwidth"][1]
for c in mix["choices"]:
    for t in ("cmp", "gpu"):
        kernel = mix["co_located"][t] / (min(mix["alone"].values()) if c["slowdown_reference"] == "best" else mix["alone"][t])
        slowdowns = [kernel, c["weight"] * mix["slowdowns"][0][t]]
        if c["goal"] == "fairness":
            assert abs(c["measured"][t] - min(slowdowns) / max(slowdowns)) < 1e-9, (c, slowdowns)
    assert c["measured"][c["optimal"]] == max(c["measured"].values())
    assert c["predicted"][c["target"]] == max(c["predicted"].values())
assert [c["weight"] for c in mix["choices"]][:5] == [0.5, 1, 1.5, 2, 2.5]

class Runs:
    hetero = object.__new__(result_hetero.Hetero)
Runs.hetero.entries, Runs.hetero.one, Runs.hetero.two = run["entries"], run["mixes"], []
tables = {name: make(Runs) for name, make in result_hetero.TABLES.items()}
for name, (head, rows) in tables.items():
    assert rows and all(len(row) == len(head) for row in rows), name
cell = lambda name, row, column: next(r for r in tables[name][1] if r[0] == row)[tables[name][0].index(column)]
faster = min(mix["alone"], key=mix["alone"].get)
assert abs(cell("s3-fig6-2", "optimal", "speedup") - mix["alone"]["cmp"] / mix["alone"][faster]) < 1e-12
right = [result_hetero.choice(mix)["target"] == result_hetero.choice(mix)["optimal"], entry["target"] == entry["optimal"]]
assert [cell("s3-fig6-7", row, "right") for row in ("co-located", "alone")] == right
error = abs(mix["predicted"]["gpu"] / mix["co_located"]["gpu"] - 1)
assert cell("s3-fig6-8", "50", "GPU co-located") == (error <= 0.5)
assert cell("s3-fig6-10", "CMP", "OCL") == cell("s3-fig6-10", "CMP", "native") == 1
assert cell("s3-fig6-13", "two natives", "right") == ""
PY
