#!/bin/sh
# The model of mutexes for atomics (test/models/mutex.pml) holds for every network, checked by SPIN;
# and each of its rules is needed: without it SPIN finds two holders, a lost update or old data.
scratch=$2
. test/behaviour/expect.inc
command -v spin >/dev/null || {
    echo "spin is not installed (tools/setup.sh)"
    exit 77
}
model=$PWD/test/models/mutex.pml
rm -rf "$scratch"
mkdir -p "$scratch"

# check OPTIMISATION DEFINITION...: SPIN's verdict on the model with these definitions. Errors are
# found quickly: then compiling takes longer than searching.
check() {
    level=$1
    shift
    folder=$scratch/$(echo "$*" | tr -d ' ')
    mkdir -p "$folder"
    (cd "$folder" && spin -a "$@" "$model" && cc "$level" -w -DSAFETY -DNOFAIR -o pan pan.c && ./pan -m200000 -w22) 2>&1
}
safe() {
    out=$(check -O2 "$@")
    echo "$out" | grep -q "errors: 0" && ! echo "$out" | grep -q "max search depth too small" ||
        fail "the model with $*: $out"
}
broken() {
    out=$(check -O0 "$@")
    echo "$out" | grep -q "assertion violated" || fail "SPIN finds nothing wrong with $*: $out"
}
for network in DIRECTORY RING HYBRID; do
    safe -D$network
    broken -D$network -DBREAK_ACK
    broken -D$network -DBREAK_MATURE
    broken -D$network -DBREAK_BOUNDARY
done
safe -DDIRECTORY -DSMS=2 -DROUNDS=2 -DEPOCHS=2
broken -DRING -DBREAK_WINDOW
broken -DHYBRID -DBREAK_WINDOW
finish
