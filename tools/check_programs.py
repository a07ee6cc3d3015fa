#!/usr/bin/env python3
"""check_programs.py [--names] [FILE...]

Checks that every program that test/, tools/, bench/ and the Makefile call exists on a fresh machine:
it belongs to a package that tools/setup.sh installs, to one those depend on, to Debian's essential
set, or to what README.md asks for beforehand. A test that calls a program somebody installed by
hand would fail everywhere else.

Reads shell scripts (with the Python in their here-documents), Python, C, CMake files and makefiles.
Does not see a program whose name is composed at run time. With --names, prints FILE:LINE: NAME of every
program found and checks nothing. Exit status 77: this machine has no dpkg."""
import ast
import os
import re
import shutil
import subprocess
import sys

BEFOREHAND = ["git", "gcc", "make", "apt"]  # README.md asks for these, and a Debian machine installs with them
# tools/setup.sh and tools/piglit.py deal with machines that lack these; heddle is what is tested.
ASKED_FOR = {"sudo", "piglit", "node", "npm", "heddle"}

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.+-]*$")
BUILT_IN = set("""
. : [ alias break cd command continue echo eval exec exit export false getopts hash kill printf pwd read readonly
return set shift test times trap true type ulimit umask unset wait local bg fg jobs""".split())
GOES_ON = set("if then else elif do while until ! { time".split())  # a command follows
ENDS = set("} fi done".split())
# Programs and functions that run the command that follows their options, and how many words come
# before it.
RUNS_ANOTHER = {"env": 0, "exec": 0, "xargs": 0, "nohup": 0, "nice": 0, "sudo": 0, "timeout": 1, "valgrind": 0,
                "command": 0, "status": 1}
TAKE_A_WORD = {"-s", "-k", "-n", "-I", "-u"}  # their options that have an argument


class Shell:
    """Walks through a shell script and records the word at the start of every command."""

    def __init__(self, text, line=1):
        self.text, self.at, self.first_line = text, 0, line
        self.found, self.functions, self.python = [], set(), []  # (line, name), names, (line, text)
        self.documents = []  # of the line being read: (end word, tabs are stripped, is Python)
        self.names_on_line = set()

    def line(self):
        return self.first_line + self.text.count("\n", 0, self.at)

    def inner(self, text, line):
        """Commands within a word."""
        shell = Shell(text, line).commands()
        self.found += shell.found
        self.functions |= shell.functions
        self.python += shell.python

    def bracket(self, opening, closing):
        """The text up to the bracket that closes the one before self.at, which ends up after it."""
        start, depth = self.at, 1
        while self.at < len(self.text) and depth:
            c = self.text[self.at]
            if c == "\\":
                self.at += 1
            elif c == "'" and opening == "(":
                self.at = self.text.find("'", self.at + 1)
            elif c == '"':
                self.at += 1
                self.double_quotes(False)
                continue
            elif c in opening + closing:
                depth += 1 if c == opening else -1
            self.at += 1
        return self.text[start:self.at - 1]

    def dollar(self, look_inside=True):
        if self.text.startswith("$((", self.at):
            self.at += 2
            self.bracket("(", ")")
        elif self.text.startswith("$(", self.at):
            self.at += 2
            begin = self.line()
            body = self.bracket("(", ")")
            if look_inside:
                self.inner(body, begin)
        elif self.text.startswith("${", self.at):
            self.at += 2
            self.bracket("{", "}")
        else:
            self.at += 1

    def double_quotes(self, look_inside=True):
        """Called after the opening quote; moves past the closing one."""
        while self.at < len(self.text) and self.text[self.at] != '"':
            if self.text[self.at] == "\\":
                self.at += 2
            elif self.text[self.at] == "$":
                self.dollar(look_inside)
            else:
                self.at += 1
        self.at += 1

    def word(self):
        """The next word as it is written."""
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in " \t\n;&|()<>":
            c = self.text[self.at]
            if c == "\\":
                self.at += 2
            elif c == "'":
                self.at = self.text.index("'", self.at + 1) + 1
            elif c == '"':
                self.at += 1
                self.double_quotes()
            elif c == "$":
                self.dollar()
            elif c == "`":
                end = self.text.index("`", self.at + 1)
                self.inner(self.text[self.at + 1:end], self.line())
                self.at = end + 1
            else:
                self.at += 1
        return self.text[start:self.at]

    def here_documents(self):
        for end, stripped, is_python in self.documents:
            begin, lines = self.line(), []
            while self.at < len(self.text):
                stop = self.text.find("\n", self.at)
                stop = len(self.text) if stop < 0 else stop
                text, self.at = self.text[self.at:stop], stop + 1
                if (text.lstrip("\t") if stripped else text) == end:
                    break
                lines.append(text)
            if is_python:
                self.python.append((begin, "\n".join(lines)))
        self.documents, self.names_on_line = [], set()

    def redirection(self):
        operator = re.compile(r"<<-?|>>|[<>]&|>\||[<>]").match(self.text, self.at).group()
        self.at += len(operator)
        while self.text[self.at:self.at + 1] in (" ", "\t"):
            self.at += 1
        target = self.word()
        if operator.startswith("<<"):
            self.documents.append((target.strip("'\""), operator == "<<-", "python3" in self.names_on_line))

    def patterns(self):
        """The patterns of a case, up to the bracket that ends them. False at esac."""
        match = re.compile(r"(?:\s|#.*\n)*").match(self.text, self.at)
        self.at = match.end()
        if re.compile(r"esac\b").match(self.text, self.at):
            self.at += len("esac")
            return False
        if self.text[self.at:self.at + 1] == "(":
            self.at += 1
        while self.at < len(self.text) and self.text[self.at] != ")":
            if not self.word():
                self.at += 1
        self.at += 1
        return True

    def quoted_commands(self, word):
        if len(word) > 2 and word[0] in "'\"" and word[-1] == word[0]:
            self.inner(word[1:-1].replace('\\"', '"'), self.line())

    def commands(self):
        wanted, before, runner, cases, last = True, 0, None, 0, ""
        while self.at < len(self.text):
            c = self.text[self.at]
            if c == "\n":
                self.at += 1
                self.here_documents()
                wanted, before, runner, last = True, 0, None, ""
            elif c in " \t":
                self.at += 1
            elif c == "\\" and self.text[self.at + 1:self.at + 2] == "\n":
                self.at += 2
            elif c == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif self.text.startswith(";;", self.at):
                self.at += 2
                cases -= not self.patterns()
                wanted, before, runner, last = True, 0, None, ""
            elif c in ";&|()":
                self.at += 1
                wanted, before, runner, last = True, 0, None, ""
            elif c in "<>":
                self.redirection()
            else:
                word = self.word()
                if not word:
                    self.at += 1
                elif word.isdigit() and self.text[self.at:self.at + 1] in ("<", ">"):
                    continue
                elif last == "case" and word == "in":
                    cases += self.patterns()
                    wanted, before, runner, last = True, 0, None, ""
                elif not wanted:
                    if last == "trap" or last == "-c":
                        self.quoted_commands(word)
                    last = "case" if last == "case" else word if word == "-c" and runner == "sh" else ""
                elif self.text.startswith("()", self.at):
                    self.functions.add(word)
                    self.at += 2
                elif runner and word.startswith("-"):
                    before += word in TAKE_A_WORD
                elif before > 0:
                    before -= 1
                elif word in GOES_ON or re.match(r"[A-Za-z_][A-Za-z0-9_]*=", word):
                    pass
                elif word in ENDS or word in ("for", "case"):
                    wanted, last = False, word
                else:
                    self.names_on_line.add(word)
                    if NAME.match(word) and word not in BUILT_IN:
                        self.found.append((self.line(), word))
                    wanted, last = word in RUNS_ANOTHER, word
                    runner, before = word, RUNS_ANOTHER.get(word, 0)
        return self


