"""Tables as people have them, into tables that the engine reads as it reads a CSV file."""

from __future__ import annotations

import os
from typing import Any, Hashable, Iterable, Mapping, Sequence

from . import _core
from ._columns import Labels, Names, _any_column, _complex, _series, text_of
from ._errors import DataError, FileError, UsageError


class Data:
    """What a call was given: tables under the names of files, and the words that name them."""

    def __init__(self) -> None:
        self.tables: dict[str, Any] = {}
        self.arguments: list[str] = []
        self.types: dict[str, str] = {}
        self.columns = Names()
        self.environments = Names()
        self.label_column: Hashable | None = None  # the column that tells environments apart
        self.has_files = False  # whose columns the engine alone knows

    def variables(self) -> list[Hashable]:
        """Columns of the tables, but for the one of environments; none where files hold them."""
        return [n for n in self.columns.names() if n != self.label_column]


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
    if module == "polars" and hasattr(table, "get_column"):
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
    if type(table).__name__ in ("GroupBy", "LazyGroupBy", "SeriesGroupBy"):
        raise UsageError("these groups are no tables", id="E-USAGE-DATA", place="data",
                         hint="give the whole table and the column: environment=\"name\"")
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
    if isinstance(names, (str, bytes)) or not hasattr(names, "__len__"):
        raise UsageError(f"names are a list, not a {type(names).__name__}", id="E-USAGE-NAMES",
                         place="names", hint=f"one name for each of {len(columns)} columns")
    names = names.tolist() if hasattr(names, "tolist") else names
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
        if isinstance(row, (str, bytes)) or not hasattr(row, "__len__"):
            raise DataError(f"a {type(row).__name__} is no row", id="E-DATA-RAGGED",
                            place=f"data[{i}]", hint="a list of rows is a list of lists")
        if len(row) != width:
            raise DataError(f"the row has {len(row)} values, the first has {width}",
                            id="E-DATA-RAGGED", place=f"data[{i}]",
                            hint="every row needs a value for every column; None where it is missing")
    usual = [f"c{i + 1}" for i in range(width)]
    if rows and hasattr(rows[0], "_fields"):  # named tuples
        usual = list(rows[0]._fields)
    return _renamed([(n, [row[i] for row in rows]) for i, n in enumerate(usual)], names)


def _core_table(columns: list[tuple[Hashable, Any]], place: str, data: Data,
                no_labels: Iterable[str] = ()) -> Any:
    """Into the engine's table; texts that look like numbers are noted as labels."""
    place = os.path.splitext(place)[0]  # the file that it counts as is nothing to the caller
    if not columns:
        raise DataError("the table has no columns", id="E-DATA-EMPTY", place=place)
    seen: set[Hashable] = set()
    encoded = []
    for name, values in columns:
        text = data.columns.add(name)
        if text in seen:
            raise DataError(f"two columns have the name {name!r}", id="E-DATA-DUPLICATE",
                            place=place, hint="rename one of them")
        _check_name(name, text, place)
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
                    _warn_of_numbers(text, texts)
        except (UnicodeEncodeError, TypeError):  # what cannot be UTF-8 is no text to nanobind
            raise DataError("a text is not valid Unicode", id="E-DATA-TEXT",
                            place=_printable(text)) from None
    return table


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _check_name(name: Hashable, text: str, place: str) -> None:
    """What no file could hold as the name of a column."""
    size = len(text.encode("utf-8", "replace"))
    if "\0" in text or not 1 <= size <= 256:
        what = "holds a NUL" if "\0" in text else "is empty" if size == 0 else \
            f"has {size} bytes; at most 256 are allowed"
        raise DataError(f"the name {_printable(repr(name))[:40]} of a column {what}",
                        id="E-DATA-NAME", place=place,
                        hint="rename it: df.rename(columns={old: new})")


#: So many different texts that are all numbers were hardly meant as names.
MANY_NUMBERS = 20


