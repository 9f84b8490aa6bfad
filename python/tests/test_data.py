"""Data as people have them: every kind of table gives the same answer."""

import warnings

import numpy as np
import pandas as pd
import pytest

import whence

QUICK = {"restarts": 1, "sweeps": 8, "threads": 1}


@pytest.fixture(scope="module")
def frame(chain):
    return chain.data


@pytest.fixture(scope="module")
def answer(frame):
    return whence.discover(frame, environment="environment", baseline="baseline")


def test_pandas_with_any_index(frame, answer):
    shuffled_index = frame.set_index(np.arange(len(frame))[::-1] * 7)
    assert whence.discover(shuffled_index, environment="environment", baseline="baseline") == answer


def test_labels_beside_the_table(frame, answer):
    labels = frame["environment"]
    for given in (labels, labels.tolist(), labels.to_numpy()):
        assert whence.discover(frame.drop(columns="environment"), environment=given,
                               baseline="baseline") == answer


def test_polars(frame, answer):
    pl = pytest.importorskip("polars")
    table = pl.DataFrame({c: frame[c].tolist() for c in frame})
    assert whence.discover(table, environment="environment", baseline="baseline") == answer
    assert whence.discover(table.lazy(), environment="environment", baseline="baseline") == answer
    coded = table.with_columns(pl.col("environment").cast(pl.Categorical))
    assert whence.discover(coded, environment="environment", baseline="baseline") == answer


def test_arrow(frame, answer):
    pa = pytest.importorskip("pyarrow")
    table = pa.table({c: frame[c].tolist() for c in frame})
    assert whence.discover(table, environment="environment", baseline="baseline") == answer

    class Foreign:  # anything that speaks the Arrow C interface
        def __arrow_c_stream__(self, requested_schema=None):
            return table.__arrow_c_stream__(requested_schema)

    assert whence.discover(Foreign(), environment="environment", baseline="baseline") == answer
    coded = table.set_column(3, "environment", table["environment"].dictionary_encode())
    assert whence.discover(coded, environment="environment", baseline="baseline") == answer


def test_arrow_columns_of_every_kind(frame):
    """What Arrow knows and a CSV file does not: each counts as what pandas makes of it."""
    pa = pytest.importorskip("pyarrow")
    import datetime
    import decimal

    rows, numbers = len(frame), frame["X0"].tolist()
    days = [datetime.datetime(2030, 1, 1) + datetime.timedelta(days=i) for i in range(rows)]
    whole = [round(10 * x) for x in numbers]
    words = ["up" if x > 0 else None if x < -2 else "down" for x in numbers]
    kinds = {
        "float32": pa.array(np.array(numbers, "float32")),
        "int": pa.array(whole, pa.int16()),
        "int-null": pa.array([None if i == 4 else w for i, w in enumerate(whole)], pa.int64()),
        "decimal": pa.array([decimal.Decimal(w) / 4 for w in whole], pa.decimal128(12, 4)),
        "bool-null": pa.array([None if i == 4 else x > 0 for i, x in enumerate(numbers)]),
        "string": pa.array(words), "large_string": pa.array(words, pa.large_string()),
        "string_view": pa.array(words, pa.string_view()),
        "dictionary": pa.array(words).dictionary_encode(),
        "day": pa.array(days, pa.timestamp("s")), "null": pa.nulls(rows),
        "chunks": pa.chunked_array([numbers[:50], numbers[50:]]),
    }
    for name, column in kinds.items():
        table = pa.table({"X1": frame["X1"].tolist(), "more": column,
                          "environment": frame["environment"].tolist()})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", whence.WhenceWarning)
            if name == "null":
                with pytest.raises(whence.DataError):
                    whence.discover(table, environment="environment", **QUICK)
                continue
            if name == "day":
                with pytest.raises(whence.WhenceError, match="1 column|two"):
                    whence.discover(table, environment="environment", **QUICK)
                continue
            found = whence.discover(table, environment="environment", **QUICK)
            same = whence.discover(table.to_pandas(), environment="environment", **QUICK)
        assert found == same, name
    nested = pa.table({"X1": numbers, "more": [[x] for x in numbers],
                       "environment": frame["environment"].tolist()})
    with pytest.raises(whence.DataError, match="more"):
        whence.discover(nested, environment="environment")
    huge = pa.table({"X1": numbers, "more": [2**60] * rows,
                     "environment": frame["environment"].tolist()})
    with pytest.raises(whence.DataError, match="2.53"):
        whence.discover(huge, environment="environment")


