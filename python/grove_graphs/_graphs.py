"""What people have as graphs, as columns of Arrow."""

from __future__ import annotations

import json
from itertools import chain, count, repeat
from operator import contains, itemgetter
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

import numpy as np

from . import _arrow


class Graph(NamedTuple):
    """One graph. A tuple ``(arcs, labels)`` or ``(arcs, labels, attributes)`` is taken for one too."""

    arcs: Any
    """Pairs of vertices, m x 2, counted from 0. Missing reverses are added unless the graph is directed."""
    labels: Any = None
    """A whole number or a word for each vertex, or None."""
    attributes: Any = None
    """Numbers, n x k, or None. NaN: missing."""
    arc_labels: Any = None
    """A whole number or a word for each arc, or None."""
    arc_weights: Any = None
    """A number for each arc, or None."""
    vertices: Optional[int] = None
    """The number of vertices n; needed where neither labels nor attributes tell it."""
    directed: bool = False


class Keys(NamedTuple):
    """Under which keys a NetworkX graph has what is known of its nodes and edges."""

    label: str = "label"
    attributes: str = "attributes"
    edge_label: str = "label"
    weight: str = "weight"


def from_networkx(graph: Any, keys: Keys = Keys()) -> Graph:
    """A NetworkX graph. Nodes are numbered in their order; what stands under the keys is taken: a label (a whole number
    or a word), attributes (a number or several), a weight. All nodes, or edges, have it or none."""
    parts = _Parts()
    parts.add(graph)
    tails = np.repeat(np.arange(len(parts.nodes), dtype=np.int32), parts.degrees)
    arcs = np.column_stack([tails, np.array(parts.heads, dtype=np.int32)])
    return Graph(
        arcs, _under(keys.label, parts.nodes), _under(keys.attributes, parts.nodes),
        _under(keys.edge_label, parts.edges), _under(keys.weight, parts.edges), len(parts.nodes), graph.is_directed(),
    )


class _Parts:
    """NetworkX graphs, one behind the other: the number of arcs that leave each node, where they lead (within the
    graph), and what is known of nodes and of these arcs. No graph takes work of numpy by itself."""

    def __init__(self) -> None:
        self.degrees: List[int] = []
        self.heads: List[int] = []
        self.nodes: List[Dict[str, Any]] = []
        self.edges: List[Dict[str, Any]] = []

    def add(self, graph: Any) -> None:
        if graph.is_multigraph():
            raise ValueError("a multigraph: make it a Graph or DiGraph first")
        rows = [neighbours for _, neighbours in graph.adjacency()]
        names = list(graph)
        if names == list(range(len(names))):
            self.heads.extend(chain.from_iterable(rows))
        else:
            self.heads.extend(map(dict(zip(names, count())).__getitem__, chain.from_iterable(rows)))
        self.degrees.extend(map(len, rows))
        self.edges.extend(chain.from_iterable([row.values() for row in rows]))
        self.nodes.extend([data for _, data in graph.nodes(data=True)])


def _under(key: str, data: List[Dict[str, Any]]) -> Optional[List[Any]]:
    """The values under a key; None where nobody has it."""
    try:
        return list(map(itemgetter(key), data)) or None
    except KeyError:
        pass
    if any(map(contains, data, repeat(key))):
        raise ValueError(f"some have {key!r} and others have not")
    return None


def from_pyg(data: Any) -> Graph:
    """A ``Data`` object of PyTorch Geometric, of which torch is not needed here: ``edge_index``, ``x`` as attributes,
    ``edge_attr`` as labels of arcs (whole numbers, or one of several columns marked by 1) or their weights (other
    numbers of one column), ``edge_weight``, ``num_nodes``."""
    arcs = np.asarray(data.edge_index).T
    x = getattr(data, "x", None)
    x = None if x is None else np.asarray(x, dtype=np.float64).reshape(int(data.num_nodes), -1)
    labels, weights = None, getattr(data, "edge_weight", None)
    about = getattr(data, "edge_attr", None)
    if about is not None:
        about = np.asarray(about)
        about = about.reshape(len(arcs), -1)
        if about.shape[1] > 1:
            if not (((about == 0) | (about == 1)).all() and (about.sum(axis=1) == 1).all()):
                raise ValueError("edge_attr has several columns that are no classes: give a label or a weight of each")
            labels = about.argmax(axis=1)
        elif about.dtype.kind in "iub":
            labels = about[:, 0]
        elif weights is None:
            weights = about[:, 0]
    weights = None if weights is None else np.asarray(weights, dtype=np.float64).reshape(-1)
    return Graph(arcs, None, x, labels, weights, int(data.num_nodes))


