#!/bin/sh
# Spin-locks and a barrier of all work-groups, built from atomics, end under every scheduler with
# every atomics unit. For each address there is one order of atomics that explains what they return.
# Neither depends on the quantum, the engine or the number of threads.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1
set -eu
cat >order.cl <<'CL'
/* A number from each of four counters for every work-item, in lines of their own. */
__kernel void tickets(__global uint *counter, __global uint *ticket)
{
    uint i = get_global_id(0);
    ticket[i] = atomic_inc(&counter[i % 4 * 32]);
}

/* Each warp takes the lock once, for a plain counter. */
__kernel void locked(__global volatile uint *words, __global uint *out)
{
    __local volatile uint waits[4];
    uint warp = get_local_id(0) / 32;
    if (get_local_id(0) % 32 == 0) {
        waits[warp] = 1;
        while (waits[warp])
            if (atomic_cmpxchg(&words[0], 0u, 1u) == 0) {
                words[64] = words[64] + 1;
                mem_fence(CLK_GLOBAL_MEM_FENCE);
                atomic_xchg(&words[0], 0u);
                waits[warp] = 0;
            }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = 1;
}

/* Work-groups wait for each other three times; who passes a barrier sees what was stored before. */
__kernel void meet(__global volatile uint *words, __global volatile uint *out)
{
    uint n = get_num_groups(0), group = get_group_id(0), good = 1;
    for (uint round = 1; round <= 3; round++) {
        if (get_local_id(0) == 0) {
            words[128 + group] = round;
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            atomic_inc(&words[0]);
            while (atomic_add(&words[0], 0u) < n * round)
                ;
            good &= words[128 + (group + 1) % n] >= round;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    out[get_global_id(0)] = good;
}
CL
python3 - "$heddle" <<'PY'
import array, json, os, subprocess, sys
heddle = sys.argv[1]
def names(what):
    return [r["name"] for r in json.loads(subprocess.run([heddle, "show", what, "--json"], stdout=subprocess.PIPE, check=True).stdout)]
GROUPS, ITEMS = 8, 128
def record(kernel):  # for schedulers that need the lifetimes of warps
    subprocess.run([heddle, "run", "order.cl", "--entry", kernel, "--quiet", "--gpu", "gtx480", "--set", "n_sms=4", "--scheduler", "lrr", "--attribute-out", kernel + ".csv",
                    "--grid", str(GROUPS), "--block", str(ITEMS), "--arg", "out:1K:words", "--arg", "out:4K:result"], check=True)
for kernel in ("tickets", "locked", "meet"):
    record(kernel)
def words_of(name):
    with open(name, "rb") as f:
        return array.array("I", f.read())
def run(kernel, *options):
    done = subprocess.run([heddle, "run", "order.cl", "--entry", kernel, "--json", "--gpu", "gtx480", "--set", "n_sms=4", "--max-cycles", "3000000", "--grid", str(GROUPS), "--block", str(ITEMS),
                           "--arg", "out:1K:words", "--arg", "out:4K:result", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, (kernel, options, done.stderr)
    stats = {k: v for k, v in json.loads(done.stdout)["stats"].items() if not k.startswith("host.")}
    assert stats.get("atomics.stale_data_used", 0) == 0, options
    return words_of("words"), words_of("result"), stats
def check(kernel, *options):
    words, result, stats = run(kernel, *options)
    n = GROUPS * ITEMS
    if kernel == "tickets":
        for k in range(4):
            assert sorted(result[k:n:4]) == list(range(n // 4)), (options, k)
            assert words[32 * k] == n // 4, options
    else:
        assert all(r == 1 for r in result[:n]), (kernel, options)
        assert kernel != "locked" or words[64] == n // 32, (options, words[64])
    return stats
units = [["--atomics", u] for u in names("atomics")]
units += [u + ["--set", "atomics.spec_fetch=true"] for u in units if u[1] in ("atom_dir", "atom_hybrid")]
assert len(units) == 6
n_runs = 0
for unit in units:
    for kernel in ("tickets", "locked", "meet"):
        for scheduler in names("schedulers"):
            more = ["--set", "criticality=oracle", "--set", "criticality.file=" + kernel + ".csv"] if scheduler.startswith("caws") else []
            check(kernel, *unit, "--scheduler", scheduler, *more)
            n_runs += 1
        first = check(kernel, *unit)
        for manner in (["--engine", "cycle"], ["--quantum", "1"], ["--quantum", "3"], ["--threads", "2"], ["--threads", "3", "--quantum", "2"]):
            other = check(kernel, *unit, *manner)
            assert other == first, (kernel, unit, manner, [k for k in first if first[k] != other[k]][:5])
            n_runs += 1
print(n_runs, "runs agree")

# The first atomic of a lone warp: if an SM performs it, its result takes l1d_latency; at L2 it
# takes longer.
with open("alone.ptx", "w") as f:
    f.write(""".version 6.0
.target sm_30
.address_size 64
.visible .entry alone(.param .u64 p, .param .u64 q) {
.reg .u32 %v, %from, %to;
.reg .u64 %a, %b;
ld.param.u64 %a, [p];
ld.param.u64 %b, [q];
mov.u32 %from, %clock;
atom.global.add.u32 %v, [%a], 1;
add.u32 %v, %v, 1;
mov.u32 %to, %clock;
sub.u32 %to, %to, %from;
st.global.u32 [%b], %to;
ret;
}
""")
def takes(unit, latency):
    subprocess.run([heddle, "run", "alone.ptx", "--quiet", "--gpu", "gtx480", "--set", f"sm.l1d_latency={latency}", *unit, "--arg", "buf:128", "--arg", "out:4:took"], check=True)
    return words_of("took")[0]
for unit in units:
    more = takes(unit, 41) - takes(unit, 30)
    assert more == (0 if unit[1] == "at_l2" else 11), (unit, more)
PY
