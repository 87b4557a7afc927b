"""Estimators: the checks of scikit-learn, its tools, the command's own figures, errors and interruption."""

import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
from sklearn.base import clone
from sklearn.ensemble import VotingClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted

from grove_graphs import Graph, GroveClassifier, GroveError, GroveRegressor, GroveTransformer, _process, load


def molecules(graphs=60):
    """Generated molecules and their classes."""
    with tempfile.TemporaryDirectory() as folder:
        _process.run(["data", "synth", "molecules", f"--graphs={graphs}", "--seed=5", f"--out={folder}/set"])
        return load(f"{folder}/set")


class OfRows:
    """Takes a matrix: every row is a graph of one vertex with the row as its attributes. The checks of scikit-learn,
    which know nothing but matrices, then look at the estimator behind it."""

    def _more_tags(self):
        return {"X_types": ["2darray"], "poor_score": isinstance(self, GroveRegressor)}

    def fit(self, X, y=None):
        if isinstance(self, GroveTransformer):
            X = self._validate_data(X)
        else:
            X, y = self._validate_data(X, y, y_numeric=isinstance(self, GroveRegressor))
        return super().fit(self.graphs(X), y)

    def _apply(self, verb, ending, X):
        check_is_fitted(self)
        return super()._apply(verb, ending, self.graphs(self._validate_data(X, reset=False)))

    @staticmethod
    def graphs(X):
        return [Graph([], None, row.reshape(1, -1)) for row in np.asarray(X, dtype=np.float64)]


class ClassifierOfRows(OfRows, GroveClassifier):
    def __init__(self, model="treeg", *, seed=0, device="auto", workers=1, estimators=20):
        super().__init__(model, seed=seed, device=device, workers=workers)
        self.estimators = estimators

    def _options(self):
        return {"estimators": self.estimators}


class RegressorOfRows(OfRows, GroveRegressor):
    def __init__(self, model="treeg", *, seed=0, device="auto", workers=1, estimators=20):
        super().__init__(model, seed=seed, device=device, workers=workers)
        self.estimators = estimators

    def _options(self):
        return {"estimators": self.estimators}


class TransformerOfRows(OfRows, GroveTransformer):
    def __init__(self, model="gckn-path", *, seed=0, device="auto", workers=1, filters=2, path_size=1):
        super().__init__(model, seed=seed, device=device, workers=workers)
        self.filters, self.path_size = filters, path_size

    def _options(self):
        return {"filters": self.filters, "path_size": self.path_size}


class ChecksOfScikitLearn(unittest.TestCase):
    def check(self, estimator):
        passed = []
        for one, check in check_estimator(estimator, generate_only=True):
            name = getattr(check, "func", check).__name__
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    check(one)
                except unittest.SkipTest as reason:  # what scikit-learn cannot check here, such as pandas
                    self.assertIn("pandas", str(reason))
                    continue
                passed.append(name)
        self.assertGreater(len(passed), 25)

    def test_classifier(self):
        self.check(ClassifierOfRows())

    def test_regressor(self):
        self.check(RegressorOfRows())

    def test_transformer(self):
        self.check(TransformerOfRows())


