#!/bin/sh
# Figures run into a store; the papers' claims beside the results; and the page.
heddle=$1
scratch=$2
. test/behaviour/expect.inc
rm -rf "$scratch"
mkdir -p "$scratch"
cat >"$scratch/fig.yaml" <<'EOF'
title: Schedulers on two workloads
source: S4 Figure 0
chart: bars
x: {axis: workload, title: workload}
y: IPC relative to LRR
sweep:
  workloads: [ss, bp]
  size: small
  gpus: [gtx480]
  schedulers: [lrr, gto]
series:
  - {value: ipc, over: scheduler, where: {scheduler: gto}, relative_to: {scheduler: lrr}}
paper:
  - {says: GTO gains on SS, series: gto, at: ss, at_least: 1.05, source: S4 section 0}
  - {says: GTO is twice as fast on BP, series: gto, at: bp, about: 2, source: S4 section 0}
  - {says: GTO loses on BP, series: gto, at: bp, at_most: 0.9, source: S4 section 0}
EOF
repro() {
    "$heddle" repro "$scratch/fig.yaml" --size tiny --store "$scratch/r.db" -o "$scratch/r.html" "$@"
}
status 2 "$heddle" repro s2-fig100
complains "did you mean 's2-fig10'?"
status 2 "$heddle" repro s7
complains "s1 to s4"
status 0 repro --dry-run
says "4 points, 4 to run"
[ -e "$scratch/r.db" ] && fail "a dry run makes a store"
status 0 repro
says "S4          3    1          1   1     0        0"
says "the page is $scratch/r.html"
grep -q 'GTO gains on SS' "$scratch/r.html" || fail "the page lacks the figure"
# Nothing is run twice, and the answer is the same.
first=$out
status 0 repro --dry-run
says "4 points, 0 to run"
status 0 repro
[ "$out" = "$first" ] || fail "the second answer differs"
exit $((n_failed > 0))