def test_arrow_labels_keep_their_kind(frame):
    pa = pytest.importorskip("pyarrow")
    codes = frame["environment"].factorize()[0].tolist()
    table = pa.table({"X0": frame["X0"].tolist(), "X1": frame["X1"].tolist(),
                      "environment": pa.array(codes, pa.int32())})
    found = whence.discover(table, environment="environment", baseline=0)
    assert found.environments == [0, 1, 2, 3]


def test_parquet_and_arrow_files(frame, answer, chain, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    table = pa.table({c: frame[c].tolist() for c in frame})
    parquet.write_table(table, tmp_path / "a.parquet")
    parquet.write_table(table, tmp_path / "zip.pq", compression="gzip", row_group_size=40)
    feather.write_feather(table, tmp_path / "a.arrow")
    feather.write_feather(table, tmp_path / "a.feather", compression="uncompressed")
    frame.to_parquet(tmp_path / "pandas.parquet")  # with its index
    for file in ("a.parquet", "zip.pq", "a.arrow", "a.feather", "pandas.parquet"):
        found = whence.discover(tmp_path / file, environment="environment", baseline="baseline")
        assert found == answer, file
    with pa.OSFile(str(tmp_path / "stream.arrow"), "wb") as file, \
            pa.ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table)
    assert whence.discover(str(tmp_path / "stream.arrow"), environment="environment",
                           baseline="baseline") == answer
    paths = {}
    for name, one in chain.environments.items():
        paths[name] = tmp_path / f"{name}.parquet"
        parquet.write_table(pa.Table.from_pandas(one), paths[name])
    assert whence.discover(paths, baseline="baseline") == whence.discover(chain)
    for name in ("b.parquet", "b.arrow"):
        (tmp_path / name).write_bytes(b"nothing of the kind")
        with pytest.raises(whence.DataError, match=name):
            whence.discover(tmp_path / name, environment="environment")
    with pytest.raises(whence.FileError, match="none.parquet"):
        whence.discover(tmp_path / "none.parquet", environment="environment")


def test_the_interchange_protocol(frame, answer):
    """Tables of libraries that nobody here has heard of, and that speak nothing else."""

    class Foreign:
        def __dataframe__(self, nan_as_null=False, allow_copy=True):
            return frame.__dataframe__(nan_as_null, allow_copy)

    assert whence.discover(Foreign(), environment="environment", baseline="baseline") == answer


def test_arrays_of_every_layout(frame, answer):
    labels, names = frame["environment"].tolist(), ["X0", "X1", "X2"]
    array = frame[names].to_numpy()
    wide = np.zeros((2 * len(array), 6))
    wide[::2, ::2] = array
    for given in (np.ascontiguousarray(array), np.asfortranarray(array), wide[::2, ::2],
                  array[::-1][::-1]):
        assert whence.discover(given, names=names, environment=labels, baseline="baseline") == answer
    array.setflags(write=False)
    assert whence.discover(array, names=names, environment=labels, baseline="baseline") == answer
    records = frame[names].to_records(index=False)
    assert whence.discover(records, environment=labels, baseline="baseline") == answer


def test_float64_is_not_copied():
    from whence._columns import _any_column

    array = np.random.default_rng(0).normal(size=(50, 4))
    for i in range(4):
        kind, column, _ = _any_column(array[:, i], "x")
        assert kind == "numbers" and np.shares_memory(column, array)
    frame = pd.DataFrame(array)
    assert np.shares_memory(_any_column(frame.iloc[:, 1], "x")[1], frame[1].to_numpy())
    assert not np.shares_memory(_any_column(array[:, 0].astype("float32"), "x")[1], array)


