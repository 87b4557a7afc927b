"""Every form of a graph, and Arrow without a library."""

import json
import subprocess
import tempfile
import types
import unittest
from pathlib import Path

import networkx as nx
import numpy as np

from grove_graphs import Graph, GroveError, Keys, _arrow, _process, from_networkx, load
from grove_graphs._graphs import as_graph, columns_of


def through(items):
    """What the command reads of graphs, as it writes it again."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "set")
        _process.run(["data", "convert", "-", "--to=arrow", f"--out={out}"], columns_of(items).stream())
        return _arrow.read(out / "set.arrow")


def lists(column):
    return [np.asarray(values).tolist() for values in column]


TRIANGLE = [(0, 1), (1, 2), (2, 0), (2, 3)]
WANT_FROM, WANT_TO = [0, 0, 1, 1, 2, 2, 2, 3], [1, 2, 0, 2, 0, 1, 3, 2]
LABELS, BONDS = ["C", "N", "C", "O"], {(0, 1): 1, (1, 2): 2, (2, 0): 1, (2, 3): 3}
WANT_BONDS = [1, 1, 1, 2, 1, 2, 3, 3]


def as_networkx():
    graph = nx.Graph()
    for v, label in zip("abcd", LABELS):
        graph.add_node(v, label=label)
    for (u, v), bond in BONDS.items():
        graph.add_edge("abcd"[u], "abcd"[v], label=bond)
    return graph


class Forms(unittest.TestCase):
    def test_all_forms_are_the_same_graph(self):
        bonds = [BONDS[pair] for pair in TRIANGLE]
        matrix = np.zeros((4, 4), int)
        for u, v in TRIANGLE:
            matrix[u, v] = matrix[v, u] = 1
        both = {**BONDS, **{(v, u): b for (u, v), b in BONDS.items()}}
        names = dict(enumerate(LABELS))
        neighbours = {u: [v for v in range(4) if matrix[u, v]] for u in range(4)}
        for name, form in {
            "NetworkX": as_networkx(),
            "Graph": Graph(TRIANGLE, LABELS, None, bonds),
            "GraKeL, pairs": [set(both), names, both],
            "GraKeL, half of the pairs": [TRIANGLE, names, BONDS],
            "GraKeL, neighbours": (neighbours, names, both),
            "GraKeL, matrix": [matrix, names, both],
            "GraKeL, matrix of lists": [matrix.tolist(), names, both],
        }.items():
            with self.subTest(name):
                got = through([form])
                self.assertEqual(lists(got["from"]), [WANT_FROM])
                self.assertEqual(lists(got["to"]), [WANT_TO])
                self.assertEqual(lists(got["labels"]), [LABELS])
                self.assertEqual(lists(got["arc_labels"]), [WANT_BONDS])

    def test_data_of_pytorch_geometric(self):
        ends = np.array(TRIANGLE).T
        data = types.SimpleNamespace(edge_index=ends, x=np.eye(4, 2, dtype=np.float32), num_nodes=4,
                                     edge_attr=np.array([[1], [2], [1], [3]]))
        got = through([data])
        self.assertEqual(lists(got["from"]), [WANT_FROM])
        self.assertEqual([v.tolist() for v in got["attributes"][0]], [[1, 0], [0, 1], [0, 0], [0, 0]])
        self.assertEqual(lists(got["arc_labels"]), [WANT_BONDS])
        data.edge_attr = np.eye(3)[[0, 1, 0, 2]]
        self.assertEqual(lists(through([data])["arc_labels"]), [[b - 1 for b in WANT_BONDS]])
        data.edge_attr = np.array([0.5, 1.5, 0.5, 2.5])
        self.assertEqual(lists(through([data])["arc_weights"]), [[0.5, 0.5, 0.5, 1.5, 0.5, 1.5, 2.5, 2.5]])
        data.edge_attr = np.full((4, 2), 0.5)
        with self.assertRaisesRegex(ValueError, "graph 0 of X: edge_attr has several columns that are no classes"):
            columns_of([data])

    def test_networkx_by_other_keys_weights_and_direction(self):
        graph = nx.DiGraph()
        graph.add_nodes_from([(5, {"kind": 7, "at": (1, 2)}), (6, {"kind": 8, "at": (3, 4)})])
        graph.add_edge(6, 5, far=2.5)
        got = from_networkx(graph, Keys("kind", "at", "none", "far"))
        table = through([got])
        self.assertEqual(lists(table["from"]), [[1]])
        self.assertEqual(lists(table["labels"]), [[7, 8]])
        self.assertEqual(lists(table["arc_weights"]), [[2.5]])
        self.assertEqual([v.tolist() for v in table["attributes"][0]], [[1, 2], [3, 4]])
        with self.assertRaisesRegex(ValueError, "graph 1 of X: a multigraph"):
            columns_of([graph, nx.MultiGraph()])
        with self.assertRaisesRegex(ValueError, "some graphs are directed and others are not"):
            columns_of([graph, nx.Graph([(0, 1)])])
        graph.add_node(7, at=(0, 0))
        with self.assertRaisesRegex(ValueError, "^some have 'kind' and others have not$"):
            from_networkx(graph, Keys("kind"))
        unlike = nx.Graph()
        unlike.add_nodes_from([(0, {"label": 1}), (1, {})])
        with self.assertRaisesRegex(ValueError, "^nodes of X: some have 'label' and others have not$"):
            columns_of([unlike])

    def test_tuples_and_molecules(self):
        table = through([(TRIANGLE, [1, 2, 1, 3]), ([], [5], [[0.5]])][:1] + [([], [5])])
        self.assertEqual(lists(table["labels"]), [[1, 2, 1, 3], [5]])
        self.assertEqual(table["vertices"].tolist(), [4, 1])
        table = through([(TRIANGLE, None, np.arange(4.0)), ([], None, [[np.nan]])])
        self.assertTrue(np.isnan(table["attributes"][1][0][0]))
        table = through(["CCO", "[Na+].[Cl-]"])
        self.assertEqual(table["vertices"].tolist(), [3, 2])
        self.assertEqual(lists(table["labels"]), [[6, 6, 8], [11, 17]])

    def test_what_is_no_graph_is_said_in_one_line(self):
        for X, said in [
            ([], "X has no graphs"), ([3], "graph 0 of X: int is no graph"), ([([(0, 1)], [1, 2]), {}], "graph 1 of X"),
            ([([[0, 1, 2]], [1, 2])], "graph 0 of X: arcs of shape"),
            ([([[0.5, 1]], [1, 2])], "graph 0 of X: arcs of shape"),
            ([([(0, 1)], [1, 2]), ([(0, 1)], None, [[1], [2]])], "graph 1 of X has no labels"),
            ([([], None, [[1, 2]]), ([], None, [[1]])], "graph 1 of X has 1 attributes of a vertex, others 2"),
        ]:
            with self.subTest(said), self.assertRaisesRegex(ValueError, "^" + said):
                columns_of(X)
        with self.assertRaisesRegex(GroveError, "^standard input: row 1, column to: 5 is none of the 2 from 0 to 1$"):
            through([([(0, 5)], [1, 2])])


class Arrow(unittest.TestCase):
    def test_columns_come_back(self):
        random = np.random.default_rng(1)
        for words in (False, True):
            graphs = []
            for _ in range(200):
                n = int(random.integers(0, 9))
                pairs = [(u, v) for u in range(n) for v in range(u) if random.random() < 0.3]
                labels = [f"é{k}" if words else k for k in random.integers(-3, 4, n).tolist()]
                graphs.append(Graph(pairs, labels, random.normal(size=(n, 3)), None, [0.5] * len(pairs), n))
            got = through(graphs)
            self.assertEqual(got["vertices"].tolist(), [g.vertices for g in graphs])
            self.assertEqual(lists(got["labels"]), [list(g.labels) for g in graphs])
            for rows, g in zip(got["attributes"], graphs):
                self.assertEqual([r.tolist() for r in rows], g.attributes.tolist())
            for start, end, g in zip(got["from"], got["to"], graphs):
                pairs = {(u, v) for u, v in g.arcs} | {(v, u) for u, v in g.arcs}
                self.assertEqual(set(zip(start.tolist(), end.tolist())), pairs)

    def test_a_file_of_one_batch_is_mapped(self):
        with tempfile.TemporaryDirectory() as folder:
            _process.run(["data", "synth", "molecules", "--graphs=20", f"--out={folder}/set"])
            _process.run(["embed", "gckn-path", f"--data={folder}/set", "--filters=4", f"--out={folder}/X.arrow"])
            _process.run(["embed", "gckn-path", f"--data={folder}/set", "--filters=4", f"--out={folder}/X.npy"])
            vectors = _arrow.read(f"{folder}/X.arrow")["vector"]
            np.testing.assert_array_equal(vectors, np.load(f"{folder}/X.npy"))
            self.assertFalse(vectors.flags.owndata)
            self.assertFalse(vectors.flags.writeable)
            Path(folder, "no.arrow").write_text("none")
            with self.assertRaisesRegex(ValueError, "no file of Arrow IPC"):
                _arrow.read(f"{folder}/no.arrow")


class Loading(unittest.TestCase):
    def test_load_gives_what_the_command_reads(self):
        with tempfile.TemporaryDirectory() as folder:
            _process.run(["data", "synth", "molecules", "--graphs=30", f"--out={folder}/set"])
            graphs, classes = load(f"{folder}/set")
            self.assertEqual(len(graphs), 30)
            self.assertEqual(set(classes), {0, 1})
            shown = subprocess.run([_process.binary(), "data", "info", "--json", f"{folder}/set"], capture_output=True)
            info = json.loads(shown.stdout)
            self.assertEqual(sum(g.vertices for g in graphs), info["vertices"])
            self.assertEqual(sum(len(as_graph(g).arcs) for g in graphs), info["arcs"])
        with self.assertRaisesRegex(GroveError, "^nowhere: no such file or directory$"):
            load("nowhere")


if __name__ == "__main__":
    unittest.main()