class Estimators(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.X, cls.y = molecules()

    def test_parameters_and_options(self):
        c = GroveClassifier("wl", iterations=3, c=1)
        self.assertEqual(
            c.get_params(), {"model": "wl", "seed": 0, "device": "auto", "workers": 0, "iterations": 3, "c": 1})
        self.assertEqual(clone(c).get_params(), c.get_params())
        self.assertEqual(c.set_params(iterations=2, seed=4).get_params()["iterations"], 2)
        self.assertEqual(c.fit(self.X, self.y).report_["params"]["iterations"], 2)
        self.assertEqual(c.set_params(iterations=None).fit(self.X, self.y).report_["params"]["iterations"], 5)
        for name in ("fit", "a__b", "model_", "_x"):
            with self.assertRaisesRegex(ValueError, "Invalid parameter"):
                c.set_params(**{name: 1})
        self.assertIn("c=1", repr(c))

    def test_classes_of_any_kind(self):
        for classes in (["no", "yes"], [-7, 3], [False, True], [2.0, 5.0]):
            y = np.array(classes)[self.y]
            c = GroveClassifier("wl", c=1).fit(self.X, y)
            np.testing.assert_array_equal(c.classes_, classes)
            self.assertGreater(c.score(self.X, y), 0.9)
            self.assertEqual(c.predict(self.X).dtype, y.dtype)
        three = np.arange(len(self.y)) % 3
        decisions = GroveClassifier("linear", c=1).fit(self.X, three).decision_function(self.X)
        self.assertEqual(decisions.shape, (len(three), 3))

    def test_probabilities_as_far_as_a_model_has_them(self):
        t = GroveClassifier("treeg", estimators=10).fit(self.X, self.y)
        p = t.predict_proba(self.X)
        self.assertEqual(p.shape, (len(self.y), 2))
        np.testing.assert_allclose(p.sum(axis=1), 1)
        np.testing.assert_array_equal(t.classes_[p.argmax(axis=1)], t.predict(self.X))
        self.assertFalse(hasattr(t, "decision_function"))
        n = GroveClassifier("gin", epochs=2).fit(self.X, self.y)
        self.assertTrue(hasattr(n, "predict_proba") and hasattr(n, "decision_function"))
        self.assertEqual(n.predict_proba(self.X).shape, (len(self.y), 2))
        w = GroveClassifier("wl", c=1).fit(self.X, self.y)
        self.assertFalse(hasattr(w, "predict_proba"))
        np.testing.assert_array_equal(w.classes_[(w.decision_function(self.X) > 0).astype(int)], w.predict(self.X))

    def test_the_tools_of_scikit_learn(self):
        search = GridSearchCV(GroveClassifier("wl"), {"c": [0.01, 1], "iterations": [0, 3]}, cv=2).fit(self.X, self.y)
        self.assertEqual(set(search.best_params_), {"c", "iterations"})
        self.assertGreater(search.score(self.X, self.y), 0.8)
        pipe = make_pipeline(GroveTransformer("gckn-path", filters=8), LinearSVC())
        self.assertEqual(cross_val_score(pipe, self.X, self.y, cv=3).shape, (3,))
        search = GridSearchCV(pipe, {"grovetransformer__filters": [2, 8]}, cv=2).fit(self.X, self.y)
        self.assertIn(search.best_params_["grovetransformer__filters"], (2, 8))
        areas = cross_val_score(GroveClassifier("wl", c=1), self.X, self.y, cv=3, scoring="roc_auc")
        self.assertTrue((areas > 0.5).all())
        votes = VotingClassifier([("wl", GroveClassifier("wl", c=1)), ("oa", GroveClassifier("wl-oa", c=1))])
        self.assertGreater(votes.fit(self.X, self.y).score(self.X, self.y), 0.8)

    def test_models_are_pickled_and_stored(self):
        c = GroveClassifier("wl", c=1).fit(self.X, self.y)
        again = pickle.loads(pickle.dumps(c))
        np.testing.assert_array_equal(again.predict(self.X), c.predict(self.X))
        with tempfile.TemporaryDirectory() as folder:
            c.save(f"{folder}/model.grove")
            _process.run(["data", "synth", "molecules", "--graphs=60", "--seed=5", f"--out={folder}/set"])
            report = _process.run(["predict", f"--model={folder}/model.grove", f"--data={folder}/set"])
            np.testing.assert_array_equal([int(p["predicted"]) for p in report["predictions"]], c.predict(self.X))

    def test_transformers(self):
        for model, y in (("gckn-path", None), ("gckn-path", self.y), ("cgmm", self.y)):
            options = {"filters": 4} if model == "gckn-path" else {"layers": 2}
            vectors = GroveTransformer(model, **options).fit_transform(self.X, y)
            self.assertEqual(vectors.shape[0], len(self.X))
        self.assertIsInstance(vectors, np.memmap)

    def test_regressions(self):
        sizes = np.array([g.vertices for g in self.X], float)
        r = GroveRegressor("treeg", estimators=20).fit(self.X, sizes)
        self.assertGreater(r.score(self.X, sizes), 0.8)
        with self.assertRaisesRegex(ValueError, "NaN"):
            r.fit(self.X, np.where(sizes > 15, np.nan, sizes))

    def test_paths(self):
        with tempfile.TemporaryDirectory() as folder:
            _process.run(["data", "synth", "molecules", "--graphs=60", "--seed=5", f"--out={folder}/set"])
            path = Path(folder, "set")
            c = GroveClassifier("wl", c=1).fit(path)
            self.assertEqual(c.classes_.tolist(), ["0", "1"])
            d = GroveClassifier("wl", c=1).fit(self.X, self.y)
            np.testing.assert_array_equal(c.predict(path).astype(int), d.predict(self.X))
            with self.assertRaisesRegex(ValueError, "X is a path"):
                c.fit(path, self.y)

    def test_molecules(self):
        X = ["CCO", "CCC", "c1ccccc1", "c1ccncc1", "CC", "Cc1ccccc1"] * 4
        y = ["chain", "chain", "ring", "ring", "chain", "ring"] * 4
        self.assertEqual(GroveClassifier("wl", c=1).fit(X, y).score(X, y), 1)
        self.assertEqual(GroveClassifier("wl", c=1, hydrogens=True).fit(X, y).score(X, y), 1)
        y = np.arange(len(X)) % 2
        GroveClassifier("treeg", estimators=2, atom_attributes=["charge", "ring"]).fit(X, y).predict(X)
        with self.assertRaisesRegex(GroveError, r'^standard input:2: SMILES "C\(": '):
            GroveClassifier("wl").fit(["CCO", "C("], [0, 1])


class AgainstTheCommand(unittest.TestCase):
    def same(self, X, y, path, model, **options):
        folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
        with tempfile.TemporaryDirectory() as folder:
            for k, (train, test) in enumerate(folds, 1):
                np.savetxt(f"{folder}/train_idx-{k}.txt", train, "%d")
                np.savetxt(f"{folder}/test_idx-{k}.txt", test, "%d")
            flags = [f"--{k.replace('_', '-')}={v}" for k, v in options.items()]
            report = _process.run(["eval", model, f"--data={path}", f"--folds={folder}", *flags])
        scores = cross_val_score(GroveClassifier(model, **options), X, y, cv=folds)
        np.testing.assert_allclose(100 * scores, report["folds"], atol=1e-4)
        self.assertAlmostEqual(100 * scores.mean(), report["mean"], delta=1e-4)

    def test_the_same_folds_give_the_same_accuracy(self):
        with tempfile.TemporaryDirectory() as folder:
            _process.run(["data", "synth", "molecules", "--graphs=60", "--seed=5", f"--out={folder}/set"])
            X, y = load(f"{folder}/set")
            for model, options in (("wl", {"c": 1}), ("treeg", {"estimators": 10}), ("mpgk-ra", {"c": 1})):
                with self.subTest(model):
                    self.same(X, y, f"{folder}/set", model, **options)

    def test_mutag_from_networkx(self):
        path = Path(os.environ.get("GROVE_DATA", "../shared/data"), "tu", "MUTAG")
        if not path.is_dir():
            self.skipTest(f"{path} is not there")
        X, y = load(path)
        graphs = []
        for g in X:
            graph = nx.Graph()
            graph.add_nodes_from((v, {"label": int(label)}) for v, label in enumerate(g.labels))
            graph.add_edges_from(
                (int(u), int(v), {"label": int(label)}) for (u, v), label in zip(g.arcs, g.arc_labels))
            graphs.append(graph)
        self.same(graphs, y, path, "wl", c=1)
        self.same(graphs, y, path, "wl-oa", c=1, iterations=2)


class Errors(unittest.TestCase):
    def test_errors_are_the_line_of_the_command(self):
        X = [([(0, 1)], [1, 2]), ([(0, 1)], [1, 1])] * 5
        for estimator, y, said in [
            (GroveClassifier("no-such"), [0, 1] * 5,
             'unknown model "no-such"; there are'),
            (GroveClassifier("wl", foo=1), [0, 1] * 5, "unknown flag --foo"),
            (GroveClassifier("wl", iterations=-1), [0, 1] * 5, "--iterations -1"),
            (GroveTransformer("cgmm"), None, "data set standard input: its graphs have no classes"),
        ]:
            with self.subTest(said), self.assertRaises(GroveError) as caught:
                estimator.fit(X, y)
            self.assertIn(said, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))
        with self.assertRaisesRegex(ValueError, "^X has 10 graphs, y has 3 values$|inconsistent numbers of samples"):
            GroveClassifier("wl").fit(X, [0, 1, 0])
        with self.assertRaisesRegex(ValueError, "y has one class"):
            GroveClassifier("wl").fit(X, [1] * 10)

    def test_a_command_that_is_not_there(self):
        before, os.environ["GROVE"] = os.environ.get("GROVE"), "/nowhere/grove"
        try:
            with self.assertRaises(FileNotFoundError):
                GroveClassifier("wl").fit([([], [1])] * 4, [0, 1, 0, 1])
        finally:
            del os.environ["GROVE"]
            if before:
                os.environ["GROVE"] = before

    def test_ctrl_c_stops_the_command(self):
        program = ("from grove_graphs import GroveClassifier\n"
                   "path, star = [(i, i + 1) for i in range(60)], [(0, i) for i in range(1, 61)]\n"
                   "X = [(path, [1] * 61), (star, [1] * 61)] * 300\n"
                   "print('ready', flush=True)\n"
                   "GroveClassifier('gin', epochs=100000).fit(X, [0, 1] * 300)\n")
        # A job in the background of a shell ignores the signal, and so would what it starts.
        child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.assertEqual(child.stdout.readline(), b"ready\n")
        command = None
        for _ in range(400):
            found = Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
            if found and b"--epochs" in Path(f"/proc/{found[0]}/cmdline").read_bytes():
                command = int(found[0])
                break
            time.sleep(0.05)
        self.assertIsNotNone(command, "the command did not start")
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)  # to Python alone, as a notebook does
        _, said = child.communicate(timeout=60)
        self.assertIn(b"KeyboardInterrupt", said)
        self.assertFalse(Path(f"/proc/{command}").exists(), "the command runs on")


class Documentation(unittest.TestCase):
    def test_the_twenty_lines_of_the_page_run(self):
        page = (Path(__file__).parents[2] / "docs" / "python.md").read_text()
        programs = re.findall(r"```python\n(.*?)```\n\nprints\n\n```\n(.*?)```", page, re.DOTALL)
        self.assertTrue(programs)
        for program, prints in programs:
            self.assertLessEqual(len(program.strip().splitlines()), 20)
            ran = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True)
            self.assertEqual(ran.stderr, "")
            self.assertEqual(ran.stdout, prints)


if __name__ == "__main__":
    unittest.main()
