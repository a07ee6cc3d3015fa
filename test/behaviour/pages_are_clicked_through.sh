#!/bin/sh
# The page of a store, opened in Chromium and clicked through.
heddle=$1
scratch=$2
. test/behaviour/expect.inc
needs_playwright
rm -rf "$scratch"
mkdir -p "$scratch"
store=$scratch/results.db
page=$scratch/page.html
packages=$(dirname "$heddle")/report

status 2 "$heddle" report
complains "needs --store"
status 2 "$heddle" report --store "$scratch/none.db"
complains "none.db"
[ -e report.html ] && fail "a page without a store"
printf 'no store' >"$scratch/other.db"
status 2 "$heddle" report --store "$scratch/other.db" -o "$page"
[ -e "$page" ] && fail "a page of a file that is no store"

cat >"$scratch/few.yaml" <<'EOF'
workloads: [ss, bp]
size: tiny
schedulers: [lrr, gto]
l1d: [lru, fifo]
EOF
status 0 "$heddle" sweep "$scratch/few.yaml" --store "$store"
status 2 "$heddle" report --store "$store" -o "$store"

# A result that is run again shows more details, and the same numbers as before.
status 2 "$heddle" report --store "$store" --explain 99 -o "$page"
complains "no result 99"
status 2 "$heddle" report --store "$store" --explain one -o "$page"
[ -e "$page" ] && fail "a page of a result that is not there"
id=$("$heddle" query --store "$store" --csv "SELECT id FROM results WHERE workload = 'ss' AND scheduler = 'gto' AND l1d = 'lru'" | tail -1)
before=$("$heddle" query --store "$store" --csv "SELECT name, value FROM stats WHERE run = $id AND name NOT LIKE 'host.%'")
status 0 "$heddle" report --store "$store" --explain "$id" -o "$page"
"$heddle" query --store "$store" --csv "SELECT name, value FROM stats WHERE run = $id AND name NOT LIKE 'host.%'" >"$scratch/after"
printf '%s\n' "$before" | grep -vxFf "$scratch/after" && fail "explaining changed the result"
grep -q '<script>alert' "$page" && fail "the page has a name that no result has yet"

# Names that users choose: a GPU's file, settings, messages.
python3 - "$store" <<'EOF'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
bad = "<script>alert(1)</script>"
db.execute("UPDATE run SET settings = ?, gpu = ? WHERE l1d = 'fifo' AND workload = 'ss'", (bad, bad + "</script><img src=x onerror=alert(2)>"))
db.execute("UPDATE run SET state = 'failed', message = ? WHERE l1d = 'fifo' AND workload = 'bp' AND scheduler = 'gto'", ("<!-- " + bad + " \" ' ${x} `y`",))
db.commit()
EOF
status 0 "$heddle" report --store "$store" -o "$page"
grep -q '<script>alert' "$page" && fail "a name that is an element"
[ "$(wc -c <"$page")" -lt 20000000 ] || fail "a page of 20 MB"
status 0 node test/report/click.mjs "$packages" "$page" "$scratch"
exit $((n_failed > 0))
