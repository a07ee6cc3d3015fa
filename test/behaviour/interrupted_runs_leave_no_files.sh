#!/bin/sh
# Ctrl-C during a timed run ends it with partial results: statistics, and files about time, but no
# recording. A second one, or SIGTERM, ends it at once and leaves no file. So does the first one
# during compilation, where it also reaches the compiler, even if a library has started threads.
heddle=$1
scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1
# Some BLAS libraries start threads when they are loaded.
cat >threads.c <<'C'
#include <pthread.h>
#include <unistd.h>
static void *idle(void *unused)
{
    for (;;)
        pause();
    return unused;
}
__attribute__((constructor)) static void start(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, idle, NULL);
}
C
cc -shared -fPIC threads.c -o ../threads.so -pthread && rm threads.c || exit 1
python3 - "$heddle" <<'PY'
import json, os, signal, subprocess, sys, time
for number in (signal.SIGINT, signal.SIGTERM):
    run = subprocess.Popen([sys.argv[1], "run", "bfs", "--json", "--engine", "cycle", "--attribute",
                            "--series", "1000", "--series-out", "a.csv", "--record-l1d", "a.zst"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    deadline = time.time() + 60
    while time.time() < deadline and not any(os.path.getsize(f) > 20000 for f in os.listdir(".")):
        assert run.poll() is None, "it was over before it began to write"
        time.sleep(0.02)
    assert len(os.listdir(".")) == 2, os.listdir(".")
    run.send_signal(number)
    out, err = run.communicate(timeout=10)
    assert run.returncode == -number, run.returncode  # 128 + number in a shell
    if number == signal.SIGTERM:
        assert os.listdir(".") == [] and not out, (os.listdir("."), out)
        assert err == "heddle: interrupted: there is no result\n", err
        continue
    assert "finishing with the results so far" in err and "a.zst is not written" in err, err
    assert os.listdir(".") == ["a.csv"], os.listdir(".")
    partial = json.loads(out)
    stats = partial["stats"]
    assert partial["partial"] is True and partial["status"] == 5, partial["status"]
    rows = open("a.csv").read().split()
    assert int(rows[-1].split(",")[0]) == stats["elapsed_cycles"], rows[-1]
    # the same as with a limit at that cycle, if it was in the first launch
    if partial["launches"] == 1 or stats["launches"] == 1:
        limit = subprocess.run([sys.argv[1], "run", "bfs", "--json", "--attribute", "--max-cycles",
                                str(stats["cycles"])], capture_output=True, text=True)
        at_limit = json.loads(limit.stdout)["stats"]
        assert limit.returncode == 3, limit.stderr
        moved = [k for k in stats if stats[k] != at_limit[k] and not k.startswith("host.")]
        assert not moved, moved
    assert stats["attribution.exec"] == stats["sm.issued"] > 0
    os.remove("a.csv")

# A compiler that reports its start, then waits to be killed.
os.mkdir("tmp")
with open("clang", "w") as f:
    f.write('#!/bin/sh\ntouch "$STARTED"\nexec sleep 60\n')
os.chmod("clang", 0o755)
with open("k.cl", "w") as f:
    f.write("kernel void k(global int *p) { *p = %d; }" % os.getpid())
for number in (signal.SIGINT, signal.SIGTERM):
    env = dict(os.environ, TMPDIR=os.path.abspath("tmp"), STARTED=os.path.abspath("started"),
               HEDDLE_CLANG=os.path.abspath("clang"))
    if os.environ.get("HEDDLE_SANITIZED") != "1":  # a sanitizer wants to be loaded first
        env["LD_PRELOAD"] = os.path.abspath("../threads.so")
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
