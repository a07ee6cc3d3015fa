#!/usr/bin/env python3
"""Checks that the pages of doc/results match the figures that Heddle has. Simulates nothing.

    tools/check_results.py HEDDLE

- Every figure is on a page, made from its current definition, with the claims and the note of its
  file. A figure that has not been made yet is named in a line "To be made: NAME, NAME." at the end
  of a page, which `make results` removes.
- Each verdict follows by the rule from the numbers beside it.
- Counts and lists at the top agree with the figures below.
- Tables that follow from others (tools/result_derived.py) do.
- Drawings show the numbers of the tables, and the claims of the figure; group means are those of
  the rows.
- Numbers in sentences and reasons are those of the tables, and comparisons hold.
- Figures of earlier machines are marked, and no others.
- Every claim that does not agree has a reason, and no other claim has one."""
import glob
import json
import re
import subprocess
import sys

import result_derived
import result_machines
from result_pages import (CLAIM_HEAD, FOLDER, MARK, MEAN_OF, REASONS, digest, fill, geometric_mean, groups_of, loose_numbers, note_of,
                          problems_of, read_reasons, reason_of, row as row_of, rows_of, tables_of)
import result_summary
from result_summary import WORDS

CLAIMS = row_of(CLAIM_HEAD)
LISTED = re.compile(r"^## (S\d): what .*\n\n((?:\|.*\n)+)", re.M)
ABOUT, LEAST, NO_DIFFERENCE = 0.1, 0.1, 0.05  # the rule of src/lab/figure.h
ROUNDING = 0.0006  # what three decimals may hide
SCOPES = {"every": "each", "most": "most", "some": "some", "largest": "largest"}
SEVERAL = ("every", "most", "some")
BESIDE = ("above", "below")
MARKED = "the paper: "  # the beginning of titles in drawings
MEANS = ("mean", "geometric mean", "harmonic mean")


complaints = []


def complain(where, what):
    complaints.append(f"{where}: {what}")


def sections_of(page):
    """By figure: the text from its mark to the next heading."""
    with open(page) as f:
        text = f.read()
    return text, {m.group(1): text[m.start():].split("\n## ")[0] for m in MARK.finditer(text) if m.group(1)}


def numbers_of(section):
    """(x, series, {(x, series): value}) of the figure's table; None = missing. Rows of group means
    are left out."""
    head, *rows = rows_of(section[MARK.match(section).end():])
    series = [s for s in head[1:] if s != "size"]
    values = {(r[0], s): None if v == "-" else float(v)
              for r in rows for s, v in zip(head[1:], r[1:]) if s != "size"}
    return [r[0] for r in rows if not r[0].startswith(MEAN_OF)], series, values


def is_mean(value, found):
    """Can it be the geometric mean of numbers that the table shows with three decimals?"""
    if len(found) == 1:
        return value == found[0]
    low, high = bounds(found)
    return low - ROUNDING <= value <= high + ROUNDING


def is_lacking(found):
    """Is a number missing, or possibly 0, so that there is no geometric mean?"""
    return None in found or (len(found) > 1 and min(found) < ROUNDING)


def base_of(claim, values):
    """The numbers that those of the claim are divided by; none if it has no `times`."""
    if "times_at" in claim:
        return [values.get((claim["times_at"], claim["series"]))]
    return [values.get((x, claim["times"])) for x in claim["at"]] if "times" in claim else []


def bounds(found):
    """Between which numbers the geometric mean of numbers with three decimals is."""
    return geometric_mean([max(v - ROUNDING, 0) for v in found]), geometric_mean([v + ROUNDING for v in found])


def ratio_bounds(found, base):
    """The same for its ratio to another mean."""
    low, high = bounds(found)
    least, most = bounds(base)
    return low / most, high / least