def _warn_of_numbers(column: str, texts: list[str]) -> None:
    """Texts stay texts; but who has read a file as texts may not know that they are."""
    if len(texts) < MANY_NUMBERS:
        return
    try:
        for text in texts:
            float(text.replace(",", "."))
    except ValueError:
        return
    from ._run import say

    say(f"column {column!r} holds {len(texts)} different texts that are all numbers: they count as "
        "names, without an order; pandas.to_numeric makes numbers of them")


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


def is_data(given: Any) -> bool:
    """Whether it holds data by itself; a dict of plain values may be settings, a path names a file
    of either kind."""
    if isinstance(given, Mapping):
        return any(hasattr(v, "__arrow_c_stream__") or
                   (hasattr(v, "__array__") and getattr(v, "ndim", 1) > 0)
                   for v in given.values())
    return not isinstance(given, (str, os.PathLike))


def _file_name(text: str, used: set[str]) -> str:
    stem = "".join("_" if c in "/\0" else c for c in text).strip() or "environment"
    if stem in (".", ".."):
        stem = "environment"
    unique, i = stem, 2
    while unique in used:
        unique, i = f"{stem}-{i}", i + 1
    used.add(unique)
    return unique


#: Environments that are remembered with their kind, of a column of numbers.
_MOST_LABELS = 100_000
_ARROW_FILES = (".parquet", ".pq", ".feather", ".arrow", ".arrows", ".ipc")


def _opened(value: Any) -> Any:
    """Parquet and Arrow files as tables; other paths are read by the engine."""
    if not isinstance(value, (str, os.PathLike)):
        return value
    path = os.fspath(value)
    end = os.path.splitext(path)[1].lower()
    if end not in _ARROW_FILES:
        return value
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise DataError("reading this file needs pyarrow", id="E-DATA-FORMAT", place=path,
                        hint="pip install pyarrow, or export the table as CSV") from None
    try:
        if end in (".parquet", ".pq"):
            return parquet.read_table(path)
        return _arrow_file(path)
    except (FileNotFoundError, PermissionError) as problem:
        raise FileError(f"cannot open: {problem.strerror or problem}", id="E-IO-SYSTEM",
                        place=path) from None
    except (OSError, pa.ArrowException) as problem:
        raise DataError(str(problem).splitlines()[0], id="E-DATA-FORMAT", place=path) from None


def _arrow_file(path: str) -> Any:
    """A file with an index of its parts, or a stream: both go by the same endings."""
    import pyarrow as pa
    from pyarrow import feather

    try:
        return feather.read_table(path)
    except pa.ArrowInvalid as problem:
        try:
            with pa.OSFile(path) as file:
                return pa.ipc.open_stream(file).read_all()
        except (OSError, pa.ArrowException):
            raise problem from None


def read(data: Any, environment: Any, baseline: Any, names: Sequence[Hashable] | None,
         name: str = "data") -> Data:
    """Everything that a caller may call data."""
    from ._results import Simulation

    out = Data()
    if type(data).__name__ == "DataFrameGroupBy":
        data = _of_groups(data)
    if isinstance(data, Simulation):
        if baseline is None:
            baseline = data.baseline
        data = data.environments
    data = _opened(data)
    _refuse_half_tables(data, environment)
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


def _refuse_half_tables(data: Any, environment: Any) -> None:
    """{"home": df0, "lab": None}, and a column that tells environments apart beside such a dict."""
    if not isinstance(data, Mapping):
        return
    tables = [k for k, v in data.items() if _is_table(v) and not isinstance(v, (str, list, tuple))]
    if not tables:
        return
    if environment is None:
        for key, value in data.items():
            if not _is_table(value):
                raise DataError(f"a {type(value).__name__} is not a table", id="E-DATA-SHAPE",
                                place=text_of(key), hint="a table for each environment")
    elif len(tables) == len(data) and isinstance(environment, str) and environment not in data:
        raise UsageError("each table is an environment already", id="E-USAGE-DATA",
                         place="environment", hint="leave environment= out; or join the tables and "
                                                   "name the column that tells them apart")


