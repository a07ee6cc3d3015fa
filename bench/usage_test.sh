#!/bin/sh
# usage_test.sh FOLDER
#
# Every script of the folder prints its usage when called without arguments.
. "$(dirname "$0")/usage.inc"
needs 1 "$@"
failed=0
for script in "$1"/*.sh; do
    name=${script##*/}
    said=$(sh "$script" 2>&1)
    status=$?
    case $status:$said in
    "2:usage: sh bench/$name "*) ;;
    *)
        echo "$name: status $status, says '$said'"
        failed=1
        ;;
    esac
done
exit $failed
