#!/bin/sh
# A scheduler and a cache policy from shared objects run a whole workload and behave as their
# sources say.
heddle=$1
scratch=$2
plugins=$(dirname "$heddle")/test
rm -rf "$scratch"
mkdir -p "$scratch"
set -eu
run() {
    out=$1
    shift
    "$heddle" run bfs --size tiny --json "$@" >"$scratch/$out.json"
}
run gto
run youngest --plugin "$plugins/plugin_youngest.so" --scheduler youngest
run keep_all --plugin "$plugins/plugin_one_in_n.so" --l1d one_in_n --set l1d.policy.n=1
run keep_third --plugin "$plugins/plugin_one_in_n.so" --plugin "$plugins/plugin_youngest.so" \
    --l1d one_in_n --set l1d.policy.n=3
"$heddle" show policy one_in_n --plugin "$plugins/plugin_one_in_n.so" --set l1d.policy.n=9 --json \
    >"$scratch/show.json"

# Plug-ins can call Heddle's functions also if a program loads Heddle as a library, as an OpenCL
# loader does.
for plugin in one_in_n:--l1d youngest:--scheduler; do
    name=${plugin%:*}
    "$heddle" exec --plugin "$plugins/plugin_$name.so" "${plugin#*:}" "$name" --json "$scratch/exec_$name" -- \
        "$(dirname "$heddle")/examples/saxpy_opencl" >"$scratch/out" 2>&1 || { cat "$scratch/out" && exit 1; }
    grep -q "\"$name\"" "$scratch/exec_$name"
done

# A crash is reported with the name of the plug-in, and the program dies of the signal.
status=0
"$heddle" run bfs --size tiny --plugin "$plugins/plugin_one_in_n.so" --plugin "$plugins/plugin_crasher.so" \
    --scheduler crasher >"$scratch/out" 2>"$scratch/err" || status=$?
[ $status -eq 134 ]
grep -q "the plug-in $(realpath "$plugins")/plugin_crasher.so crashed: signal 6 (Aborted)" "$scratch/err"
address=$(sed -n 's/^  hint: addr2line .* \(0x[0-9a-f]*\) .*/\1/p' "$scratch/err")
addr2line -f -e "$plugins/plugin_crasher.so" "$address" | grep -q '^crasher_pick$'

# So is an answer that the contract forbids: which plug-in gave which.
breaks() {
    message=$1
    shift
    status=0
    "$heddle" run bfs --size tiny --plugin "$plugins/plugin_lawless.so" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    [ $status -eq 134 ] && grep -q "plugin_lawless.so: $message" "$scratch/err" ||
        { cat "$scratch/err" && echo "status $status, not: $message" && exit 1; }
}
breaks "'lawless_policy' chose way 99 of a set with ways 0 to 3" --l1d lawless_policy
breaks "'lawless_policy' chose way [0-3], which is reserved for data in flight" --l1d lawless_policy \
    --set l1d.policy.answer=reserved_way
breaks "'lawless_policy' bypassed, though its descriptor says never_bypasses" --l1d lawless_policy --set l1d.policy.answer=bypass
breaks "'lawless_scheduler' picked warp [0-9]* for issue slot [01], which cannot issue" --scheduler lawless_scheduler
grep -q '^  pick() must return -1 or one of the warps that can issue, here [0-9 ]*$' "$scratch/err"

# A plug-in that cannot be loaded is reported, and nothing runs.
for unfit in "$plugins/plugin_outdated.so" "$scratch/none.so" "$heddle"; do
    status=0
    "$heddle" run bfs --size tiny --plugin "$unfit" >"$scratch/out" 2>"$scratch/err" || status=$?
    [ $status -eq 2 ] || { echo "$unfit: status $status" && exit 1; }
    [ ! -s "$scratch/out" ]
    grep -q -e "--plugin $unfit: " "$scratch/err"
done

python3 - "$scratch" <<'PY'
import json, sys
def load(name):
    with open(f"{sys.argv[1]}/{name}.json") as f:
        return json.load(f)
def simulated(run):
    return {k: v for k, v in run["stats"].items() if not k.startswith(("host.", "l1d.policy."))}

gto, youngest, keep_all, keep_third = map(load, ["gto", "youngest", "keep_all", "keep_third"])
assert all(r["verified"] for r in (gto, youngest, keep_all, keep_third))
assert gto["scheduler"] == "gto" and youngest["scheduler"] == "youngest"
assert gto["l1d_policy"] == "lru" and keep_third["l1d_policy"] == "one_in_n"
assert keep_third["config"]["l1d.policy.n"] == 3

# Another order of warps takes another time for the same instructions.
assert youngest["stats"]["cycles"] != gto["stats"]["cycles"]
assert youngest["stats"]["warp_insts"] == gto["stats"]["warp_insts"]

# Keeping every miss is LRU, to the last counter.
assert simulated(keep_all) == simulated(gto)
assert keep_all["stats"]["l1d.policy.kept"] == gto["stats"]["l1d.misses"]
# Keeping one of three: two bypasses before each miss, and in each SM perhaps some more.
s = keep_third["stats"]
n_sms = keep_third["config"]["n_sms"]
assert 2 * s["l1d.misses"] <= s["l1d.bypasses"] <= 2 * s["l1d.misses"] + 2 * n_sms
assert s["l1d.misses"] > 0

show = load("show")
assert show["params"][0]["name"] == "l1d.policy.n" and show["params"][0]["value"] == "9"
assert show["cost_bits"] == {"total": 4, "parts": {"counter": 4}}  # distinguishes 9 values
PY
