"""Results of the GPU simulator Heddle as pandas data frames.

    import heddle

    heddle.sweep("schedulers.yaml", store="results.db")
    store = heddle.open("results.db")
    store.results()                        # one row per run
    store.speedup("scheduler", "lrr")      # of every run over the run that differs only in the scheduler
    store.plot_speedup("scheduler", "lrr")

The program is found as $HEDDLE, or `heddle` in the PATH."""
from .run import HeddleError, program, run, sweep
from .store import Store

__all__ = ["HeddleError", "Store", "open", "program", "run", "sweep"]


def open(path, all_models=False):
    """The store at `path`; with results of other versions of the model if `all_models` is true."""
    return Store(path, all_models)
