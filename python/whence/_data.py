"""Data as people have them, into tables that the engine reads as it reads a CSV file.

Numbers stay numbers and are not copied where they are float64; texts, categories and booleans
become codes of texts; dates become ISO texts. What is missing (None, NaN, NA, NaT, null) stays so.
"""

from __future__ import annotations

import os
from typing import Any, Hashable, Iterable, Mapping, Sequence

from . import _core
from ._errors import DataError, UsageError

_EXACT = 2**53


class Names:
    """Names of any hashable kind, and the texts that the engine knows them by."""

    def __init__(self) -> None:
        self._texts: dict[Hashable, str] = {}
        self._names: dict[str, Hashable] = {}

    def add(self, name: Hashable, text: str | None = None) -> str:
        try:
            known = self._texts.get(name)
        except TypeError:
            raise DataError(f"a name must be hashable, not {type(name).__name__}",
                            id="E-DATA-NAME", place=repr(name)[:60],
                            hint="use a text, a number or a tuple") from None
        if known is not None:
            return known
        text = text_of(name) if text is None else text
        if text in self._names:
            raise DataError(f"two names are the same as text: {name!r} and {self._names[text]!r}",
                            id="E-DATA-NAME", place=text[:60], hint="rename one of them")
        self._texts[name] = text
        self._names[text] = name
        return text

    def text(self, name: Hashable) -> str:
        """Of a name that may be unknown: then the engine says what it is near to."""
        try:
            return self._texts.get(name, text_of(name))
        except TypeError:
            raise UsageError(f"a name must be hashable, not {type(name).__name__}",
                             id="E-USAGE-NAME", place=repr(name)[:60]) from None

    def name(self, text: str) -> Hashable:
        return self._names.get(text, text)


class Data:
    """What a call was given: tables under the names of files, and the words that name them."""

    def __init__(self) -> None:
        self.tables: dict[str, Any] = {}
        self.arguments: list[str] = []
        self.types: dict[str, str] = {}
        self.columns = Names()
        self.environments = Names()


def text_of(name: Hashable) -> str:
    if isinstance(name, str):
        return name
    if isinstance(name, bytes):
        return name.decode("utf-8", "replace")
    if isinstance(name, bool):
        return str(name)
    if isinstance(name, float):
        return _core.shortest(name)
    if hasattr(name, "item") and not hasattr(name, "__len__"):  # a scalar of numpy
        return text_of(name.item())
    if hasattr(name, "isoformat"):
        return str(name.isoformat())
    return str(name)


# One column ------------------------------------------------------------------------------------


def _numbers(values: Any, name: str) -> Any:
    """float64, one dimension; a copy only where the kind differs."""
    import numpy as np

    array = np.asarray(values)
    if array.dtype.kind in "iu" and array.size:
        if int(array.max()) > _EXACT or int(array.min()) < -_EXACT:
            raise _too_large(name)
    array = array.astype(np.float64, copy=False)
    return array if array.flags.aligned else np.array(array)


def _codes(codes: Any) -> Any:
    import numpy as np

    return np.ascontiguousarray(codes, dtype=np.int32)


def _is_missing(value: Any) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA does not say whether it is unequal to itself
        return type(value).__name__ == "NAType"
    except ValueError:
        return False


def _kind(value: Any) -> str:
    if isinstance(value, (bool,)) or type(value).__name__ in ("bool_", "bool"):
        return "truth values"
    if isinstance(value, (str, bytes)):
        return "texts"
    if isinstance(value, complex) or type(value).__name__.startswith("complex"):
        return "complex numbers"
    if hasattr(value, "isoformat") or type(value).__name__ in ("Period", "Timedelta", "timedelta"):
        return "dates"
    if hasattr(value, "__float__"):
        return "numbers"
    return type(value).__name__