def verdicts_of_number(claim, value, around=None):
    """The verdicts that are possible for a value known to three decimals, or between two others."""
    size = 1 if claim["relative"] else 0
    wanted = claim["about"] - size
    right = set()
    low, high = around or (value - ROUNDING, value + ROUNDING)
    for v in (low, value, high):
        found = v - size
        if claim["kind"] != "about":
            is_held = v >= claim["about"] if claim["kind"] == "at_least" else v <= claim["about"]
        elif wanted == 0:
            is_held = abs(found) <= NO_DIFFERENCE
        else:
            is_held = abs(found / wanted - 1) <= ABOUT
        goes_that_way = size and wanted != 0 and found / wanted >= LEAST
        right.add("yes" if is_held else "direction" if goes_that_way else "no")
    return right


def about(claim, values, printed):
    """The verdicts that are possible for the value on the page, and whether the table has that
    value."""
    found, base = [values.get((x, claim["series"])) for x in claim["at"]], base_of(claim, values)
    if None in found + base or (printed == "-" and is_lacking(found)):
        return {"missing"}, printed == "-"
    if claim["scope"] == "largest":
        value, place = re.fullmatch(r"([-\d.]+) \((.+)\)", printed).groups()
        return verdicts_of_number(claim, float(value)), float(value) == max(found) == values[place, claim["series"]]
    if base:
        low, high = ratio_bounds(found, base)
        return verdicts_of_number(claim, float(printed)), low - ROUNDING <= float(printed) <= high + ROUNDING
    return verdicts_of_number(claim, float(printed)), is_mean(float(printed), found)


def beside_of(claim, whole, xs):
    """The xs that a claim about being above or below compares with."""
    return claim["others"] or [x for x in xs if x not in whole["at"] and x not in MEANS]


def verdicts_of_gap(gap):
    """Is a number less than another? Both have three decimals."""
    return ({"yes"} if gap > -2 * ROUNDING else set()) | ({"no"} if gap < 2 * ROUNDING else set())


def verdicts_at(claim, whole, xs, values):
    """The verdicts that the table leaves possible for one x; none if a number is missing."""
    x, = claim["at"]
    number, base = values.get((x, claim["series"])), base_of(claim, values)
    others = [values.get((x, s)) for s in claim["others"]] if claim["kind"] == "less_than" else \
        [values.get((b, claim["series"])) for b in beside_of(claim, whole, xs)] if claim["kind"] in BESIDE else []
    if None in [number, *base, *others]:
        return set()
    if claim["kind"] in ("less_than", "below"):
        return verdicts_of_gap(min(others) - number)
    if claim["kind"] == "above":
        return verdicts_of_gap(number - max(others))
    return verdicts_of_number(claim, number / base[0], ratio_bounds([number], base)) if base else verdicts_of_number(claim, number)


def holds_scope(claim, n):
    return n > 0 if claim["scope"] == "some" else 2 * n > len(claim["at"]) if claim["scope"] == "most" else n == len(claim["at"])


def several(claim, xs, values, printed):
    """The same for claims about each, most or some xs: also returns where they hold and where they do not."""
    fails, unsure = [], set()
    for x in claim["at"]:
        right = verdicts_at({**claim, "at": [x], "scope": "mean"}, claim, xs, values)
        if not right:
            return {"missing"}, printed == "-"
        if "yes" not in right:
            fails.append(x)
        elif len(right) > 1:
            unsure.add(x)
    told = re.fullmatch(r"(\d+) of (\d+)(?:, not (.+))?", printed)
    named = [n.strip('"') for n in told.group(3).split(", ")] if told.group(3) else []
    is_value = int(told.group(2)) == len(claim["at"]) and int(told.group(1)) == len(claim["at"]) - len(named)
    is_value = is_value and set(fails) <= set(named) <= set(fails) | unsure
    return {"yes"} if holds_scope(claim, len(claim["at"]) - len(named)) else {"no"}, is_value


def beside(claim, xs, values, printed):
    """The same for a series that is higher or lower than at other xs."""
    found = [values.get((x, claim["series"])) for x in claim["at"]]
    places = beside_of(claim, claim, xs)
    others = [values.get((x, claim["series"])) for x in places]
    if None in found + others:
        return {"missing"}, printed == "-"
    number, other, place = re.fullmatch(r"([-\d.]+) against ([-\d.]+)(?: \((.+)\))?", printed).groups()
    nearest = max(others) if claim["kind"] == "above" else min(others)
    is_value = is_mean(float(number), found) and float(other) == nearest == values[place or places[0], claim["series"]]
    gap = float(number) - float(other) if claim["kind"] == "above" else float(other) - float(number)
    return ({"yes"} if gap > -ROUNDING else set()) | ({"no"} if gap < ROUNDING else set()), is_value and (len(places) == 1) == (place is None)


