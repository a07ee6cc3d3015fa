#!/bin/sh
# Ctrl-C in the middle of a timed run ends it at once, as the shell expects, with no file left; in the
# middle of compiling too, where it reaches the compiler as well.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1
python3 - "$heddle" <<'PY'
import os, signal, subprocess, sys, time
for number in (signal.SIGINT, signal.SIGTERM):
    run = subprocess.Popen([sys.argv[1], "run", "bfs", "--quiet", "--engine", "cycle",
                            "--series", "1000", "--series-out", "a.csv", "--record-l1d", "a.zst"],
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    deadline = time.time() + 60
    while time.time() < deadline and not any(os.path.getsize(f) > 200 for f in os.listdir(".")):
        assert run.poll() is None, "it was over before it began to write"
        time.sleep(0.02)
    assert len(os.listdir(".")) == 2, os.listdir(".")
    run.send_signal(number)
    assert run.wait(10) == -number  # 128 + number in a shell
    assert os.listdir(".") == [], os.listdir(".")

# A compiler that says it is there, then waits to be ended.
os.mkdir("tmp")
with open("clang", "w") as f:
    f.write('#!/bin/sh\ntouch "$STARTED"\nexec sleep 60\n')
os.chmod("clang", 0o755)
with open("k.cl", "w") as f:
    f.write("kernel void k(global int *p) { *p = %d; }" % os.getpid())
for number in (signal.SIGINT, signal.SIGTERM):
    env = dict(os.environ, TMPDIR=os.path.abspath("tmp"), STARTED=os.path.abspath("started"),
               HEDDLE_CLANG=os.path.abspath("clang"))
    run = subprocess.Popen([sys.argv[1], "run", "k.cl", "--arg", "buf:4"], env=env,
                           start_new_session=True, stderr=subprocess.DEVNULL)
    deadline = time.time() + 60
    while time.time() < deadline and not os.path.exists("started"):
        assert run.poll() is None, "it did not wait for the compiler"
        time.sleep(0.02)
    assert len(os.listdir("tmp")) == 1, os.listdir("tmp")
    os.killpg(run.pid, number)
    assert run.wait(20) == -number
    assert os.listdir("tmp") == [], os.listdir("tmp")
    os.remove("started")
PY