def _objects(values: Sequence[Any], name: str) -> tuple[str, Any, Any]:
    """A column of Python objects: all of one kind, apart from what is missing."""
    kinds: dict[str, int] = {}
    for row, value in enumerate(values):
        if not _is_missing(value):
            kinds.setdefault(_kind(value), row)
    if len(kinds) > 1:
        (first, _), (other, row) = list(kinds.items())[:2]
        raise DataError(f"column holds {first} and {other}", id="E-DATA-MIXED",
                        place=f"{name}[{row}]",
                        hint="make it one kind: df[name].astype(str), or pandas.to_numeric")
    kind = next(iter(kinds), "numbers")
    if kind == "complex numbers":
        raise _complex(name)
    if kind == "numbers":
        import numpy as np

        for value in values:
            if isinstance(value, int) and abs(value) > _EXACT:
                raise _too_large(name)
        try:
            return "numbers", np.array([float("nan") if _is_missing(v) else float(v)
                                        for v in values], dtype=np.float64), None
        except (TypeError, ValueError):
            kind = type(values[0]).__name__
    if kind not in ("texts", "dates", "truth values"):
        raise DataError(f"values of kind {kind} are neither numbers nor texts", id="E-DATA-KIND",
                        place=name, hint="one number or one text per row")
    known: dict[str, int] = {}
    codes = []
    for value in values:
        if _is_missing(value):
            codes.append(-1)
        else:
            codes.append(known.setdefault(text_of(value), len(known)))
    return "texts", _codes(codes), list(known)


def _too_large(name: str) -> DataError:
    return DataError("an integer beyond 2^53 loses digits as a number", id="E-DATA-PRECISION",
                     place=name, hint="number the categories from 0, or give the column as texts")


def _complex(name: str) -> DataError:
    return DataError("complex numbers have no order and no law here", id="E-DATA-KIND", place=name,
                     hint="give the real and the imaginary part as two columns")


def _array_column(array: Any, name: str) -> tuple[str, Any, Any]:
    import numpy as np

    kind = array.dtype.kind
    if kind == "c":
        raise _complex(name)
    if kind in "fiu":
        return "numbers", _numbers(array, name), None
    if kind == "b":
        return "texts", _codes(array), ["False", "True"]
    if kind in "mM":
        missing = np.isnat(array)
        uniques, codes = np.unique(array.astype(str), return_inverse=True)
        return "texts", _codes(np.where(missing, -1, codes)), [str(u) for u in uniques]
    if kind in "US":
        uniques, codes = np.unique(array, return_inverse=True)
        return "texts", _codes(codes), [text_of(u.item()) for u in uniques]
    if kind == "O":
        return _objects(array.tolist(), name)
    raise DataError(f"values of kind {array.dtype} cannot be used", id="E-DATA-KIND", place=name)


def _pandas_column(series: Any, name: str) -> tuple[str, Any, Any]:
    import numpy as np
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        texts = [text_of(c) for c in series.cat.categories]
        return "texts", _codes(series.cat.codes.to_numpy()), texts
    if isinstance(dtype, pd.SparseDtype):
        return _pandas_column(series.sparse.to_dense(), name)
    if isinstance(dtype, np.dtype):
        if dtype.kind in "mM":
            return _dates(series)
        return _array_column(series.to_numpy(), name)
    if pd.api.types.is_bool_dtype(dtype):
        return "texts", _codes(series.astype("Int8").fillna(-1).to_numpy(dtype=np.int32)), [
            "False", "True"]
    if pd.api.types.is_numeric_dtype(dtype):
        if pd.api.types.is_complex_dtype(dtype):
            raise _complex(name)
        if pd.api.types.is_integer_dtype(dtype) and not series.hasnans:
            return "numbers", _numbers(series.to_numpy(dtype=np.int64), name), None
        return "numbers", series.to_numpy(dtype=np.float64, na_value=np.nan), None
    if pd.api.types.is_string_dtype(dtype) and not pd.api.types.is_object_dtype(dtype):
        codes, uniques = pd.factorize(series)
        return "texts", _codes(codes), [str(u) for u in uniques]
    if pd.api.types.is_datetime64_any_dtype(dtype) or isinstance(dtype, pd.PeriodDtype):
        return _dates(series)
    return _objects(series.tolist(), name)


def _dates(series: Any) -> tuple[str, Any, Any]:
    import pandas as pd

    codes, uniques = pd.factorize(series)
    return "texts", _codes(codes), [text_of(u) for u in uniques]


