#!/bin/sh
# heddle hetero mixes --measured makes predictions and choices from measurements in a file. The file that comes
# with the results page has all mixes, and the page's tables follow from it.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
. test/behaviour/expect.inc
measured=doc/results/hetero-mixes.json

status 0 "$heddle" hetero mixes --measured $measured --json
echo "$out" >"$scratch/mixes.json"
status 0 "$heddle" hetero mixes --measured "$scratch/mixes.json" --json
echo "$out" >"$scratch/again.json"
cmp "$scratch/mixes.json" "$scratch/again.json" || fail "its own output is read as something else"
status 0 "$heddle" hetero mixes gemm mf --with chase --measured $measured
says "2 of 2 mixes measured"

for option in "--store $scratch/t.db" "--jobs 1" "--set n_sms=4" "--size tiny" --stored-only "--seed 2"; do
    status 2 "$heddle" hetero mixes --measured $measured $option
    complains "${option%% *} has no meaning with heddle hetero mixes --measured"
done
status 2 "$heddle" hetero run ac --measured $measured
complains "--measured has no meaning with heddle hetero run"
status 2 "$heddle" hetero mixes --measured "$scratch/none.json"
complains "none.json"
refuses() {
    sed "$1" $measured >"$scratch/bad.json"
    cmp -s $measured "$scratch/bad.json" && fail "nothing is wrong with $1"
    status 2 "$heddle" hetero mixes --measured "$scratch/bad.json"
    complains "$2"
}
refuses '1s/.*/[1]/;2,$d' "expected the output of heddle hetero mixes --json"
refuses 's/"launch": 1,//' "'launch' is missing here"
refuses 's/"workload": "gemm"/"workload": "gemmm"/' "no launch of gemmm"
refuses 's/"natives": \["chase"\]/"natives": ["chess"]/' "one or two native programs"
refuses 's/bzip2:3000000+3000000/bzip2:1+2/' "no native program bzip2 (bzip2:1+2)"
refuses 's/"cache": \[1,/"cache": [/;s/"cache": \[1.0,/"cache": [/' "expected 9 slowdowns"
refuses 's/"cmp": [0-9.e-]*/"cmp": "fast"/' "number"
refuses 's/"cmp": [0-9.e-]*/"cmp": -1/' "'cmp' of 'alone' must be above 0, not -1"

python3 - "$heddle" <<'PY' || fail "run 'python3 tools/results.py hetero build/heddle $measured'"
import sys
sys.path.insert(0, "tools")
import prose, result_hetero
from result_pages import rows_of, tables_of

class Runs:
    heddle, store = sys.argv[1], result_hetero.MEASURED
h = result_hetero.hetero_of(Runs)
page = open("doc/results/hetero.md").read()
tables = tables_of(page)
assert (len(h.entries), len(h.natives), len(h.one), len(h.two)) == (26, 6, 156, 38)
for name, make in result_hetero.TABLES.items():
    head, rows = make(Runs)
    shown = [[r[0]] + [f"{v:.3f}" if v != "" else "-" for v in r[1:]] for r in rows]
    assert [head] + shown == tables[name], (name, shown, tables[name])
for name, make in [("hetero-natives", result_hetero.conditions), ("hetero-launches", result_hetero.launches),
                   ("hetero-slowdowns", result_hetero.slowdowns), ("hetero-rules", result_hetero.rules), ("hetero-mix-table", result_hetero.every_mix)]:
    assert prose.wrap(make(Runs)) in page, name
PY
finish
