"""Answers of runs that are not points of a sweep: output of `heddle cache` for recorded L1D streams,
and runs that need others first. Each is a list of Heddle commands and the JSON that some of them
print, stored in a file. The commands can also be run elsewhere, by a shell without Python
(`tools/results.py commands`)."""
import concurrent.futures
import hashlib
import json
import os
import shlex
import subprocess
import sys


class Answers:
    """Commands are tuples of words without `heddle`; `@NAME` in a word is a temporary file for that list
    of commands. Those that end in --json give the answers."""

    def __init__(self, heddle, folder, jobs, stored_only=False):
        self.heddle, self.folder, self.stored_only = heddle, folder, stored_only
        listed = json.loads(subprocess.run([heddle, "figure", "--json"], check=True, stdout=subprocess.PIPE).stdout)
        self.model = listed[0]["model"]
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self.asked = {}
        os.makedirs(folder, exist_ok=True)

    def path(self, commands):
        """Another model may give other answers."""
        text = json.dumps([self.model, commands])
        return f"{self.folder}/{hashlib.sha256(text.encode()).hexdigest()[:20]}.json"

    def shell(self, commands, heddle):
        """One line for `sh -c` that writes the file, a list of JSON, unless it exists."""
        path, steps, first = self.path(commands), [], True
        for words in commands:
            line = " ".join(shlex.quote(w).replace("@", '"$d"/') for w in (heddle, *words))
            if words[-1] != "--json":
                steps.append(line + " >/dev/null")
            else:
                steps += ([] if first else ["echo ,"]) + [line]
                first = False
        made = " && ".join(["echo '['"] + steps + ["echo ']'"])
        return f'[ -e {path} ] || {{ d=$(mktemp -d) && {{ {made}; }} >{path}.part && mv {path}.part {path}; rm -rf "$d"; }}'

    def make(self, commands):
        path = self.path(commands)
        if not os.path.exists(path):
            if self.stored_only:
                sys.exit(f"{path} is missing, the answer of {' '.join(commands[0])}; without --stored-only it is asked for")
            subprocess.run(["sh", "-c", self.shell(commands, self.heddle)], check=True)
        with open(path) as file:
            return json.load(file)

    def ask(self, *commands):
        """Starts the commands; .result() waits for their answers."""
        if commands not in self.asked:
            self.asked[commands] = self.pool.submit(self.make, commands)
        return self.asked[commands]


class Listing(Answers):
    """Runs nothing, but records what would be run."""

    def ask(self, *commands):
        self.asked[commands] = concurrent.futures.Future()
        return self.asked[commands]