def _arrow_column(column: Any, name: str) -> tuple[str, Any, Any]:
    import numpy as np
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
        labels = True
    else:
        labels = False
    if pa.types.is_boolean(kind):
        return "texts", _codes(column.cast(pa.int8()).fill_null(-1).to_numpy()), ["False", "True"]
    if (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)) and not labels:
        if pa.types.is_integer(kind) and column.null_count == 0:
            return "numbers", _numbers(column.to_numpy(), name), None
        return "numbers", _numbers(column.cast(pa.float64()).to_numpy(), name), None
    if pa.types.is_null(kind):
        return "numbers", np.full(len(column), np.nan), None
    if labels or pa.types.is_temporal(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind) \
            or str(kind) == "string_view":
        if pa.types.is_temporal(kind) or not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            column = column.cast(pa.string())
        coded = column.combine_chunks() if hasattr(column, "combine_chunks") else column
        if isinstance(coded, pa.ChunkedArray):
            coded = pa.concat_arrays(coded.chunks) if coded.num_chunks else pa.array([], coded.type)
        coded = coded.dictionary_encode()
        return "texts", _codes(coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)), [
            str(t) for t in coded.dictionary.to_pylist()]
    return _objects(column.to_pylist(), name)


def _polars_column(series: Any, name: str) -> tuple[str, Any, Any]:
    import polars as pl

    dtype = series.dtype
    if dtype == pl.Boolean:
        return "texts", _codes(series.cast(pl.Int32).fill_null(-1).to_numpy()), ["False", "True"]
    if dtype.is_numeric():
        if dtype.is_integer() and series.null_count() == 0:
            return "numbers", _numbers(series.to_numpy(), name), None
        return "numbers", series.cast(pl.Float64).to_numpy(), None
    if dtype.is_temporal():
        series = series.cast(pl.String)
    if dtype in (pl.Categorical, pl.Enum):
        series = series.cast(pl.String)
    return _objects(series.to_list(), name)


def _series(values: Any) -> Any:
    """An index or an array of pandas as the series that it would be."""
    if type(values).__module__.split(".")[0] != "pandas" or hasattr(values, "iloc"):
        return values
    import pandas as pd

    return pd.Series(values)


class Labels:
    """Labels of any hashable kind, as codes of texts."""

    def __init__(self, values: Iterable[Any], names: Names) -> None:
        known: dict[Hashable, int] = {}
        self.codes: list[int] = []
        self.texts: list[str] = []
        for row, value in enumerate(values):
            if _is_missing(value):
                self.codes.append(-1)
                continue
            try:
                code = known.setdefault(value, len(known))
            except TypeError:
                raise DataError(f"a label must be hashable, not {type(value).__name__}",
                                id="E-DATA-NAME", place=f"environment[{row}]",
                                hint="use a text, a number or a tuple") from None
            if code == len(self.texts):
                self.texts.append(names.add(value))
            self.codes.append(code)


def _unmasked(array: Any) -> Any:
    """What a masked array hides is missing."""
    import numpy as np

    plain = np.asarray(array)
    hidden = np.ma.getmaskarray(array) if np.ma.isMaskedArray(array) else None
    if hidden is None or not hidden.any():
        return plain
    if plain.dtype.kind in "fiu":
        return np.where(hidden, np.nan, plain.astype(np.float64))
    objects = plain.astype(object)
    objects[hidden] = None
    return objects


def _any_column(values: Any, name: str) -> tuple[str, Any, Any]:
    if isinstance(values, Labels):
        return "texts", _codes(values.codes), values.texts
    module = type(values).__module__.split(".")[0]
    if module == "pandas":
        return _pandas_column(_series(values), name)
    if module == "polars":
        return _polars_column(values, name)
    if module == "pyarrow":
        return _arrow_column(values, name)
    if hasattr(values, "dtype") and hasattr(values, "ndim"):
        import numpy as np

        if np.ndim(values) != 1:
            raise DataError(f"a column has one dimension, not {np.ndim(values)}",
                            id="E-DATA-SHAPE", place=name, hint="split it into columns")
        return _array_column(_unmasked(values), name)
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise DataError(f"column is one {type(values).__name__}, not a list of values",
                        id="E-DATA-SHAPE", place=name, hint="one value per row")
    return _objects(list(values), name)


# Tables ----------------------------------------------------------------------------------------


