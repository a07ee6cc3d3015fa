#!/bin/sh
# The generated pages in doc/ are what their programs write today.
heddle=$1
failed=0
current() {
    page=$1
    shift
    "$@" | diff "$page" - || {
        echo "$page has drifted: run '$* >$page'"
        failed=1
    }
}
current doc/workloads.md "$heddle" show workloads --markdown
current doc/statistics.md "$heddle" show stats --markdown
current doc/glossary.md "$heddle" show terms --markdown
current doc/model.md python3 tools/collect_model.py
exit $failed
