"""The conventions of scikit-learn."""

import doctest

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

import whence  # noqa: E402
from whence.sklearn import CausalDirection, CausalGraph  # noqa: E402

QUICK = CausalGraph(restarts=1, sweeps=4, threads=1)


@pytest.mark.filterwarnings("ignore")
def test_check_estimator():
    from sklearn.utils.estimator_checks import check_estimator

    check_estimator(QUICK)


@pytest.fixture(scope="module")
def rows(chain):
    return chain.data


def test_graph(rows, chain):
    model = CausalGraph(baseline="baseline").fit(rows[["X0", "X1", "X2"]],
                                                 environment=rows["environment"])
    assert model.adjacency_matrix_.tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    assert set(model.causal_graph_.edges) == {("X0", "X1"), ("X1", "X2")}
    assert model.changed_mechanisms_.loc["shifted_02"].idxmax() == "X1"
    assert list(model.feature_names_in_) == ["X0", "X1", "X2"] and model.n_features_in_ == 3
    array = CausalGraph(baseline="baseline").fit(rows[["X0", "X1", "X2"]].to_numpy(),
                                                 environment=rows["environment"].tolist())
    assert np.array_equal(array.edge_probabilities_, model.edge_probabilities_)


def test_graph_of_texts(pair):
    table = pair.data
    model = CausalGraph(baseline="baseline").fit(table[["X", "Y"]],
                                                 environment=table["environment"])
    assert model.adjacency_matrix_.tolist() == [[0, 1], [0, 0]]


def test_direction(rows):
    two = rows[["X1", "X0"]]
    model = CausalDirection(baseline="baseline", assigned=True).fit(two, environment=rows["environment"])
    assert model.direction_score_ < -0.9  # the second column is the cause
    assert model.adjacency_matrix_.tolist() == [[0, 0], [1, 0]]
    assert list(model.causal_graph_.edges) == [("X0", "X1")] and model.verdict_ == "direction"
    with pytest.raises(ValueError, match="n_features = 3"):
        CausalDirection().fit(rows[["X0", "X1", "X2"]], environment=rows["environment"])
    with pytest.raises(ValueError, match="n_features = 1|1 feature"):
        CausalDirection().fit(rows[["X0"]], environment=rows["environment"])


def test_examples():
    import whence.sklearn

    result = doctest.testmod(whence.sklearn, extraglobs={"whence": whence})
    assert result.failed == 0 and result.attempted > 3
