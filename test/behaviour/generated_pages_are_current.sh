#!/bin/sh
# The generated pages in doc/ are what their programs write today. The program and tools/prose.py
# wrap prose alike.
heddle=$1
failed=0
current() {
    page=$1
    shift
    "$@" | diff "$page" - || {
        echo "$page has drifted: run '$* >$page'"
        failed=1
    }
    python3 -c 'import sys; sys.path.insert(0, "tools"); import prose; page = open(sys.argv[1]).read()
sys.exit(prose.wrap(page) != page)' "$page" || {
        echo "$page is wrapped otherwise than tools/prose.py wraps pages"
        failed=1
    }
}
current doc/workloads.md "$heddle" show workloads --markdown
current doc/statistics.md "$heddle" show stats --markdown
current doc/glossary.md "$heddle" show terms --markdown
current doc/model.md python3 tools/collect_model.py
exit $failed