def test_dicts_and_lists(frame, answer):
    columns = {c: frame[c].tolist() for c in frame}
    assert whence.discover(columns, environment="environment", baseline="baseline") == answer
    rows = frame.to_dict("records")
    assert whence.discover(rows, environment="environment", baseline="baseline") == answer
    plain = frame.values.tolist()
    assert whence.discover(plain, names=list(frame), environment="environment",
                           baseline="baseline") == answer


def test_one_table_per_environment(chain):
    tables = chain.environments
    answer = whence.discover(tables, baseline="baseline")
    assert answer.environments == list(tables)
    turned = {k: t[["X2", "X0", "X1"]] if k != "baseline" else t for k, t in tables.items()}
    assert whence.discover(turned, baseline="baseline").adjacency.tolist() == \
        answer.adjacency.tolist()
    as_list = whence.discover(list(tables.values()), baseline=0)
    assert as_list.environments == [0, 1, 2, 3]
    assert np.array_equal(as_list.probabilities, answer.probabilities)
    arrays = [t.to_numpy() for t in tables.values()]
    named = whence.discover(arrays, names=["X0", "X1", "X2"], baseline=0)
    assert np.array_equal(named.probabilities, answer.probabilities)


def test_files(chain, tmp_path):
    chain.report(tmp_path / "sim")
    paths = {k: tmp_path / "sim" / f"{k}.csv" for k in chain.environments}
    assert whence.discover(paths, baseline="baseline") == whence.discover(chain)
    whence.save_csv(chain.data, tmp_path / "data.csv")
    assert whence.discover(tmp_path / "data.csv", environment="environment", baseline="baseline") \
        == whence.discover(chain.data, environment="environment", baseline="baseline")


def test_names_of_any_kind_survive(frame):
    names = {"X0": 0, "X1": ("a", 1), "X2": 2.5}
    table = frame.rename(columns=names)
    table.columns = pd.Index(list(table.columns), tupleize_cols=False)
    table["environment"] = table["environment"].map(
        {"baseline": 10, "shifted_01": 20, "shifted_02": 30, "shifted_03": 40})
    found = whence.discover(table, environment="environment", baseline=10)
    assert found.variables == [0, ("a", 1), 2.5]
    assert found.environments == [10, 20, 30, 40]
    assert set(found.graph.edges) == {(0, ("a", 1)), (("a", 1), 2.5)}
    assert found.changes.loc[30].idxmax() == ("a", 1)
    assert whence.discover(table, environment="environment", baseline=10,
                           forbid=[(0, ("a", 1))]).adjacency[0, 1] == 0


def test_environment_labels_keep_their_kind(chain):
    import datetime

    day = datetime.date(2030, 1, 1)
    tables = dict(zip([None.__class__, day, ("x", 2), True], chain.environments.values()))
    found = whence.discover(tables, baseline=day)
    assert set(found.environments) == set(tables)


def test_labels_of_any_kind(frame):
    codes = frame["environment"].factorize()[0]
    days = pd.Timestamp("2030-01-01") + pd.to_timedelta(codes, unit="D")
    for labels in ([("a", int(c)) for c in codes], [[0, "x", None.__class__, 2.5][c] for c in codes],
                   pd.Series(days), pd.Series(days).dt.date, pd.Categorical(codes),
                   codes % 2 == 0, pd.Series(codes, dtype="Int64")):
        found = whence.discover(frame[["X0", "X1", "X2"]], environment=labels)
        assert found.environments == list(dict.fromkeys(list(labels)))
    with pytest.raises(whence.DataError, match="hashable"):
        whence.discover(frame, environment=[[c] for c in codes])


