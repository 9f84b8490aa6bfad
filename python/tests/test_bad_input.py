"""Every mistake gets an exception that says what, where and how to mend; none a crash."""

import numpy as np
import pandas as pd
import pickle
import pytest

import whence


@pytest.fixture(scope="module")
def frame(chain):
    return chain.data


def refused(kind, id, *arguments, call=whence.discover, **options):
    with pytest.raises(kind) as caught:
        call(*arguments, **options)
    error = caught.value
    assert error.id == id, str(error)
    assert error.code == kind.code and isinstance(error.place, str)
    assert error.problem and isinstance(error, (ValueError, MemoryError))
    assert "--" not in str(error), "options of the command line do not belong here"
    again = pickle.loads(pickle.dumps(error))
    assert (again.id, str(again)) == (error.id, str(error))
    return str(error)


def test_environment_column_missing(frame):
    text = refused(whence.UsageError, "E-USAGE-COLUMN", frame, environment="enviroment")
    assert "did you mean 'environment'?" in text


def test_no_environment_at_all(frame):
    assert "environment=" in refused(whence.UsageError, "E-USAGE-DATA", frame)


def test_environment_with_one_value(frame):
    one = frame[frame.environment == "baseline"]
    with pytest.warns(whence.WhenceWarning, match="one environment"):
        found = whence.discover(one, environment="environment")  # observational data are data
    assert len(found.environments) == 1
    text = refused(whence.DataError, "E-DATA-ENVIRONMENTS", one, "X0", "X1",
                   environment="environment", call=whence.direction)
    assert "only one environment" in text


def test_baseline_that_does_not_exist(frame, chain):
    text = refused(whence.UsageError, "E-USAGE-BASELINE", frame, environment="environment",
                   baseline="baselin")
    assert "baseline" in text
    refused(whence.UsageError, "E-USAGE-BASELINE", chain.environments, baseline="nowhere")
    refused(whence.UsageError, "E-USAGE-BASELINE", chain.environments, baseline=["baseline"])


def test_unhashable_names(frame):
    array = frame[["X0", "X1"]].to_numpy()
    refused(whence.DataError, "E-DATA-NAME", array, names=[["a"], "b"],
            environment=frame.environment)
    with pytest.raises(whence.UsageError):
        whence.discover(frame, environment="environment", forbid=[([], "X1")])


def test_two_names_that_are_one_text(frame):
    table = frame.rename(columns={"X0": 1, "X1": "1"})
    refused(whence.DataError, "E-DATA-NAME", table, environment="environment")


def test_ragged_lists():
    text = refused(whence.DataError, "E-DATA-RAGGED", [[1, 2], [3, 4, 5]], environment=[0, 1])
    assert "data[1]" in text
    refused(whence.DataError, "E-DATA-RAGGED", {"a": [1, 2, 3], "b": [1, 2]}, environment=[0, 1, 1])
    refused(whence.DataError, "E-DATA-RAGGED", [{"a": 1}, {"b": 2}], environment=[0, 1])
    refused(whence.DataError, "E-DATA-RAGGED", {"a": [1, 2, 3], "b": [1, 2, 3]}, environment=[0, 1])


