#!/bin/sh
# Locks that work-items of one warp take end if they would on a machine with a SIMT stack, although
# clang moves the critical section out of the loop. Under every scheduler; neither the quantum, the
# engine nor the number of threads matters, nor does recording; PTX of the user's own is not changed.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1
set -eu
cat >locks.cl <<'CL'
#define TRY(lock) (atomic_cmpxchg(lock, 0, 1) == 0)
#define FREE(lock) (mem_fence(CLK_GLOBAL_MEM_FENCE), atomic_xchg(lock, 0))
#define ADD_LOCKED() (w[1] = w[1] + 1, FREE(w))
typedef __global volatile int *ints; /* w[0] is the lock, w[1] a plain counter */

__kernel void flag(ints w)
{
    for (bool done = false; !done;)
        if (TRY(w)) {
            ADD_LOCKED();
            done = true;
        }
}

__kernel void exchange(ints w)
{
    int old;
    do {
        old = atomic_xchg(w, 1);
        if (old == 0)
            ADD_LOCKED();
    } while (old);
}

__kernel void in_memory(ints w)
{
    for (volatile bool done = false; !done;)
        if (TRY(w)) {
            ADD_LOCKED();
            done = true;
        }
}

__kernel void one_by_one(ints w)
{
    for (int i = 0; i < get_local_size(0); i++)
        if (get_local_id(0) == i) {
            while (!TRY(w))
                ;
            ADD_LOCKED();
        }
}

__kernel void counted(ints w)
{
    for (int i = 0; i < 3;)
        if (TRY(w)) {
            ADD_LOCKED();
            i++;
        }
}

__kernel void tested_first(ints w)
{
    for (bool done = false; !done;)
        if (w[0] == 0 && TRY(w)) {
            ADD_LOCKED();
            done = true;
        }
}

/* clang puts the first attempt before the loop. */
__kernel void paused(ints w)
{
    for (bool done = false; !done;)
        if (TRY(w)) {
            ADD_LOCKED();
            done = true;
        } else
            for (int k = 0; k < get_local_id(0) % 8; k++)
                mem_fence(CLK_GLOBAL_MEM_FENCE);
}

__kernel void paused_longer(ints w)
{
    int pause = 1;
    for (bool done = false; !done;)
        if (TRY(w)) {
            ADD_LOCKED();
            done = true;
        } else {
            pause = min(2 * pause, 64);
            for (int k = 0; k < pause; k++)
                mem_fence(CLK_GLOBAL_MEM_FENCE);
        }
}

__kernel void ticket(ints w)
{
    int mine = atomic_inc(w + 2);
    for (bool done = false; !done;)
        if (w[3] == mine) {
            w[1] = w[1] + 1;
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            w[3] = mine + 1;
            done = true;
        }
}

/* A loop around the lock, and one in its critical section. */
__kernel void loops(ints w)
{
    for (int k = 0; k < 3; k++)
        for (bool done = false; !done;)
            if (TRY(w)) {
                for (int j = 0; j <= k; j++)
                    w[1] = w[1] + 1;
                FREE(w);
                done = true;
            }
}

__kernel void branch(ints w)
{
    if (get_local_id(0) % 4 == 1)
        for (bool done = false; !done;)
            if (TRY(w)) {
                ADD_LOCKED();
                done = true;
            }
    w[32 + get_local_id(0)] = 1;
}

__kernel void nested(ints w)
{
    ints outer = w + 8 + get_local_id(0) % 4;
    for (bool done = false; !done;)
        if (TRY(outer)) {
            for (bool inner_done = false; !inner_done;)
                if (TRY(w)) {
                    ADD_LOCKED();
                    inner_done = true;
                }
            FREE(outer);
            done = true;
        }
}

/* The first lock is released if the second is not free. */
__kernel void both_or_none(ints w)
{
    ints outer = w + 8 + get_local_id(0) % 4;
    for (bool done = false; !done;)
        if (TRY(outer)) {
            if (TRY(w)) {
                ADD_LOCKED();
                done = true;
            }
            FREE(outer);
        }
}

/* Each needs two of the forks, and takes the one with the smaller number first. */
__kernel void philosophers(ints w)
{
    int i = get_local_id(0), next = (i + 1) % get_local_size(0);
    ints first = w + 8 + min(i, next), second = w + 8 + max(i, next);
    for (bool done = false; !done;)
        if (TRY(first)) {
            for (bool inner_done = false; !inner_done;)
                if (TRY(second)) {
                    atomic_inc(w + 1);
                    FREE(second);
                    inner_done = true;
                }
            FREE(first);
            done = true;
        }
}

