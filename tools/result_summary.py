"""The top of a page of doc/results: the summary, contents, papers, rule of verdicts, and lists of
what agrees and what does not."""
import re

from result_pages import CLAIM_HEAD, is_variation, read_reasons, reason_of, row

PAPERS = {
    "S1": "G. Schindler: Techniques for Caches in GPUs. University of Heidelberg; a survey. Heddle uses its descriptions of three papers: H. Choi, J. Ahn, W. Sung: Reducing "
          "Off-Chip Memory Traffic by Selective Cache Management Scheme in GPGPUs. GPGPU-5, 2012, of S. Franey, M. Lipasti: "
          "Accelerating Atomic Operations on GPGPUs. NOCS 2013, and of J. Lee, H. Kim: TAP: A TLP-Aware Cache Management Policy for a "
          "CPU-GPU Heterogeneous Architecture. HPCA 2012",
    "S2": "X. Zhu, R. Wernsman, J. Zambreno: Improving First Level Cache Efficiency for GPUs Using Dynamic Line "
          "Protection. ICPP 2018",
    "S3": "S.-Y. Lee: Intelligent Scheduling and Memory Management Techniques for Modern GPU Architectures. PhD thesis, "
          "Arizona State University 2017",
    "S4": "T. G. Rogers, M. O'Connor, T. M. Aamodt: Cache-Conscious Wavefront Scheduling. MICRO 2012",
}
WORDS = ["yes", "direction", "no", "look"]
# Counts before machines, workloads, inputs and the rule of verdicts were revised.
BEFORE = {("l1d", "S2"): [10, 19, 11, 4], ("l1d", "S3"): [11, 7, 6, 5],
          ("scheduling", "S4"): [19, 11, 15, 7], ("scheduling", "S3"): [7, 10, 18, 16]}
# Counts with the last machines that differ from today's.
WITH_EARLIER_MACHINES = {("scheduling", "S4"): [17, 13, 12, 6], ("scheduling", "S3"): [16, 10, 31, 8]}
RULE = """The verdict compares the sizes of effects. The effect of a relative number is its difference from 1 (a gain is positive, a loss negative); the
effect of any other number is the number itself.

| verdict | meaning |
| --- | --- |
| yes | for "about": the effect is within a tenth of the paper's; if the paper reports no effect (about 1), the number is within 0.05 of 1. For "at least", "at most", "less than", "each" and the best of several: the condition holds |
| direction | not "yes", but a relative number whose effect has the sign of the paper's and at least a tenth of its size |
| no | neither |
| look | must be judged by eye |

If a claim names the largest or the smallest of several entries, the cell under "Heddle" gives the entry that is largest
or smallest in Heddle, with its value in parentheses. "each" in a condition means each of several entries, and a name
after it is a column of the figure's table: "each: DLP at least 1". "3 of 4, not km" means that such a claim holds for
all of them except km; "most" needs more than half of them, "some" needs one. "largest" is the largest of several entries,
"about 1.05 times gCAWS" compares with another column or row, and "above all others" with the other rows.
"""
FIRST_VERSION, BEFORE_CORRECTION = "first version of this page", "before the machines were corrected"
# What these rows of the first table mean.
THEN = {FIRST_VERSION: "The first version of this page used other machines, workloads and inputs, and a different rule for verdicts.",
        BEFORE_CORRECTION: "The machines were corrected: where the papers' published configuration files are silent, the machines now follow "
                           "the simulators that the papers used ([CHANGELOG](../../CHANGELOG.md), Model)."}


