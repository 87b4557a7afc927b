"""Data sets of any format that the command reads."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import List, Tuple, Union

import numpy as np

from . import _arrow, _process
from ._graphs import Graph


def load(path: Union[str, os.PathLike]) -> Tuple[List[Graph], np.ndarray]:
    """The graphs of a data set and the class of each, or its target where there is one."""
    with tempfile.TemporaryDirectory(prefix="grove-") as folder:
        out = Path(folder, "set")
        report = _process.run(["data", "convert", os.fspath(path), "--to=arrow", f"--out={out}"])
        table = _arrow.read(out / "set.arrow")
    known = [name for name in table if name == "class" or name.startswith("target ")]
    if not known:
        raise ValueError(f"{os.fspath(path)}: there are no classes or targets")
    y = table[known[0]]
    fields = {"labels": "labels", "attributes": "attributes", "arc_labels": "arc_labels", "arc_weights": "arc_weights"}
    lists = {field: table[column] for field, column in fields.items() if column in table}
    arcs = [np.column_stack(ends) for ends in zip(table["from"], table["to"])]
    graphs = []
    for i, vertices in enumerate(table["vertices"].tolist()):
        known_of = {field: values[i] for field, values in lists.items()}
        graphs.append(Graph(arcs[i], vertices=vertices, directed=report["directed"], **known_of))
    return graphs, y
