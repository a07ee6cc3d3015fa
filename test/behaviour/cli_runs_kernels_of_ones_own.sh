#!/bin/sh
# A user's kernel: arguments of every kind arrive, results go to files whole or not at all, and what
# goes wrong has its own exit status.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
. test/behaviour/expect.inc

cat >"$scratch/k.cl" <<'CL'
struct pair { int a; float b; };
__kernel void all_kinds(__global int *out, __global const int *in, char c, short s, int i, long l,
                        float f, double d, struct pair p, __local int *tile)
{
    int me = get_global_id(0);
    tile[get_local_id(0)] = in[me];
    barrier(CLK_LOCAL_MEM_FENCE);
    int there = tile[get_local_size(0) - 1 - get_local_id(0)];
    if (me == get_global_offset(0)) {
        out[0] = c, out[1] = s, out[2] = i, out[3] = (int)(l >> 32);
        out[4] = (int)(f * 4), out[5] = (int)(d * 8), out[6] = p.a, out[7] = (int)(p.b * 2);
        out[8] = get_global_offset(0), out[9] = get_num_groups(0), out[10] = there;
    }
}
__kernel void copy(__global int *to, __global const int *from)
{
    to[get_global_id(0)] = from[get_global_id(0)];
}
__kernel void add_one(__global int *x) { x[get_global_id(0)] += 1; }
__kernel void stray(__global int *x) { x[get_global_id(0) + (1 << 28)] = 1; }
__kernel void spin(__global volatile int *x) { while (x[0] == 0) ; }
__kernel void greet(int n) { printf("thread %d of %d\n", (int)get_global_id(0), n); }
CL
run() { "$heddle" run "$scratch/k.cl" --functional "$@"; }
# The file of 32-bit integers given, as text.
ints() { od -An -v -t d4 "$1" | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'; }

printf '\001\000\000\000\002\000\000\000\003\000\000\000\004\000\000\000' >"$scratch/in"
status 0 run --entry all_kinds --grid 2 --block 2 --offset 0 --arg "out:44:$scratch/out" \
    --arg "buf:@$scratch/in" --arg i8:-3 --arg i16:300 --arg i32:0x10 --arg i64:0x700000000 \
    --arg f32:2.5 --arg f64:-0.125 --arg bytes:05000000000020c1 --arg local:8 --quiet
silent out
silent err
want="-3 300 16 7 10 -1 5 -20 0 2 2"
[ "$(ints "$scratch/out")" = "$want" ] || fail "arguments arrived as $(ints "$scratch/out")"

status 0 run --entry add_one --block 4 --arg "inout:@$scratch/in:$scratch/inc" --quiet
[ "$(ints "$scratch/inc")" = "2 3 4 5" ] || fail "inout wrote $(ints "$scratch/inc")"
status 0 run --entry add_one --block 4 --arg "inout:@$scratch/in:$scratch/in" --quiet
[ "$(ints "$scratch/in")" = "2 3 4 5" ] || fail "a file can be its own result"

# Random buffers: equal for equal seeds, different for different ones.
for run in 7-first 7-again 8; do
    status 0 run --entry copy --block 250 --arg "out:1000:$scratch/random-$run" \
        --arg "rand:1000:${run%%-*}" --quiet
done
cmp -s "$scratch/random-7-first" "$scratch/random-7-again" || fail "a seed gave two buffers"
cmp -s "$scratch/random-7-first" "$scratch/random-8" && fail "two seeds gave the same buffer"
status 0 run --entry greet --grid 2 --arg i32:2 --quiet
[ "$out" = "thread 0 of 2
thread 1 of 2" ] || fail "printf should reach the output"

# A result that could not be computed or written leaves no file.
rm -f "$scratch/never"
status 2 run --entry stray --block 4 --arg "out:16:$scratch/never" --arg i32:1
[ ! -e "$scratch/never" ] || fail "a failed run left its result behind"
status 3 run --entry stray --arg "out:16:$scratch/never"
complains "k.cl:" && complains "stray" && complains "thread 0,0,0"
[ ! -e "$scratch/never" ] || fail "a failed run left its result behind"
status 3 run --entry spin --arg buf:4 --max-insts 100000 && complains "spin"
status 4 run --entry add_one --arg "out:4:$scratch/no/such/folder" && complains "cannot write"
status 4 run --entry add_one --arg "out:4:/dev/full" --quiet && complains "No space left"
status 0 run --entry add_one --arg "out:4:/dev/null" --quiet
[ -c /dev/null ] || fail "a device was replaced by a file"

status 2 run && complains "choose one with --entry: all_kinds, copy, add_one, stray, spin, greet"
status 2 run --entry add_won && complains "did you mean 'add_one'?"
status 2 run --entry add_one && complains "takes 1 argument"
status 2 run --entry add_one --arg i16:3 && complains "the parameter is a pointer; write a buffer"
status 2 run --entry add_one --arg i64:4 && complains "the parameter is a pointer; write a buffer"
status 2 run --entry add_one --arg local:4 && complains "the parameter is a pointer to global memory"
status 2 run --entry greet --arg f32:2 && complains "the parameter is an integer; write i32:N"
status 2 run --entry greet --arg i16:2 && complains "bytes"
all_kinds() {
    status 2 run --entry all_kinds --block 2 --arg "out:44:$scratch/out" --arg buf:8 --arg i8:1 --arg i16:1 \
        --arg i32:1 --arg i64:1 --arg "$1" --arg f64:1 --arg bytes:0500000000000000 --arg "$2"
}
all_kinds i32:1 local:8 && complains "the parameter is a floating-point number; write f32:X"
all_kinds buf:8 local:8 && complains "the parameter is a floating-point number; write f32:X"
all_kinds f32:1 buf:8 && complains "the parameter is a __local pointer; write local:BYTES"
all_kinds f32:1 u64:8 && complains "the parameter is a __local pointer; write local:BYTES"
status 2 run --entry add_one --arg i33:3 && complains "did you mean 'i32'?"
status 2 run --entry add_one --arg "buf:@$scratch/none" && complains "cannot read"
status 2 run --entry add_one --arg "buf:4:@$scratch/in" && complains "do not fit"

# CUDA C: a kernel can be named as in its source or by its mangled name.
cat >"$scratch/k.cu" <<'CU'
__global__ void scale(int *x, int by) { x[threadIdx.x] *= by; }
namespace deep { namespace er { __global__ void negate(int *x) { x[threadIdx.x] = -x[threadIdx.x]; } } }
template <typename T> __global__ void twice(T *x) { x[threadIdx.x] *= 2; }
template __global__ void twice<int>(int *);
template __global__ void twice<float>(float *);
extern "C" __global__ void plain(int *x) { x[threadIdx.x] = 7; }
CU
cuda() { "$heddle" run "$scratch/k.cu" --functional --quiet "$@"; }
printf '\001\000\000\000\002\000\000\000' >"$scratch/two"
for call in "scale:3 6" "_Z5scalePii:3 6" "negate:-1 -2" "plain:7 7"; do
    name=${call%%:*}
    # shellcheck disable=SC2046 # the arguments are words
    status 0 cuda --entry "$name" --block 2 --arg "inout:@$scratch/two:$scratch/cu-out" \
        $(case $name in *scale*) echo --arg i32:3 ;; esac)
    [ "$(ints "$scratch/cu-out")" = "${call##*:}" ] || fail "$name wrote $(ints "$scratch/cu-out")"
done
status 2 cuda --entry twice --arg buf:4
complains "several kernels called twice; choose one with --entry: _Z5twiceIiEvPT_, _Z5twiceIfEvPT_"
status 2 cuda --entry scael --arg buf:4 && complains "did you mean 'scale'?"

# A full disk is an error, not silence; a reader that has closed its end terminates the program in
# the usual way.
"$heddle" show workloads >/dev/full 2>"$scratch/messages"
[ $? -eq 4 ] || fail "a full disk should be exit status 4"
grep -q "cannot write the output" "$scratch/messages" || fail "a full disk should be reported"
{
    sleep 0.5 # until the reader is gone
    "$heddle" show workloads 2>"$scratch/messages"
    echo $? >"$scratch/rc"
} | true
[ "$(cat "$scratch/rc")" = 141 ] || fail "a closed pipe: exit status $(cat "$scratch/rc")"
[ ! -s "$scratch/messages" ] || fail "a closed pipe is nothing to complain of"

# Interrupted: nothing half-written.
status 124 timeout -s INT 1 "$heddle" run "$scratch/k.cl" --functional --entry spin \
    --arg "out:4:$scratch/never" --json
silent out
[ ! -e "$scratch/never" ] || fail "an interrupted run left its result behind"
for left in "$scratch"/*.??????; do
    [ ! -e "$left" ] || fail "a temporary file is left: $left"
done
finish
