"""Running Heddle."""
import json
import os
import shutil
import subprocess


class HeddleError(RuntimeError):
    """Heddle failed; the text is its message."""


def program():
    """The path of the program: $HEDDLE, or `heddle` in the PATH."""
    found = os.environ.get("HEDDLE") or shutil.which("heddle")
    if not found:
        raise HeddleError("the program `heddle` is not in the PATH; set HEDDLE to its path")
    return found


def call(*words, statuses=(0,)):
    """The output of Heddle; raises its error as an exception."""
    done = subprocess.run([program(), *map(str, words)], capture_output=True, text=True)
    if done.returncode not in statuses:
        raise HeddleError(done.stderr.strip() or f"heddle {words[0]}: exit status {done.returncode}")
    return done.stdout


def machine_options(gpu, scheduler, l1d, settings, plugins):
    words = []
    for name, value in (("--gpu", gpu), ("--scheduler", scheduler), ("--l1d", l1d)):
        if value is not None:
            words += [name, value]
    for name, value in (settings or {}).items():
        words += ["--set", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
    for path in plugins or ():
        words += ["--plugin", path]
    return words


def run(workload, size="small", seed=1, gpu=None, scheduler=None, l1d=None, settings=None, plugins=None):
    """Runs a workload, and returns the document of `heddle run --json`: `result["stats"]["cycles"]`. `settings` are
    parameters of the GPU: {"l1d.n_ways": 8}. Nothing is stored."""
    words = machine_options(gpu, scheduler, l1d, settings, plugins)
    return json.loads(call("run", workload, "--json", "--size", size, "--seed", seed, *words))


def sweep(experiment, store, jobs=None, retry=False, on=None, traces=None):
    """Runs the points of an experiment, a file or a dictionary of its keys, that `store` does not have. Returns the
    store. Failed points are rows with the state `failed`."""
    import tempfile

    from .store import Store
    words = []
    for name, value in (("--jobs", jobs), ("--on", on), ("--traces", traces)):
        if value is not None:
            words += [name, value]
    if retry:
        words.append("--retry")
    if not isinstance(experiment, dict):
        call("sweep", experiment, "--store", store, *words, statuses=(0, 1))
        return Store(store)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "experiment.yaml")
        with open(path, "w") as file:
            json.dump(experiment, file)  # which is YAML too
        call("sweep", path, "--store", store, *words, statuses=(0, 1))
    return Store(store)
