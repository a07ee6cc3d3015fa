#!/bin/sh
# The pages of doc/results match the figures that Heddle has; and errors in a page made for this
# test are detected.
heddle=$1
scratch=$2
. test/behaviour/expect.inc
python3 tools/check_results.py "$heddle" || fail "run 'make results'"

rm -rf "$scratch"
mkdir -p "$scratch/doc/results" "$scratch/figures"
cp -r tools "$scratch/"
python3 - "$scratch" <<'PY' || fail "what is wrong with a page goes unnoticed"
import json, os, sys
os.chdir(sys.argv[1])
sys.path.insert(0, "tools")
import check_results, result_summary
from result_claims import judged, with_claims
from result_pages import claims_of, digest, fill, groups_of, is_variation, loose_numbers

def write(name, text, mode=0o644):
    with open(name, "w") as f:
        f.write(text)
    os.chmod(name, mode)

definition = "# A comment.\ntitle: F\nnote: >\n  words\ny: IPC\nright: MPKI\nsweep: {size: tiny}\npaper:\n  - says: it claims\n"
write("figures/f.yaml", definition)
stamp = digest("f")
for change in ("comment", "words", "claims"): # none of them invalidates numbers
    write("figures/f.yaml", definition.replace(change, "other " + change))
    assert digest("f") == stamp
xs = list("abcdef") + ["geometric mean"]
for at, named in [("dfba", "a, b, d, f"), ("acb", "a to c"), ("fedba", "a, b, d to f"), ("a", None), ("abcdef", None), ("az", None)]:
    groups = groups_of([{"kind": "about", "at": list(at), "scope": "mean"}], xs)
    assert groups == ({"geometric mean of " + named: sorted(at)} if named else {}), (at, groups)
assert groups_of([{"kind": "about", "at": ["a", "c"], "scope": "every"}], xs) == {}
assert loose_numbers("S3 Figure 4.10, section 5.1, `5 x`, 16 KB, 2LVL-GTO, 1.2<!-- said -->, L2, 3 %<!-- gain f:a:b -->") == []
assert loose_numbers("it is 1.5 times and 3 % of 16 workloads") == ["1.5", "3", "16"]
write("figures/f.yaml", definition)

def claim(says, kind, at, series="s", every=False, relative=True, **more):
    return {"says": says, "source": "S2 p", "kind": kind, "series": series, "at": at, "scope": "every" if every else "mean",
            "relative": relative, **more}
claims = [claim("near", "about", ["a"], about=2.09), claim("far", "about", ["b"], about=3),
          claim("hardly", "about", ["b"], about=7), claim("same number, not relative", "about", ["a"], relative=False, about=2.09),
          claim("wrong", "about", ["b"], about=0.5), claim("mean", "about", ["a", "b"], about=1.7),
          claim("gap", "about", ["b"], "t", about=1), claim("top", "highest_at", ["b"]),
          claim("low", "lowest_at", ["b"]), claim("amid", "highest_between", ["a", "c"]),
          claim("best", "best_at", ["a"], "t"), claim("enough", "at_least", ["a"], about=1.9),
          claim("too little", "at_least", ["b"], about=2), claim("not too much", "at_most", ["a"], about=2.1),
          claim("too much", "at_most", ["a"], about=0.9),
          claim("all", "at_least", ["a", "b"], every=True, about=1.4), claim("not all", "at_least", ["a", "b", "c"], every=True, about=1.4),
          claim("less", "less_than", ["a"], others=["t"]), claim("each less", "less_than", ["a", "c"], every=True, others=["t"]),
          claim("more", "less_than", ["a"], "t", others=["s"]), claim("no other", "less_than", ["b"], others=["t"]),
          claim("most", "at_least", ["a", "b", "c"], scope="most", about=1.4), claim("few", "at_least", ["a", "b", "c"], scope="some", about=1.8),
          claim("none", "at_least", ["a", "b", "c"], scope="some", about=2.8), claim("peak", "about", ["a", "b", "c"], scope="largest", about=2.05),
          claim("over t", "about", ["a"], about=0.8, times="t"), claim("over b", "at_most", ["a"], about=1.1, times_at="b"),
          claim("each over t", "at_least", ["a", "c"], every=True, about=0.9, times="t"),
          claim("beside", "above", ["b"], others=[]), claim("under", "below", ["b"], others=["a"]),
          claim("both above", "above", ["a", "b"], every=True, others=[]),
          {**claim("see", "words", []), "series": None}]
