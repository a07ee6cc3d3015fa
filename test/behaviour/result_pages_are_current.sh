#!/bin/sh
# The pages of doc/results are those of the figures that Heddle has; and a page that is not, one made
# up for this, is noticed.
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
import check_results
from result_pages import digest, groups_of

def write(name, text, mode=0o644):
    with open(name, "w") as f:
        f.write(text)
    os.chmod(name, mode)

definition = "# A comment.\ntitle: F\nnote: >\n  words\nsweep: {size: tiny}\n"
write("figures/f.yaml", definition)
stamp = digest("f")
for change in ("comment", "words"): # neither makes numbers old
    write("figures/f.yaml", definition.replace(change, "other " + change))
    assert digest("f") == stamp
xs = list("abcdef") + ["geometric mean"]
for at, named in [("dfba", "a, b, d, f"), ("acb", "a to c"), ("fedba", "a, b, d to f"), ("a", None), ("abcdef", None), ("az", None)]:
    groups = groups_of([{"kind": "about", "at": list(at)}], xs)
    assert groups == ({"geometric mean of " + named: sorted(at)} if named else {}), (at, groups)
write("figures/f.yaml", definition)

def claim(says, kind, at, series="s", **more):
    return {"says": says, "source": "p", "kind": kind, "series": series, "at": at, **more}
claims = [claim("near", "about", ["a"], about=2.1), claim("far", "about", ["b"], about=3),
          claim("wrong", "about", ["b"], about=0.5), claim("mean", "about", ["a", "b"], about=1.7),
          claim("gap", "about", ["b"], "t", about=1), claim("top", "highest_at", ["b"]),
          claim("low", "lowest_at", ["b"]), claim("amid", "highest_between", ["a", "c"]),
          claim("best", "best_at", ["a"], "t"), claim("enough", "at_least", ["a"], about=1.9),
          claim("too little", "at_least", ["b"], about=2), claim("less", "less_than", ["a"], others=["t"]),
          claim("more", "less_than", ["a"], "t", others=["s"]), claim("no other", "less_than", ["b"], others=["t"]),
          {**claim("see", "words", []), "series": None}]
write("heddle", "#!/bin/sh\ncat listed.json\n", 0o755)
write("listed.json", json.dumps([{"figure": "f", "relative": True, "paper": claims}]))
rows = """| near | about 2.1 | 2.000 | yes | p |
| far | about 3 | 1.500 | direction | p |
| wrong | about 0.5 | 1.500 | no | p |
| mean | about 1.7 | 1.732 | yes | p |
| gap | about 1 | - | missing | p |
| top | b | a (2.000) | no | p |
| low | b | c (1.000) | no | p |
| amid | between a and c | a (2.000) | no | p |
| best | t | t (2.500) | yes | p |
| enough | at least 1.9 | 2.000 | yes | p |
| too little | at least 2 | 1.500 | direction | p |
| less | less than t | 2.000 against 2.500 | yes | p |
| more | less than s | 2.500 against 2.000 | no | p |
| no other | less than t | - | missing | p |
| see | - | - | look | p |
"""
head = "| the paper says | paper | Heddle | agrees | source |\n| --- | --- | --- | --- | --- |\n"
all_head, all_rows = (t.replace(" |\n", f" | {cell} |\n") for t, cell in ((head, "figure"), (rows, "`f`")))
page = f"""# P

## What the papers say

{all_head}{all_rows}
## F

words

<!-- figure f of {stamp} -->
| workload | s | t |
| --- | --- | --- |
| a | 2.000 | 2.500 |
| b | 1.500 | - |
| c | 1.000 | 1.000 |
| geometric mean of a, b | 1.732 | - |

{head}{rows}
<!-- why f -->
It gains 50 %<!-- gain f:b:s -->, or 1.5 times<!-- is f:b:s -->; t is 2.50<!-- is f:a:t -->.
<!-- end -->
"""
drawing = "<svg><title>a, s: 2.000</title></svg>"

def check(text=page, svg=drawing):
    write("doc/results/p.md", text)
    write("doc/results/f.svg", svg)
    return "\n".join(check_results.check("./heddle"))

assert check() == "", check()
# What is changed in the section of the figure, and what must be said of it.
top, section = page.split("## F")
for old, new, words in [
        (stamp, "0" * 16, "has changed since"), ("figure f of", "figure g of", "there is no figure g"),
        ("| a | 2.000 |", "| a | 2.001 |", "'near'"), ("| yes |", "| direction |", "is 'yes', not 'direction'"),
        ("1.500 | direction |", "1.500 | no |", "is 'direction', not 'no'"),
        ("0.5 | 1.500 | no |", "0.5 | 1.500 | direction |", "is 'no', not 'direction'"),
        ("\nwords\n", "\nother words\n", "the note of"), ("of a, b | 1.732", "of a, b | 1.740", "not the mean of these rows"),
        ("of a, b | 1.732", "of a, b | -", "not the mean"), ("1.732 | - |", "1.732 | 2.500 |", "t of 'geometric mean of a, b' is 2.5"),
        ("mean of a, b |", "mean of a, c |", "not both"), ("| geometric mean of a, b | 1.732 | - |\n", "", "not both"),
        ("about 1.7 | 1.732", "about 1.7 | 1.750", "'mean'"), ("about 1.7 | 1.732", "about 1.7 | -", "is no answer"), ("| - | missing |", "| 1.000 | yes |", "'gap'"),
        ("a (2.000) | no |", "b (1.500) | yes |", "'top'"), ("c (1.000) | no", "c (1.000) | yes", "is 'no', not 'yes'"),
        ("t (2.500) | yes", "t (2.500) | no", "is 'yes', not 'no'"),
        ("at least 1.9 | 2.000 | yes", "at least 1.9 | 2.000 | direction", "is 'yes', not 'direction'"),
        ("at least 2 | 1.500 | direction", "at least 2 | 1.500 | yes", "is 'direction', not 'yes'"),
        ("at least 2 |", "about 2 |", "'too little'"), ("against 2.500 | yes", "against 2.500 | no", "is 'yes', not 'no'"),
        ("against 2.000 | no", "against 2.000 | yes", "is 'no', not 'yes'"), ("against 2.500", "against 2.400", "'less'"),
        ("less than t | 2.000", "less than s | 2.000", "'less'"), ("t | - | missing", "t | 1.500 against 2.000 | yes", "'no other'"), ("| look |", "| yes |", "is 'look', not 'yes'"),
        ("| see | - | - | look | p |\n", "", "14 claims on the page, 15"), ("| far |", "| near by |", "the page says"),
        ("about 2.1", "about 2", "'near'"), ("50 %", "51 %", "quotes a number"),
        ("2.50<", "2.51<", "quotes a number"), ("gain f:b:s", "gain f:d:s", "0 rows 'd'")]:
    assert old in section, old
    said = check(top + "## F" + section.replace(old, new, 1))
    assert words in said, (old, new, said)
for text, svg, words in [(page.replace("| near |", "| nearer |", 1), drawing, "the list of what the papers say"),
                         (page, drawing.replace("2.000", "2.100"), "the drawing has 2.100"),
                         (top + "\n", drawing, "f is there 0 times"),
                         (page + "\nTo be made: f.\n", drawing, "f is there 2 times"),
                         (page + "\nTo be made: h.\n", drawing, "there is no figure h")]:
    said = check(text, svg)
    assert words in said, (words, said)
bare = "# P\n\n" + all_head + "\nTo be made: f.\n"
assert check(bare) == "", check(bare)
PY
finish
