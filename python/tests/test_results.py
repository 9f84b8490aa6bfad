"""What results hold, and what they become."""

import copy
import json
import pickle

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import whence


def test_edges_have_causes_effects_and_probabilities(found):
    edges = found.edges
    assert list(edges.columns) == ["cause", "effect", "probability", "joined", "support",
                                   "range_low", "range_high"]
    sure = edges[edges.probability > 0.9]
    assert set(zip(sure.cause, sure.effect)) == {("X0", "X1"), ("X1", "X2")}
    assert (sure.range_low <= sure.probability + 1e-9).all()


def test_changes_are_environment_by_variable(found):
    changes = found.changes
    assert list(changes.columns) == ["X0", "X1", "X2"]
    assert list(changes.index) == ["baseline", "shifted_01", "shifted_02", "shifted_03"]
    assert (changes.loc["baseline"] == 0).all()
    assert changes.loc["shifted_02"].idxmax() == "X1"


def test_matrices_are_cause_by_effect(found):
    assert found.adjacency.tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    assert found.probabilities[0, 1] > 0.9 > 0.1 > found.probabilities[1, 0]
    graph = found.graph
    assert set(graph.edges) == {("X0", "X1"), ("X1", "X2")}
    assert graph.edges["X0", "X1"]["probability"] == found.probabilities[0, 1]


def test_json_is_a_document_of_its_own(found):
    document = json.loads(found.to_json())
    assert document["variables"] == ["X0", "X1", "X2"]
    found.to_dict()["variables"].clear()
    assert found.variables == ["X0", "X1", "X2"]


def test_effects_say_what_a_step_of_a_cause_does(found, pair):
    steps = found.effects.set_index(["cause", "effect"])
    step = steps.loc["X0", "X1"]
    assert step.low < step.change < step.high and step.before < step.after and step.level is None
    assert set(steps.index) == set(found.graph.edges)
    levels = whence.discover(pair).effects.iloc[0]
    assert isinstance(levels.before, str) and isinstance(levels.level, str)
    assert found.assumption.startswith("An arrow means")


@pytest.mark.filterwarnings("ignore::whence.WhenceWarning")
def test_hidden_pairs_are_named():
    world = whence.simulate_graph("er:5:4", hidden=1, mechanism="network", rows=200,
                                  baseline_rows=600, seed=1)
    found = whence.discover(world, model="labels")
    assert found.hidden.iloc[0].tolist()[:2] == world.truth["hidden"][0]
    assert found.hidden.iloc[0].probability > 0.9
    assert "moved by something hidden" in found._repr_html_()


def test_results_pickle_copy_and_compare(found, chain):
    for again in (pickle.loads(pickle.dumps(found)), copy.copy(found), copy.deepcopy(found)):
        assert again == found and hash(again) == hash(found)
        assert again.page == found.page and again.edges.equals(found.edges)
    other = whence.discover(chain, seed=7)
    assert other != found and found != found.to_json()


def test_a_report_is_what_the_command_writes(found, tmp_path):
    page = found.report(tmp_path / "out")
    assert page == str(tmp_path / "out" / "index.html")
    for name, content in found.files.items():
        assert (tmp_path / "out" / name).read_bytes() == content
    assert json.loads((tmp_path / "out" / "run.json").read_text())["program"] == "whence"
    found.report(tmp_path / "out")  # an earlier result is replaced
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(whence.FileError):
        found.report(tmp_path / "mine")


def test_notebooks_get_a_picture_and_escaped_names():
    world = whence.simulate_graph("chain3", rows=60, seed=1)
    evil = "<script>alert(1)</script>"
    tables = {k: t.rename(columns={"X0": evil}) for k, t in world.environments.items()}
    text = whence.discover(tables, baseline="baseline")._repr_html_()
    assert "<script" not in text and "&lt;script&gt;" in text
    assert "data:image/svg+xml;base64," in text


def test_terminals_get_the_words_of_the_command(found):
    assert repr(found).startswith("2 edges among 3 variables")
    assert "model: linear" in repr(found)


def test_graphs_go_to_other_programs(found):
    assert '"X0" -> "X1"' in found.to_dot()
    import networkx as nx

    graph = nx.parse_graphml(found.to_graphml())
    labels = {n: d["label"] for n, d in graph.nodes(data=True)}
    assert labels == {n: d["name"] for n, d in graph.nodes(data=True)}
    assert {(labels[a], labels[b]) for a, b in graph.edges} == {("X0", "X1"), ("X1", "X2")}
    assert "graph [" in found.to_gml()


def test_pgmpy(found):
    pytest.importorskip("pgmpy.base")
    assert set(found.to_pgmpy().edges()) == {("X0", "X1"), ("X1", "X2")}


def test_causal_learn(found):
    pytest.importorskip("causallearn")
    matrix = found.to_causal_learn().graph
    assert matrix[0, 1] == -1 and matrix[1, 0] == 1  # causal-learn: -1 tail, 1 arrow