RUNNERS = {"run", "Popen", "check_output", "check_call", "call", "which", "system", "popen", "execvp", "execlp"}


def first_word(node):
    """The program of an argument list, or a name that stands for one: (constant, variable)."""
    if isinstance(node, (ast.List, ast.Tuple)) and node.elts:
        return first_word(node.elts[0])
    if isinstance(node, ast.Starred):
        return first_word(node.value)
    if isinstance(node, ast.BinOp):
        return first_word(node.left)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return (node.value.split() or [""])[0], None
    if isinstance(node, ast.Name):
        return None, node.id
    if isinstance(node, ast.Attribute):
        return None, node.attr
    return None, None


def python_programs(text, line):
    """(line, name) of the programs that a Python text calls, also through its own variables and
    functions."""
    tree = ast.parse(text)
    found, variables, functions = [], set(), {}

    def note(node):
        constant, variable = first_word(node)
        if constant is not None and NAME.match(constant):
            found.append((line + node.lineno - 1, constant))
        if variable:
            variables.add(variable)
        words = [getattr(e, "value", None) for e in getattr(node, "elts", [])]
        for i in range(len(words) - 2):
            if words[i:i + 2] == ["sh", "-c"] and isinstance(words[i + 2], str):
                found.extend((line + node.lineno - 1, name) for _, name in Shell(words[i + 2]).commands().found)

    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    for call in calls:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        base = getattr(getattr(call.func, "value", None), "id", "")
        if base in ("subprocess", "shutil", "os") and name in RUNNERS:
            note(call.args[0])
    for node in ast.walk(tree):  # def run(command): subprocess.run(command), called as run(["cmake", ...])
        if isinstance(node, ast.FunctionDef):
            for place, parameter in enumerate(a.arg for a in node.args.args if a.arg != "self"):
                if parameter in variables:
                    functions[node.name] = place
                    if node.name == "__init__":
                        functions.update({c.name: place for c in ast.walk(tree)
                                          if isinstance(c, ast.ClassDef) and node in c.body})
    for call in calls:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name in functions and len(call.args) > functions[name]:
            note(call.args[functions[name]])
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and first_word(node.targets[0])[1] in variables:
            if isinstance(node.value, (ast.List, ast.BinOp)):
                note(node.value)
    return found