def _columns_of(table: Any, names: Sequence[Hashable] | None) -> list[tuple[Hashable, Any]]:
    """The columns of anything that is a table, in order."""
    module = type(table).__module__.split(".")[0]
    if module == "pandas" and hasattr(table, "columns"):
        if table.columns.nlevels > 1:
            raise DataError("the columns have names of several levels (a MultiIndex)",
                            id="E-DATA-NAME", place="columns",
                            hint='make them one: df.columns = ["_".join(c) for c in df.columns]')
        return _renamed([(name, table.iloc[:, i]) for i, name in enumerate(table.columns)], names)
    if module == "pandas" and hasattr(table, "to_frame"):
        return _columns_of(table.to_frame(), names)
    if module == "polars" and hasattr(table, "collect") and not hasattr(table, "get_column"):
        return _columns_of(table.collect(), names)
    if module == "polars":
        return _renamed([(n, table.get_column(n)) for n in table.columns], names)
    if isinstance(table, Mapping):
        return _renamed(list(table.items()), names)
    if hasattr(table, "__arrow_c_stream__"):
        import pyarrow as pa

        whole = pa.table(table)
        return _renamed(list(zip(whole.column_names, whole.columns)), names)
    if hasattr(table, "__dataframe__"):
        from pandas.api.interchange import from_dataframe

        return _columns_of(from_dataframe(table), names)
    if hasattr(table, "dtype") and hasattr(table, "ndim"):
        return _array_columns(table, names)
    if isinstance(table, (list, tuple)):
        return _row_columns(table, names)
    raise UsageError(f"a {type(table).__name__} is not a table", id="E-USAGE-DATA", place="data",
                     hint="a DataFrame, an array, a dict of columns, a list of rows, or a path")


def _renamed(columns: list[tuple[Hashable, Any]], names: Sequence[Hashable] | None,
             ) -> list[tuple[Hashable, Any]]:
    if names is None:
        return columns
    if len(names) != len(columns):
        raise UsageError(f"{len(names)} names for {len(columns)} columns", id="E-USAGE-NAMES",
                         place="names")
    return [(name, column) for name, (_, column) in zip(names, columns)]


def _array_columns(array: Any, names: Sequence[Hashable] | None) -> list[tuple[Hashable, Any]]:
    import numpy as np

    array = array if np.ma.isMaskedArray(array) else np.asarray(array)
    if array.dtype.names:
        return _renamed([(n, array[n]) for n in array.dtype.names], names)
    if array.ndim != 2:
        raise DataError(f"a table has two dimensions, not {array.ndim}", id="E-DATA-SHAPE",
                        place="data", hint="rows first, columns second")
    if array.dtype.kind == "c":
        raise _complex("data")
    usual = [f"c{i + 1}" for i in range(array.shape[1])]
    return _renamed([(n, array[:, i]) for i, n in enumerate(usual)], names)


def _row_columns(rows: Sequence[Any], names: Sequence[Hashable] | None,
                 ) -> list[tuple[Hashable, Any]]:
    if rows and isinstance(rows[0], Mapping):
        keys = list(rows[0])
        for i, row in enumerate(rows):
            if not isinstance(row, Mapping) or set(row) != set(keys):
                raise DataError("the rows do not have the same keys", id="E-DATA-RAGGED",
                                place=f"data[{i}]")
        return _renamed([(k, [row[k] for row in rows]) for k in keys], names)
    width = len(rows[0]) if rows and hasattr(rows[0], "__len__") else 0
    for i, row in enumerate(rows):
        if isinstance(row, (str, bytes)) or not hasattr(row, "__len__") or len(row) != width:
            size = len(row) if hasattr(row, "__len__") and not isinstance(row, (str, bytes)) else 1
            raise DataError(f"the row has {size} values, the first has {width}",
                            id="E-DATA-RAGGED", place=f"data[{i}]",
                            hint="every row needs a value for every column; None where it is missing")
    usual = [f"c{i + 1}" for i in range(width)]
    return _renamed([(n, [row[i] for row in rows]) for i, n in enumerate(usual)], names)


