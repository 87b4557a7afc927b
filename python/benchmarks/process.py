"""What the process costs: how much longer an estimator takes than the command alone, from the same file.

    PYTHONPATH=build/python/site python3 python/benchmarks/process.py

The command that applies a model to a file in Arrow IPC is timed beside predict with NetworkX graphs and with arrays, in
turn, with sets of two sizes. The difference is a constant and a part for each vertex: the line through both is printed,
of the medians of several pairs. Time on the clock is what a user waits, time of processors is the same on a machine
that others use too.
"""

import os
import subprocess
import tempfile
import time
from pathlib import Path

import networkx as nx
import numpy as np

from grove_graphs import GroveClassifier, _process, load

PAIRS = 7


def as_networkx(g):
    graph = nx.Graph()
    graph.add_nodes_from((v, {"label": int(label)}) for v, label in enumerate(g.labels))
    graph.add_edges_from((int(u), int(v), {"label": int(b)}) for (u, v), b in zip(g.arcs, g.arc_labels))
    return graph


def seconds(run):
    """Time on the clock, and of processors in this process and those that it started."""
    clock, used = time.perf_counter(), sum(os.times()[:4])
    run()
    return np.array([time.perf_counter() - clock, sum(os.times()[:4]) - used])


def main():
    with tempfile.TemporaryDirectory() as folder:
        points = {}
        for graphs in (200, 20000):
            data = Path(folder, f"set{graphs}")
            _process.run(["data", "synth", "molecules", f"--graphs={graphs}", f"--out={data}"])
            _process.run(["data", "convert", str(data), "--to=arrow", f"--out={data}-arrow"])
            X, y = load(data)
            model = GroveClassifier("majority").fit(X[:200], y[:200])
            file = Path(folder, "model.grove")
            model.save(file)
            alone = [_process.binary(), "predict", f"--model={file}", f"--data={data}-arrow", f"--out={folder}/p.arrow"]
            vertices = sum(g.vertices for g in X)
            for name, given in (("NetworkX", [as_networkx(g) for g in X]), ("arrays", X)):
                extra = []
                for _ in range(PAIRS):
                    command = seconds(lambda: subprocess.run(alone, check=True, stdout=subprocess.DEVNULL))
                    extra.append(seconds(lambda: model.predict(given)) - command)
                points.setdefault(name, []).append((vertices, np.median(extra, axis=0)))
        # A command that does next to nothing shows what a process costs at all.
        version = [_process.binary(), "--version"]
        starts = [seconds(lambda: subprocess.run(version, stdout=subprocess.DEVNULL)) for _ in range(PAIRS)]
        start = np.median(starts, axis=0)
        for k, of in enumerate(("on the clock", "of processors")):
            print(f"time {of}: the command starts and ends in {start[k]:.3f} s")
            for name, ((few, short), (many, long)) in points.items():
                each = (long[k] - short[k]) / (many - few)
                print(f"  {name}: {short[k] - each * few + start[k]:.3f} s with the start of the command, "
                      f"and {1e6 * each:.2f} microseconds a vertex")


if __name__ == "__main__":
    main()