def test_dowhy(found, chain):
    gcm = pytest.importorskip("dowhy.gcm")
    model = gcm.StructuralCausalModel(found.graph)
    gcm.auto.assign_causal_mechanisms(model, chain.environments["baseline"])
    gcm.fit(model, chain.environments["baseline"])
    assert len(gcm.draw_samples(model, 5)) == 5


def test_direction(pair):
    found = whence.direction(pair, "X", "Y", assigned=True)
    assert (found.verdict, found.cause, found.effect) == ("direction", "X", "Y")
    assert found.score > 0.9 and found.beliefs["X", "Y"] > 0.95 > found.no_link
    turned = whence.direction(pair, "Y", "X", assigned=True)
    assert turned.cause == "X" and turned.score < -0.9
    assert found.changes.loc["shifted_01", "X"] > 0.9
    assert found.environments.loc["shifted_01", "rows"] == 60
    again = pickle.loads(pickle.dumps(found))
    assert again == found and "index.html" in again.files


def test_changes_of_a_known_graph(chain):
    import networkx as nx

    edges = [("X0", "X1"), ("X1", "X2")]
    matrix = pd.DataFrame([[0, 1, 0], [0, 0, 1], [0, 0, 0]], index=["X0", "X1", "X2"],
                          columns=["X0", "X1", "X2"])
    graphs = [edges, nx.DiGraph(edges), {"X0": ["X1"], "X1": ["X2"], "X2": []}, matrix, chain]
    first = whence.changes(chain, graphs[0])
    assert first.changes.loc["shifted_01"].idxmax() == "X0"
    for graph in graphs[1:]:
        assert whence.changes(chain, graph) == first


def test_a_known_direction(pair):
    assert whence.direction(pair, "X", "Y", require=[("X", "Y")]).cause == "X"
    assert whence.direction(pair, "X", "Y", forbid=[("X", "Y")]).cause != "X"


def test_check_of_many_columns(chain):
    looked = whence.check(chain)
    assert list(looked.columns.index) == ["X0", "X1", "X2"]
    assert list(looked.environments.index) == list(chain.environments)


def test_check(pair):
    looked = whence.check(pair)
    assert looked.columns.loc["X", "levels"] == 10
    assert looked.environments.loc["shifted_01", "rows"] == 60
    assert "environments" in repr(looked)


def test_simulation_is_data_with_a_truth(chain):
    assert list(chain.environments) == ["baseline", "shifted_01", "shifted_02", "shifted_03"]
    assert set(chain.graph.edges) == {("X0", "X1"), ("X1", "X2")}
    assert len(chain.data) == 100 + 3 * 60 and "environment" in chain.data
    assert whence.simulate_graph([("a", "b")], rows=9).environments["baseline"].columns.tolist() \
        == ["a", "b"]
    assert pickle.loads(pickle.dumps(chain)).truth == chain.truth


def test_evaluation(found, chain):
    score = whence.evaluate(found, chain)
    assert score["shd"]["total"] == 0 and dict(score) == score.to_dict()
    assert whence.evaluate([("X1", "X0"), ("X1", "X2")], chain)["shd"]["reversed"] == 1


def test_the_paper(tmp_path):
    found = whence.reproduce("belief-discrete", scale="smoke")
    curve = found.curves["belief/N=10"]
    assert list(curve.columns) == ["x", "median", "q25", "q75"] and len(curve) == 500
    assert found.claims.holds.all() and "diagnostics" in found.tables
    assert "belief-discrete" in whence.experiments()
    with pytest.raises(KeyError, match="there are"):
        found.curves["nothing"]


@pytest.fixture(scope="module")
def levels():
    return whence.simulate_graph("0->1", mechanism="categorical", environments=1, rows=300,
                                 baseline_rows=2000)


@pytest.mark.filterwarnings("ignore::whence.WhenceWarning")
def test_the_papers_learner_on_data(levels):
    found = whence.meta_learn(levels)
    assert isinstance(found, whence.TransferResult) and found.variables == ["X0", "X1"]
    assert found.adjacency.tolist() == [[0, 1], [0, 0]]  # [cause, effect]
    assert found.probabilities[0, 1] > 0.9 > 0.1 > found.probabilities[1, 0]
    assert list(found.graph.edges) == [("X0", "X1")] and '"X0" -> "X1"' in found.to_dot()
    assert found.edges.iloc[0].tolist()[:2] == ["X0", "X1"]
    assert found.curves["belief/X0 -> X1"]["median"].iloc[-1] == found.probabilities[0, 1]
    assert whence.evaluate(found, levels)["shd"]["total"] == 0
    again = pickle.loads(pickle.dumps(found))
    assert again == found and again.edges.equals(found.edges)
    frame = levels.data.rename(columns={"X0": 0, "X1": ("b", 1)})
    frame.columns = pd.Index(list(frame.columns), tupleize_cols=False)
    named = whence.meta_learn(frame, environment="environment", baseline="baseline")
    assert list(named.graph.edges) == [(0, ("b", 1))]
    assert np.array_equal(named.probabilities, found.probabilities)
    assert whence.meta_learn(levels.environments, baseline="baseline") == found