def slug(heading):
    """The anchor that GitHub generates for a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def paper_of(claim):
    return claim["source"][:2]


def of_paper(figures, paper):
    return [(f["figure"], c) for f in figures for c in f["paper"] if paper_of(c) == paper]


def counted(claims):
    """How many claims have each verdict."""
    return [sum(c["agrees"] == w for c in claims) for w in WORDS]


def counts(page, figures, papers):
    text, noted = row(["paper"] + WORDS + ["judged by numbers"]) + row(["---"] * 6), set()
    for paper in papers:
        found = of_paper(figures, paper)
        own = [c for name, c in found if not is_variation(name, c["says"])]
        before = [(when, counts_then[page, paper]) for when, counts_then in ((FIRST_VERSION, BEFORE), (BEFORE_CORRECTION, WITH_EARLIER_MACHINES))
                  if (page, paper) in counts_then]
        noted.update(when for when, _ in before)
        now = [(", now" if before else "", counted([c for _, c in found]))] + [(", without variations", counted(own))] * (len(own) < len(found))
        for when, n in [(f", {w}", n) for w, n in before] + now:
            text += row([f"{paper}{when}"] + [str(k) for k in n] + [str(sum(n[:3]))])
    missing = sum(c["agrees"] == "missing" for f in figures for c in f["paper"])
    notes = " ".join(THEN[when] for when in THEN if when in noted)
    text += f"\n{notes}\n" if notes else ""
    return text + (f"\n{missing} claims lack results.\n" if missing else "")


def figure_cell(name, says):
    return f"`{name}`" + (" (variation)" if is_variation(name, says) else "")


def table(found, reasons):
    """Rows of claims, with reasons if there is a list of them."""
    head = CLAIM_HEAD + ["figure"] + ["reason"] * (reasons is not None)
    text = row(head) + row(["---"] * len(head))
    for name, c in found:
        cells = [c["says"], c["paper"] or "-", c["heddle"] or "-", c["agrees"], c["source"], figure_cell(name, c["says"])]
        text += row(cells + ([reason_of(reasons, name, c["says"], c["agrees"])] if reasons is not None else []))
    return text


def paper_text(figures, paper, reasons):
    text = ""
    for heading, words, has_reason in ((f"{paper}: what agrees", ["yes"], False),
                                       (f"{paper}: what does not agree", ["direction", "no", "missing"], True),
                                       (f"{paper}: what must be judged by eye", ["look"], False)):
        found = [(name, c) for name, c in of_paper(figures, paper) if c["agrees"] in words]
        if found:
            text += f"\n## {heading}\n\n" + table(found, reasons if has_reason else None)
    return text


def headings_of(text):
    return re.findall(r"^## (.*)$", text, re.M)


READING = """- `make results` (`tools/results.py PAGE`) writes this page, except for explanations and reasons, which are written by hand. A
  test checks their numbers against the tables.
- Inputs are the paper's if it gives them, otherwise of size `small`. Where a run with the paper's input would take many
  minutes, a smaller input is used, and the figure names it.
- Rows use Heddle's names in lower case (`heddle show workloads`); names in capitals are the papers'. If names differ, the note below a picture pairs them.
- "geometric mean of A to B" covers rows A to B. "geometric mean", "harmonic mean" and "mean" (arithmetic) cover all rows.
- "Values" below a picture says what the numbers of the table are. A number in the column "condition" is in the unit
  given by "Values".
- In pictures, a black line or ring is the paper's number, if it gives one. Bars of relative numbers begin at 1.
- "(own experiment)" in a figure's source: the mechanism is the paper's, the figure is Heddle's.
- The [glossary](../glossary.md) explains terms such as CTA, MSHR and MPKI.
"""


VARIED = """- A variation repeats a paper's figure with changed parameters, which its source names, or judges a claim again with another reading of the paper. So a claim can appear several times.
  The rows "without variations" of the first table leave variations out.
"""
# Remarks on the reading of one page.
READING_OF = {"scheduling": """- Figures of a single CTA (S3 Figures 3.3, 3.4, 3.6, 4.1, 4.2, 4.3 and 4.5) rank its 16 warps by their times (Figure 3.6: by their times under
  round robin): 1 is the fastest and 16 the slowest. So the condition "16" of a claim means that the slowest warp has the largest value.
- KMN is two programs: in S4, and in sections about S4, it is `kmn`; in S3, and in sections about S3, it is Rodinia's
  K-means, `km`.
"""}
NAMES = {"l1d": """
| in the papers | in Heddle | meaning |
| --- | --- | --- |
| Stall-Bypass (S2) | `stall_bypass` | LRU; a load that would stall bypasses L1D instead |
| Global-Protection (S2) | `pdp` | one protection distance for all lines, computed as in DLP. Not PDP of Duong et al. (MICRO 2012), which computes its distance from a distribution of reuse distances |
| DLP (S2) | `dlp` | Dynamic Line Protection: a protection distance for each load instruction, computed from hits in L1D and in tags of evicted lines |
| PC-based bypassing (S3) | `pc_bypass` | all misses of a load instruction bypass if its lines are not reused |
| Ctrl-C (S3) | `ctrl_c` | a share of the misses of a load instruction bypasses; the share depends on how many of its lines are not reused |
| memory access ratio (S2) | `l1d.access_ratio` | L1D accesses (loads and stores) per thread instruction |
| cache-insufficient, cache-sufficient (S2) | - | a memory access ratio above 1 %, or at most 1 % (section 3.2) |
| cache-sensitive (S3) | - | gains 20 % or more from an L1D of 64 KB instead of 16 KB (section 5.3.1) |
""", "scheduling": """
| in the papers | in Heddle | meaning |
| --- | --- | --- |
| RR, round robin (S3); LRR (S4) | `lrr` | warps take turns |
| GTO | `gto` | greedy then oldest: a warp continues until it cannot issue, then the oldest ready warp takes over |
| 2-Level (S3) | `two_level` | warps form groups, and one group issues until all its warps wait for memory or at a barrier |
| 2LVL-LRR (S4) | `two_level` with `switch_on=any` | as 2-Level, but a group is left as soon as no warp of it can issue |
| 2LVL-GTO (S4) | `two_level_gto` | 2LVL-LRR with groups of two warps, and with GTO within and among groups |
| SWL, Best-SWL (S4) | `swl` | static warp limiting: only the oldest warps of an SM issue; Best-SWL has the best limit for each workload |
| CCWS, CCWS-SIM (S4) | `ccws`, `ccws_authors` | cache-conscious wavefront scheduling: when warps lose locality in L1D, others may not issue loads. `ccws` follows S4's text, `ccws_authors` its authors' simulator |
| CAWS-blk, CAWS-SM, CAWS-avg (S3) | `caws_blk`, `caws_sm`, `caws_avg` | criticality-aware warp scheduling with an oracle, the times of an earlier run. More turns go to the slowest warp of each CTA (blk), to the slowest warps of the SM (SM), or to the warps that are more than a fifth slower than the mean (avg) |
| CPL (S3) | `criticality=cpl` | criticality prediction logic: predicts from branches and stalls which warps of a CTA will be slow, and so critical |
| gCAWS (S3) | `gcaws` | greedy CAWS, without an oracle: the warp that is most critical according to CPL continues until it cannot issue |
| CACP (S3) | `cacp` | criticality-aware cache prioritisation: keeps some ways of each set of L1D for lines that critical warps are predicted to reuse |
| CAWA (S3) | `cawa` | gCAWS and CACP together |

