#!/bin/sh
# Checks that includes follow the order of folders, that the code is formatted, that no work is marked
# as left for later, that the text is plain English, and that links lead to existing files and
# headings.
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0

# A folder may include folders of its own level or a lower one.
level() {
    case $1 in
    base) echo 0 ;;
    config | stats | front) echo 2 ;;
    ptx) echo 1 ;;
    emu) echo 3 ;;
    cache | noc | dram | trace) echo 4 ;;
    sched | request) echo 5 ;; # schedulers listen to events of L1D
    crit | atomics) echo 6 ;;
    sm | cpu | slice) echo 7 ;; # an SM and a slice know each other by requests only
    gpu) echo 8 ;;
    analysis | hetero) echo 9 ;;
    workloads) echo 10 ;;
    lab) echo 11 ;;
    report) echo 12 ;;
    cli | icd) echo 13 ;;
    *) echo unknown ;;
    esac
}
for file in $(git ls-files 'src/*.c' 'src/*.h' 'src/*.def'); do
    folder=$(echo "$file" | cut -d/ -f2)
    own=$(level "$folder")
    for other in $(sed -n 's/^#include "\([a-z0-9_]*\)\/.*/\1/p' "$file" | sort -u); do
        [ "$other" = heddle ] && continue
        theirs=$(level "$other")
        if [ "$theirs" = unknown ] || [ "$own" = unknown ]; then
            echo "$file: folder '$folder' or '$other' has no level in tools/check_style.sh"
            bad=1
        elif [ "$theirs" -gt "$own" ] || { [ "$theirs" -eq "$own" ] && [ "$other" != "$folder" ]; }; then
            echo "$file: folder '$folder' must not include '$other'"
            bad=1
        fi
    done
done

# A folder's private headers: other folders must not depend on how it works inside.
private() { # FOLDER HEADER...: only the folder, its unit tests and $except include others of it
    folder=$1
    shift
    public=$(echo "$*" | tr ' ' '|')
    found=$(git grep -n -E "^#include \"$folder/" -- '*.c' '*.h' '*.def' ":!src/$folder/" \
        ":!test/unit/$folder/" | grep -v -E "\"$folder/($public)\.h\"" |
        grep -v -E "${except:-^\$}")
    [ -z "$found" ] && return
    echo "$found" | sed "s/\$/: private to $folder/"
    bad=1
}
# The cache's interface is cache.h, cache_policy.h, set_index.h, lost_bytes.h and shared.h. fast.h is
# private, but visible to folders that need its inline functions. The replay of policies keeps the tags
# itself, without a cache: calls instead of tags.h cost it 5 to 15 %, which is over its budget.
except='^src/analysis/lab_policy\.c:.*"cache/tags\.h"'
private cache cache cache_policy set_index lost_bytes shared fast
except=
private slice slice slice_config llc
private atomics atomics atomic_request

if command -v clang-format >/dev/null 2>&1; then
    unformatted=$(git ls-files '*.c' '*.h' | xargs clang-format --dry-run 2>&1 |
        sed -n 's/^\([^ :]*\):[0-9]*:.*clang-format-violations.*/\1/p' | sort -u)
    for file in $unformatted; do
        echo "$file: not formatted; run 'make format'"
        bad=1
    done
fi

# The formatter leaves comments as they are (ReflowComments): lists in them keep one item a line.
if git grep -n -E '^.{101,}' -- '*.c' '*.h' | grep -E ':[0-9]+: *(/\*|\*)'; then
    echo "comments longer than 100 columns"
    bad=1
fi

if git grep -n -E '\b(TODO|FIXME|XXX|HACK)\b' -- ':!tools/check_style.sh'; then
    bad=1
fi

# Plain English: phrases.txt has phrases that readers stumbled over. Those marked "pages" are checked
# only in pages that are written by hand.
while IFS='	' read -r phrase instead where; do
    case $phrase in "#"* | "") continue ;; esac
    if [ "$where" = pages ]; then
        found=$(git grep -n -i -w -E "$phrase" -- '*.md' ':!doc/commands.md' \
            ':!doc/statistics.md' ':!doc/model.md' ':!doc/mutants.md')
    else
        found=$(git grep -n -i -w -E "$phrase" -- ':!tools/phrases.txt')
    fi
    [ -z "$found" ] || {
        echo "$found"
        echo "write instead of the above: $instead"
        bad=1
    }
done <tools/phrases.txt

python3 tools/prose.py --check $(git ls-files '*.md') || bad=1
python3 tools/check_links.py || bad=1
exit $bad
