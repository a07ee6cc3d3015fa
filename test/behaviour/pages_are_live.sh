#!/bin/sh
# The page of a store that is being filled, in Chromium; and a server's failures.
heddle=$1
scratch=$2
. test/behaviour/expect.inc
needs_playwright
rm -rf "$scratch"
mkdir -p "$scratch"
store=$scratch/results.db
status 2 "$heddle" serve
complains "needs --store"
status 2 "$heddle" serve --store "$scratch/none.db"
complains "none.db"
printf 'workloads: ss\nsize: tiny\nschedulers: [lrr, gto]\n' >"$scratch/two.yaml"
printf 'workloads: bp\nsize: tiny\nschedulers: [lrr, gto]\n' >"$scratch/more.yaml"
status 0 "$heddle" sweep "$scratch/two.yaml" --store "$store"
status 2 "$heddle" serve --store "$store" --port 70000
complains "0 to 65535"
status 0 node test/report/live.mjs "$(dirname "$heddle")/report" "$heddle" "$scratch"
exit $((n_failed > 0))