def _of_groups(groups: Any) -> dict[Hashable, Any]:
    """df.groupby("site"): a table for each group, without the columns that made the groups."""
    keys = [k for k in groups.keys] if isinstance(groups.keys, list) else [groups.keys]
    frames = {name: frame for name, frame in groups}
    return {name: frame.drop(columns=[k for k in keys if isinstance(k, Hashable) and k in frame])
            for name, frame in frames.items()}


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
    kinds: dict[str, tuple[str, Hashable, Any]] = {}
    if baseline is not None and not (isinstance(baseline, Hashable) and baseline in tables):
        known = ", ".join(repr(k) for k in list(tables)[:10])
        raise UsageError(f"there is no environment {baseline!r}", id="E-USAGE-BASELINE",
                         place="baseline", hint=f"one of: {known}")
    order = sorted(tables, key=lambda k: k != baseline) if baseline is not None else list(tables)
    for key in order:
        value = _opened(tables[key])
        option = "--baseline" if baseline is not None and key == baseline else "--shifted"
        if isinstance(value, (str, os.PathLike)):
            path = os.fspath(value)
            out.has_files = True
            out.environments.add(key, os.path.splitext(os.path.basename(path))[0])
            out.arguments += [f"{option}={path}"]
            continue
        stem = _file_name(text_of(key), used)
        out.environments.add(key, stem)
        file = f"{stem}.csv"
        columns = _columns_of(value, names)
        _check_kinds(columns, key, kinds, out)
        out.tables[file] = _core_table(columns, file, out)
        out.arguments += [f"{option}={file}"]


def _check_kinds(columns: list[tuple[Hashable, Any]], key: Hashable,
                 kinds: dict[str, tuple[str, Hashable, Any]], out: Data) -> None:
    """Numbers in one table and texts in another are no column of one kind."""
    import numpy as np

    for name, values in columns:
        kind, text = _plain_kind(values), out.columns.text(name)
        if not kind:
            continue
        first, where, earlier = kinds.setdefault(text, (kind, key, values))
        if kind == first:
            continue
        numbers = _any_column(values if kind == "numbers" else earlier, text)[1]
        if not np.isnan(numbers).all():  # else all are missing, which is of no kind
            raise DataError(f"column {name!r} holds {kind} here, {first} in {where!r}",
                            id="E-DATA-MIXED", place=text_of(key),
                            hint="make it one kind in all tables: astype(str), or pandas.to_numeric")


def _plain_kind(values: Any) -> str:
    """numbers or texts where the kind of the whole column says so; else nothing."""
    kind = str(getattr(values, "dtype", getattr(values, "type", ""))).lower()
    if kind in ("str", "string", "large_string", "category") or kind.startswith(("<u", "string")):
        return "texts"
    if kind == "object" and len(values) and hasattr(values, "tolist"):
        return "texts" if any(isinstance(v, str) for v in values.tolist()) else ""
    if kind.startswith(("float", "int", "uint", "double", "decimal")) and "interval" not in kind:
        return "numbers"
    return ""


def _read_path(path: str, environment: Any, baseline: Any, out: Data) -> None:
    out.arguments += [path]
    out.has_files = True
    if environment is not None:
        out.arguments += [f"--environment={text_of(environment)}"]
    if baseline is not None:
        out.arguments += [f"--baseline={text_of(baseline)}"]


def _read_table(data: Any, environment: Any, baseline: Any, names: Sequence[Hashable] | None,
                name: str, out: Data) -> None:
    columns = _columns_of(data, names)
    if isinstance(environment, tuple) and columns and all(c != environment for c, _ in columns) \
            and hasattr(columns[0][1], "__len__") and len(columns[0][1]) == len(environment):
        environment = list(environment)  # a label for each row
    if environment is None:
        raise UsageError("which column tells the environments apart?", id="E-USAGE-DATA",
                         place="environment",
                         hint="environment=\"name of a column\", a list with a label per row, or "
                              "one table per environment: {\"home\": df0, \"lab\": df1}")
    if not isinstance(environment, (str, bytes, tuple)) and hasattr(environment, "__len__"):
        _check_labels(data, columns, environment)
        columns, environment = _with_labels(columns, environment)
    else:
        _check_column(data, columns, environment)
    out.label_column = environment
    columns, text = _with_environment(columns, environment, out)
    file = f"{name}.csv"
    out.tables[file] = _core_table(columns, file, out, no_labels=(text,))
    out.arguments += [file, f"--environment={text}"]
    _check_baseline(baseline, out)
    if baseline is not None:
        out.arguments += [f"--baseline={out.environments.text(baseline)}"]


