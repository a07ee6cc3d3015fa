#!/bin/sh
# The digests in the keys of results: each covers every source that its mechanism uses, as the
# compiled objects show; and a change of a source changes the digests of mechanisms that use it, and
# no others.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
build=$(cd "$(dirname "$heddle")" && pwd)
python3 - "$build" "$scratch" <<'PY'
import os, re, shutil, subprocess, sys
build, scratch = sys.argv[1:]
root = os.getcwd()
parts = {}
with open(f"{build}/gen/lab_model.c.parts") as f:
    for line in f:
        name, files = line.strip().split(": ")
        parts[name] = set(files.split())
assert len(parts) > 80, len(parts)

# --- what the objects refer to ---
lists = {"scheduler": "scheduler", "cache policy": "cache_policy", "criticality": "criticality",
         "atomics": "atomics", "workload": "workload"}
of_parts = {f for files in parts.values() for f in files if f.endswith(".c")}
objects = f"{build}/CMakeFiles/heddle_objects.dir"
defines, needs = {}, {}
for folder, _, names in os.walk(f"{objects}/src"):
    for name in filter(lambda n: n.endswith(".o"), names):
        path = os.path.relpath(f"{folder}/{name}", objects)[:-2]
        listed = subprocess.run(["nm", f"{folder}/{name}"], capture_output=True, text=True, check=True).stdout
        for line in listed.splitlines():
            kind, symbol = line.split()[-2:]
            if kind in "TDRBCVW":
                defines[symbol] = path
            elif kind == "U":
                needs.setdefault(path, set()).add(symbol)
assert len(needs) > 200, len(needs)
for name, files in parts.items():
    kind, id = name.rsplit(" ", 1)
    symbol = f"{lists[kind]}_{id}"
    assert defines.get(symbol) in files, f"{name}: {symbol} is defined by {defines.get(symbol)}"
    for file in filter(lambda f: f.endswith(".c"), files):
        for symbol in needs.get(file, ()):
            owner = defines.get(symbol, "")
            assert owner not in of_parts or owner in files, f"{name}: {file} uses {symbol} of {owner}, not covered"
for file, symbols in needs.items():
    if file in of_parts or file.endswith("/registry.c") or file.startswith("src/analysis/"):
        continue
    for symbol in symbols:
        assert defines.get(symbol, "") not in of_parts, f"the engine's {file} uses {symbol} of {defines[symbol]}"

# --- what a change changes ---
copy = f"{scratch}/tree"
shutil.copytree(f"{root}/src", f"{copy}/src", ignore=shutil.ignore_patterns("cli", "lab", "icd", "hetero"))
with open(f"{build}/gen/model_sources.txt") as f:
    sources = [os.path.relpath(line.strip(), root) for line in f]

def digests(more=()):
    with open(f"{scratch}/list", "w") as f:
        f.write("\n".join(f"{copy}/{name}" for name in [*sources, *more]))
    subprocess.run(["cmake", f"-DLIST={scratch}/list", f"-DROOT={os.path.abspath(copy)}", f"-DOUT={scratch}/m.c",
                    "-DVERSION=1", "-P", f"{root}/cmake/model_version.cmake"], check=True)
    with open(f"{scratch}/m.c") as f:
        text = f.read()
    found = {f"{k} {n}": d for k, n, d in re.findall(r'\{"([^"]*)", "([^"]*)", "([^"]*)"\}', text)}
    return {**found, "engine": re.search(r'return "1\+(\w+)"', text).group(1)}

def changed(*names):
    """Which digests differ from those before, after a change of these sources."""
    global before
    for name in names:
        with open(f"{copy}/{name}", "a") as f:
            f.write("/* another */\n")
    was, before = before, digests()
    return {k for k in before if before[k] != was[k]}

before = digests()
with open(f"{build}/gen/lab_model.c") as f:  # the build folder makes no difference
    assert before["engine"] in f.read()
found = changed("src/sched/lrr.c", "src/cache/policies/protection.h", "src/atomics/atom_dir.c",
                "src/workloads/bp/bp.cl")
assert found == {"scheduler lrr", "scheduler ccws", "scheduler ccws_authors", "cache policy dlp",
                 "cache policy pdp", "atomics atom_dir", "workload bp"}, found
for name in ("src/sm/issue.c", "src/sched/scheduler.h"):
    assert changed(name) == {"engine"}, name

# A new policy does not change the existing digests.
with open(f"{copy}/src/cache/policies/new_one.c", "w") as f:
    f.write('#include "cache/cache_policy.h"\nconst struct cache_policy_desc cache_policy_new_one = {0};\n')
with open(f"{copy}/src/cache/policies.def", "a") as f:
    f.write("POLICY(new_one)\n")
now = digests(["src/cache/policies/new_one.c"])
assert {k for k in now if now[k] != before.get(k)} == {"cache policy new_one"}
PY