def from_grakel(item: Sequence[Any]) -> Graph:
    """What GraKeL takes for a graph: ``[edges, labels, labels of edges]``, where edges are pairs, a dictionary of
    neighbours or of weights of pairs, or an adjacency matrix; and labels a dictionary, of vertices or pairs."""
    edges, labels, edge_labels = (list(item) + [None, None])[:3]
    if isinstance(edges, dict) and edges and not isinstance(next(iter(edges)), tuple):
        edges = [(u, v) for u, nbrs in edges.items() for v in nbrs]
    elif not isinstance(edges, (dict, set, frozenset)) and _is_matrix(edges):
        matrix = np.asarray(edges)
        edges = [(int(u), int(v)) for u, v in zip(*np.nonzero(matrix))]
        labels = labels or None
        vertices: Iterable[Any] = range(len(matrix))
        return _numbered(edges, labels, edge_labels, vertices)
    weights = dict(edges) if isinstance(edges, dict) else None
    pairs = list(edges)
    vertices = labels if labels else dict.fromkeys(chain.from_iterable(pairs))
    graph = _numbered(pairs, labels, edge_labels, vertices)
    if weights and any(w != 1 for w in weights.values()):
        graph = graph._replace(arc_weights=np.array(list(weights.values()), dtype=np.float64))
    return graph


def _is_matrix(edges: Any) -> bool:
    shape = np.shape(edges)
    return len(shape) == 2 and shape[0] == shape[1] and (shape[0] != 2 or bool(np.isin(edges, (0, 1)).all()))


def _numbered(pairs: List[Tuple[Any, Any]], labels: Any, edge_labels: Any, vertices: Iterable[Any]) -> Graph:
    """The graph of pairs of named vertices."""
    names = list(vertices)
    number = dict(zip(names, count()))
    arcs = np.array([(number[u], number[v]) for u, v in pairs], dtype=np.int32).reshape(-1, 2)
    of_edges = None
    if edge_labels:
        of_edges = [edge_labels[p] if p in edge_labels else edge_labels[p[::-1]] for p in pairs]
    return Graph(arcs, [labels[v] for v in names] if labels else None, None, of_edges, None, len(names))


def as_graph(item: Any, keys: Keys = Keys()) -> Graph:
    """Any of the forms of a graph."""
    if isinstance(item, Graph):
        return item
    if hasattr(item, "adjacency") and hasattr(item, "is_directed"):
        return from_networkx(item, keys)
    if hasattr(item, "edge_index"):
        return from_pyg(item)
    if isinstance(item, (list, tuple)) and item:
        if isinstance(item[0], (dict, set, frozenset)) or any(isinstance(part, dict) for part in item[1:3]):
            return from_grakel(item)
        if len(item) <= 3:
            return Graph(*item)
    raise ValueError(f"{type(item).__name__} is no graph: want NetworkX graphs, Data of PyTorch Geometric, what GraKeL "
                     "takes, tuples (arcs, labels[, attributes]), SMILES, or a path as X")


class Columns(NamedTuple):
    """Graphs as columns with what is known of the schema."""

    columns: Dict[str, _arrow.Column]
    head: Dict[str, Any]
    rows: int

    def stream(self) -> Iterable[Any]:
        """The bytes of a stream of Arrow IPC."""
        return _arrow.stream(self.columns, {"grove": json.dumps(self.head)})


