#!/bin/sh
# The kernels in examples/ compute y = a * x + y in three languages: the same numbers, checked
# against Python's.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
. test/behaviour/expect.inc

python3 - "$scratch" <<'PY'
import array, sys
n = 1000
array.array("f", [i / 4 for i in range(n)]).tofile(open(f"{sys.argv[1]}/x", "wb"))
array.array("f", [n - i for i in range(n)]).tofile(open(f"{sys.argv[1]}/y", "wb"))
# Every value here is a small multiple of 1/8, which single precision holds exactly.
array.array("f", [1.5 * i / 4 + n - i for i in range(n)]).tofile(open(f"{sys.argv[1]}/want", "wb"))
PY
for language in cl cu ptx; do
    status 0 "$heddle" run "examples/saxpy.$language" --functional --grid 4 --block 256 \
        --arg i32:1000 --arg f32:1.5 --arg "buf:@$scratch/x" \
        --arg "inout:@$scratch/y:$scratch/$language"
    says "saxpy completed"
    cmp -s "$scratch/want" "$scratch/$language" || fail "examples/saxpy.$language: wrong sums"
done
# 1000 threads and a buffer that is too short by one element.
head -c 3996 "$scratch/x" >"$scratch/short"
status 3 "$heddle" run examples/saxpy.ptx --functional --grid 4 --block 256 --arg i32:1000 \
    --arg f32:1.5 --arg "buf:@$scratch/short" --arg buf:4000
complains "saxpy.ptx"
complains "CTA 3,0,0, thread 231,0,0"
# The README shows exactly this report; only the line in the PTX depends on the compiler.
status 3 "$heddle" run examples/saxpy.cl --functional --grid 4 --block 256 --arg i32:1000 \
    --arg f32:1.5 --arg rand:4000:7 --arg out:3996:y.bin
printf '%s\n' "$err" | grep -v "in kernel" >"$scratch/report"
while read -r line; do
    grep -qF -- "$line" README.md || fail "the README does not show: $line"
done <"$scratch/report"
[ -s "$scratch/report" ] || fail "no report"
# A buffer takes host memory only where it is used, not where it is still zero.
status 0 "$heddle" run examples/saxpy.ptx --functional --grid 4 --block 256 --arg i32:1000 \
    --arg f32:1.5 --arg buf:4G --arg buf:4G --json
rss=$(printf '%s' "$out" | sed -n 's/.*"host.peak_rss_bytes": *\([0-9]*\).*/\1/p' | head -n 1)
[ "$rss" -lt 1000000000 ] || fail "two buffers of 4 GB of zeros take $rss bytes"
finish