def _core_table(columns: list[tuple[Hashable, Any]], place: str, data: Data,
                no_labels: Iterable[str] = ()) -> Any:
    """Into the engine's table; texts that look like numbers are noted as labels."""
    if not columns:
        raise DataError("the table has no columns", id="E-DATA-EMPTY", place=place)
    seen: set[Hashable] = set()
    encoded = []
    for name, values in columns:
        text = data.columns.add(name)
        if text in seen:
            raise DataError(f"two columns have the name {name!r}", id="E-DATA-DUPLICATE",
                            place=place, hint="rename one of them")
        seen.add(text)
        encoded.append((text, *_any_column(values, text)))
    rows = len(encoded[0][2])
    for text, _, values, _ in encoded:
        if len(values) != rows:
            raise DataError(f"column {text!r} has {len(values)} rows, {encoded[0][0]!r} has {rows}",
                            id="E-DATA-RAGGED", place=place)
    if rows == 0:
        raise DataError("the table has no rows", id="E-DATA-EMPTY", place=place)
    table = _core.Table(rows)
    for text, kind, values, texts in encoded:
        try:
            if kind == "numbers":
                table.add_numbers(text, values)
            else:
                table.add_texts(text, values, texts)
                if text not in no_labels and _core.need_labels(texts):
                    data.types[text] = "labels"
        except (UnicodeEncodeError, TypeError):  # what cannot be UTF-8 is no text to nanobind
            raise DataError("a text is not valid Unicode", id="E-DATA-TEXT", place=text) from None
    return table


def _is_table(value: Any) -> bool:
    """Whether a value of a dict or a list is a table of its own, not a column."""
    if isinstance(value, (str, os.PathLike, Mapping)):
        return True
    if hasattr(value, "ndim") and hasattr(value, "dtype"):
        return bool(value.ndim == 2 or value.dtype.names)
    if hasattr(value, "__arrow_c_stream__") or hasattr(value, "__dataframe__"):
        return not (hasattr(value, "dtype") or hasattr(value, "type"))
    if isinstance(value, (list, tuple)) and value:
        return isinstance(value[0], (list, tuple, Mapping))
    return type(value).__module__.split(".")[0] == "pandas" and hasattr(value, "columns")


def _file_name(text: str, used: set[str]) -> str:
    stem = "".join("_" if c in "/\0" else c for c in text).strip() or "environment"
    if stem in (".", ".."):
        stem = "environment"
    unique, i = stem, 2
    while unique in used:
        unique, i = f"{stem}-{i}", i + 1
    used.add(unique)
    return unique


def read(data: Any, environment: Any, baseline: Any, names: Sequence[Hashable] | None,
         name: str = "data") -> Data:
    """Everything that a caller may call data."""
    from ._results import Simulation

    out = Data()
    if isinstance(data, Simulation):
        if baseline is None:
            baseline = data.baseline
        data = data.environments
    if isinstance(data, Mapping) and environment is None and data and all(
            _is_table(v) for v in data.values()):
        _read_environments(dict(data), baseline, names, out)
    elif isinstance(data, (list, tuple)) and environment is None and data and all(
            _is_table(v) and not _is_record(v) for v in data) and not _is_rows(data):
        _read_environments(dict(enumerate(data)), baseline, names, out)
    elif isinstance(data, (str, os.PathLike)):
        _read_path(os.fspath(data), environment, baseline, out)
    else:
        _read_table(data, environment, baseline, names, name, out)
    return out


def _is_record(value: Any) -> bool:
    return isinstance(value, Mapping) and not any(
        hasattr(v, "__len__") and not isinstance(v, (str, bytes)) for v in value.values())


def _is_rows(data: Sequence[Any]) -> bool:
    """[[1, 2], [3, 4]] is one table; [[[1, 2], [3, 4]], [[5, 6]]] are two."""
    return all(isinstance(v, (list, tuple)) and not any(
        isinstance(x, (list, tuple, Mapping)) for x in v) for v in data)


def _read_environments(tables: dict[Hashable, Any], baseline: Any,
                       names: Sequence[Hashable] | None, out: Data) -> None:
    used: set[str] = set()
    if baseline is not None and not (isinstance(baseline, Hashable) and baseline in tables):
        known = ", ".join(repr(k) for k in list(tables)[:10])
        raise UsageError(f"there is no environment {baseline!r}", id="E-USAGE-BASELINE",
                         place="baseline", hint=f"one of: {known}")
    order = sorted(tables, key=lambda k: k != baseline) if baseline is not None else list(tables)
    for key in order:
        value = tables[key]
        option = "--baseline" if baseline is not None and key == baseline else "--shifted"
        if isinstance(value, (str, os.PathLike)):
            path = os.fspath(value)
            out.environments.add(key, os.path.splitext(os.path.basename(path))[0])
            out.arguments += [f"{option}={path}"]
            continue
        stem = _file_name(text_of(key), used)
        out.environments.add(key, stem)
        file = f"{stem}.csv"
        out.tables[file] = _core_table(_columns_of(value, names), file, out)
        out.arguments += [f"{option}={file}"]