write("heddle", "#!/bin/sh\ncat listed.json\n", 0o755)
write("listed.json", json.dumps([{"figure": "f", "paper": claims}]))
rows = """| near | about 2.09 | 2.000 | yes | S2 p |
| far | about 3 | 1.500 | direction | S2 p |
| hardly | about 7 | 1.500 | no | S2 p |
| same number, not relative | about 2.09 | 2.000 | yes | S2 p |
| wrong | about 0.5 | 1.500 | no | S2 p |
| mean | about 1.7 | 1.732 | yes | S2 p |
| gap | about 1 | - | missing | S2 p |
| top | b | a (2.000) | no | S2 p |
| low | b | c (1.000) | no | S2 p |
| amid | between a and c | a (2.000) | no | S2 p |
| best | t | t (2.500) | yes | S2 p |
| enough | at least 1.9 | 2.000 | yes | S2 p |
| too little | at least 2 | 1.500 | direction | S2 p |
| not too much | at most 2.1 | 2.000 | yes | S2 p |
| too much | at most 0.9 | 2.000 | no | S2 p |
| all | each: s at least 1.4 | 2 of 2 | yes | S2 p |
| not all | each: s at least 1.4 | 2 of 3, not c | no | S2 p |
| less | s less than t | 2.000 against 2.500 | yes | S2 p |
| each less | each: s less than t | 1 of 2, not c | no | S2 p |
| more | t less than s | 2.500 against 2.000 | no | S2 p |
| no other | s less than t | - | missing | S2 p |
| most | most: s at least 1.4 | 2 of 3, not c | yes | S2 p |
| few | some: s at least 1.8 | 1 of 3, not b, c | yes | S2 p |
| none | some: s at least 2.8 | 0 of 3, not a, b, c | no | S2 p |
| peak | largest about 2.05 | 2.000 (a) | yes | S2 p |
| over t | about 0.8 times t | 0.800 | yes | S2 p |
| over b | at most 1.1 times b | 1.333 | direction | S2 p |
| each over t | each: s at least 0.9 times t | 1 of 2, not a | no | S2 p |
| beside | above all others | 1.500 against 2.000 (a) | no | S2 p |
| under | below a | 1.500 against 2.000 | yes | S2 p |
| both above | each: s above all others | 2 of 2 | yes | S2 p |
| see | - | - | look | S2 p |
"""
head = "| the paper says | condition | Heddle | agrees | source |\n| --- | --- | --- | --- | --- |\n"
told = [[cell.strip() for cell in line.strip("|").split("|")] for line in rows.splitlines()]
figures = [{"figure": "f", "paper": [{"says": r[0], "paper": r[1], "heddle": r[2], "agrees": r[3], "source": r[4]} for r in told]}]
reasons = "".join(f"f | {r[0]} | Since it is 1.5 times<!-- is f:b:s -->.\n" for r in told if r[3] not in ("yes", "look"))
write("doc/results/reasons.txt", "# comment\n" + reasons)
why = """It gains 50 %<!-- gain f:b:s -->, or 1.5 times<!-- is f:b:s -->; t is 2.50<!-- is f:a:t -->, more than s<!-- so f:a:t > f:a:s -->
and than 2.4<!-- said --><!-- so f:a:t > 2.4 -->, see Figure 4.10 and `--size 3`.
"""
result_summary.BEFORE["p", "S2"] = [1, 2, 3, 4]
page = result_summary.summary("p", "P", figures, ["F"], why)
assert "| S2, first version of this page | 1 | 2 | 3 | 4 | 6 |" in page and "| S2, now | 14 | 3 | 12 | 1 | 29 |" in page, page
assert "without variations |" not in page
write("figures/g.yaml", definition + "    variation: true\n  - {says: \"again\", at: 1, variation: true}\n  - says: far\n")
assert [is_variation("g", says) for says in ("it claims", "again", "far", "it")] == [True, True, False, False] and not is_variation("g")
write("figures/g.yaml", "title: G\nsource: S2 Figure 1 with a=2\n")
varied = result_summary.summary("p", "P", figures + [{"figure": "g", "paper": figures[0]["paper"][:2]}], ["F", "G"], why)
assert "| S2, now | 15 | 4 | 12 | 1 | 31 |\n| S2, without variations | 14 | 3 | 12 | 1 | 29 |" in varied, varied
assert "| S2 p | `g` (variation) |" in varied and "| S2 p | `f` |" in varied and "- A variation " in varied and "- A variation " not in page
assert "- [S2: what does not agree](#s2-what-does-not-agree)\n" in page and "2 claims lack results" in page
page += f"""
## F

words

Values: IPC; right axis: MPKI.

<!-- figure f of {stamp} -->
| workload | s | t |
| --- | --- | --- |
| a | 2.000 | 2.500 |
| b | 1.500 | - |
| c | 1.000 | 1.000 |
| geometric mean of a, b | 1.732 | - |

{head}{rows}
<!-- why f -->
{why}<!-- end -->
"""
page, problems = fill(page)
assert not problems, problems
drawing = "<svg><title>a, s: 2.000</title>\n<title>the paper: near (2.09)</title></svg>"

