"""A store as data frames."""
import io
import os

import pandas

from .run import HeddleError, call

# What distinguishes two runs besides their machine's settings.
COORDINATES = ["workload", "size", "seed", "gpu", "scheduler", "l1d", "l2", "atomics", "criticality", "settings"]
TYPES = {"int64": "Int64", "double": "float64", "bool": "boolean", "string": "string"}


class Store:
    """The results of one SQLite file. Every method reads it, so results of a running sweep appear."""

    def __init__(self, path, all_models=False):
        self.path = os.fspath(path)
        self.all_models = all_models

    def __repr__(self):
        return f"heddle.open({self.path!r})"

    def table(self, name):
        """A table of `heddle export`: results, wide, stats, parameters, inputs, kernels, kernel_stats, series, per_pc."""
        import json
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            schema = os.path.join(folder, "schema.json")
            words = ["--all-models"] if self.all_models else []
            text = call("export", "--store", self.path, "--table", name, "--typed", "--schema", schema, *words)
            with open(schema) as file:
                columns = json.load(file)
        times = [c["name"] for c in columns if c["type"] == "timestamp"]
        types = {c["name"]: TYPES[c["type"]] for c in columns if c["type"] in TYPES}
        frame = pandas.read_csv(io.StringIO(text), dtype=types, parse_dates=times, keep_default_na=False, na_values=[""],
                                true_values=["true"], false_values=["false"], float_precision="round_trip")
        if "settings" in frame:  # an empty text, which pandas takes for a missing one
            frame["settings"] = frame["settings"].fillna("")
        return frame

    def query(self, sql):
        """The answer of `heddle query`."""
        words = ["--all-models"] if self.all_models else []
        return pandas.read_json(io.StringIO(call("query", "--store", self.path, "--json", sql, *words)), orient="records")

    def results(self, wide=False):
        """One row per finished run: coordinates, inputs and the main statistics, or with `wide` all of them."""
        frame = self.table("wide" if wide else "results")
        return frame[frame["state"] == "done"].set_index("id")

    def failures(self):
        """One row per failed run."""
        frame = self.table("results")
        return frame[frame["state"] == "failed"].set_index("id")

    def kernels(self):
        """One row per kernel of a run, with the main statistics."""
        return self.table("kernels")

    def statistics(self, kernels=False):
        """One row per statistic of a run, or of a kernel."""
        return self.table("kernel_stats" if kernels else "stats")

    def series(self, run):
        """The time series of a run, a column a statistic, by cycle."""
        frame = self.table("series")
        frame = frame[frame["run"] == run]
        if frame.empty:
            raise HeddleError(f"run {run} of {self.path} has no time series; `series: 10000` in an experiment records them")
        return frame.pivot(index="cycle", columns="name", values="value")

    def speedup(self, over, baseline, where=None):
        """Of every run its speed-up in cycles over the run with `baseline` in the column `over` that agrees in all other
        coordinates. `where` are conditions: {"l1d": "lru"}."""
        frame = self.results()
        for name, value in (where or {}).items():
            frame = frame[frame[name] == value]
        same = [c for c in COORDINATES if c != over]
        base = frame[frame[over] == baseline][same + ["cycles"]].rename(columns={"cycles": "baseline_cycles"})
        if base.duplicated(same).any():
            raise HeddleError(f"several runs with {over} = {baseline} agree in {', '.join(same)}")
        found = frame.reset_index().merge(base, on=same).set_index("id").sort_index()
        found["speedup"] = found["baseline_cycles"].astype(float) / found["cycles"].astype(float)
        return found[COORDINATES + ["cycles", "baseline_cycles", "speedup"]]

    def plot_speedup(self, over, baseline, where=None, ax=None):
        """Bars of the speed-up by workload, the mean over seeds; returns the axes."""
        import matplotlib.pyplot as pyplot
        found = self.speedup(over, baseline, where)
        found = found[found[over] != baseline]
        bars = found.pivot_table(index="workload", columns=over, values="speedup", aggfunc="mean")
        ax = bars.plot.bar(ax=ax or pyplot.figure().gca(), rot=0)
        ax.axhline(1, color="black", linewidth=0.8)
        ax.set_ylabel(f"speed-up over {baseline}")
        return ax

    def plot_series(self, run, *columns, ax=None):
        """Curves of statistics over time; returns the axes."""
        import matplotlib.pyplot as pyplot
        frame = self.series(run)
        ax = frame[list(columns)].plot(ax=ax or pyplot.figure().gca())
        ax.set_xlabel("core cycles")
        return ax