def columns_of(items: Any) -> Columns:
    """The columns of graphs, or of SMILES."""
    items = list(items)
    if not items:
        raise ValueError("X has no graphs")
    if all(isinstance(item, str) for item in items):
        return Columns({"smiles": _arrow.Words.of(items)}, {}, len(items))
    if all(hasattr(item, "adjacency") and hasattr(item, "is_directed") for item in items):
        return _columns_of_networkx(items, Keys())
    graphs = [_located(i, item) for i, item in enumerate(items)]
    arcs = [_pairs(i, g) for i, g in enumerate(graphs)]
    vertices = np.fromiter((_vertices(i, g, a) for i, (g, a) in enumerate(zip(graphs, arcs))), np.int64, len(graphs))
    of_arcs = _arrow.offsets_of(np.fromiter(map(len, arcs), np.int64, len(arcs)))
    ends = np.concatenate(arcs)
    columns = _ends(vertices, of_arcs, ends[:, 0], ends[:, 1])
    of_vertices = _arrow.offsets_of(vertices)
    _add(columns, "labels", of_vertices, graphs, "labels", _codes)
    _add(columns, "arc_labels", of_arcs, graphs, "arc_labels", _codes)
    _add(columns, "arc_weights", of_arcs, graphs, "arc_weights", _numbers)
    if any(g.attributes is not None for g in graphs):
        columns["attributes"] = _arrow.Lists(of_vertices, _matrix(graphs, vertices))
    return Columns(columns, {"directed": _direction({g.directed for g in graphs})}, len(graphs))


def _ends(vertices: np.ndarray, of_arcs: np.ndarray, tails: np.ndarray, heads: np.ndarray) -> Dict[str, _arrow.Column]:
    """The columns that all graphs have."""
    return {"vertices": vertices.astype(np.int32)} | {
        name: _arrow.Lists(of_arcs, _small(end))
        for name, end in (("from", tails), ("to", heads))}


def _direction(directed: Set[bool]) -> bool:
    if len(directed) > 1:
        raise ValueError("some graphs are directed and others are not: want one of the two")
    return directed.pop()


def _columns_of_networkx(graphs: List[Any], keys: Keys) -> Columns:
    """The columns of NetworkX graphs."""
    parts = _Parts()
    ends = []  # of the vertices and arcs of each graph
    for i, graph in enumerate(graphs):
        try:
            parts.add(graph)
        except ValueError as error:
            raise ValueError(f"graph {i} of X: {error}") from error
        ends.append((len(parts.nodes), len(parts.heads)))
    vertices, arcs = np.diff(np.array(ends), axis=0, prepend=0).T
    of_vertices, of_arcs = _arrow.offsets_of(vertices), _arrow.offsets_of(arcs)
    own = np.arange(len(parts.nodes), dtype=np.int32) - np.repeat(of_vertices[:-1], vertices)
    columns = _ends(vertices, of_arcs, np.repeat(own, parts.degrees), np.array(parts.heads, np.int32))
    nodes, edges = parts.nodes, parts.edges
    for name, key, data, offsets, make in (
        ("labels", keys.label, nodes, of_vertices, _codes), ("arc_labels", keys.edge_label, edges, of_arcs, _codes),
        ("arc_weights", keys.weight, edges, of_arcs, _numbers),
        ("attributes", keys.attributes, nodes, of_vertices, _rows),
    ):
        try:
            values = _under(key, data)
        except ValueError as error:
            raise ValueError(f"{'nodes' if data is nodes else 'edges'} of X: {error}") from error
        if values is not None:
            columns[name] = _arrow.Lists(offsets, make([values]))
    return Columns(columns, {"directed": _direction({g.is_directed() for g in graphs})}, len(graphs))


def _rows(values: List[Any]) -> _arrow.Lists:
    """The attributes of vertices, a list for each."""
    try:
        matrix = np.asarray(values[0], dtype=np.float64)
    except ValueError as error:
        raise ValueError("attributes of nodes of X: want as many numbers for each node") from error
    matrix = matrix.reshape(len(matrix), -1)
    return _arrow.Lists(_arrow.offsets_of(np.full(len(matrix), matrix.shape[1])), matrix.reshape(-1))