def _check_baseline(baseline: Any, out: Data) -> None:
    """Whether there is such an environment; else what there is."""
    known = [text_of(n) for n in out.environments.names()]
    if not known:
        raise DataError("no row has a label", id="E-DATA-ENVIRONMENTS", place="environment",
                        hint="a column that tells environments apart, or a label per row")
    if baseline is None or out.environments.text(baseline) in known or len(known) >= _MOST_LABELS:
        return
    import difflib

    near = difflib.get_close_matches(text_of(baseline), known, 1)
    raise UsageError(f"there is no environment {baseline!r}"[:200], id="E-USAGE-BASELINE",
                     place="baseline", hint=(f"did you mean {near[0]!r}? " if near else "")
                     + "the environments are " + ", ".join(known[:10])
                     + (f" and {len(known) - 10} more" if len(known) > 10 else ""))


def _check_column(data: Any, columns: list[tuple[Hashable, Any]], environment: Any) -> None:
    """Whether the column of environments is there; else what is near to it."""
    known = [c for c, _ in columns]
    try:
        if environment in known:
            return
    except TypeError:
        pass
    import difflib

    hint = "the columns are " + ", ".join(text_of(c) for c in known[:20])
    near = difflib.get_close_matches(text_of(environment), [text_of(c) for c in known], 1)
    if near:
        hint = f"did you mean {near[0]!r}? {hint}"
    elif environment in list(getattr(getattr(data, "index", None), "names", [])):
        hint = "it is in the index: df.reset_index() makes a column of it"
    raise UsageError(f"there is no column {repr(environment)[:80]}", id="E-USAGE-COLUMN",
                     place="environment", hint=hint)


def _check_labels(data: Any, columns: list[tuple[Hashable, Any]], labels: Any) -> None:
    """A label for each row, and of the same row: two indices of pandas say which that is."""
    if getattr(labels, "ndim", 1) != 1:
        raise UsageError("labels are one column, not a table", id="E-USAGE-LABELS",
                         place="environment", hint="one label per row: df[\"site\"]")
    rows = len(columns[0][1]) if columns and hasattr(columns[0][1], "__len__") else len(labels)
    if len(labels) != rows:
        names = [c for c, _ in columns]
        named = isinstance(labels, list) and all(
            isinstance(x, Hashable) and x in names for x in labels)
        raise DataError(f"{len(labels)} labels for {rows} rows", id="E-DATA-RAGGED",
                        place="environment",
                        hint="one column tells environments apart: environment=\"name\"; of several, "
                             "df.groupby([...]) is a table per environment" if named else
                             "one label per row, or the name of a column")
    if _has_index(data) and _has_index(labels) and not data.index.equals(labels.index):
        raise UsageError("the labels have another index than the table: which belongs to which "
                         "row?", id="E-USAGE-LABELS", place="environment",
                         hint="labels.reindex(df.index) goes by the index, labels.to_numpy() by "
                              "the order of rows")


def _has_index(value: Any) -> bool:
    return type(value).__module__.split(".")[0] == "pandas" and hasattr(value, "iloc")


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
    kind = str(getattr(values, "dtype", getattr(values, "type", ""))).lower()
    if isinstance(values, (list, tuple)) or kind == "object" or \
            kind.startswith(("timedelta", "duration")):
        labels = values.tolist() if kind == "object" else list(values)
        return [*columns[:at], (environment, Labels(labels, out.environments)),
                *columns[at + 1:]], text
    kind, array, texts = _any_column(values, text)
    if kind == "numbers":
        import numpy as np

        uniques = np.unique(np.asarray(array))
        whole = _is_whole(values)
        for value in uniques[~np.isnan(uniques)][:_MOST_LABELS]:
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
        return list(values.cat.remove_unused_categories().cat.categories)
    if type(values).__module__.split(".")[0] == "pandas":
        return list(values.dropna().unique())
    return list(texts)
