"""Estimators for scikit-learn, each of which runs the command."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Tuple, Union

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from . import _arrow, _process
from ._graphs import Columns, columns_of

_PROBABILISTIC = ("treeg", "static", "majority", "gcn", "gin")  # and the models of gckn that end in -sup


class _Grove(BaseEstimator):
    """What all estimators share: the model, how it is computed, and the options of the model by name."""

    def __init__(self, model: str, *, seed: int = 0, device: str = "auto", workers: int = 0, **options: Any) -> None:
        self.model = model
        self.seed = seed
        self.device = device
        self.workers = workers
        self._set_options(options)

    def _set_options(self, options: Dict[str, Any]) -> None:
        """Keeps options of the model, as attributes by their names."""
        for name, value in options.items():
            if hasattr(type(self), name) or name.startswith("_") or name.endswith("_") or "__" in name:
                raise ValueError(f"Invalid parameter {name!r} for estimator {type(self).__name__}")
            setattr(self, name, value)

    def _options(self) -> Dict[str, Any]:
        own = super().get_params(deep=False)
        return {name: value for name, value in vars(self).items()
                if name not in own and not name.startswith("_") and not name.endswith("_")}

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The parameters, options of the model among them."""
        return {**super().get_params(deep), **self._options()}

    def set_params(self, **params: Any) -> "_Grove":
        """Sets parameters. A name that is none of the constructor's is an option of the model."""
        own = super().get_params(deep=False)
        for name in own.keys() & params.keys():
            setattr(self, name, params[name])
        self._set_options({name: value for name, value in params.items() if name not in own})
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _more_tags(self) -> Dict[str, Any]:
        return {"X_types": ["graphs"], "non_deterministic": False}

    def _flags(self, options: Dict[str, Any]) -> List[str]:
        """The options as flags of the command."""
        flags = [f"--seed={self.seed}"] + self._computing()
        for name, value in options.items():
            if value is None:
                continue
            if isinstance(value, bool):
                value = str(value).lower()
            elif isinstance(value, (list, tuple)):
                value = ",".join(map(str, value))
            flags.append(f"--{name.replace('_', '-')}={value}")
        return flags

    def _computing(self) -> List[str]:
        return [f"--device={self.device}", f"--workers={self.workers}"]

    def _train(self, X: Any, known: Dict[str, _arrow.Column], head: Dict[str, Any], *flags: str) -> None:
        """Trains the model on graphs and what is known of them, and keeps the bytes of its file."""
        data, feed = _given(X, known, head)
        with tempfile.TemporaryDirectory(prefix="grove-") as folder:
            file = Path(folder, "model.grove")
            self.report_ = _process.run(
                ["train", self.model, f"--data={data}", f"--out={file}", *flags, *self._flags(self._options())], feed)
            self.model_ = file.read_bytes()

    def _apply(self, verb: str, ending: str, X: Any) -> Union[np.ndarray, Dict[str, np.ndarray]]:
        """Applies the trained model and returns what the command wrote, mapped."""
        check_is_fitted(self)
        data, feed = _given(X, {}, {})
        with tempfile.TemporaryDirectory(prefix="grove-") as folder:
            model, out = Path(folder, "model.grove"), Path(folder, "out" + ending)
            model.write_bytes(self.model_)
            _process.run([verb, f"--model={model}", f"--data={data}", f"--out={out}", *self._computing()], feed)
            return np.load(out, mmap_mode="r") if ending == ".npy" else _arrow.read(out)

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes the trained model as a file, which ``grove predict``, ``explain`` and the others read."""
        check_is_fitted(self)
        Path(path).write_bytes(self.model_)


def _given(
    X: Any, known: Dict[str, _arrow.Column], head: Dict[str, Any],
) -> Tuple[str, Optional[Iterable[Any]]]:
    """The argument of --data, and the bytes of standard input where that is the one."""
    if isinstance(X, (str, os.PathLike)):
        if known:
            raise ValueError("X is a path, which has classes or targets of its own: leave out y, or load it with "
                             "grove_graphs.load")
        return os.fspath(X), None
    given = columns_of(X)
    if known:
        rows = len(next(iter(known.values())))
        if rows != given.rows:
            raise ValueError(f"X has {given.rows} graphs, y has {rows} values")
    return "-", Columns({**given.columns, **known}, {**given.head, **head}, given.rows).stream()


class GroveClassifier(ClassifierMixin, _Grove):
    """A classifier of graphs.

    Parameters
    ----------
    model : str
        The model, as ``grove train --help`` lists them: ``"wl"``, ``"wl-oa"``, ``"gckn-path"``, ``"treeg"``,
        ``"mpgk-aa"``, ``"cgmm"``, ``"gin"`` and others.
    seed : int
        The number that everything drawn at random follows from.
    device : str
        ``"auto"``, ``"cpu"`` or ``"cuda"``.
    workers : int
        Goroutines that compute, 0: one for every CPU. Results do not depend on it.
    **options
        Flags of the model (``grove train MODEL --help``) with ``_`` for ``-``, as in
        ``GroveClassifier("wl", iterations=3, c=1)``. A list is one of settings to choose from by cross-validation, ``True`` sets a flag, ``None`` leaves it out.

    Attributes
    ----------
    classes_ : ndarray
        The classes, ascending.
    model_ : bytes
        The file of the trained model.
    report_ : dict
        What ``grove train --json`` reports.
    """

    def __init__(
        self, model: str = "wl", *, seed: int = 0, device: str = "auto", workers: int = 0, **options: Any,
    ) -> None:
        super().__init__(model, seed=seed, device=device, workers=workers, **options)

    def fit(self, X: Any, y: Any = None) -> "GroveClassifier":
        """Learns from graphs and the class of each, of any kind; a path has classes of its own."""
        if y is None and not isinstance(X, (str, os.PathLike)):
            raise ValueError("requires y to be passed, but the target y is None: the class of each graph")
        if y is None:
            self._train(X, {}, {}, "--task=graph")
            self.classes_, self._numbered = np.array(self.report_["classes"]), False
            return self
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        if not isinstance(X, (str, os.PathLike)):
            X = list(X)
            check_consistent_length(X, y)
        classes, numbers = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError("y has one class: a classifier needs 2 classes")
        head = {"task": "graph classification", "classes": list(map(str, range(len(classes))))}
        self._train(X, {"class": numbers.astype(np.int64)}, head)
        self.classes_, self._numbered = classes, True
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class of each graph."""
        return self._of(self._predictions(X)["predicted"])

    @available_if(lambda self: self._gives_probabilities())
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, a row for each graph, for models that have such: trees, the networks that are
        trained end to end, and ``majority``."""
        return _columns(self._predictions(X), "probability")

    @available_if(lambda self: not self._gives_probabilities() or self.model not in ("treeg", "static", "majority"))
    def decision_function(self, X: Any) -> np.ndarray:
        """The decision values, for models that have such: those with a support vector machine, and networks. With two
        classes one for each graph, which speaks for the second class where it is positive; otherwise a column for each
        class."""
        table = self._predictions(X)
        return table["decision"] if "decision" in table else _columns(table, "decision")

    def _predictions(self, X: Any) -> Dict[str, np.ndarray]:
        return self._apply("predict", ".arrow", X)  # type: ignore[return-value]

    def _gives_probabilities(self) -> bool:
        if getattr(self, "loss", None) not in (None, "cross-entropy"):
            return False
        return self.model in _PROBABILISTIC or self.model.endswith("-sup")

    def _of(self, named: np.ndarray) -> np.ndarray:
        """The classes that the command names by their numbers; after a path, by their names."""
        if not self._numbered:
            return named.astype(self.classes_.dtype)
        return self.classes_[named.astype(np.int64)]


class GroveRegressor(RegressorMixin, _Grove):
    """A regression of graphs: of one number for each. Parameters are those of :class:`GroveClassifier`. A model that knows
    classes alone is refused by the command.
    """

    def __init__(
        self, model: str = "treeg", *, seed: int = 0, device: str = "auto", workers: int = 0, **options: Any,
    ) -> None:
        super().__init__(model, seed=seed, device=device, workers=workers, **options)

    def fit(self, X: Any, y: Any = None) -> "GroveRegressor":
        """Learns from graphs and the number of each; a path has targets of its own."""
        if y is None and not isinstance(X, (str, os.PathLike)):
            raise ValueError("requires y to be passed, but the target y is None: the number of each graph")
        if y is None:
            self._train(X, {}, {}, "--task=graph-regression")
            return self
        y = column_or_1d(y, warn=True).astype(np.float64)
        if not np.isfinite(y).all():
            raise ValueError("y contains NaN or infinity")
        self._train(X, {"target y": y}, {"task": "graph regression"})
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The number of each graph."""
        return _columns(self._apply("predict", ".arrow", X), "predicted")[:, 0]