def check(text=page, svg=drawing):
    write("doc/results/p.md", text)
    write("doc/results/f.svg", svg)
    return "\n".join(check_results.check("./heddle"))

assert check() == "", check()
# Claims that the page does not have are decided by its table, unless its decimals leave the verdict open.
section = "\n## F\n" + page.split("\n## F\n")[1]
decided = [c for c in claims if c["says"] != "each less"]
anew = with_claims(section.replace(head + rows, "").replace("| geometric mean of a, b | 1.732 | - |\n", ""), "f", decided)
assert claims_of(anew) == [c for c in claims_of(section) if c["says"] != "each less"], claims_of(anew)
each = claim("each is large", "at_least", ["a 1", "b 2", "c"], every=True, relative=False, about=2.5)
numbers = ["a 1", "b 2", "c"], ["s"], {("a 1", "s"): 1.0, ("b 2", "s"): 2.0, ("c", "s"): 3.0}
told = judged("f", each, numbers, {})
assert told[1:] == ["each at least 2.5", '1 of 3, not "a 1", "b 2"', "no", "S2 p"], told
check_results.check_claim("f", each, told, numbers)
assert not check_results.complaints
assert "| geometric mean of a, b | 1.732 | - |\n\n| the paper says" in anew, anew
assert with_claims(section, "f", claims) == section and claims_of(with_claims(section, "f", [])) == []
try:
    with_claims(anew, "f", claims)
    raise AssertionError("1.000 against 1.000 is decided by three decimals")
except SystemExit:
    pass