def test_the_papers_learner_knows_data_from_settings(levels, tmp_path):
    settings = {"world": "categorical", "shift": "cause", "episodes": 5, "runs": 1}
    (tmp_path / "world.json").write_text(json.dumps(settings))
    drawn = whence.meta_learn(tmp_path / "world.json")
    assert drawn.numbers == whence.meta_learn(settings).numbers
    for mistake, kind in ((lambda: whence.meta_learn(levels.environments), whence.UsageError),
                          (lambda: whence.meta_learn(levels.data), whence.UsageError),
                          (lambda: whence.meta_learn(settings, columns=["a"]), whence.UsageError),
                          (lambda: whence.meta_learn({"world": object()}), whence.ConfigError),
                          (lambda: whence.meta_learn(levels, env="x"), TypeError),
                          (lambda: whence.meta_learn(levels, most_rows=9), TypeError)):
        with pytest.raises(kind):
            mistake()
    with pytest.raises(whence.DataError, match=r"discover\(\) takes columns of any kind"):
        whence.meta_learn(whence.simulate_graph("0->1", rows=20))


def test_disentangle():
    world = whence.simulate_mixed(shift="mixed", rows=200, seed=1)
    found = whence.disentangle(world)
    assert found.verdict == "encoder" and len(found.latents) == sum(
        len(t) for t in world.environments.values())
    assert whence.evaluate(found, world)["verdict"] == "encoder"
    assert found.unmixing.shape == found.unmixing_sd.shape == (2, 2)
    assert list(found.unmixing.index) == ["Z1", "Z2"] and found.effects.empty


def test_threads_do_not_matter(chain, found):
    assert whence.discover(chain, threads=1) == found == whence.discover(chain, threads=3)


def test_knowledge(chain):
    turned = whence.discover(chain, forbid=[("X0", "X1")], require=["X1->X0"])
    assert turned.adjacency[1, 0] == 1 and turned.adjacency[0, 1] == 0
    tiers = whence.discover(chain, tiers=[["X2"], ["X0", "X1"]])
    assert tiers.probabilities[0, 2] == tiers.probabilities[1, 2] == 0
    known = whence.discover(chain, targets={"shifted_01": ["X0"], "shifted_02": []})
    assert known.changes.loc["shifted_01", "X0"] > 1 - 1e-9
    assert known.changes.loc["shifted_02"].max() == 0


def test_a_time_limit_gives_what_was_found():
    world = whence.simulate_graph("er:12:20", rows=50, seed=2)
    found = whence.discover(world, time_limit=1e-3, sweeps=100000)
    assert "time limit" in found.stopped and np.isfinite(found.probabilities).all()


def test_graphs_of_every_kind(chain):
    edges = [("X0", "X1"), ("X1", "X2")]
    wanted = whence.changes(chain, edges)
    for graph in (["X0->X1", "X1 -> X2"], {"X0": ["X1"], "X1": ["X2"]}, nx.DiGraph(edges),
                  np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]), chain, whence.discover(chain)):
        assert whence.changes(chain, graph).changes.equals(wanted.changes)
        assert whence.simulate_graph(graph, rows=50, seed=1).graph.number_of_edges() == 2
    with pytest.raises(whence.DataError, match="3 variables"):
        whence.changes(chain, np.eye(2, k=1))


def test_a_graph_may_name_some_of_the_columns(chain):
    known = whence.changes(chain, [("X0", "X1")])
    assert known.variables == ["X0", "X1"]
    assert known.changes.loc["shifted_01", "X0"] > 0.9
    with pytest.raises(whence.DataError, match="did you mean 'X0'"):
        whence.changes(chain, [("X00", "X1")])
    with pytest.raises(whence.DataError, match="name those without edges"):
        whence.changes(chain, [])


def test_variables_without_edges_need_not_be_named(chain, found):
    score = whence.evaluate(found, [("X0", "X1")])
    assert score["shd"]["total"] == 1
    assert whence.evaluate(["X1->X2"], chain)["shd"]["total"] == 1
    assert whence.evaluate([("X0", "X1")], nx.DiGraph([("X1", "X2")]))["shd"]["total"] == 2


def test_one_name_is_a_list_of_one(chain, found):
    assert whence.discover(chain, targets={"shifted_01": "X0"}) == whence.discover(
        chain, targets={"shifted_01": ["X0"]})
    assert whence.discover(chain, tiers=["X0", "X1", "X2"]).adjacency.tolist() == \
        found.adjacency.tolist()


def test_graphs_written_in_a_hurry(chain):
    first = whence.changes(chain, [("X0", "X1"), ("X1", "X2")])
    assert whence.changes(chain, "X0->X1, X1->X2") == first
    assert whence.changes(chain, [[0, 1, 0], [0, 0, 1], [0, 0, 0]]) == first


def test_two_variables_are_a_graph_too():
    assert whence.evaluate([("a", "b")], [("b", "a")])["shd"]["reversed"] == 1
    world = whence.simulate_graph("0->1", mechanism="categorical", environments=1, rows=300,
                                  baseline_rows=2000)
    assert whence.evaluate(whence.meta_learn(world), world)["shd"]["total"] == 0