def less(claim, values, printed):
    """The same for a series that is less than others at one place, or in the mean over several."""
    found = [[values.get((x, s)) for x in claim["at"]] for s in [claim["series"], *claim["others"]]]
    if any(None in numbers or (printed == "-" and is_lacking(numbers)) for numbers in found):
        return {"missing"}, printed == "-"
    shown = [float(n) for n in re.fullmatch(r"([-\d.]+) against ([-\d., ]+)", printed).expand(r"\1, \2").split(", ")]
    is_value = len(shown) == len(found) and all(is_mean(*pair) for pair in zip(shown, found))
    gap = min(shown[1:]) - shown[0]
    return ({"yes"} if gap > -ROUNDING else set()) | ({"no"} if gap < ROUNDING else set()), is_value


def extreme(claim, xs, series, values, printed):
    """The same for the place of the highest or lowest value, along a series or across all of them."""
    across = claim["kind"] == "best_at"
    places = {s: values[claim["at"][0], s] for s in series} if across else \
        {x: values[x, claim["series"]] for x in xs}
    if None in places.values():
        return {"missing"}, printed == "-"
    best = (min if claim["kind"] == "lowest_at" else max)(places.values())
    name, value = re.fullmatch(r"(.*) \(([-\d.]+)\)", printed).groups()
    if claim["kind"] == "highest_between":
        low, high = (list(places).index(x) for x in claim["at"])
        holds = low < list(places).index(name) < high
    else:
        holds = name == (claim["series"] if across else claim["at"][0])
    return {"yes"} if holds else {"no"}, places.get(name) == best == float(value)


def lesser(claim):
    """The condition of a claim that a series is less than others, as `heddle figure` prints it."""
    scope = "" if claim["scope"] == "mean" else f"{SCOPES[claim['scope']]}: "
    return f"{scope}{claim['series']} less than {', '.join(claim['others'])}"


def scoped(claim, series):
    """The beginning of other conditions: about several xs, it names the series, if there are others."""
    if claim["scope"] == "mean":
        return ""
    return f"{SCOPES[claim['scope']]}: {claim['series']} " if claim["scope"] in SEVERAL and len(series) > 1 else f"{SCOPES[claim['scope']]} "


def bound(claim, series):
    """The condition of a claim about a number."""
    times = claim.get("times") or claim.get("times_at")
    return f"{scoped(claim, series)}{claim['kind'].replace('_', ' ')} {claim['about']:.4g}{f' times {times}' if times else ''}"


def neighbours(claim, series):
    """The condition of a claim that a series is higher or lower than at other xs."""
    return f"{scoped(claim, series)}{claim['kind']} {', '.join(claim['others']) or 'all others'}"


def check_claim(where, claim, row, numbers):
    xs, series, values = numbers
    says, paper, printed, verdict, source = row
    if (says, source) != (claim["says"], claim["source"]):
        complain(where, f"the page says '{says}' ({source}), the figure '{claim['says']}' ({claim['source']})")
        return
    if claim["kind"] == "words":
        right, is_value = {"look"}, paper == printed == "-"
    elif claim["kind"] in ("about", "at_least", "at_most"):
        right, is_value = several(claim, xs, values, printed) if claim["scope"] in SEVERAL else about(claim, values, printed)
        is_value = is_value and paper == bound(claim, series)
    elif claim["kind"] == "less_than":
        right, is_value = several(claim, xs, values, printed) if claim["scope"] in SEVERAL else less(claim, values, printed)
        is_value = is_value and paper == lesser(claim)
    elif claim["kind"] in BESIDE:
        right, is_value = several(claim, xs, values, printed) if claim["scope"] in SEVERAL else beside(claim, xs, values, printed)
        is_value = is_value and paper == neighbours(claim, series)
    else:
        right, is_value = extreme(claim, xs, series, values, printed)
    if not is_value:
        complain(where, f"'{says}': '{paper}' and '{printed}' are not what the figure and its table have")
    elif verdict not in right:
        complain(where, f"'{says}': {printed} beside '{paper}' is '{'/'.join(sorted(right))}', not '{verdict}'")