# What is changed in the section of the figure, and the complaint that it must cause.
top, section = page.split("\n## F\n")
section = "\n" + section
for old, new, words in [
        (stamp, "0" * 16, "has changed since"), ("figure f of", "figure g of", "there is no figure g"),
        ("| a | 2.000 |", "| a | 2.001 |", "'near'"), ("| yes |", "| direction |", "is 'yes', not 'direction'"),
        ("1.500 | direction |", "1.500 | no |", "is 'direction', not 'no'"),
        ("about 7 | 1.500 | no |", "about 7 | 1.500 | direction |", "is 'no', not 'direction'"),
        ("0.5 | 1.500 | no |", "0.5 | 1.500 | direction |", "is 'no', not 'direction'"),
        ("at most 2.1 | 2.000 | yes", "at most 2.1 | 2.000 | no", "is 'yes', not 'no'"), ("at most 0.9 |", "at least 0.9 |", "'too much'"),
        ("2 of 2 | yes", "2 of 2 | no", "is 'yes', not 'no'"), ("2 of 3, not c", "2 of 3, not b", "'not all'"),
        ("2 of 3, not c", "3 of 3", "'not all'"), ("1 of 2, not c | no", "1 of 2, not a | no", "'each less'"),
        ("each: s at least 1.4 | 2 of 2", "at least 1.4 | 2 of 2", "'all'"), ("each: s at least 1.4 | 2 of 2", "each at least 1.4 | 2 of 2", "'all'"), ("so f:a:t > f:a:s", "so f:a:t < f:a:s", "says what does not hold"),
        ("so f:a:t > 2.4", "so f:a:t > 2.6", "says what does not hold"), ("2.4<!-- said -->", "2.4", "numbers without a mark: 2.4"),
        ("\nwords\n", "\nother words\n", "the note of"), ("Values: IPC;", "Values: cycles;", "the note of"), ("of a, b | 1.732", "of a, b | 1.740", "not the mean of these rows"),
        ("of a, b | 1.732", "of a, b | -", "not the mean"), ("1.732 | - |", "1.732 | 2.500 |", "t of 'geometric mean of a, b' is 2.5"),
        ("mean of a, b |", "mean of a, c |", "not both"), ("| geometric mean of a, b | 1.732 | - |\n", "", "not both"),
        ("about 1.7 | 1.732", "about 1.7 | 1.750", "'mean'"), ("about 1.7 | 1.732", "about 1.7 | -", "is not an answer"), ("| - | missing |", "| 1.000 | yes |", "'gap'"),
        ("a (2.000) | no |", "b (1.500) | yes |", "'top'"), ("c (1.000) | no", "c (1.000) | yes", "is 'no', not 'yes'"),
        ("t (2.500) | yes", "t (2.500) | no", "is 'yes', not 'no'"),
        ("at least 1.9 | 2.000 | yes", "at least 1.9 | 2.000 | direction", "is 'yes', not 'direction'"),
        ("at least 2 | 1.500 | direction", "at least 2 | 1.500 | yes", "is 'direction', not 'yes'"),
        ("at least 2 |", "about 2 |", "'too little'"), ("against 2.500 | yes", "against 2.500 | no", "is 'yes', not 'no'"),
        ("against 2.000 | no", "against 2.000 | yes", "is 'no', not 'yes'"), ("against 2.500", "against 2.400", "'less'"),
        ("less than t | 2.000", "less than s | 2.000", "'less'"), ("t | - | missing", "t | 1.500 against 2.000 | yes", "'no other'"), ("| look |", "| yes |", "is 'look', not 'yes'"),
        ("| see | - | - | look | S2 p |\n", "", "31 claims on the page, 32"), ("| far |", "| near by |", "the page says"),
        ("2 of 3, not c | yes", "2 of 3, not c | no", "is 'yes', not 'no'"), ("2.000 (a) | yes", "2.000 (b) | yes", "'peak'"),
        ("times t | 0.800", "times t | 0.810", "'over t'"), ("times t | 0.800", "times s | 0.800", "'over t'"), ("times b | 1.333", "times b | 1.340", "'over b'"),
        ("against 2.000 (a)", "against 2.000", "'beside'"), ("against 2.000 (a)", "against 1.000 (c)", "'beside'"), ("above all others | 1", "above a | 1", "'beside'"),
        ("below a | 1.500 against 2.000 | yes", "below a | 1.500 against 2.000 | no", "is 'yes', not 'no'"),
        ("about 2.09", "about 2", "'near'"), ("50 %", "51 %", "quotes a number"),
        ("2.50<", "2.51<", "quotes a number"), ("gain f:b:s", "gain f:d:s", "0 rows 'd'")]:
    assert old in section, old
    said = check(top + "\n## F\n" + section.replace(old, new, 1))
    assert words in said, (old, new, said)
for text, svg, words in [(page.replace("| near |", "| nearer |", 1), drawing, "the lists of what agrees"),
                         (page.replace("| S2, now | 14 |", "| S2, now | 9 |"), drawing, "the counts of S2"),
                         (page.replace("Since it is 1.5 ", "Since it is 1.6 ", 1), drawing, "quotes a number"),
                         (page, drawing.replace("2.000", "2.100"), "the drawing has 2.100"),
                         (page, drawing.replace("near (", "nearer ("), "the drawing marks 'nearer (2.09)'"),
                         (page, drawing.replace("2.09", "2.1"), "the drawing marks 'near (2.1)'"),
                         (top + "\n", drawing, "f is there 0 times"),
                         (page + "\nTo be made: f.\n", drawing, "f is there 2 times"),
                         (page + "\nTo be made: h.\n", drawing, "there is no figure h")]:
    said = check(text, svg)
    assert words in said, (words, said)
for text, words in [(reasons.replace("f | far |", "f | near |"), "'near' has a reason, but is 'yes'"), (reasons.replace("f | far |", "f | farther |"), "no claim of f is 'farther'"),
                    (reasons.replace("Since it", "As it", 1), "is not that of")]:
    write("doc/results/reasons.txt", text)
    assert words in check(), (words, check())
