#!/bin/sh
# doc/commands.md is what `heddle help --markdown` writes today.
"$1" help --markdown | diff - doc/commands.md || {
    echo "doc/commands.md has drifted: run '$1 help --markdown >doc/commands.md'"
    exit 1
}
