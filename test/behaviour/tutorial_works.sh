#!/bin/sh
# Typing the commands of doc/tutorial.md gives the output on the page: Heddle installed, a new
# policy compiled, tested, swept and compared, and its results on a page and in a picture.
heddle=$(realpath "$1")
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
set -eu
python3 tools/run_page.py doc/tutorial.md "$heddle" "$scratch"
[ "$(readlink -f "$scratch/.local/bin/heddle")" != "$heddle" ]
grep -q 'l1d.policy.rises' "$scratch/thrifty.html"
grep -q 'A thrifty cache' "$scratch/thrifty.html"
grep -q 'thrifty' "$scratch/thrifty.svg"