def test_object_columns_with_mixed_types(frame):
    mixed = frame.assign(m=pd.Series([1, "one"] * (len(frame) // 2), dtype=object))
    text = refused(whence.DataError, "E-DATA-MIXED", mixed, environment="environment")
    assert "m[1]" in text and "numbers and texts" in text
    lists = frame.assign(m=[[1]] * len(frame))
    refused(whence.DataError, "E-DATA-KIND", lists, environment="environment")


def test_infinities(frame):
    infinite = frame.copy()
    infinite.loc[3, "X1"] = np.inf
    text = refused(whence.DataError, "E-DATA-NONFINITE", infinite, environment="environment")
    assert "data[3]" in text and '"X1"' in text


def test_empty_frames():
    for empty in (pd.DataFrame({"a": [], "b": [], "e": []}), {"a": [], "b": [], "e": []}):
        refused(whence.DataError, "E-DATA-EMPTY", empty, environment="e")
    refused(whence.DataError, "E-DATA-EMPTY", pd.DataFrame(index=[1, 2]), environment=[])
    refused(whence.UsageError, "E-USAGE-DATA", pd.DataFrame())
    refused(whence.UsageError, "E-USAGE-DATA", [])
    refused(whence.UsageError, "E-USAGE-DATA", {})
    refused(whence.UsageError, "E-USAGE-DATA", None)
    refused(whence.UsageError, "E-USAGE-DATA", 7, environment="x")


def test_one_row():
    one = pd.DataFrame({"a": [1.0], "b": [2.0], "e": ["x"]})
    text = refused(whence.DataError, "E-DATA-ENVIRONMENTS", one, environment="e")
    assert "1 row" in text and "min_rows=2 keeps it" in text
    assert "pool" not in text  # there is nothing to join it with


def test_duplicate_column_names(frame):
    twice = frame.rename(columns={"X1": "X0"})
    refused(whence.DataError, "E-DATA-DUPLICATE", twice, environment="environment")


def test_a_multiindex_on_columns(frame):
    deep = frame.copy()
    deep.columns = pd.MultiIndex.from_tuples([("a", c) for c in frame])
    assert "join" in refused(whence.DataError, "E-DATA-NAME", deep, environment="environment")


def test_complex_numbers(frame):
    for table in (frame.assign(z=1j), frame[["X0", "X1"]].to_numpy() + 1j,
                  {"a": [1j, 2j], "b": [1, 2]}):
        text = refused(whence.DataError, "E-DATA-KIND", table,
                       environment=frame.environment if not isinstance(table, dict) else [0, 1])
        assert "complex" in text


def test_integers_beyond_what_a_double_holds(frame):
    refused(whence.DataError, "E-DATA-PRECISION", frame.assign(id=2**60), environment="environment")
    refused(whence.DataError, "E-DATA-PRECISION",
            frame.assign(id=pd.Series([2**70] * len(frame), dtype=object)),
            environment="environment")


def test_ten_thousand_columns():
    wide = np.random.default_rng(0).normal(size=(40, 10_000))
    text = refused(whence.ResourceError, "E-LIMIT-VARIABLES", wide, environment=[0, 1] * 20)
    assert "10000 variables" in text and "columns=" in text


def test_arrays_of_other_shapes():
    refused(whence.DataError, "E-DATA-SHAPE", np.zeros(5), environment=[0] * 5)
    refused(whence.DataError, "E-DATA-SHAPE", np.zeros((5, 2, 2)), environment=[0] * 5)
    refused(whence.DataError, "E-DATA-SHAPE", {"a": np.zeros((4, 2)), "b": [1, 2, 3, 4]},
            environment=[0, 0, 1, 1])
    refused(whence.UsageError, "E-USAGE-NAMES", np.zeros((5, 2)), names=["a"], environment=[0] * 5)


def test_graphs_that_do_not_fit(chain):
    for graph, id in (([("X0", "X1"), ("X1", "X0")], "E-GRAPH-CYCLE"),
                      ([("X0", "X9"), ("X1", "X2")], "E-GRAPH-NAME"),
                      ([("X0", "X1", "X2")], "E-GRAPH-SYNTAX")):
        with pytest.raises(whence.DataError) as caught:
            whence.changes(chain, graph)
        assert caught.value.id == id
    import networkx as nx

    with pytest.raises(whence.DataError) as caught:
        whence.changes(chain, nx.Graph([("X0", "X1")]))
    assert caught.value.id == "E-GRAPH-KIND"
    with pytest.raises(whence.UsageError):
        whence.changes(chain, 5)


def test_arguments_that_do_not_fit(chain, frame):
    with pytest.raises(TypeError, match="did you mean 'columns'"):
        whence.discover(chain, colums=["X0"])
    refused(whence.UsageError, "E-USAGE-KNOWLEDGE", chain, forbid=["X0"])
    refused(whence.UsageError, "E-USAGE-KNOWLEDGE", chain, forbid=[("X0", "nothing")])
    refused(whence.UsageError, "E-USAGE-TYPES", chain, types={"X0": "integer"})
    refused(whence.UsageError, "E-USAGE-TYPES", chain, types="real")
    with pytest.raises(whence.UsageError):
        whence.discover(chain, model="magic")
    with pytest.raises(whence.UsageError):
        whence.discover(chain, threads=0)
    with pytest.raises(whence.UsageError):
        whence.direction(chain, "X0")
    with pytest.raises(whence.UsageError):
        whence.direction(chain)
    with pytest.raises(whence.ConfigError):
        whence.meta_learn({"wold": "categorical"})
    with pytest.raises(whence.UsageError):
        whence.reproduce("nothing")
    with pytest.raises(whence.FileError):
        whence.discover("no/such/file.csv", environment="x")


def test_texts_that_are_no_unicode(frame):
    refused(whence.DataError, "E-DATA-TEXT", frame.assign(
        t=pd.Series(["\ud800", "b"] * (len(frame) // 2), dtype=object)),
            environment="environment")


def test_labels_that_do_not_fit(frame):
    table, labels = frame[["X0", "X1"]], frame["environment"]
    text = refused(whence.DataError, "E-DATA-RAGGED", table, environment=labels[:5])
    assert "environment: 5 labels for 280 rows" in text
    text = refused(whence.DataError, "E-DATA-RAGGED", frame, environment=["environment", "X0"])
    assert "groupby" in text
    refused(whence.UsageError, "E-USAGE-LABELS", table, environment=frame[["environment"]])
    shuffled = labels.sample(frac=1, random_state=1)  # by position it would be nonsense
    text = refused(whence.UsageError, "E-USAGE-LABELS", table, environment=shuffled)
    assert "reindex" in text and "to_numpy" in text
    found = whence.discover(table, environment=shuffled.reindex(table.index), baseline="baseline")
    assert found == whence.discover(table, environment=labels, baseline="baseline")
    text = refused(whence.UsageError, "E-USAGE-COLUMN", frame.set_index("environment"),
                   environment="environment")
    assert "reset_index" in text


def test_things_that_are_no_names(frame):
    class Endless:  # as expressions of polars are
        def item(self):
            return Endless()

    refused(whence.UsageError, "E-USAGE-COLUMN", frame, environment=Endless())
    text = refused(whence.DataError, "E-DATA-RAGGED", ["ab", "cd"], environment=[0, 1])
    assert "a str is no row" in text
    with pytest.raises(whence.ConfigError, match="no value of a setting"):
        whence.reproduce("belief-discrete", config={"runs": object()})
    settings = {"world": "categorical", "episodes": np.int64(4), "runs": 1}
    assert whence.meta_learn(settings).summary.startswith("After 4 episodes")


def test_hostile_names_of_files(chain):
    tables = dict(zip(["a/b", "..", "", "x\0y"], chain.environments.values()))
    found = whence.discover(tables, baseline="a/b")
    assert set(found.environments) == set(tables)


def test_mistakes_of_a_first_day(chain, frame):
    with pytest.raises(TypeError, match="discover.. has no argument 'env'; did you mean 'env"):
        whence.discover(frame, env="environment")
    with pytest.raises(TypeError, match="direction.. has no argument 'baselin'"):
        whence.direction(frame, "X0", "X1", environment="environment", baselin="baseline")
    text = refused(whence.UsageError, "E-USAGE-KNOWLEDGE", chain, forbid=("X0", "X1"))
    assert 'forbid=[("cause", "effect"), ...]' in text
    text = refused(whence.UsageError, "E-USAGE-CHOICE", chain, model="linar")
    assert 'there is no model="linar"' in text and "did you mean 'linear'" in text
    text = refused(whence.UsageError, "E-USAGE-KNOWLEDGE", chain, targets={"baseline": ["X0"]})
    assert "name no baseline" in text
    text = refused(whence.UsageError, "E-USAGE-MISSING", frame, environment="environment",
                   call=whence.disentangle)
    assert 'baseline="NAME"' in text
    text = refused(whence.UsageError, "E-USAGE-KNOWLEDGE", chain, tiers=[["X9"]])
    assert text.startswith("tiers")


def test_dates_are_left_out_with_a_word(frame):
    days = pd.date_range("2024-01-01", periods=len(frame), freq="h")
    for column in (days, days.tz_localize("UTC"), days.strftime("%Y-%m-%d"),
                   [d.date() for d in days]):
        with pytest.warns(whence.WhenceWarning, match="day .dates or times."):
            found = whence.discover(frame.assign(day=column), environment="environment")
        assert "day" not in found.variables


def test_tables_of_different_kinds(chain):
    tables = dict(chain.environments)
    texts = tables["shifted_01"].assign(X1=tables["shifted_01"].X1.astype(str))
    text = refused(whence.DataError, "E-DATA-MIXED", {**tables, "shifted_01": texts})
    assert text.startswith("shifted_01: column 'X1' holds texts here, numbers in 'baseline'")
    text = refused(whence.DataError, "E-DATA-SHAPE", {**tables, "shifted_01": None})
    assert text.startswith("shifted_01: a NoneType is not a table")
    text = refused(whence.UsageError, "E-USAGE-DATA", tables, environment="site")
    assert "each table is an environment already" in text
    text = refused(whence.UsageError, "E-USAGE-DATA", {"baseline": tables["baseline"]},
                   baseline="baseline")
    assert "no shifted data set" in text and '{"home": df0, "lab": df1}' in text


def test_a_column_without_values_in_one_table_is_of_no_kind(chain):
    tables = {k: t.assign(w="a" if k != "shifted_01" else np.nan)
              for k, t in chain.environments.items()}
    text = refused(whence.DataError, "E-DATA-ALLMISSING", tables, baseline="baseline")
    assert text.startswith('shifted_01: column "w" has no value at all')


def test_groups_that_are_no_tables(frame):
    refused(whence.UsageError, "E-USAGE-DATA", frame.groupby("environment")["X0"])
    pl = pytest.importorskip("polars")
    table = pl.DataFrame({c: frame[c].tolist() for c in frame})
    text = refused(whence.UsageError, "E-USAGE-DATA", table.group_by("environment"))
    assert 'environment="name"' in text


def test_categories_that_are_one_text(frame):
    mixed = frame.assign(m=pd.Categorical([1, "1"] * (len(frame) // 2), categories=[1, "1"]))
    text = refused(whence.DataError, "E-DATA-MIXED", mixed, environment="environment")
    assert "1 and '1'" in text


def test_integers_beyond_beside_missing_ones(frame):
    numbers = [None] + [2**60] * (len(frame) - 1)
    table = frame.assign(id=pd.array(numbers, dtype="Int64"))
    refused(whence.DataError, "E-DATA-PRECISION", table, environment="environment")
    pa = pytest.importorskip("pyarrow")
    pl = pytest.importorskip("polars")
    columns = {"X0": frame["X0"].tolist(), "environment": frame["environment"].tolist()}
    for table in (pa.table({**columns, "id": numbers}), pl.DataFrame({**columns, "id": numbers}),
                  pl.DataFrame({**columns, "id": pl.Series(numbers, dtype=pl.Int128)})):
        refused(whence.DataError, "E-DATA-PRECISION", table, environment="environment")


def test_durations_without_a_length(frame):
    months = frame.to_dict("list") | {"m": np.array([1] * len(frame), "timedelta64[M]")}
    refused(whence.DataError, "E-DATA-KIND", months, environment="environment")


def test_names_that_no_file_could_hold(frame):
    for name, word in (("", "is empty"), ("a\0b", "holds a NUL"), ("x" * 300, "300 bytes")):
        table = {name: frame["X0"].tolist(), "X1": frame["X1"].tolist()}
        assert word in refused(whence.DataError, "E-DATA-NAME", table,
                               environment=frame["environment"].tolist())
    text = refused(whence.DataError, "E-DATA-TEXT", {"\ud800": [1.0, 2.0], "b": [1.0, 2.0]},
                   environment=[0, 1])
    text.encode()  # what it says can be printed


def test_an_environment_without_labels(frame):
    text = refused(whence.DataError, "E-DATA-ENVIRONMENTS", frame.assign(environment=np.nan),
                   environment="environment")
    assert text.startswith("environment: no row has a label")
    few = frame.assign(environment=pd.Categorical(frame["environment"], categories=[
        "nowhere", *frame["environment"].unique()]))
    text = refused(whence.UsageError, "E-USAGE-BASELINE", few, environment="environment",
                   baseline="nowhere")
    assert text.startswith("baseline: ") and "shifted_03" in text and text.count("nowhere") == 1


def test_columns_that_are_not_there(frame):
    for option, value in (("columns", ["X0", "X9"]), ("exclude", "X9"), ("types", {"X9": "real"})):
        text = refused(whence.UsageError, "E-USAGE-COLUMN", frame, environment="environment",
                       **{option: value})
        assert text.startswith(f"{option}: there is no column 'X9' (hint: the columns are X0, X1"), text


def test_arguments_of_another_kind(chain, frame, pair):
    refused(whence.UsageError, "E-USAGE-KNOWLEDGE", chain, targets=["X0"])
    for tiers in ("X0", 5):
        refused(whence.UsageError, "E-USAGE-KNOWLEDGE", chain, tiers=tiers)
    refused(whence.UsageError, "E-USAGE-KNOWLEDGE", chain, forbid=5)
    refused(whence.UsageError, "E-USAGE-VALUE", pair, prior=0.5, call=whence.direction)
    for names in ("abc", 5):
        refused(whence.UsageError, "E-USAGE-NAMES", frame[["X0", "X1", "X2"]].to_numpy(),
                names=names, environment=frame["environment"].tolist())


def test_graphs_with_a_place_that_means_something(chain):
    nan = np.array([[0, np.nan, 0], [0, 0, 1], [0, 0, 0]])
    for graph, id in (([("X0", "X0")], "E-GRAPH-EDGE"), ([("X0", "X1")] * 2, "E-GRAPH-EDGE"),
                      ([(["X0"], "X1")], "E-GRAPH-NAME"), (nan, "E-GRAPH-SYNTAX"),
                      (pd.DataFrame(nan, ["X0", "X1", "X2"], ["X0", "X1", "X2"]),
                       "E-GRAPH-SYNTAX")):
        text = refused(whence.DataError, id, chain, graph, call=whence.changes)
        assert text.startswith("graph: "), text
    refused(whence.DataError, "E-GRAPH-NAME", [(["a"], "b")], [("a", "b")], call=whence.evaluate)
