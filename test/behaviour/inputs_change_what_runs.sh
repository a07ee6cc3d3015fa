#!/bin/sh
# `SIZE:NAME=VALUE` runs another input: graphs of every shape on the simulator and on another
# OpenCL; results, comparisons and figures distinguish inputs.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
. test/behaviour/expect.inc
backends="heddle opencl"
lacks_opencl "graphs of every shape on another OpenCL" && backends=heddle
set -e

for shape in uniform power-law road tree; do
    "$heddle" run bfs --functional --json --size "tiny:edges=6K:graph=$shape" >"$scratch/$shape.json"
    [ "$backends" = heddle ] ||
        "$heddle" run bfs --on opencl --json --size "tiny:graph=$shape:edges=6000" >"$scratch/$shape.opencl.json"
done
"$heddle" run bfs --functional --json --size tiny:edges=6K:threads=64 >"$scratch/small_ctas.json"
"$heddle" run bfs --size tiny:graph=road:edges=1000 --json >"$scratch/timed.json"
for n in 0 1; do
    "$heddle" run kmn --functional --json --size "tiny:points=1000:max_iterations=$n" >"$scratch/kmn$n.json"
    "$heddle" run km --json --size "tiny:points=1024:max_iterations=$n" >"$scratch/km$n.json"
done
# A part of a program's launches, and all of them.
for part in csr=rounds=3 ell=rounds=3 gau=n=33:columns=2 bit=log2_keys=10:log2_run=3 \
    csr=edges=200 gau=n=33 bit=log2_keys=10:log2_run=12 bc=vertices=16:edges=40:sources=100; do
    "$heddle" run "${part%%=*}" --functional --json --size "tiny:${part#*=}" >"$scratch/$part.json"
done
python3 - "$scratch" "$backends" <<'PYTHON'
import json, sys
def load(name):
    return json.load(open("%s/%s.json" % (sys.argv[1], name)))
shapes = ["uniform", "power-law", "road", "tree"]
levels = {}
for shape in shapes:
    run = load(shape)
    other = load(shape + ".opencl") if "opencl" in sys.argv[2] else run
    suffix = "" if shape == "uniform" else ":graph=" + shape
    for r in run, other:
        assert r["verified"] is True, shape
        assert r["size"] == "tiny:edges=6000" + suffix, r["size"]
        assert r["input"] == {"edges": 6000, "degree": 6, "graph": shape, "threads": 256}, r["input"]
    assert run["input_hash"] == other["input_hash"] and run["launches"] == other["launches"]
    levels[shape] = run["launches"] // 2
assert len({load(shape)["input_hash"] for shape in shapes}) == len(shapes)
# Five children a node: 1 + 5 + 25 + 125 + 625 nodes are 781 of the 3001, the rest are two levels more.
assert levels["tree"] == 6, levels
# A square of 47 x 47 crossings or more is crossed from corner to corner.
assert levels["road"] > 2 * 46 > 6 * max(levels["uniform"], levels["power-law"]), levels
# 1000 nodes are four CTAs of 256 threads a launch, and 16 of 64.
small, usual = load("small_ctas"), load("uniform")
assert small["verified"] is True and small["output_hash"] == usual["output_hash"]
assert [r["stats"]["ctas"] // r["launches"] for r in (usual, small)] == [4, 16]
timed = load("timed")
assert timed["verified"] is True and timed["input"]["graph"] == "road"
# The transposition reads each of 34 floats of a point once, an assignment those and a centre's for each of five.
read = [load("kmn%d" % n)["stats"]["global.load_bytes"] / (1000 * 34 * 4) for n in (0, 1)]
assert read == [1, 1 + 5 * 2] and [load("kmn%d" % n)["launches"] for n in (0, 1)] == [1, 2], read
assert all(load("kmn%d" % n)["verified"] for n in (0, 1))
# Rodinia's: a warp of the transposition touches 32 lines for each feature, one of the assignment a single one for
# each feature and centre, and centres do not come through L1D.
loads = [load("km%d" % n)["stats"]["l1d.loads"] for n in (0, 1)]
assert loads == [32 * 34 * 32, 32 * 34 * (32 + 5)], loads
assert all(load("km%d" % n)["verified"] for n in (0, 1))
# Two launches a round and a column, s for the s-th span of keys.
launches = {"csr=rounds=3": 6, "ell=rounds=3": 6, "gau=n=33:columns=2": 4, "bit=log2_keys=10:log2_run=3": 6,
            "gau=n=33": 64, "bit=log2_keys=10:log2_run=12": 55}
for name, n in launches.items():
    assert load(name)["verified"] is True and load(name)["launches"] == n, (name, load(name)["launches"])
assert load("csr=rounds=3")["output_hash"] == load("ell=rounds=3")["output_hash"]
assert load("bc=vertices=16:edges=40:sources=100")["verified"] is True
assert load("csr=edges=200")["verified"] is True and load("csr=edges=200")["launches"] > 6
PYTHON

set +e

# The parts of a size are coordinates like others, and equal inputs are one result.
cat >"$scratch/graphs.yaml" <<'YAML'
workloads: bfs
size: tiny
inputs: {graph: [uniform, tree], edges: [1000, 2K]}
only: [{graph: tree}, {edges: 1000}]
YAML
status 0 "$heddle" sweep "$scratch/graphs.yaml" --store "$scratch/results.db" --jobs 2
says "3 points: 3 run, 0 stored before, 0 failed"
sed -i 's/size: tiny/size: tiny:graph=road/' "$scratch/graphs.yaml" # which the axis replaces
status 0 "$heddle" sweep "$scratch/graphs.yaml" --store "$scratch/results.db" --jobs 2
says "3 points: 0 run, 3 stored before, 0 failed"
status 0 "$heddle" compare --store "$scratch/results.db" size=tiny:edges=1000 size=tiny:edges=1000
says "tiny:edges=1000"
cat >"$scratch/figure.yaml" <<'YAML'
title: Graphs
source: a test
chart: bars
x: {axis: graph, title: shape}
y: IPC relative to lrr
sweep:
  workloads: [bfs]
  size: tiny
  inputs: {graph: [uniform, tree], edges: 1000}
  schedulers: [lrr, gto]
series:
  - {value: ipc, over: scheduler, relative_to: {scheduler: lrr}}
YAML
status 0 "$heddle" figure "$scratch/figure.yaml" --store "$scratch/results.db"
says "uniform  1.000"
says "tree     1.000"

# Mistakes.
refused() {
    words=$1
    shift
    status 2 "$heddle" run "$@" --functional
    complains "$words"
}
refused "graph: 'bush' is not one of its values: uniform, power-law, road, tree" bfs --size tiny:graph=bush
refused "edges: '999' is not one of its values: 1000 to 40000000" bfs --size tiny:edges=999
refused "bfs has no input 'grahp'; did you mean 'graph'?" bfs --size tiny:grahp=tree
refused "fld has no input 'graph', only sizes" fld --size tiny:graph=tree
refused "there is no size 'tinny'" bfs --size tinny:graph=tree
refused "no workload has the size 'tiny:graph=bush'" all --size tiny:graph=bush
status 0 "$heddle" run all --functional --size tiny:graph=tree
says "tiny:graph=tree"
finish