def _read_path(path: str, environment: Any, baseline: Any, out: Data) -> None:
    out.arguments += [path]
    if environment is not None:
        out.arguments += [f"--environment={text_of(environment)}"]
    if baseline is not None:
        out.arguments += [f"--baseline={text_of(baseline)}"]


def _read_table(data: Any, environment: Any, baseline: Any, names: Sequence[Hashable] | None,
                name: str, out: Data) -> None:
    columns = _columns_of(data, names)
    if environment is None:
        raise UsageError("which column tells the environments apart?", id="E-USAGE-DATA",
                         place="environment",
                         hint="environment=\"name of a column\", a list with a label per row, or "
                              "one table per environment: {\"home\": df0, \"lab\": df1}")
    if not isinstance(environment, (str, bytes, tuple)) and hasattr(environment, "__len__"):
        columns, environment = _with_labels(columns, environment)
    else:
        known = [c for c, _ in columns]
        try:
            there = environment in known
        except TypeError:
            there = False
        if not there:
            import difflib

            near = difflib.get_close_matches(text_of(environment), [text_of(c) for c in known], 1)
            shown = ", ".join(text_of(c) for c in known[:20])
            raise UsageError(f"there is no column {environment!r}", id="E-USAGE-COLUMN",
                             place="environment",
                             hint=(f"did you mean {near[0]!r}? " if near else "")
                             + f"the columns are {shown}")
    columns, text = _with_environment(columns, environment, out)
    file = f"{name}.csv"
    out.tables[file] = _core_table(columns, file, out, no_labels=(text,))
    out.arguments += [file, f"--environment={text}"]
    if baseline is not None:
        out.arguments += [f"--baseline={out.environments.text(baseline)}"]


def _with_labels(columns: list[tuple[Hashable, Any]], labels: Any,
                 ) -> tuple[list[tuple[Hashable, Any]], str]:
    taken = {text_of(c) for c, _ in columns}
    name = "environment"
    while name in taken:
        name += "_"
    return [*columns, (name, labels)], name


def _with_environment(columns: list[tuple[Hashable, Any]], environment: Hashable, out: Data,
                      ) -> tuple[list[tuple[Hashable, Any]], str]:
    """Remembers the labels of the column as they are. Also the text of its name."""
    at = next(i for i, (c, _) in enumerate(columns) if c == environment)
    values = _series(columns[at][1])
    text = out.columns.add(environment)
    if isinstance(values, (list, tuple)) or str(getattr(values, "dtype", "")) == "object":
        labels = values.tolist() if hasattr(values, "tolist") else values
        return [*columns[:at], (environment, Labels(labels, out.environments)),
                *columns[at + 1:]], text
    kind, array, texts = _any_column(values, text)
    if kind == "numbers":
        import numpy as np

        uniques = np.unique(np.asarray(array))
        whole = _is_whole(values)
        for value in uniques[~np.isnan(uniques)][:100_000]:
            name: Hashable = int(value) if whole else float(value)
            out.environments.add(name, _core.shortest(float(value)))
    elif texts == ["False", "True"]:
        out.environments.add(False)
        out.environments.add(True)
    else:
        for label in _labels_of(values, texts):
            out.environments.add(label)
    return columns, text


def _is_whole(values: Any) -> bool:
    return "int" in str(getattr(values, "dtype", getattr(values, "type", ""))).lower()


def _labels_of(values: Any, texts: list[str]) -> list[Hashable]:
    """The labels behind the texts, where they are no texts themselves: categories and dates."""
    if type(getattr(values, "dtype", None)).__name__ == "CategoricalDtype":
        return list(values.cat.categories)
    if type(values).__module__.split(".")[0] == "pandas":
        return list(values.dropna().unique())
    return list(texts)
