#!/bin/sh
# The script of doc/scale-out.md that runs points with GNU parallel gives the results of a sweep. A
# point whose worker failed is listed again.
heddle=$(realpath "$1")
scratch=$2
page=$(realpath doc/scale-out.md)
rm -rf "$scratch"
mkdir -p "$scratch/bin"
cd "$scratch" || exit 1
command -v parallel >/dev/null || {
    echo "SKIPPED: sweeps with GNU parallel: parallel is not installed"
    exit 77
}
set -eu
ln -s "$heddle" bin/heddle
export PATH="$PWD/bin:$PATH" PARALLEL_HOME="$PWD"
sed -n '/^```sh file=with_parallel.sh$/,/^```$/p' "$page" | sed '1d;$d' >with_parallel.sh
[ "$(wc -l <with_parallel.sh)" -ge 5 ]
cat >experiment.yaml <<'YAML'
workloads: [ss, bp]
size: tiny
schedulers: [lrr, gto]
YAML
rows() {
    heddle query --csv --store "$1" "SELECT key, name, value FROM stats s JOIN run r ON r.id = s.run
        WHERE name NOT LIKE 'host.%' ORDER BY 1, 2"
}
# One point is already stored; it is not listed.
id=$(heddle sweep experiment.yaml --list-points | tail -1 | cut -f 1)
heddle sweep experiment.yaml --quiet --store results.db --run-point "$id"
sh -e with_parallel.sh >out
[ "$(wc -l <points.txt)" -eq 3 ]
[ "$(grep -c '1 result taken, 0 already there' out)" -eq 3 ]
heddle sweep experiment.yaml --quiet --store here.db
rows here.db >here.csv
rows results.db >there.csv
cmp here.csv there.csv
[ "$(heddle sweep experiment.yaml --store results.db --list-points | wc -l)" -eq 0 ]

# An id from another file is not a point of this one; ids are not abbreviated.
for wrong in 0123456789abcdef "$(echo "$id" | cut -c 1-8)"; do
    status=0
    heddle sweep experiment.yaml --run-point "$wrong" --store x.db 2>err || status=$?
    [ $status -eq 2 ]
    grep -q "has no such point" err
    [ ! -e x.db ]
done
# A file that is not a store is not merged, nor is a store into itself.
echo text >text.db
for from in text.db here.db none.db; do
    status=0
    heddle store merge here.db $from 2>err >out || status=$?
    [ $status -eq 2 ]
done
