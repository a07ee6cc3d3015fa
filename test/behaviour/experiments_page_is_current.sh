#!/bin/sh
# Every command on doc/experiments.md does what the page says.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
exec python3 tools/run_page.py doc/experiments.md "$heddle" "$scratch"