def pattern_programs(text, pattern):
    for match in re.finditer(pattern, text):
        yield text.count("\n", 0, match.start()) + 1, match.group(1)


def makefile_text(text):
    """Only the recipes, as a shell script with the same number of lines."""
    lines = []
    for line in text.split("\n"):
        line = line[1:].lstrip("@-") if line.startswith("\t") else ""
        while "$(" in line:
            line = re.sub(r"\$\([^()]*\)", "$x", line)
        lines.append(line)
    return "\n".join(lines)


def programs_of(path):
    """((line, name)..., names of functions) of one file."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    found = list(pattern_programs(text, r"\A#!(?:/usr)?/bin/(?:env )?(\w+)"))
    functions = set()
    if path.endswith((".sh", ".inc")) or os.path.basename(path) == "Makefile":
        shell = Shell(makefile_text(text) if path.endswith("Makefile") else text).commands()
        found += shell.found
        functions = shell.functions
        for line, python in shell.python:
            found += python_programs(python, line)
    elif path.endswith(".py"):
        found += python_programs(text, 1)
    elif path.endswith((".c", ".h")):
        found += pattern_programs(text, r'\b(?:system|popen|execl?v?p?e?|posix_spawnp?)\(\s*"([\w.+-]+)')
    elif path.endswith("CMakeLists.txt"):
        found += pattern_programs(text, r"\bCOMMAND ([a-z][\w.+-]*) ")
        found += pattern_programs(text, r"\bfind_program\(\w+ ([\w.+-]+)")
    return found, functions


def called_in(paths):
    """{name: the first place} of all programs; functions that a script defines do not count."""
    found, functions = {}, set()
    for path in paths:
        programs, own = programs_of(path)
        functions |= own
        for line, name in programs:
            found.setdefault(name, f"{path}:{line}")
    return {name: place for name, place in found.items() if name not in functions}


def packages():
    """{package: (is essential, what it needs, what it provides)} of installed packages."""
    rows = subprocess.run(["dpkg-query", "-W", "-f=${db:Status-Status}\t${Package}\t${Essential}\t"
                           "${Pre-Depends}, ${Depends}\t${Provides}\n"], capture_output=True, text=True, check=True)
    known = {}
    for row in rows.stdout.splitlines():
        status, name, essential, needs, provides = row.split("\t")
        if status == "installed":
            clean = [[re.split(r"[ (:]", one.strip())[0] for one in need.split("|")] for need in needs.split(",")]
            known[name] = (essential == "yes", clean, [re.split(r"[ (]", p.strip())[0] for p in provides.split(",")])
    return known


def expected_packages():
    """The packages every fresh machine has after tools/setup.sh."""
    with open("tools/setup.sh", encoding="utf-8") as file:
        asked = re.search(r'packages="([^"]*)"', file.read()).group(1).split()
    known = packages()
    providers = {}
    for name, (_, _, provides) in known.items():
        for virtual in [name, *provides]:
            providers.setdefault(virtual, []).append(name)
    wanted, expected = asked + BEFOREHAND + [name for name in known if known[name][0]], set()
    while wanted:
        name = wanted.pop()
        if name in expected or name not in known:
            continue
        expected.add(name)
        for choices in known[name][1]:
            there = [p for choice in choices for p in providers.get(choice, [])]
            wanted += there[:1]
    return expected


def owner(path):
    """The package of a program, or None. Files under /bin may be listed under /usr/bin and vice
    versa."""
    real = os.path.realpath(path)
    for name in (real, real.removeprefix("/usr"), path, path.removeprefix("/usr")):
        found = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True, check=False)
        owners = [line for line in found.stdout.splitlines() if not line.startswith("diversion by ")]
        if owners:
            return owners[0].split(":")[0].split(",")[0]
    return None


def main():
    arguments = sys.argv[1:]
    names_only = arguments[:1] == ["--names"]
    paths = arguments[1:] if names_only else arguments
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    if not paths:
        listed = subprocess.run(["git", "ls-files", "test", "tools", "bench", "Makefile"], capture_output=True,
                                text=True, check=True)
        paths = listed.stdout.split()
    called = called_in(paths)
    if names_only:
        for name in sorted(called):
            print(f"{called[name]}: {name}")
        return 0
    if not shutil.which("dpkg-query"):
        print("SKIPPED: programs and their packages: this machine has no dpkg")
        return 77
    expected, bad = expected_packages(), 0
    for name, place in sorted(called.items()):
        path = shutil.which(name, path="/usr/bin:/bin:/usr/sbin:/sbin") or shutil.which(name)
        package = owner(path) if path else None
        if name in ASKED_FOR or package in expected:
            continue
        bad = 1
        print(f"{place}: calls {name}, " + (f"of {package}, which tools/setup.sh does not install" if package else
              f"{path}, which no package has" if path else "which is not installed here"))
    return bad


sys.exit(main())
