#!/bin/sh
# tools/check_programs.py finds the programs that scripts call, and mistakes no other word for one.
scratch=$2
mkdir -p "$scratch"
. test/behaviour/expect.inc

cat >"$scratch/sample.sh" <<'SAMPLE'
#!/bin/sh
# not_a_comment; not_this
of_our_own() { first_one "$1" | second_one >not_a_file 2>&1; }
of_our_own not_an_argument
variable=not_a_value third_one && ! fourth_one || fifth_one
case $1 in
not_a_pattern | 'not this') sixth_one ;;
*) if seventh_one; then eighth_one; fi ;;
esac
text="not_a_word $(ninth_one "$(tenth_one)") ${none:-not_a_default}"
env VAR=1 timeout -s INT 5 eleventh_one; status 0 twelfth_one
trap 'thirteenth_one; exit' EXIT
for word in not_an_item; do sh -c 'fourteenth_one'; done
$((not_arithmetic + 1)) "$quoted" ./not_by_its_path
cat <<-TEXT
	not_in_a_document
	TEXT
python3 - "$1" <<'PYTHON'
import shutil, subprocess
def helper(command):
    return subprocess.run(command)
helper(["fifteenth_one", "not_a_word"])
helper([heddle, "not_a_command"])
words = ["unshare", "-rm", "sh", "-c", "sixteenth_one now"]
subprocess.Popen([*words, "true"])
names = ["not_a_program", "-x"]
shutil.which("seventeenth_one")
PYTHON
eighteenth_one
SAMPLE
status 0 python3 tools/check_programs.py --names "$scratch/sample.sh"
for n in first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth \
    fourteenth fifteenth sixteenth seventeenth eighteenth; do
    says ": ${n}_one"
done
lacks ": not"
lacks ": of_our_own"
lacks ": INT"
says "sample.sh:22: fifteenth_one"
says "sample.sh:29: eighteenth_one"

# A program that no fresh machine has is named with its place.
echo "no-such-program-anywhere" >"$scratch/call.sh"
if command -v dpkg-query >/dev/null; then
    status 1 python3 tools/check_programs.py "$scratch/call.sh"
    says "call.sh:1: calls no-such-program-anywhere, which is not installed here"
fi
finish