whole = "".join(line for line in reasons.splitlines(True) if "| far |" not in line) + "f | * | Since it is 1.5 times<!-- is f:b:s -->.\n"
write("doc/results/reasons.txt", whole)
assert check() == "", check()
write("doc/results/reasons.txt", whole.replace("f | * |", "g | * |"))
assert "no claim of g is '*'" in check()
write("doc/results/reasons.txt", reasons.replace("Since it is 1.5 times<!-- is f:b:s -->.", "-", 1))
assert "'far' is 'direction' and has no reason" in check(page.replace("| Since it is 1.5 times<!-- is f:b:s -->. |", "| - |", 1))
write("doc/results/reasons.txt", reasons)
assert check("# P\n\nTo be made: f.\n") == "", check("# P\n\nTo be made: f.\n")

# A figure whose GPU has other parameters today says so, and no other.
import result_machines
os.mkdir("configs")
gpu = "name: ccws\ndescription: D\nn_sms: 30\nsm:\n  a: 1\nsource: S\nsources:\n  sm.a: T\n"
write("configs/ccws.yaml", gpu)
write("configs/other.yaml", gpu)
write("figures/g.yaml", "sweep:\n  gpus: [ccws]\n  schedulers: [gto, other]\n")
assert result_machines.stamp("f") == "" and result_machines.stamp("g") == " on ccws:" + result_machines.digest_of("ccws")
for change in (": D\n", ": S\n", ": T\n"): # none of them is a parameter
    write("configs/ccws.yaml", gpu.replace(change, change + "# words\n").replace(change, ": X\n"))
    assert result_machines.stamp("g") == " on ccws:" + result_machines.digest_of("other"), change
write("configs/ccws.yaml", gpu)
made = page.replace(f"of {stamp} -->", f"of {stamp} by 1+0{result_machines.stamp('g')} -->").replace("\nwords\n", "\n![F](f.svg)\n\nwords\n")
assert made != page and check(made) == "", check(made)
write("configs/ccws.yaml", gpu.replace("a: 1", "a: 2"))
assert "f: whether its machine is an earlier one" in check(made) and "the figures that are named" in check(made), check(made)
top, section = made.split("\n## F\n")
marked = top.replace("\n<!-- why p -->", result_summary.earlier_machines(["f"]) + "\n<!-- why p -->") + result_machines.noted("\n## F\n" + section)
assert "Earlier machine: `ccws` had" in marked and check(marked) == "", check(marked)
assert result_machines.noted("\n## F\n" + section) == result_machines.noted(result_machines.noted("\n## F\n" + section))
write("configs/ccws.yaml", gpu)
assert "f: whether its machine is an earlier one" in check(marked) and "the figures that are named" in check(marked), check(marked)
PY
finish

# Figures that --only does not name stay as they are.
rm -rf "$scratch"
mkdir -p "$scratch/doc"
cp -r doc/results "$scratch/doc/"
cp -r tools figures configs "$scratch/"
for page in l1d l2 scheduling atomics llc hetero; do
    other=s4-fig1
    [ $page = scheduling ] && other=s2-fig3
    (cd "$scratch" && python3 tools/results.py $page "$heddle" "$scratch/none.db" --only $other) || fail "--only on page $page"
    cmp "$scratch/doc/results/$page.md" doc/results/$page.md || fail "--only changed page $page"
done
# Tables that follow from others come out the same, and a number that does not follow is found.
for pair in l1d:s2-fig12a-hits,s2-fig10-32kb,s3-fig5-7-32kb scheduling:s3-fig3-6-slowest,s3-fig4-16-rr,s4-misses,s4-vta,s4-best-k; do
    page=${pair%:*}
    (cd "$scratch" && python3 tools/results.py $page "$heddle" "$scratch/none.db" --only "${pair#*:}") || fail "derived tables of page $page"
    cmp "$scratch/doc/results/$page.md" doc/results/$page.md || fail "the derived tables of page $page differ"
done
for name in $(cd "$scratch/doc/results" && ls s2-fig12a-hits.svg s2-fig10-32kb.svg s3-fig5-7-32kb.svg s3-fig3-6-slowest.svg s3-fig4-16-rr.svg s4-misses.svg s4-vta.svg s4-best-k.svg); do
    cmp "$scratch/doc/results/$name" "doc/results/$name" || fail "the drawing $name differs"
done
sed -i 's/^| sssp | 83.635 | 72.730 |$/| sssp | 83.636 | 72.730 |/' "$scratch/doc/results/scheduling.md"
(cd "$scratch" && python3 tools/check_results.py "$heddle") | grep -q "s4-misses: its table does not follow" || fail "a wrong derived number goes unnoticed"