[schedulers.md](../schedulers.md) has the rules in full.
""", "atomics": """
| on this page | in Heddle | meaning |
| --- | --- | --- |
| at L2 | `at_l2` | the L2 bank of a line performs its atomics |
| AtomNaive (S1) | `atom_naive` | SMs perform atomics in L1D; a token on a ring of all SMs hands out the mutexes |
| AtomDir (S1) | `atom_dir` | as AtomNaive, but each mutex has a home SM that hands it out |
| + Topology (S1), AtomHybrid | `atom_hybrid` | as AtomNaive, with one ring for each row of SMs |
| SpecFetch (S1) | `atomics.spec_fetch` | the data are fetched while the mutex is requested. The last column, "+ SpecFetch", is AtomHybrid with it |
| HGA, BFSQ, HSH, RED | `hga`, `bfsq`, `hsh`, `red` | histogram with global atomics, BFS with a queue, hash table with locks, reduction |

[atomics.md](../atomics.md) has the rules in full.
""", "l2": """
| on this page | in Heddle | meaning |
| --- | --- | --- |
| LRU | `l2.policy=write_buffering` without marks | loads and stores without marks behave as under LRU |
| write-buffering (S1) | stores are marked `.cc` | L2 keeps stored lines until they have been read, and then drops them |
| `both` (S1) | and loads are marked `.cp` | write-buffering with read-bypassing: marked loads that miss bypass L2 |
| no L2 | `l2.policy=none` | every access goes to DRAM |

[l2.md](../l2.md) has the rules in full.
"""}


def earlier_machines(names):
    """Names the figures that result_machines.py marks."""
    listed = ", ".join(f"`{name}`" for name in names)
    return f"\nMade with an earlier machine, and marked so: {listed}.\n" if names else ""


def summary(page, title, figures, headings, why, earlier=()):
    papers = [p for p in PAPERS if of_paper(figures, p)]
    top = "## In short\n\nThe table counts the claims of the papers by [verdict](#how-verdicts-are-reached): \"yes\" agrees, \"direction\" has the right\n"
    top += "sign but a different size, \"no\" disagrees, \"look\" must be judged by eye.\nThe last column is the sum of yes, direction and no.\n\n" + counts(page, figures, papers)
    top += earlier_machines(earlier)
    top += f"\n<!-- why {page} -->\n{why}<!-- end -->\n"
    is_varied = any(is_variation(name, c["says"]) for p in papers for name, c in of_paper(figures, p))
    body = "\n## How to read this page\n\n" + READING.replace("PAGE", page) + READING_OF.get(page, "") + VARIED * is_varied
    body += f"\n## Names on this page\n{NAMES[page]}" if page in NAMES else ""
    body += "\n## The papers\n\n" + row(["name", "paper"]) + row(["---"] * 2)
    body += "".join(row([p, PAPERS[p]]) for p in papers)
    body += "\n## How verdicts are reached\n\n" + RULE
    reasons = read_reasons()
    body += "".join(paper_text(figures, p, reasons) for p in papers)
    contents = "".join(f"- [{h}](#{slug(h)})\n" for h in headings_of(top + body) + headings)
    return f"# {title}\n\n{top}\n## Contents\n\n{contents}{body}"
