"""From arguments of Python to one run of the engine."""

from __future__ import annotations

import os
import sys
import time
import warnings
from typing import Any, Callable, Hashable, Iterable, Mapping, Sequence, TypeVar

from . import _core
from ._columns import text_of
from ._data import Data
from ._errors import Interrupted, UsageError, WhenceError
from ._hints import in_python, without_files


T = TypeVar("T")

#: Commands that have an answer before their end.
ANSWER_EARLY = ("discover", "changes")
#: Seconds that an engine has after Ctrl-C: who waits for a whole one thinks that it is broken.
PATIENCE = 0.75


class WhenceWarning(UserWarning):
    """What the engine has to say about the data or the answer."""


def words(option: str, value: Any) -> list[str]:
    """``--option=value``, or nothing where there is no value."""
    return [] if value is None else [f"--{option}={value}"]


def say(text: str) -> None:
    """A warning at the line of the caller."""
    warnings.warn(text, WhenceWarning, stacklevel=_outside())


def known_name(name: Hashable, data: Data, place: str) -> str:
    """The text of a column's name; where there is no such column, what is near to it."""
    text = data.columns.text(name)
    labels = [] if data.label_column is None else [data.label_column]
    known = [data.columns.text(n) for n in [*data.variables(), *labels]]
    if text in known or data.has_files:
        return text
    import difflib

    near = difflib.get_close_matches(text, known, 1)
    raise UsageError(f"there is no column {name!r}"[:200], id="E-USAGE-COLUMN", place=place,
                     hint=(f"did you mean {near[0]!r}? " if near else "")
                     + "the columns are " + ", ".join(known[:20]))


def data_words(data: Data, columns: Any = None, types: Mapping[Hashable, str] | None = None,
               exclude: Sequence[Hashable] | Hashable | None = None, missing: str | None = None,
               min_rows: int | None = None, small: str | None = None,
               na: Sequence[str] | str | None = None, unseen: str | None = None,
               max_memory: str | int | None = None, most_rows: int | str | None = None,
               odd_rows: str | None = None,
               delimiter: str | None = None,
               decimal: str | None = None, header: bool = True) -> list[str]:
    """The options that say which data to read and how."""
    out = list(data.arguments)
    if columns is not None:
        out += words("columns", _columns(columns, data))
    known = dict(data.types)
    chosen = None if columns is None else set(_columns(columns, data, texts=True))
    if chosen is not None:
        known = {k: v for k, v in known.items() if k in chosen}
    if types is not None:
        if not isinstance(types, Mapping):
            raise UsageError("types are a dict", id="E-USAGE-TYPES", place="types",
                             hint='{"dose": "real", "ward": "labels"}')
        known.update({known_name(n, data, "types"): str(t) for n, t in types.items()})
    if exclude is not None:
        texts = [known_name(n, data, "exclude") for n in data.columns.listed(exclude, "exclude")]
        out += [w for text in texts for w in words("exclude", _core.list_name(text))]
        known = {k: v for k, v in known.items() if k not in texts}
    if known:
        out += words("types", ",".join(f"{_core.list_name(n)}={t}" for n, t in known.items()))
    out += words("missing", missing) + words("min-rows", min_rows) + words("small", small)
    out += words("na", na if na is None or isinstance(na, str) else ",".join(map(str, na)))
    out += words("unseen", unseen) + words("max-memory", max_memory)
    out += words("most-rows", most_rows) + words("odd-rows", odd_rows)
    out += words("delimiter", delimiter) + words("decimal", decimal)
    return out if header else [*out, "--no-header"]


def _columns(columns: Any, data: Data, texts: bool = False) -> Any:
    """["x", "y"], or {"v": ["a", "b"], "y": "y"}: v is a vector of two columns."""
    entries: list[tuple[Hashable, list[Hashable]]] = []
    if isinstance(columns, Mapping):
        entries = [(n, data.columns.listed(p, "columns")) for n, p in columns.items()]
    else:
        entries = [(c, [c]) for c in data.columns.listed(columns, "columns")]
    if texts:
        return [known_name(p, data, "columns") for _, parts in entries for p in parts]
    out = []
    for name, parts in entries:
        listed = [_core.list_name(known_name(p, data, "columns")) for p in parts]
        if len(parts) == 1 and name == parts[0]:
            out.append(listed[0])
        else:
            out.append(f"{text_of(name)}=" + "+".join(listed))
    return ",".join(out)


def run(arguments: Sequence[str], data: Data | None = None,
        texts: Mapping[str, str] | None = None, *, threads: int | None = None,
        progress: bool | None = None, warn: bool = True) -> Any:
    """One command. Warnings of the engine become warnings of Python."""
    argv = [*map(str, arguments), *words("threads", threads)]
    tables = data.tables if data else {}
    try:
        with Bar(argv[0], progress) as bar:
            found = _core.run(argv, tables, dict(texts or {}), bar.tick, argv[0] in ANSWER_EARLY,
                              PATIENCE)
    except WhenceError as error:
        files = [*tables, *(texts or {})]
        error.place = without_files(error.place, files)
        error.problem = without_files(error.problem, files)
        error.args = (error.problem,)
        raise
    if warn and found.is_there:
        for text in found.warnings:
            say(in_python(without_files(text, tables)))
    return found


def _outside() -> int:
    """How far up the caller is that is not of this package."""
    here, level, frame = os.path.dirname(__file__), 1, sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == here:
        frame, level = frame.f_back, level + 1
    return level


def finish(make: Callable[[], T], found: Any) -> T:
    """The result, or the exception that carries it after Ctrl-C."""
    if not found.interrupted:
        return make()
    if found.is_there:
        raise Interrupted(make())

    def later() -> T:
        found.wait()
        return make()

    raise Interrupted(later=later)


class Bar:
    """A progress bar, by tqdm where there is one. By default on terminals and in notebooks only."""

    def __init__(self, name: str, wanted: bool | None) -> None:
        self._name, self._bar, self._start = name, None, time.monotonic()
        self._wanted = _is_watched() if wanted is None else wanted
        self.tick: Callable[[float, float], None] | None = self._show if self._wanted else None

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def _show(self, done: float, best: float) -> None:
        if self._bar is None:
            if time.monotonic() - self._start < 0.3:
                return
            try:
                with warnings.catch_warnings():  # a notebook without widgets is none of our business
                    warnings.simplefilter("ignore")
                    from tqdm.auto import tqdm
            except ImportError:
                self.tick = None
                return
            self._bar = tqdm(total=100, desc=self._name, leave=False,
                             bar_format="{desc} {bar} {percentage:.0f} %{postfix}")
        assert self._bar is not None
        self._bar.n = min(100.0, 100 * done)
        self._bar.set_postfix_str("" if best == float("-inf") else f"best score {best:.1f}")


def _is_watched() -> bool:
    if "ipykernel" in sys.modules:
        return True
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False
