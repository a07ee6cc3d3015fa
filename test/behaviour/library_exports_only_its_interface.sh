#!/bin/sh
# libheddle.so exports the functions of include/heddle/heddle.h and those that plug-ins may call,
# and nothing else. All begin with heddle_, so that it clashes with no other names in a program.
library=$(dirname "$1")/libheddle.so
scratch=$2
mkdir -p "$scratch"
set -eu
# A build for fuzzing adds the bounds of its counters.
nm -D --defined-only "$library" | awk '$3 !~ /^__(start|stop)___sancov_/ { print $3 }' | sort >"$scratch/exported"
grep -o 'heddle_[a-z_]*(' include/heddle/heddle.h | tr -d '(' | sort -u >"$scratch/mentioned"
sed -n '/^HEDDLE_API/,/;/p' include/heddle/heddle.h | grep -o 'heddle_[a-z_]*(' | tr -d '(' |
    sort -u >"$scratch/declared"
grep -rhoE 'PLUGIN_CALLABLE\([a-z_]+\)' src | sed 's/.*(\(.*\))/heddle_\1/' | sort -u |
    grep -v '^heddle_name$' >"$scratch/callable"
sort "$scratch/declared" "$scratch/callable" | diff - "$scratch/exported" || {
    echo "declared (<) and exported (>) functions differ"
    exit 1
}
# Comments mention only functions that exist.
comm -23 "$scratch/mentioned" "$scratch/declared" | { ! grep .; }