def check_means(where, claims, numbers):
    xs, series, values = numbers
    groups = groups_of(claims, xs)
    for name in {x for x, _ in values if x.startswith(MEAN_OF)} ^ set(groups):
        complain(where, f"'{name}' is a row of the page or a group of the claims, not both")
        groups.pop(name, None)
    for name, s in ((name, s) for name in groups for s in series):
        value, found = values[name, s], [values[x, s] for x in groups[name]]
        if not (is_lacking(found) if value is None else None not in found and is_mean(value, found)):
            complain(where, f"{s} of '{name}' is {value}, which is not the mean of these rows")


def check_drawing(where, name, claims, numbers):
    _, _, values = numbers
    with open(f"{FOLDER}/{name}.svg") as f:
        titles = [t.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") for t in re.findall(r"<title>(.*)</title>", f.read())]
    for x, s, v in (m.groups() for m in (re.fullmatch(r"(.*), (.*): ([\d.]+)", t) for t in titles) if m):
        if values.get((x, s)) != float(v):
            complain(where, f"the drawing has {v} for {s} at {x}, the table {values.get((x, s))}")
    check_marks(where, claims, [t[len(MARKED):] for t in titles if t.startswith(MARKED)])


def check_marks(where, claims, marked):
    """A drawing marks a paper's number, or where the paper has a peak; some numbers have no place in it."""
    drawn = {f"{c['says']} ({c['about']:.4g})" for c in claims if c["kind"] == "about" and c["scope"] == "mean" and not base_of(c, {})}
    for mark in marked:
        if mark not in drawn:
            complain(where, f"the drawing marks '{mark}', which no claim of the figure says")


def check_figure(page, f, section):
    where = f"{page}: {f['figure']}"
    if MARK.match(section).group(2) != digest(f["figure"]):
        complain(where, f"figures/{f['figure']}.yaml has changed since: run `make results`")
        return []
    numbers = numbers_of(section)
    rows = rows_of(section[section.index(CLAIMS):])[1:] if CLAIMS in section else []
    if len(rows) != len(f["paper"]):
        complain(where, f"{len(rows)} claims on the page, {len(f['paper'])} in the figure")
    for claim, row in zip(f["paper"], rows):
        try:
            check_claim(where, claim, row, numbers)
        except (AttributeError, KeyError, ValueError):
            complain(where, f"'{row[0]}': '{row[2]}' is not an answer")
    check_means(where, f["paper"], numbers)
    check_drawing(where, f["figure"], f["paper"], numbers)
    return rows


def check_note(page, text, name):
    above = text[:text.index(f"<!-- figure {name} of ")]
    if not above.endswith("\n\n" + note_of(name)):
        complain(f"{page}: {name}", f"the note of figures/{name}.yaml is not above the table")


def check_machines(page, text):
    """Figures of earlier machines say so, at the top too, and no others."""
    sections = ["\n## " + s for s in text.split("\n## ")[1:]]
    names = [MARK.search(s).group(1) for s in sections if result_machines.changed(s)]
    for s in sections:
        if result_machines.noted(s) != s:
            complain(page, f"{MARK.search(s).group(1)}: whether its machine is an earlier one is not what it says: run `tools/results.py`")
    if "".join(re.findall(r"^Made with an earlier machine, .*\n", text, re.M)) != result_summary.earlier_machines(names).lstrip("\n"):
        complain(page, "the figures that are named as made with an earlier machine are not those that were")


def figure_of(listed):
    """The name of the figure in a row of the lists at the top."""
    return listed.split("`")[1]


def check_lists(page, text, rows, reasons):
    """The lists at the top: what agrees, what does not (with the reason), what a reader must
    judge."""
    listed = [cells for _, lines in LISTED.findall(text) for cells in rows_of(lines)[1:]]
    if sorted(cells[:6] for cells in listed) != sorted(rows):
        complain(page, "the lists of what agrees and what does not are not those of the figures below")
    for cells in listed:
        key = figure_of(cells[5]), cells[0]
        if cells[3] in ("yes", "look") and key in reasons:
            complain(REASONS, f"{key[0]}: '{key[1]}' has a reason, but is '{cells[3]}'")
        elif cells[3] not in ("yes", "look") and (len(cells) < 7 or cells[6] in ("", "-")):
            complain(REASONS, f"{key[0]}: '{key[1]}' is '{cells[3]}' and has no reason")
        elif len(cells) > 6 and fill(text + reason_of(reasons, *key, cells[3]))[0][len(text):] != cells[6]:
            complain(page, f"{key[0]}: the reason of '{key[1]}' is not that of {REASONS}")
        elif len(cells) > 6 and loose_numbers(cells[6]):
            complain(REASONS, f"{key[0]}: '{key[1]}': numbers without a mark: {', '.join(loose_numbers(cells[6]))}")
    check_counts(page, text, rows)


def check_counts(page, text, rows):
    """The table at the top: with and without the claims of variations."""
    for paper in {row[4][:2] for row in rows}:
        found = [row for row in rows if row[4].startswith(paper)]
        own = [row for row in found if not row[5].endswith("(variation)")]
        for when, of_paper in [("(?:, now)?", found)] + [(", without variations", own)] * (len(own) < len(found)):
            counted = re.search(rf"^\| {paper}{when} \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|", text, re.M)
            if not counted or [int(n) for n in counted.groups()] != [sum(row[3] == w for row in of_paper) for w in WORDS]:
                complain(page, f"the counts of {paper} are not those of its claims")


def check_derived(page, name, section, tables):
    """A table that follows from others has their numbers."""
    head, rows = result_derived.table_of(name, tables)
    printed = [row_of([str(v) if isinstance(v, str) else f"{v:.3f}" for v in r]) for r in [head] + rows]
    if not all(line in section for line in printed):
        complain(f"{page}: {name}", "its table does not follow from those of other figures: run `tools/results.py ... --only`")


def check_page(page, figures, seen, reasons):
    text, sections = sections_of(page)
    rows = []
    for name, section in sections.items():
        seen.append(name)
        if name in result_derived.DERIVED:
            check_derived(page, name, section, tables_of(text))
        if name in figures:
            check_note(page, text, name)
            rows += [row + [result_summary.figure_cell(name, row[0])] for row in check_figure(page, figures[name], section)]
    check_machines(page, text)
    check_lists(page, text, rows, reasons)
    filled, problems = fill(text)
    if filled != text:
        problems.append("a sentence quotes a number that its table does not have")
    for problem in problems + problems_of(text):
        complain(page, problem)
    for names in re.findall(r"^To be made: (.*)\.$", text, re.M):
        seen += names.split(", ")


def check(heddle):
    """The complaints, one per line."""
    complaints.clear()
    listed = subprocess.run([heddle, "figure", "--json"], check=True, stdout=subprocess.PIPE).stdout
    figures = {f["figure"]: f for f in json.loads(listed)}
    seen, reasons = [], read_reasons()
    said = {(name, c["says"]) for name, f in figures.items() for c in f["paper"]}
    for name, says in sorted(key for key in set(reasons) - said if key[1] != "*" or key[0] not in figures):
        complain(REASONS, f"no claim of {name} is '{says}'")
    for page in sorted(glob.glob(f"{FOLDER}/*.md")):
        check_page(page, figures, seen, reasons)
    for name in sorted(set(seen) - set(figures)):
        complain(FOLDER, f"there is no figure {name}")
    for name in figures:
        if seen.count(name) != 1:
            complain(FOLDER, f"{name} is there {seen.count(name)} times: run `make results`, or write "
                             f"'To be made: {name}.' below its page")
    return complaints


if __name__ == "__main__":
    for complaint in check(sys.argv[1]):
        print(complaint)
    sys.exit(1 if complaints else 0)