def test_masked_values_are_missing(frame):
    array = np.ma.masked_greater(frame[["X0", "X1"]].to_numpy(), 2.0)
    hidden = int(array.mask.any(axis=1).sum())
    assert hidden > 0
    with pytest.warns(whence.WhenceWarning, match=f"{hidden} of {len(frame)} rows"):
        whence.discover(array, environment=frame["environment"])


def test_categories_strings_booleans_and_missing_values():
    rng = np.random.default_rng(3)
    rows, env = 600, np.repeat(["home", "lab"], 300)
    cause = rng.integers(0, 2, rows).astype(bool)
    cause[300:] = rng.random(300) < 0.9
    effect = np.where(rng.random(rows) < 0.1, ~cause, cause)
    plain = pd.DataFrame({"a": np.where(cause, "yes", "no"), "b": np.where(effect, "hi", "lo"),
                          "env": env})
    answer = whence.discover(plain, environment="env", baseline="home")
    assert answer.to_dict()["model"]["name"] == "categorical"
    for kind in ("category", "string", object):
        again = whence.discover(plain.astype(kind), environment="env", baseline="home")
        assert again == answer, kind
    flags = pd.DataFrame({"a": cause, "b": pd.array(effect, dtype="boolean"), "env": env})
    found = whence.discover(flags, environment="env", baseline="home")
    assert found.to_dict()["model"]["name"] == "categorical"
    assert np.array_equal(found.probabilities, answer.probabilities)
    holes = plain.copy()
    holes.loc[5, "a"] = None
    with pytest.warns(whence.WhenceWarning, match="1 of 600 rows were left out"):
        dropped = whence.discover(holes, environment="env", baseline="home")
    with pytest.warns(whence.WhenceWarning):
        coded = whence.discover(holes.astype("category"), environment="env", baseline="home")
    assert coded == dropped
    with pytest.raises(whence.DataError, match="missing") as error:
        whence.discover(holes, environment="env", baseline="home", missing="error")
    assert error.value.id == "E-DATA-MISSING" and error.value.place == "data[5]"
    numbers = pd.DataFrame({"a": pd.array(cause.astype(int), dtype="Int64"),
                            "b": effect.astype("float32"), "env": env})
    numbers.loc[7, "a"] = pd.NA
    with pytest.warns(whence.WhenceWarning, match="1 of 600"):
        whence.discover(numbers, environment="env", baseline="home")


def test_texts_that_look_like_numbers_stay_names():
    rng = np.random.default_rng(4)
    a = rng.integers(0, 3, 400)
    frame = pd.DataFrame({"a": pd.Categorical(a * 10), "b": [f"0{x}" for x in (a + 1) % 3],
                          "env": np.repeat(["p", "q"], 200)})
    found = whence.discover(frame, environment="env")
    assert found.to_dict()["provenance"]["options"]["types"] == "a=labels,b=labels"


def test_dates_are_left_out_with_a_word(frame):
    table = frame.assign(day=pd.date_range("2030-01-01", periods=len(frame)))
    with pytest.warns(whence.WhenceWarning, match="day .dates or times.*types="):
        found = whence.discover(table, environment="environment", baseline="baseline")
    assert found.variables == ["X0", "X1", "X2"]


def test_integers_and_bytes(frame, answer):
    table = frame.assign(environment=frame["environment"].map(str.encode))
    assert whence.discover(table, environment="environment", baseline=b"baseline") == answer


def test_groups_are_environments(chain, found):
    groups = chain.data.groupby("environment", sort=False)
    assert whence.discover(groups, baseline="baseline").edges.equals(found.edges)
    with_list = chain.data.groupby(["environment"], sort=False)
    assert whence.discover(with_list, baseline=("baseline",)).environments[0] == ("baseline",)


def test_groups_of_one_table_may_have_been_chosen():
    world = whence.simulate_graph("0->1", environments=1, rows=300, baseline_rows=300, seed=1)
    table = dict(environment="environment", baseline="baseline")
    assert whence.discover(world.data, **table).probabilities[0, 1] <= 0.75
    assert whence.discover(world.data, assigned=True, **table).probabilities[0, 1] > 0.95
    assert whence.discover(world).probabilities[0, 1] > 0.95


