#!/bin/sh
# Ctrl-C in the middle of a timed run ends it at once, as the shell expects, with no file left.
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
PY
