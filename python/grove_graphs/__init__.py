"""Learning on graphs with Grove, as estimators of scikit-learn.

    from grove_graphs import GroveClassifier
    from sklearn.model_selection import cross_val_score

    cross_val_score(GroveClassifier("wl"), graphs, classes, cv=10)

X is a list of graphs (NetworkX, Data of PyTorch Geometric, what GraKeL takes, :class:`Graph`, tuples (arcs, labels[,
attributes])), a list of SMILES, or the path of a data set. docs/python.md of the repository says more.
"""

from ._estimators import GroveClassifier, GroveRegressor, GroveTransformer
from ._graphs import Graph, Keys, from_grakel, from_networkx, from_pyg
from ._load import load
from ._process import GroveError

__all__ = [
    "Graph", "GroveClassifier", "GroveError", "GroveRegressor", "GroveTransformer", "Keys", "from_grakel",
    "from_networkx", "from_pyg", "load",
]
