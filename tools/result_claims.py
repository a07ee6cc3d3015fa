"""Claims about figures that a page keeps: when only the claims of a figure's file have changed, the numbers in the
figure's table decide the new ones."""
from check_results import (BESIDE, SEVERAL, base_of, beside_of, bound, holds_scope, is_lacking, lesser, neighbours, numbers_of, ratio_bounds,
                           verdicts_at, verdicts_of_number)
from result_pages import CLAIM_HEAD, MARK, MEAN_OF, claims_of, geometric_mean, groups_of, row, rows_of

COLUMNS = ("says", "paper", "heddle", "agrees", "source")
MISSING = "-", {"missing"}


def condition_of(claim, series):
    """As `heddle figure` prints it."""
    if claim["kind"] == "words":
        return "-"
    if claim["kind"] == "less_than":
        return lesser(claim)
    if claim["kind"] in BESIDE:
        return neighbours(claim, series)
    if claim["kind"] == "best_at":
        return claim["series"]
    if claim["kind"] == "highest_between":
        return " and ".join(["between " + claim["at"][0], claim["at"][1]])
    if claim["kind"] in ("highest_at", "lowest_at"):
        return claim["at"][0]
    return bound(claim, series)


def mean_of(found):
    return None if is_lacking(found) else found[0] if len(found) == 1 else geometric_mean(found)


def less(claim, values):
    own, *others = (mean_of([values.get((x, s)) for x in claim["at"]]) for s in [claim["series"], *claim["others"]])
    if own is None or None in others:
        return MISSING
    verdict = {"yes"} if own < min(others) else {"no"}
    return f"{own:.3f} against {', '.join(f'{o:.3f}' for o in others)}", {"yes", "no"} if own == min(others) else verdict


def about(claim, values):
    found, base = [values.get((x, claim["series"])) for x in claim["at"]], base_of(claim, values)
    value, other = mean_of(found), mean_of(base) if base else 1
    if value is None or other is None:
        return MISSING
    if claim["scope"] == "largest":
        value = max(found)
        return f"{value:.3f} ({claim['at'][found.index(value)]})", verdicts_of_number(claim, value)
    if not base:
        return f"{value:.3f}", verdicts_of_number(claim, value)
    return f"{value / other:.3f}", verdicts_of_number(claim, value / other, ratio_bounds(found, base))


def beside(claim, xs, values):
    places = beside_of(claim, claim, xs)
    value, others = mean_of([values.get((x, claim["series"])) for x in claim["at"]]), [values.get((x, claim["series"])) for x in places]
    if value is None or None in others:
        return MISSING
    nearest = max(others) if claim["kind"] == "above" else min(others)
    place = f" ({places[others.index(nearest)]})" if len(places) > 1 else ""
    verdict = {"yes", "no"} if value == nearest else {"yes"} if (value > nearest) == (claim["kind"] == "above") else {"no"}
    return f"{value:.3f} against {nearest:.3f}{place}", verdict


def several(claim, xs, values):
    found = [(x, verdicts_at({**claim, "at": [x], "scope": "mean"}, claim, xs, values)) for x in claim["at"]]
    if any(not verdicts for _, verdicts in found):
        return MISSING
    if any("yes" in verdicts and len(verdicts) > 1 for _, verdicts in found):
        return "-", {"yes", "no"}
    fails = [f'"{x}"' if " " in x else x for x, verdicts in found if "yes" not in verdicts]
    text = f"{len(found) - len(fails)} of {len(found)}" + (f", not {', '.join(fails)}" if fails else "")
    return text, {"yes"} if holds_scope(claim, len(found) - len(fails)) else {"no"}


def extreme(claim, xs, series, values):
    across = claim["kind"] == "best_at"
    places = {s: values[claim["at"][0], s] for s in series} if across else {x: values[x, claim["series"]] for x in xs}
    if None in places.values():
        return MISSING
    best = (min if claim["kind"] == "lowest_at" else max)(places.values())
    name, *equals = [place for place, value in places.items() if value == best]
    if claim["kind"] == "highest_between":
        low, high = (list(places).index(x) for x in claim["at"])
        holds = low < list(places).index(name) < high
    else:
        holds = name == (claim["series"] if across else claim["at"][0])
    return f"{name} ({best:.3f})", {"yes", "no"} if equals else {"yes"} if holds else {"no"}


def answer(claim, numbers):
    """What the table has, and the verdicts that are possible for numbers with three decimals."""
    xs, series, values = numbers
    if claim["kind"] == "words":
        return "-", {"look"}
    if claim["scope"] in SEVERAL:
        return several(claim, xs, values)
    if claim["kind"] in BESIDE:
        return beside(claim, xs, values)
    if claim["kind"] == "less_than":
        return less(claim, values)
    if claim["kind"] in ("about", "at_least", "at_most"):
        return about(claim, values)
    return extreme(claim, xs, series, values)


def judged(where, claim, numbers, known):
    """The cells of a claim. What the page has of it was decided by exact numbers, and is kept."""
    key = claim["says"], condition_of(claim, numbers[1]), claim["source"]
    if key in known:
        return known[key]
    text, verdicts = answer(claim, numbers)
    if len(verdicts) > 1:
        raise SystemExit(f"{where}: '{claim['says']}': three decimals do not decide; run `tools/results.py PAGE HEDDLE STORE --only {where}`")
    return [claim["says"], key[1], text, *verdicts, claim["source"]]


def table_of(lines, claims, numbers):
    """The lines of a figure's table with the groups that its claims name."""
    xs, series, values = numbers
    head = rows_of(lines)[0]
    kept = "".join(line + "\n" for line in lines.splitlines() if not line.startswith(f"| {MEAN_OF}"))
    known = {line.strip("|").split("|")[0].strip(): line + "\n" for line in lines.splitlines() if line.startswith(f"| {MEAN_OF}")}
    for name, of in groups_of(claims, xs).items():
        means = [mean_of([values[x, s] for x in of]) for s in series]
        cells = [name] + ["-"] * ("size" in head) + ["-" if m is None else f"{m:.3f}" for m in means]
        kept += known.get(name, row(cells))
    return kept


def with_claims(section, name, claims):
    """A figure's section of a page with these claims, as `heddle figure --json` lists them."""
    mark, end = MARK.search(section), section.index(f"<!-- why {name} -->")
    tables = section[mark.end():end]
    numbers = numbers_of(section[mark.start():end])
    known = {(c["says"], c["paper"], c["source"]): [c[k] for k in COLUMNS] for c in claims_of(section)}
    lines = tables[:tables.index("\n\n") + 1]
    rest = tables[len(lines):]
    if known:
        at = rest.index(row(CLAIM_HEAD))
        rest = rest[:at] + rest[at:].partition("\n\n")[2]
    rows = [judged(name, claim, numbers, known) for claim in claims]
    listed = "\n" + row(CLAIM_HEAD) + row(["---"] * len(CLAIM_HEAD)) + "".join(row(r) for r in rows) if rows else ""
    return section[:mark.end()] + table_of(lines, claims, numbers) + listed + (rest or "\n") + section[end:]