def test_rows_with_odd_cells_count_if_they_are_vouched_for(frame):
    table = frame.copy()
    table.loc[3, "X0"] = 1e6
    asked = dict(environment="environment", baseline="baseline")
    with pytest.warns(whence.WhenceWarning, match='row 4 of baseline.*odd_rows="keep"'):
        whence.discover(table, **asked)
    for command in (whence.discover, whence.check):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            command(table, odd_rows="keep", **asked)
        assert not [w for w in said if "typing mistake" in str(w.message)]
    with pytest.raises(TypeError, match="odd_rows"):
        whence.disentangle(table, odd_rows="keep", **asked)


def test_groups_by_columns_of_any_name(chain, found):
    table = chain.data.rename(columns={"environment": 1})
    assert whence.discover(table.groupby(1, sort=False), baseline="baseline").edges.equals(
        found.edges)


def test_durations_are_seconds(frame):
    hours = (frame["X0"] * 3600).round()
    plain = frame.assign(X0=hours)
    answer = whence.discover(plain, environment="environment", baseline="baseline")
    days = pd.to_timedelta(hours, unit="s")
    for column in (days, [d.to_pytimedelta() for d in days], days.to_numpy()):
        table = {**plain.to_dict("list"), "X0": column}
        assert whence.discover(table, environment="environment", baseline="baseline") == answer
    pa = pytest.importorskip("pyarrow")
    pl = pytest.importorskip("polars")
    rest = plain[["X1", "X2", "environment"]].to_dict("list")
    arrow = pa.table({"X0": pa.array(days), **rest})
    for table in (arrow, pl.from_arrow(arrow), arrow.to_pandas(types_mapper=pd.ArrowDtype)):
        assert whence.discover(table, environment="environment", baseline="baseline") == answer


def test_labels_that_are_durations_keep_their_kind(frame):
    spans = pd.to_timedelta(frame["environment"].factorize()[0], unit="D")
    found = whence.discover(frame.assign(environment=spans), environment="environment",
                            baseline=pd.Timedelta(0))
    assert found.environments == [pd.Timedelta(days=d) for d in range(4)]


def test_texts_that_are_all_numbers_are_pointed_out(frame):
    texts = frame.assign(X0=frame["X0"].round(1).astype(str))
    with pytest.warns(whence.WhenceWarning, match="'X0' holds .* all numbers.*to_numeric"):
        whence.discover(texts, environment="environment", baseline="baseline", **QUICK)


def test_a_tuple_may_be_a_name_or_a_list(frame, answer):
    table = frame.set_axis(pd.Index([("a", 0), ("a", 1), ("a", 2), "environment"],
                                    tupleize_cols=False), axis=1)
    asked = dict(environment="environment", baseline="baseline", **QUICK)
    known = whence.discover(table, targets={"shifted_01": ("a", 0)}, **asked)
    assert known == whence.discover(table, targets={"shifted_01": [("a", 0)]}, **asked)
    assert whence.discover(table, exclude=("a", 2), **asked).variables == [("a", 0), ("a", 1)]
    labels = tuple(frame["environment"])
    assert whence.discover(frame[["X0", "X1", "X2"]], environment=labels,
                           baseline="baseline") == answer


def test_rows_that_are_named_tuples(frame, answer):
    rows = list(frame.itertuples(index=False))
    assert whence.discover(rows, environment="environment", baseline="baseline") == answer


def test_tables_of_environments_whose_labels_are_tuples(frame):
    labels = [("e", x) for x in frame["environment"]]
    asked = dict(environment=labels, baseline=("e", "baseline"))
    for result in (whence.direction(frame[["X0", "X1"]], **asked),
                   whence.check(frame[["X0", "X1"]], **asked)):
        assert list(result.environments.index) == list(dict.fromkeys(labels))
