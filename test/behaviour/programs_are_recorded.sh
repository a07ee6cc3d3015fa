#!/bin/sh
# heddle cpu record: the trace has what a native program does, instruction by instruction.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
. test/behaviour/expect.inc

[ -x "$(dirname "$heddle")/libexec/heddle/heddle-amd64-linux" ] || {
    echo "SKIPPED: recording of programs: valgrind's libraries are not installed"
    exit 77
}
# A chain of 1000 pointers, 4096 bytes apart, walked ten times between two markers.
cat >"$scratch/chase.c" <<'C'
#include <stdint.h>
#include <stdlib.h>
void **walk(void **p, int n);
__asm__(".globl walk\nwalk: mov (%rdi),%rdi\ndec %esi\njnz walk\nmov %rdi,%rax\nret\n");
int main(void)
{
    char *base = aligned_alloc(4096, 1000 * 4096);
    for (int i = 0; i < 1000; i++)
        *(void **)(base + 4096 * i) = base + 4096 * ((i + 1) % 1000);
    return walk((void **)base, 10000) != (void **)base;
}
C
${CC:-cc} -O1 -o "$scratch/chase" "$scratch/chase.c" || exit 1

# A value that passes through %rax and %rcx, which are overwritten at once, into an address.
cat >"$scratch/pass.c" <<'C'
long pass(long *p, int n);
__asm__(".globl pass\npass: mov (%rdi),%rax\nadd $8,%rax\nlea -8(%rax),%rcx\nmov (%rcx),%rdx\n"
        "xor %eax,%eax\nxor %ecx,%ecx\ndec %esi\njnz pass\nret\n");
int main(void)
{
    long p = (long)&p;
    return (int)pass(&p, 100);
}
C
${CC:-cc} -O1 -o "$scratch/pass" "$scratch/pass.c" || exit 1
status 0 "$heddle" cpu record --out "$scratch/pass.cpu" --max-insts 0 -- "$scratch/pass"
zstd -dcq "$scratch/pass.cpu" >"$scratch/pass.bin"
status 0 "$heddle" cpu record --out "$scratch/pass2.cpu" --max-insts 0 -- "$scratch/pass"
zstd -dcq "$scratch/pass2.cpu" >"$scratch/again.bin"

status 0 "$heddle" cpu record --out "$scratch/all.cpu" --max-insts 0 -- "$scratch/chase"
status 0 "$heddle" cpu show "$scratch/all.cpu" --json
echo "$out" >"$scratch/all.json"
zstd -dcq "$scratch/all.cpu" >"$scratch/all.bin"
total=$(($(wc -c <"$scratch/all.bin") / 64))
status 0 "$heddle" cpu record --out "$scratch/some.cpu" --skip 1000 --max-insts 500 -- "$scratch/chase"
zstd -dcq "$scratch/some.cpu" >"$scratch/some.bin"
status 0 "$heddle" cpu show "$scratch/some.cpu"
says "$scratch/chase"
says "500"
xz -kc "$scratch/all.bin" >"$scratch/all.xz"
status 0 "$heddle" cpu show "$scratch/all.xz" --json
echo "$out" >"$scratch/xz.json"

# Children are not recorded, and do not spoil their parent's trace.
cat >"$scratch/fork.c" <<'C'
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    if (fork() == 0) {
        for (volatile int i = 0; i < 500000; i++)
            ;
        return 0;
    }
    wait(0);
    return 0;
}
C
${CC:-cc} -O1 -o "$scratch/fork" "$scratch/fork.c" || exit 1
status 0 "$heddle" cpu record --out "$scratch/fork.cpu" --max-insts 0 -- "$scratch/fork"
status 0 "$heddle" cpu show "$scratch/fork.cpu" --json
echo "$out" >"$scratch/fork.json"

# Mistakes.
status 2 "$heddle" cpu record --out "$scratch/none.cpu" -- "$scratch/nothing"
[ -e "$scratch/none.cpu" ] && fail "a trace of nothing was left"
status 2 "$heddle" cpu record
complains "needs NAME"
status 2 "$heddle" cpu record -- ls
complains "there is no CPU program 'ls'"
status 2 "$heddle" cpu record bzip
complains "did you mean 'bzip2'"
status 2 "$heddle" cpu record bzip2 --skip 7
complains "need --out"
status 2 "$heddle" cpu list bzip2
complains "takes no operands"
status 2 "$heddle" cpu record --out "$scratch/x.cpu"
complains "needs a program"
status 2 "$heddle" cpu show "$scratch/nothing.cpu"
complains "cannot read"
head -c 3000 "$scratch/all.cpu" >"$scratch/short.cpu"
status 2 "$heddle" cpu show "$scratch/short.cpu"
complains "at byte 3000 of the file"
status 2 "$heddle" cpu show "$scratch/all.cpu" --skip 3
complains "are for heddle cpu record"

python3 - "$scratch" "$total" <<'PY' || fail "the records"
import json, struct, sys
scratch, total = sys.argv[1], int(sys.argv[2])
def load(name):
    with open(f"{scratch}/{name}.json") as f:
        return json.load(f)
def records(name):
    with open(f"{scratch}/{name}.bin", "rb") as f:
        data = f.read()
    return [struct.unpack_from("<QBB2B4B2Q4Q", data, 64 * i) for i in range(len(data) // 64)]
every = load("all")
assert every["instructions"] == total and every == dict(load("xz"), program=every["program"])
assert every["program"].endswith("/chase")
rows = records("all")
# The walk: a load through %rdi (8) into %rdi, whose address is what the last one loaded.
loads = [r for r in rows if r[3] == 8 and 8 in r[5:9] and r[11]]
walk = {}
for r in loads:
    walk.setdefault(r[0], []).append(r[11])
ip = max(walk, key=lambda k: len(walk[k]))
assert len(walk[ip]) >= 9999 # another register may hold the first pointer too
addresses = [r[11] for r in rows if r[0] == ip]
assert len(addresses) == 10000, len(addresses)
assert len(set(addresses)) == 1000
assert all((b - a) in (4096, -999 * 4096) for a, b in zip(addresses, addresses[1:]))
# Its branch is taken all but once.
branch = [r for r in rows if r[0] == ip + 5]
assert len(branch) == 10000 and all(r[1] for r in branch) and sum(r[2] for r in branch) == 9999
# Registers of instructions whose results are overwritten later in the block: 1 %rax, 2 %rcx, 8 %rdi.
rows = records("pass")
lea = next(i for i, r in enumerate(rows) if r[5] == 1 and r[3] == 2 and not any(r[9:15])
           and rows[i + 1][5] == 2 and rows[i + 1][11])
mov, add = rows[lea - 2], rows[lea - 1]
assert mov[3] == 1 and 8 in mov[5:9] and mov[11], mov
assert 1 in add[3:5] and 1 in add[5:9] and 25 in add[3:5], add
assert sum(r[0] == rows[lea][0] for r in rows) == 100
# Recorded twice: the same instructions and addresses, except for those that depend on the 16 random
# bytes that the kernel gives every program.
again = records("again")
assert [r[0] for r in rows] == [r[0] for r in again]
assert sum(a != b for a, b in zip(rows, again)) <= 16
assert load("fork")["instructions"] < 1000000 # the child's loop alone has more
# --skip and --max-insts: the same program, the same instructions.
some = records("some")
assert len(some) == 500 and [r[0] for r in some] == [r[0] for r in rows[1000:1500]]
PY
finish