def _located(i: int, item: Any) -> Graph:
    try:
        return as_graph(item)
    except (ValueError, TypeError, KeyError, IndexError) as error:
        raise ValueError(f"graph {i} of X: {error}") from error


def _pairs(i: int, graph: Graph) -> np.ndarray:
    """The arcs as an array, m x 2."""
    arcs = np.asarray(graph.arcs)
    if arcs.size == 0:
        return np.empty((0, 2), np.int32)
    if arcs.ndim != 2 or arcs.shape[1] != 2 or arcs.dtype.kind not in "iu":
        raise ValueError(f"graph {i} of X: arcs of shape {arcs.shape} and type {arcs.dtype}, want m x 2 whole numbers")
    return arcs


def _vertices(i: int, graph: Graph, arcs: np.ndarray) -> int:
    for known in (graph.labels, graph.attributes):
        if known is not None:
            return len(known)
    if graph.vertices is not None:
        return int(graph.vertices)
    return int(arcs.max()) + 1 if len(arcs) else 0


def _add(
    columns: Dict[str, _arrow.Column], name: str, offsets: np.ndarray, graphs: List[Graph], field: str,
    make: Callable[[List[Any]], _arrow.Column],
) -> None:
    """Adds a column of lists of what all graphs have; none where no graph has it."""
    values = [getattr(g, field) for g in graphs]
    missing = next((i for i, v in enumerate(values) if v is None), None)
    if missing is None:
        sizes = np.fromiter(map(len, values), np.int64, len(values))
        columns[name] = _arrow.Lists(_arrow.offsets_of(sizes), make(values))
        return
    empty = np.diff(offsets) == 0
    if any(v is not None for v in values):
        if not all(v is not None or empty[i] for i, v in enumerate(values)):
            raise ValueError(f"graph {missing} of X has no {field.replace('_', ' ')}, others have")
        columns[name] = _arrow.Lists(offsets, make([[] if v is None else v for v in values]))


def _codes(values: List[Any]) -> _arrow.Column:
    """Whole numbers, or words where one of all values is no whole number."""
    if all(isinstance(v, np.ndarray) for v in values):
        flat = np.concatenate(values)
        if flat.dtype.kind in "iub" or not flat.size:
            return _small(flat.astype(np.int64))
        codes = flat.tolist()
    else:
        codes = list(chain.from_iterable(v.tolist() if isinstance(v, np.ndarray) else v for v in values))
    if set(map(type, codes)) <= {int, bool, np.int64, np.int32}:
        return _small(np.fromiter(codes, np.int64, len(codes)))
    return _arrow.Words.of([c if isinstance(c, str) else str(c) for c in codes])


def _small(values: np.ndarray) -> np.ndarray:
    """The same whole numbers in as few bytes as hold all of them: they go through a pipe."""
    for kind in (np.int8, np.int16, np.int32):
        if not values.size or np.iinfo(kind).min <= values.min() and values.max() <= np.iinfo(kind).max:
            return np.ascontiguousarray(values, dtype=kind)
    return np.ascontiguousarray(values, dtype=np.int64)


def _numbers(values: List[Any]) -> _arrow.Column:
    return np.concatenate([np.asarray(v, dtype=np.float64).reshape(-1) for v in values])


def _matrix(graphs: List[Graph], vertices: np.ndarray) -> _arrow.Lists:
    """The attributes of all vertices, a list for each."""
    rows = []
    for i, g in enumerate(graphs):
        if g.attributes is None:
            if vertices[i]:
                raise ValueError(f"graph {i} of X has no attributes, others have")
            continue
        values = np.asarray(g.attributes, dtype=np.float64)
        if len(values):
            rows.append((i, values.reshape(len(values), -1)))
    width = rows[0][1].shape[1] if rows else 0
    for i, r in rows:
        if r.shape[1] != width:
            raise ValueError(f"graph {i} of X has {r.shape[1]} attributes of a vertex, others {width}")
    values = np.concatenate([r for _, r in rows] or [np.empty((0, width))])
    return _arrow.Lists(_arrow.offsets_of(np.full(len(values), width)), values.reshape(-1))
