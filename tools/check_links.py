#!/usr/bin/env python3
"""Checks that the links of all pages lead to existing files, and to headings that these have."""
import os
import re
import subprocess
import sys

from result_summary import slug


def headings_of(page):
    """The anchors of a page, as GitHub generates them; a repeated heading gets a number."""
    with open(page) as file:
        text = re.sub(r"^```.*?^```", "", file.read(), flags=re.M | re.S)
    found = []
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        anchor = slug(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading))
        found.append(anchor if anchor not in found else f"{anchor}-{found.count(anchor)}")
    return found


def problems_of(page):
    with open(page) as file:
        links = re.findall(r"\]\(([^)#:\s]*)(#[^)\s]*)?\)", file.read())
    for target, anchor in links:
        path = os.path.normpath(os.path.join(os.path.dirname(page), target)) if target else page
        if not os.path.exists(path):
            yield f"{page}: links to {target}, which does not exist"
        elif anchor and path.endswith(".md") and anchor[1:] not in headings_of(path):
            yield f"{page}: links to {target}{anchor}, a heading that does not exist"


pages = subprocess.run(["git", "ls-files", "*.md"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
problems = [problem for page in pages if os.path.exists(page) for problem in problems_of(page)]
print("\n".join(problems), end="\n" if problems else "")
sys.exit(1 if problems else 0)
