#!/bin/sh
# Every scheduler with every L1D policy, every GPU, every criticality provider, every atomics unit and
# write-buffering in L2: each pair of them at least once runs a kernel with divergence, reuse, barriers and atomics to the right result, and
# the two engines count the same. With a third word `all`, not pairs only but all there are, and with a
# mechanism or GPU as the fourth word all rows that have it; with `each`, or sanitizers, each mechanism at least once.
heddle=$1
scratch=$2
which=${3:-${HEDDLE_SANITIZED:+each}}
which=${which:-pairs}
only=${4:-}
mkdir -p "$scratch"
cd "$scratch" || exit 1
set -eu
cat >mix.cl <<'CL'
__kernel void mix(__global const int *x, __global int *y) {
    __local int part[64];
    int i = get_global_id(0), l = get_local_id(0), sum = x[i];
    for (int k = 0; k < (l & 7) + (i & 64) / 16; k++)
        sum += x[(i * 33 + k * 577) & 16383];
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    y[i] = part[63 - l] - sum;
    atomic_add(&y[4096 + (l & 3)], sum);
}
CL
"$heddle" run mix.cl --functional --quiet --grid 20 --block 64 --arg rand:64K:1 --arg out:32K:right
"$heddle" run mix.cl --quiet --scheduler lrr --attribute-out times.csv --grid 20 --block 64 \
    --arg rand:64K:1 --arg out:32K:mine
python3 - "$heddle" "$which" "$only" <<'PY'
import concurrent.futures, itertools, json, os, subprocess, sys
heddle, which, only = sys.argv[1:]
def names(what):
    return [r["name"] for r in json.loads(subprocess.run([heddle, "show", what, "--json"], stdout=subprocess.PIPE, check=True).stdout)]
def l1d_policies():
    rows = json.loads(subprocess.run([heddle, "show", "policies", "--json"], stdout=subprocess.PIPE, check=True).stdout)
    return [r["name"] for r in rows if "L1D" in r["caches"]]
keeps = ["l2.write_back=true", "l2.write_allocate=true", "l2.write_evict=false"] # ccws writes through
l2 = {"lru": [], **{drop: ["l2.policy=write_buffering", "l2.policy.mark_stores=true", "l2.policy.drop=" + drop, *keeps] for drop in ("all_read", "first_hit", "demote")}}
units = names("atomics")
assert units == ["at_l2", "atom_naive", "atom_dir", "atom_hybrid"]
axes = [names("schedulers"), l1d_policies(), names("gpus"), ["none", "cpl", "oracle"], list(l2), [*units, *(u + "+spec_fetch" for u in units if u in ("atom_dir", "atom_hybrid"))]]
assert len(axes[0]) >= 13 and len(axes[1]) >= 16 and len(axes[2]) >= 6
# All pairs of the two longest axes; the others are distributed so that their pairs occur too.
left = {(i, a, j, b) for i, j in itertools.combinations(range(6), 2) for a in axes[i] for b in axes[j]}
# A tree over the ways needs a power of two; shared memory may leave another number, which is
# refused with the reason.
impossible = ("plru", "v100")
left.discard((1, "plru", 2, "v100"))
refused = subprocess.run([heddle, "run", "mix.cl", "--gpu", "v100", "--l1d", "plru"], stderr=subprocess.PIPE)
assert refused.returncode == 2 and b"not a power of two" in refused.stderr
def pairs(row):
    return {(i, row[i], j, row[j]) for i, j in itertools.combinations(range(6), 2)}
def run(row, *more):
    scheduler, policy, gpu, criticality, drop, unit = row
    mine = "-".join(row)
    words = [heddle, "run", "mix.cl", "--json", "--grid", "20", "--block", "64", "--arg", "rand:64K:1", "--arg", "out:32K:" + mine,
             "--gpu", gpu, "--scheduler", scheduler, "--l1d", policy, "--set", "criticality=" + criticality,
             "--set", "n_sms=2", "--atomics", unit.split("+")[0], *more]
    if "+" in unit:
        words += ["--set", "atomics.spec_fetch=true"]
    for setting in l2[drop]:
        words += ["--set", setting]
    if criticality == "oracle":
        words += ["--set", "criticality.file=times.csv"]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, (row, done.stderr.decode())
    assert open(mine, "rb").read() == open("right", "rb").read(), row
    os.remove(mine)
    stats = json.loads(done.stdout)["stats"]
    return {k: v for k, v in stats.items() if not k.startswith("host.")}
def check(row):
    plain, skip = run(row, "--engine", "cycle"), run(row)
    assert plain == skip, (row, [k for k in plain if plain[k] != skip[k]])
    assert skip["cycles"] > 0 and skip["l1d.loads"] > 0
rows = [r for r in itertools.product(*axes) if (r[1], r[2]) != impossible]
if which == "all":  # all L2s with all atomics units on two GPUs
    on_two = lambda r: r[2] in ("gtx480", "v100") and r[3] == "none"
    rows = [r for r in rows if (r[4] == "lru" and r[5] == "at_l2") or on_two(r)]
if only:
    assert which == "all" and any(only in axis for axis in axes), f"'{only}' is no mechanism or GPU of the matrix"
    rows = [r for r in rows if only in r]
if which == "each":
    rows = [tuple(a[i % len(a)] for a in axes) for i in range(max(map(len, axes)))]
    assert impossible not in [r[1:3] for r in rows]
if which == "pairs":
    chosen = []
    for scheduler, policy in itertools.product(axes[0], axes[1]):
        row = max((r for r in rows if r[:2] == (scheduler, policy)), key=lambda r: len(pairs(r) & left))
        left -= pairs(row)
        chosen.append(row)
    assert not left, left
    rows = chosen
with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0)) if which == "all" else 1) as pool:
    for done in [pool.submit(check, row) for row in rows]:
        done.result()
print(len(rows), "combinations agree")
PY
