#!/usr/bin/env python3
"""Writes doc/model.md: every modelling assumption that a comment in src/ tags with MODEL:.

An assumption reaches from its tag to the next tag, the next empty comment line, or the end of the
comment, whichever comes first.
"""
import pathlib
import re

import prose

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = """# Modelling assumptions

<!-- Written by tools/collect_model.py from the MODEL: comments in src/; a test detects drift. -->

This page collects the modelling assumptions from the code: where a manual or a paper leaves
something open, and where Heddle deliberately differs from a GPU. [machine.md](machine.md) describes
the machine as a whole, with sources, what is not modelled, and a comparison with GPGPU-Sim.
"""


def assumptions(text):
    for comment in re.findall(r"/\*.*?\*/", text, re.S):
        lines = [re.sub(r"^\s*\*? ?", "", line) for line in comment[2:-2].splitlines()]
        for paragraph in re.split(r"\n\s*\n", "\n".join(line.rstrip() for line in lines)):
            for part in re.split(r"\bMODEL:", paragraph)[1:]:
                yield " ".join(part.split())


def main():
    page = [HEAD.rstrip("\n")]
    room = None
    for path in sorted((ROOT / "src").rglob("*.[ch]*")):
        for assumption in assumptions(path.read_text()):
            place = path.relative_to(ROOT / "src")
            if place.parts[0] != room:
                room = place.parts[0]
                page.append(f"\n## {room}\n")
            if assumption.split()[0].isalpha():  # unless the line begins with the name of an instruction
                assumption = assumption[0].upper() + assumption[1:]
            page.append(f"- {assumption} (`{place}`)")
    print(prose.wrap("\n".join(page)), end="")


main()
