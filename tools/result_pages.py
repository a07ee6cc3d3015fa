"""The format of the pages of doc/results, for the tools that write and check them.

Each table follows a mark with its name: `<!-- figure NAME of DIGEST by MODEL -->` for that of a
figure, `<!-- table NAME -->` for others. The digest identifies the figure's definition, the model
the program that ran it; ` on GPU:DIGEST` may follow (result_machines.py). Paragraphs and reasons
are written by hand and tied to the tables:

    12.5 times<!-- is s4-fig17:6:kmn -->     the value in row 6 of column kmn
    58 %<!-- gain s4-fig7:memc:CCWS -->      by how many percent it differs from 1
    <!-- so s4-fig7:memc:CCWS > 1.1 -->      what the previous sentence says: a place; <, > or =; a
                                             place or a number
    1.63<!-- said -->                        a number from a paper or a source that no table has

The tool fills in the numbers before `is` and `gain`, with the given number of digits. A number
without a mark is an error, except in names (Figure 4.10, section 5.1, 16 KB, L2, S3, `commands`).

The note of a figure's file follows its picture: it gives the paper's names of rows, and which load
a PC is. A line says what the values of the table are. The table ends with the geometric means of groups of rows that a claim names."""
import hashlib
import math
import re

import prose

FOLDER = "doc/results"
REASONS = f"{FOLDER}/reasons.txt"
WHY = re.compile(r"<!-- why (\S+) -->\n(.*?)<!-- end -->\n", re.S)
MARK = re.compile(r"<!-- (?:figure (\S+) of (\w+)(?: by \S+)?(?: on \S+)?|table (\S+)) -->\n")
PLACE = r"[^:<>|]+:[^:<>|]+:[^:<>|]+"
QUOTED = re.compile(rf"(\d+(?:\.\d+)?)((?: %| times)?<!-- (is|gain) ({PLACE}) -->)")
SO = re.compile(rf"<!-- so ({PLACE}|[\d.]+) ([<>=]) ({PLACE}|[\d.]+) -->")
SAID = re.compile(r"[\d.,]*\d(?: %| times)?<!-- said -->")
NAMES = [r"`[^`]*`", r"<!-- .*? -->", r"\(?[\w./-]*\)\]?\([^)]*\)", r"\b(?:Figures?|[Ss]ections?|Tables?|Algorithms?|Chapters?) [\d.]+\w?(?:(?:, | and | to )[\d.]+\w?)*",
         r"\b[\d.]+(?: (?:and|to|or) \d+)?[- ](?:KB|bytes?|bits?|ways?|MHz)\b", r"\b[A-Za-z_][\w.-]*\d[\w.-]*", r"\b\d+LVL-\w+", r"\b2-Level\b",
         r"PCs? \d+(?:(?:, | and )\d+)*", r"N = \d", r"#\S+"]
NOTE = re.compile(r"^note: >\n((?:  .*\n)+)", re.M)
CLAIMS_OF_FILE = re.compile(r"^paper:.*\n(?:(?: .*)?\n)*", re.M)
AXIS = re.compile(r"^(y|right): (.*)$", re.M)
ALL_ROWS = "geometric mean"
MEAN_OF = ALL_ROWS + " of "
CLAIM_HEAD = ["the paper says", "condition", "Heddle", "agrees", "source"]


def row(cells):
    return "| " + " | ".join(cells) + " |\n"


def digests(name):
    """The digest of everything in a figure's file that concerns its numbers: comments, the note and
    claims do not count. Then the digest in marks of before, in which claims counted."""
    with open(f"figures/{name}.yaml") as f:
        text = NOTE.sub("", re.sub(r"^#.*\n", "", f.read(), flags=re.M))
    return tuple(hashlib.sha256(t.encode()).hexdigest()[:16] for t in (CLAIMS_OF_FILE.sub("", text), text))


def digest(name):
    return digests(name)[0]


def note_of(name):
    """What follows a figure's picture: the note of its file, if there is one, and what its values are."""
    with open(f"figures/{name}.yaml") as f:
        text = f.read()
    found, axes = NOTE.search(text), AXIS.findall(text)
    note = " ".join(found.group(1).split()) + "\n\n" if found else ""
    values = "; right axis: ".join(words for _, words in axes)
    return prose.wrap(note + (f"Values: {values}.\n\n" if values else ""))


def is_variation(name, says=None):
    """Does the figure have other parameters than the paper's? Its source says with which. Or does
    the claim judge another one again?"""
    with open(f"figures/{name}.yaml") as f:
        text = f.read()
    claims = re.split(r"^  - ", CLAIMS_OF_FILE.search(text).group(0), flags=re.M)[1:] if CLAIMS_OF_FILE.search(text) else []
    again = [c for c in claims if re.search(r"\bvariation: true\b", c)]
    return re.search(r"^source: .* with ", text, re.M) is not None or any(
        re.search(rf"\bsays: (?:{re.escape(says)}|\"{re.escape(says)}\")(?:,|\n|$)", c) for c in again if says)


