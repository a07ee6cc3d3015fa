#!/usr/bin/env python3
"""Runs the commands on a page and compares their output with the page.

    tools/run_page.py PAGE HEDDLE SCRATCH           checks; prints what differs
    tools/run_page.py PAGE HEDDLE SCRATCH --write   writes the answers into the page

A block ```LANGUAGE file=NAME is written to a file for the commands. In a block ```console every line that
begins with "$ " is a shell command; the lines up to the next one are its output. All commands of a page run
in one shell, in SCRATCH, with `heddle` and the source folder as `sources` there. A page records the model
version of its numbers. If that is the current version, outputs must agree exactly. Otherwise
numbers may have moved, and only the number of lines and the lines without numbers must agree."""
import json
import os
import re
import subprocess
import sys

MARK = re.compile(r"<!-- numbers of model (\S+) -->")


class Shell:
    """One bash for all commands: folders and variables persist from one to the next."""

    END = "@@end of answer@@"

    def __init__(self, heddle, scratch):
        here = os.path.join(scratch, ".commands")
        os.makedirs(here)
        os.symlink(heddle, os.path.join(here, "heddle"))
        os.symlink(os.getcwd(), os.path.join(scratch, "sources"))
        environment = dict(os.environ, PATH=here + ":" + os.environ["PATH"], HOME=os.path.realpath(scratch),
                           BUILD=os.path.dirname(heddle), XDG_CACHE_HOME=cache_folder())
        self.bash = subprocess.Popen(["bash"], cwd=scratch, env=environment, text=True, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, command):
        self.bash.stdin.write(f"{{ {command}\n}} </dev/null\necho \"{self.END}$?\"\n")
        self.bash.stdin.flush()
        lines = []
        for line in self.bash.stdout:
            if self.END in line:
                rest, status = line.rstrip("\n").split(self.END)
                lines += [rest] if rest else []
                if status != "0":
                    sys.exit(f"$ {command}\nexit status {status}\n" + "\n".join(lines))
                return lines
            lines.append(line.rstrip())
        sys.exit(f"$ {command}\nends the shell\n" + "\n".join(lines))


def cache_folder():
    return os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")


def frame(lines):
    """What stays the same when numbers move: the number of lines, and the lines without a digit."""
    words = [line.split() for line in lines if not re.search(r"[0-9]", line)]
    return [len(lines)] + words


def answer_block(block, shell, same, failures):
    """A block with the current answers; records differences from those in the page."""
    answers = []
    for piece in re.split(r"^(?=\$ )", block, flags=re.M):
        if not piece.strip():
            continue
        command, *old = piece.rstrip("\n").split("\n")
        new = shell.run(command[2:])
        if not same(old, new):
            failures.append((command, old, new))
        answers += [command] + new
    return "\n".join(answers) + "\n"


def model_of(heddle):
    out = subprocess.run([heddle, "figure", "--json"], capture_output=True, check=True).stdout
    return json.loads(out)[0]["model"]


def compare(old, new, exactly):
    return old == new if exactly else frame(old) == frame(new)


def process(page, heddle, scratch):
    with open(page) as f:
        text = f.read()
    exact, loose = [], []
    shell = Shell(heddle, scratch)

    def replace(match):
        kind, body = match.group(1), match.group(2)
        if " file=" in kind:
            with open(os.path.join(scratch, kind.split("=")[1]), "w") as f:
                f.write(body)
            return match.group(0)
        if kind != "console":
            return match.group(0)

        def same(old, new):
            if not compare(old, new, False):
                loose.append((old, new))
            return compare(old, new, True)

        return f"```console\n{answer_block(body, shell, same, exact)}```\n"

    new_text = re.sub(r"^```([^\n]*)\n(.*?)^```\n", replace, text, flags=re.M | re.S)
    model = model_of(heddle)
    mark = MARK.search(text)
    failures = exact if mark and mark.group(1) == model else loose
    new_text = MARK.sub("", new_text).rstrip("\n") + f"\n\n<!-- numbers of model {model} -->\n"
    return new_text, failures


def main():
    page, heddle, scratch = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3]
    os.makedirs(scratch, exist_ok=True)
    if os.listdir(scratch):
        sys.exit(f"{scratch} is not empty: what earlier runs left there would be in the answers")
    new_text, failures = process(page, heddle, scratch)
    if sys.argv[4:] == ["--write"]:
        with open(page, "w") as f:
            f.write(new_text)
        return
    for failure in failures:
        old, new = failure[-2:]
        print(f"{page} says:\n" + "\n".join(old) + "\nbut today it is:\n" + "\n".join(new) + "\n")
    if failures:
        sys.exit(f"{page} has drifted: run '{sys.argv[0]} {page} build/heddle SCRATCH --write'")


main()
