#!/bin/sh
# CPU programs by name: recorded once, cached, and recorded again if the cached file is damaged.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
. test/behaviour/expect.inc

[ -x "$(dirname "$heddle")/libexec/heddle/heddle-amd64-linux" ] || {
    echo "SKIPPED: recording of programs: valgrind's libraries are not installed"
    exit 77
}
HEDDLE_CACHE=$scratch/cache
export HEDDLE_CACHE
left_overs() {
    find "$HEDDLE_CACHE/cpu" -name '*.part' -o -name '*.run'
}

status 0 "$heddle" cpu list
says "matmul"
says "not recorded yet"

# Ctrl-C while it records.
"$heddle" cpu record lattice 2>"$scratch/err" &
recorder=$!
for i in 1 2 3 4 5 6 7 8 9 10; do
    [ -e "$HEDDLE_CACHE/cpu/lattice.part" ] && break
    sleep 0.3
done
kill -TERM $recorder
wait $recorder
[ $? -gt 128 ] || fail "a recording goes on after SIGTERM"
[ -z "$(left_overs)" ] || fail "an interrupted recording left $(left_overs)"

# A disk that is full: files of 100 blocks at most.
(
    trap '' XFSZ
    ulimit -f 100
    exec "$heddle" cpu record lattice
) 2>"$scratch/err"
[ $? -eq 4 ] || fail "a full disk is not the environment's failure"
grep -q "cannot write" "$scratch/err" || fail "a full disk is not named: $(cat "$scratch/err")"
[ -z "$(left_overs)" ] || fail "a full disk left $(left_overs)"

# Two processes at once: one records, the other waits for it.
"$heddle" cpu record matmul &
first=$!
"$heddle" cpu show matmul --json >"$scratch/second.json" || fail "the second process"
wait $first || fail "the first process"
trace=$(echo "$HEDDLE_CACHE"/cpu/matmul-*.cpu)
[ -s "$trace" ] || fail "no trace, or several: $trace"
grep -q '"instructions": 10000000' "$scratch/second.json" || fail "the length of the recording"
status 0 "$heddle" cpu list
says "recorded"

# Damaged: it is recorded again, and is the same.
cp "$trace" "$scratch/before.cpu"
printf 'x' | dd of="$trace" bs=1 seek=100000 conv=notrunc 2>/dev/null
status 2 "$heddle" cpu show "$trace"
complains "at byte"
status 0 "$heddle" cpu show matmul
cmp -s "$trace" "$scratch/before.cpu" || fail "recorded again, it differs"
status 0 "$heddle" cpu show matmul
[ "$(find "$trace" -newer "$scratch/second.json" | wc -l)" = 1 ] || fail "the trace is not new"
# Neither the paths of the cache and of the recorder nor their lengths matter.
mkdir -p "$scratch/a_longer_path_of_the_cache" "$scratch/a_longer_path_of_the_recorder"
cp -a "$(dirname "$heddle")/libexec/heddle/." "$scratch/a_longer_path_of_the_recorder"
status 0 env HEDDLE_CACHE="$scratch/a_longer_path_of_the_cache" HEDDLE_LIBEXEC="$scratch/a_longer_path_of_the_recorder" \
    "$heddle" cpu record matmul
zstd -dcq "$trace" >"$scratch/here.bin"
zstd -dcq "$scratch/a_longer_path_of_the_cache/cpu/${trace##*/}" >"$scratch/there.bin"
cmp -s "$scratch/here.bin" "$scratch/there.bin" || fail "a recording depends on paths"
finish