class GroveTransformer(TransformerMixin, _Grove):
    """Graphs as vectors.

    The models of gckn (``"gckn-path"``, ``"gckn-walk"``, ``"gckn-subtree"``, ``"gckn-3layer"``) learn them without
    classes; ``"cgmm"``, the ``"mpgk-..."`` and the networks need y. Parameters are those of :class:`GroveClassifier`.
    """

    def __init__(
        self, model: str = "gckn-path", *, seed: int = 0, device: str = "auto", workers: int = 0, **options: Any,
    ) -> None:
        super().__init__(model, seed=seed, device=device, workers=workers, **options)

    def _more_tags(self) -> Dict[str, Any]:
        return {"preserves_dtype": []}  # vectors have the type that the model computes with

    def fit(self, X: Any, y: Any = None) -> "GroveTransformer":
        """Learns from graphs, and from their classes where the model needs them."""
        if self.model.startswith("gckn") and not self.model.endswith("-sup"):
            self._train(X, {}, {}, "--no-classifier")
            return self
        if y is None:
            self._train(X, {}, {})
            return self
        _, numbers = np.unique(column_or_1d(y, warn=True), return_inverse=True)
        self._train(X, {"class": numbers.astype(np.int64)}, {"task": "graph classification"})
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The vectors, a row for each graph; the rows of a mapped file."""
        return self._apply("embed", ".npy", X)  # type: ignore[return-value]


def _columns(table: Any, kind: str) -> np.ndarray:
    """The columns of a kind as a matrix."""
    return np.column_stack([values for name, values in table.items() if name.startswith(kind + " ")])
