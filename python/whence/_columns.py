"""One column of any kind, and names: into what the engine takes.

Numbers stay numbers and are not copied where they are float64; texts, categories and booleans
become codes of texts; dates become ISO texts, durations seconds. What is missing (None, NaN, NA,
NaT, null) stays so.
"""

from __future__ import annotations

from typing import Any, Hashable, Iterable, Sequence

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

    def names(self) -> list[Hashable]:
        return list(self._texts)

    def listed(self, names: Any, place: str) -> list[Hashable]:
        """One name is a list of one, also a tuple that is itself a name."""
        if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
            return [names]
        if isinstance(names, tuple) and self._is_name(names):
            return [names]
        try:
            return list(names)
        except TypeError:
            raise UsageError(f"a {type(names).__name__} is no list of names",
                             id="E-USAGE-NAME", place=place) from None

    def _is_name(self, given: Any) -> bool:
        try:
            return given in self._texts
        except TypeError:
            return False

    def name(self, text: str) -> Hashable:
        return self._names.get(text, text)


def text_of(name: Hashable) -> str:
    if isinstance(name, str):
        return name
    if isinstance(name, bytes):
        return name.decode("utf-8", "replace")
    if isinstance(name, bool):
        return str(name)
    if isinstance(name, float):
        return _core.shortest(name)
    if type(name).__module__ == "numpy" and hasattr(name, "item"):  # a scalar
        return text_of(name.item())
    if hasattr(name, "isoformat"):
        return str(name.isoformat())
    return str(name)


def _numbers(values: Any, name: str) -> Any:
    """float64, one dimension; a copy only where the kind differs."""
    import numpy as np

    array = np.asarray(values)
    if array.dtype.kind in "iu" and array.size:
        _refuse_beyond(array.min(), array.max(), name)
    array = array.astype(np.float64, copy=False)
    return array if array.flags.aligned else np.array(array)


def _refuse_beyond(least: Any, most: Any, name: str) -> None:
    """Integers that a double does not hold; None where a column has no value."""
    if least is not None and (int(most) > _EXACT or int(least) < -_EXACT):
        raise _too_large(name)


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
    if type(value).__name__ in ("Timedelta", "timedelta", "timedelta64"):
        return "durations"
    if hasattr(value, "isoformat") or type(value).__name__ == "Period":
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
    if kind == "durations":
        import numpy as np

        return _array_column(np.array([np.timedelta64("NaT") if _is_missing(v) else v
                                       for v in values], dtype="timedelta64[us]"), name)
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
                        place=name, hint="one number or one text per row: df[name].astype(str), "
                                         "or leave it out with exclude=")
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
    if kind == "m":
        return "numbers", _seconds(array, name), None
    if kind == "M":
        missing = np.isnat(array)
        uniques, codes = np.unique(array.astype(str), return_inverse=True)
        return "texts", _codes(np.where(missing, -1, codes)), [str(u) for u in uniques]
    if kind in "US":
        uniques, codes = np.unique(array, return_inverse=True)
        return "texts", _codes(codes), [text_of(u.item()) for u in uniques]
    if kind == "O":
        return _objects(array.tolist(), name)
    raise DataError(f"values of kind {array.dtype} cannot be used", id="E-DATA-KIND", place=name)


def _seconds(array: Any, name: str) -> Any:
    """Durations as numbers."""
    import numpy as np

    try:
        return array / np.timedelta64(1, "s")
    except TypeError:  # months and years are not of one length
        raise DataError(f"durations of kind {array.dtype} have no length in seconds",
                        id="E-DATA-KIND", place=name, hint="give them as numbers") from None


def _category_texts(categories: Iterable[Any], name: str) -> list[str]:
    known: dict[str, Any] = {}
    for category in categories:
        text = text_of(category)
        if text in known:
            raise DataError(f"two categories are the same as text: {known[text]!r} and {category!r}",
                            id="E-DATA-MIXED", place=name, hint="rename one of them: "
                            "df[name].cat.rename_categories(...)")
        known[text] = category
    return list(known)


def _pandas_column(series: Any, name: str) -> tuple[str, Any, Any]:
    import numpy as np
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return "texts", _codes(series.cat.codes.to_numpy()), _category_texts(
            series.cat.categories, name)
    if isinstance(dtype, pd.SparseDtype):
        return _pandas_column(series.sparse.to_dense(), name)
    if isinstance(dtype, np.dtype):
        if dtype.kind == "M":
            return _dates(series)
        return _array_column(series.to_numpy(), name)
    if pd.api.types.is_bool_dtype(dtype):
        return "texts", _codes(series.astype("Int8").fillna(-1).to_numpy(dtype=np.int32)), [
            "False", "True"]
    if pd.api.types.is_numeric_dtype(dtype):
        if pd.api.types.is_complex_dtype(dtype):
            raise _complex(name)
        if pd.api.types.is_integer_dtype(dtype) and series.notna().any():
            _refuse_beyond(series.min(), series.max(), name)
        return "numbers", series.to_numpy(dtype=np.float64, na_value=np.nan), None
    if pd.api.types.is_string_dtype(dtype) and not pd.api.types.is_object_dtype(dtype):
        codes, uniques = pd.factorize(series)
        return "texts", _codes(codes), [str(u) for u in uniques]
    if pd.api.types.is_datetime64_any_dtype(dtype) or isinstance(dtype, pd.PeriodDtype):
        return _dates(series)
    if dtype.kind == "m":  # durations of Arrow
        return _array_column(series.to_numpy(dtype="timedelta64[us]"), name)
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
        if pa.types.is_integer(kind):
            import pyarrow.compute as pc

            ends = pc.min_max(column)
            _refuse_beyond(ends["min"].as_py(), ends["max"].as_py(), name)
        return "numbers", _numbers(column.cast(pa.float64()).to_numpy(), name), None
    if pa.types.is_duration(kind) and not labels:
        return "numbers", _seconds(column.to_numpy(), name), None
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
        if dtype.is_integer():
            _refuse_beyond(series.min(), series.max(), name)
        return "numbers", series.cast(pl.Float64).to_numpy(), None
    if isinstance(dtype, pl.Duration):
        return "numbers", _seconds(series.to_numpy(), name), None
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
