"""Estimators with the conventions of scikit-learn, which this module needs.

    >>> from whence.sklearn import CausalGraph
    >>> world = whence.simulate_graph("chain3", rows=60, seed=1)
    >>> rows = world.data
    >>> model = CausalGraph(baseline="baseline")
    >>> model = model.fit(rows[["X0", "X1", "X2"]], environment=rows["environment"])
    >>> model.adjacency_matrix_            # [cause, effect]: the row causes the column
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
"""

from __future__ import annotations

from typing import Any, Hashable

import numpy as np
from sklearn.base import BaseEstimator

import whence

try:
    from sklearn.utils.validation import validate_data as _validate
except ImportError:  # before scikit-learn 1.6

    def _validate(estimator: Any, X: Any, **options: Any) -> Any:
        return estimator._validate_data(X, **options)


def _table(estimator: Any, X: Any) -> tuple[Any, list[Hashable]]:
    """Columns and their names. Numbers are looked at by scikit-learn; texts and categories of a
    DataFrame are left to the engine."""
    if hasattr(X, "columns") and hasattr(X, "dtypes") and any(
            getattr(d, "kind", "O") not in "fiub" for d in X.dtypes):
        estimator.n_features_in_ = X.shape[1]
        estimator.feature_names_in_ = np.asarray(X.columns, dtype=object)
        return X, list(X.columns)
    array = _validate(estimator, X, dtype="numeric", ensure_min_features=2, ensure_min_samples=5)
    if np.iscomplexobj(array):
        raise ValueError("Complex data not supported")
    given = getattr(estimator, "feature_names_in_", None)
    names = list(given) if given is not None else [f"x{i}" for i in range(array.shape[1])]
    return np.asarray(array, dtype=np.float64), names


def _labels(environment: Any, rows: int) -> Any:
    """Without labels all rows are of one environment."""
    return ["all"] * rows if environment is None else environment


class CausalGraph(BaseEstimator):  # type: ignore[misc]
    """What causes what among the columns of X, as ``whence.discover`` finds it.

    Parameters are those of ``whence.discover``. After ``fit(X, environment=labels)``:
    ``adjacency_matrix_`` and ``edge_probabilities_`` are [cause, effect], the row causes the
    column; ``changed_mechanisms_`` is environment x variable; ``causal_graph_`` is a
    networkx.DiGraph; ``result_`` is the whole result. Columns of numbers are taken as they are:
    ``types={"x0": "categorical"}`` for codes.
    """

    def __init__(self, *, baseline: Any = None, model: str = "auto", noise: str = "robust",
                 types: Any = None, forbid: Any = (), require: Any = (), targets: Any = None,
                 assigned: bool = False, restarts: int = 5, sweeps: int = 300, seed: int = 0,
                 threads: int | None = None) -> None:
        self.baseline = baseline
        self.model = model
        self.noise = noise
        self.types = types
        self.forbid = forbid
        self.require = require
        self.targets = targets
        self.assigned = assigned
        self.restarts = restarts
        self.sweeps = sweeps
        self.seed = seed
        self.threads = threads

    def fit(self, X: Any, y: Any = None, *, environment: Any = None) -> "CausalGraph":
        """X: rows x variables; environment: a label per row; y is not used."""
        table, names = _table(self, X)
        given = dict(self.types or {})
        if isinstance(table, np.ndarray):
            given = {**{n: "real" for n in names}, **given}
        self.result_ = whence.discover(
            table, names=names, environment=_labels(environment, len(table)),
            baseline=self.baseline, model=self.model, noise=self.noise, types=given or None,
            forbid=self.forbid, require=self.require, targets=self.targets,
            assigned=self.assigned, restarts=self.restarts, sweeps=self.sweeps, seed=self.seed, threads=self.threads,
            columns=names)
        self.adjacency_matrix_ = self.result_.adjacency
        self.edge_probabilities_ = self.result_.probabilities
        return self

    @property
    def causal_graph_(self) -> Any:
        return self.result_.graph

    @property
    def changed_mechanisms_(self) -> Any:
        return self.result_.changes


class CausalDirection(BaseEstimator):  # type: ignore[misc]
    """Which of two columns is the cause, as ``whence.direction`` finds it.

    After ``fit(X, environment=labels)`` on two columns: ``direction_score_``, P(first causes
    second) - P(second causes first), positive where the order of the columns wins;
    ``adjacency_matrix_``, [cause, effect]; ``causal_graph_``; ``verdict_``; ``result_``.
    """

    def __init__(self, *, baseline: Any = None, model: str = "auto", types: Any = None,
                 assigned: bool = False, threads: int | None = None) -> None:
        self.baseline = baseline
        self.model = model
        self.types = types
        self.assigned = assigned
        self.threads = threads

    def fit(self, X: Any, y: Any = None, *, environment: Any) -> "CausalDirection":
        """X: rows x 2; environment: a label per row, two labels at least; y is not used."""
        table, names = _table(self, X)
        if len(names) != 2:
            raise ValueError(f"n_features = {len(names)}: a direction is asked of two columns")
        given = dict(self.types or {})
        if isinstance(table, np.ndarray):
            given = {**{n: "real" for n in names}, **given}
        self.result_ = whence.direction(
            table, names[0], names[1], names=names, environment=environment,
            baseline=self.baseline, model=self.model, types=given or None, assigned=self.assigned,
            threads=self.threads)
        self.direction_score_ = self.result_.score
        self.verdict_ = self.result_.verdict
        self.adjacency_matrix_ = np.zeros((2, 2), dtype=int)
        if self.result_.cause is not None:
            cause = names.index(self.result_.cause)
            self.adjacency_matrix_[cause, 1 - cause] = 1
        return self

    @property
    def causal_graph_(self) -> Any:
        import networkx as nx

        names = self.result_.variables
        graph = nx.DiGraph()
        graph.add_nodes_from(names)
        if self.result_.cause is not None:
            graph.add_edge(self.result_.cause, self.result_.effect)
        return graph
