#!/bin/sh
# A file that does not exist, or is a folder, is a user's mistake (2); one that exists and cannot be
# read is a failure of the environment (4), whatever reads it; and the help says so.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
. test/behaviour/expect.inc

# A link that leads back to itself cannot be read, not even by root.
for name in loop.ptx loop.cl loop.trace loop.json loop.yaml loop.db loop.zst loop.bin; do
    ln -s "$name" "$scratch/$name"
done
echo '.version 8.0 .target sm_50 .address_size 64 .visible .entry k(.param .u64 p) { ret; }' \
    >"$scratch/fine.ptx"

both() {
    file=$1
    shift
    status 2 "$heddle" "$@" "$scratch/none.$file" && complains "none.$file" && silent out
    status 4 "$heddle" "$@" "$scratch/loop.$file" && complains "loop.$file" && silent out
}
both ptx run --functional
both cl run
both ptx ptx
both trace run --replay
both trace show trace
both yaml sweep --dry-run --store "$scratch/s.db"
both yaml figure --store "$scratch/s.db"
status 2 "$heddle" compare "$scratch/none.json" "$scratch/none.json" && complains "none.json" && silent out
status 4 "$heddle" compare "$scratch/loop.json" "$scratch/none.json" && complains "loop.json" && silent out
both zst cache replay
both zst cache replay --timed
both zst cache curve --format text
both db query --store
for file in none loop; do
    want=$([ $file = none ] && echo 2 || echo 4)
    status "$want" "$heddle" run "$scratch/fine.ptx" --functional --arg "buf:@$scratch/$file.bin"
    complains "$file.bin" && silent out
done
status 2 "$heddle" run "$scratch/" && silent out
status 2 "$heddle" run --replay "$scratch" && silent out
status 4 "$heddle" run ss --size tiny --record "$scratch/no/where.trace" && silent out

# One table: the overview of the help and the reference page.
"$heddle" --help | sed -n '/^Exit status/,/^$/p' >"$scratch/help"
for text in "missing files included" "could not be read or written"; do
    grep -q "$text" "$scratch/help" || fail "the help does not say '$text'"
    grep -q "$text" doc/commands.md || fail "doc/commands.md does not say '$text'"
done
finish