__kernel void barriers(ints w)
{
    for (int k = 0; k < 2; k++) {
        for (bool done = false; !done;)
            if (TRY(w)) {
                ADD_LOCKED();
                done = true;
            }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    for (bool done = false; !done;)
        if (TRY(w)) {
            ADD_LOCKED();
            done = true;
        }
    barrier(CLK_GLOBAL_MEM_FENCE);
}

/* No lock: the second warp lets lanes of the first through one at a time, the last of a pair first;
 * lanes of a pair then wait for each other. */
__kernel void pairs(ints w)
{
    int i = get_local_id(0);
    ints gate = w + 8, here = w + 40;
    if (i == 32)
        for (int k = 31; k >= 0; k--)
            atomic_xchg(gate + k, 1);
    if (i < 32 && get_group_id(0) == 0) {
        while (atomic_add(gate + i, 0) == 0)
            ;
        atomic_xchg(here + i, 1);
        while (atomic_add(here + (i ^ 1), 0) == 0)
            ;
    }
    atomic_inc(w + 1);
}
CL
python3 - "$heddle" <<'PY'
import array, json, subprocess, sys
heddle = sys.argv[1]
GROUPS, ITEMS = 3, 64
N = GROUPS * ITEMS
COUNTS = {"flag": N, "exchange": N, "in_memory": N, "one_by_one": N, "counted": 3 * N, "tested_first": N, "paused": N, "paused_longer": N, "ticket": N, "loops": 6 * N, "branch": N // 4,
          "nested": N, "both_or_none": N, "philosophers": N, "barriers": 3 * N, "pairs": N}
WHERE = ["--grid", str(GROUPS), "--block", str(ITEMS), "--arg", "out:1K:words"]
def run(what, *options):
    done = subprocess.run([heddle, "run", what, *WHERE, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, (options, done.stderr)
    return done.stdout
def check(kernel, *options):
    said = run("locks.cl", "--entry", kernel, "--json", *options)
    with open("words", "rb") as f:
        words = array.array("i", f.read())
    assert words[0] == 0 and words[1] == COUNTS[kernel], (kernel, options, words[:4])
    return {k: v for k, v in json.loads(said)["stats"].items() if not k.startswith("host.")}
TIMED = ["--gpu", "gtx480", "--set", "n_sms=2", "--max-cycles", "3000000"]
schedulers = [r["name"] for r in json.loads(subprocess.run([heddle, "show", "schedulers", "--json"], stdout=subprocess.PIPE, check=True).stdout)]
for kernel in COUNTS:
    check(kernel, "--functional", "--max-insts", "1000000")
    first = check(kernel, *TIMED)
    for manner in (["--engine", "cycle"], ["--fast-paths", "off"], ["--quantum", "1"], ["--quantum", "3"], ["--threads", "2"]):
        other = check(kernel, *TIMED, *manner)
        assert other == first, (kernel, manner, [k for k in first if first[k] != other[k]][:5])
    for scheduler in schedulers:
        if not scheduler.startswith("caws"): # those need recorded lifetimes
            check(kernel, *TIMED, "--scheduler", scheduler)

# Behind the branch in which they have taken the lock, the lanes of a warp are together again.
stores = check("branch", "--functional")["insts.st_global"]
assert stores == N // 4 + N // 32, stores

# A lane that has the lock runs before the others try again: a warp needs an attempt and a release
# for each of its lanes.
for kernel in ("flag", "exchange", "paused"):
    atomics = check(kernel, "--functional")["insts.atomic"]
    assert atomics == 2 * N, (kernel, atomics)

# Recordings are replayed: lanes take turns as they did.
for kernel in ("counted", "nested", "both_or_none", "pairs"):
    first = check(kernel, *TIMED, "--record", "trace")
    said = json.loads(subprocess.run([heddle, "run", "--replay", "trace", "--json", *TIMED], stdout=subprocess.PIPE, check=True).stdout)["stats"]
    assert {k: v for k, v in said.items() if not k.startswith("host.")} == first, kernel

# What clang has written is marked; without the mark it is a plain SIMT stack that executes it.
text = subprocess.run([heddle, "ptx", "--print", "locks.cl"], stdout=subprocess.PIPE, check=True, text=True).stdout
assert text.count(".pragma \"heddle.late_reconvergence\";") == 1
with open("marked.ptx", "w") as f:
    f.write(text)
with open("plain.ptx", "w") as f:
    f.write(text.replace(".pragma \"heddle.late_reconvergence\";", ""))
run("marked.ptx", "--entry", "flag", "--functional", "--quiet", "--max-insts", "1000000")
for kernel in ("flag", "exchange", "nested"):
    done = subprocess.run([heddle, "run", "plain.ptx", "--entry", kernel, *WHERE, "--functional", "--quiet", "--max-insts", "100000"], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 3 and "never ends on machines with a SIMT stack" in done.stderr, (kernel, done.stderr)
PY