def spans(places, xs):
    """Names some of the xs; three or more consecutive ones by the first and the last."""
    words = []
    while places:
        n = next(i for i in range(1, len(places) + 1) if places[i:i + 1] != [places[0] + i])
        run = [xs[p] for p in places[:n]]
        words += run if n < 3 else [f"{run[0]} to {run[-1]}"]
        places = places[n:]
    return ", ".join(words)


def groups_of(claims, xs):
    """By row name: the xs whose geometric mean a claim names, unless a row has that name."""
    groups = {}
    for claim in claims:
        if claim["kind"] not in ("about", "at_least", "at_most", "less_than", "above", "below") or claim["scope"] != "mean" or not set(claim["at"]) <= set(xs):
            continue
        places = sorted(xs.index(x) for x in claim["at"])
        is_all = ALL_ROWS in xs and len(places) == len(xs) - 1
        if len(places) > 1 and not is_all:
            groups[MEAN_OF + spans(places, xs)] = [xs[p] for p in places]
    return groups


def geometric_mean(values):
    return math.prod(values) ** (1 / len(values))


def rows_of(text):
    """The cells of the table at the beginning of the text, without the line of dashes."""
    lines = re.match(r"(?:[^|\n].*\n|\n)*((?:\|.*\n)*)", text).group(1).splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return rows[:1] + rows[2:]


def tables_of(text):
    """By name: the rows of each table that is marked."""
    return {m.group(1) or m.group(3): rows_of(text[m.end():]) for m in MARK.finditer(text)}


def sections_of(text):
    """By the name of its figure or table: each section of a page, from its heading to the next."""
    sections = ["\n## " + s for s in text.split("\n## ")[1:]]
    return {m.group(1) or m.group(3): s for s in sections for m in [MARK.search(s)] if m}


def claims_of(section):
    """The claims in a figure's section: rows as in `heddle figure --json`."""
    head = row(CLAIM_HEAD)
    if head not in section:
        return []
    rows = rows_of(section[section.index(head):])[1:]
    return [dict(zip(("says", "paper", "heddle", "agrees", "source"), r)) for r in rows]


def cell(tables, place):
    """The value of FIGURE:ROW:COLUMN. A row is named by its first cell, or by its first two if that
    is ambiguous."""
    name, wanted, column = place.split(":")
    head, *rows = tables[name]
    found = [r for r in rows if wanted in (r[0], " ".join(r[:2]))]
    if len(found) != 1:
        raise KeyError(f"{name}: {len(found)} rows '{wanted}'")
    return float(found[0][head.index(column)].replace(",", ""))


def fill(text):
    """The page with the numbers of its tables filled in, and a list of what could not be filled
    in."""
    tables, problems = tables_of(text), []

    def number(m):
        try:
            value = cell(tables, m.group(4))
        except (KeyError, ValueError) as why:
            problems.append(f"a sentence quotes a number that no table has: {why}")
            return m.group(0)
        if m.group(3) == "gain":
            value = abs(100 * (value - 1))
        decimals = len(m.group(1).partition(".")[2])
        return f"{value:.{decimals}f}{m.group(2)}"

    return QUOTED.sub(number, text), problems


def holds(tables, left, sign, right):
    a, b = (cell(tables, side) if ":" in side else float(side) for side in (left, right))
    return a < b if sign == "<" else a > b if sign == ">" else abs(a - b) <= 0.0051


def loose_numbers(text):
    """Numbers in a text that no mark ties to a table. Tables written by hand are texts too."""
    text = " ".join(SAID.sub("", QUOTED.sub("", text)).split())
    for name in NAMES:
        text = re.sub(name, " ", text)
    return re.findall(r"\d+(?:[.,]\d+)*", text)


def problems_of(page):
    """The statements of a page that its tables contradict."""
    tables, problems = tables_of(page), []
    for m in SO.finditer(page):
        try:
            if not holds(tables, *m.groups()):
                problems.append(f"a sentence says what does not hold: {' '.join(m.groups())}")
        except (KeyError, ValueError) as why:
            problems.append(f"a sentence compares a number that no table has: {why}")
    for name, why in WHY.findall(page):
        if loose_numbers(why):
            problems.append(f"why {name}: numbers without a mark: {', '.join(loose_numbers(why))}")
    return problems


def read_reasons():
    """{(figure, claim): reason}. Lines are FIGURE | CLAIM | REASON; the claim * covers all claims
    of the figure that have no line of their own."""
    with open(REASONS) as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    split = [[cell.strip() for cell in line.split("|")] for line in lines]
    return {(figure, says): reason for figure, says, reason in split}


NO_RESULT = "points of the figure have no result yet"


def reason_of(reasons, figure, says, agrees):
    if agrees == "missing":
        return NO_RESULT
    return reasons.get((figure, says), reasons.get((figure, "*"), "-"))
