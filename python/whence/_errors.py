"""Exceptions: one class for each kind of failure of the engine."""

from __future__ import annotations

from typing import Any, Callable, NoReturn

from ._hints import in_python


class WhenceError(Exception):
    """Something went wrong; the message says what, where and how to mend it.

    Attributes: ``id`` (stable, such as ``"E-DATA-MIXED"``), ``place`` (a table with a row, an
    argument, or empty), ``problem``, ``hint`` and ``code``, the exit code of the command line.
    """

    code = 1

    def __init__(self, problem: str, *, id: str = "", place: str = "", hint: str = "") -> None:
        self.id, self.place, self.problem, self.hint = id, place, problem, hint
        super().__init__(problem)

    def __str__(self) -> str:
        text = f"{self.place}: {self.problem}" if self.place else self.problem
        if self.hint:
            text += f" (hint: {self.hint})"
        return f"{text} [{self.id}]" if self.id else text

    def __reduce__(self) -> Any:
        return _restored, (type(self), self.problem, self.id, self.place, self.hint)


class UsageError(WhenceError, ValueError):
    """An argument does not fit."""

    code = 2


class DataError(WhenceError, ValueError):
    """The data, or a graph, cannot be used as they are."""

    code = 3


class ConfigError(WhenceError, ValueError):
    """A setting is wrong."""

    code = 4


class FileError(WhenceError, OSError):
    """A file cannot be read or written."""

    code = 5


class ResourceError(WhenceError, MemoryError):
    """More memory, or more variables, than allowed."""

    code = 6


class NumericalError(WhenceError, ArithmeticError):
    """The numbers left the range in which an answer can be found."""

    code = 7


class InternalError(WhenceError, RuntimeError):
    """A bug in Whence: please report it."""

    code = 1


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a search. ``result`` is the best answer so far.

    It is raised within a second. An engine may need longer to put its best answer together:
    ``result`` waits for it, and Ctrl-C ends that wait. ``ready`` says whether it is there.
    """

    def __init__(self, result: Any = None, later: Callable[[], Any] | None = None) -> None:
        self._result, self._later = result, later
        super().__init__("the search was stopped; .result of this exception is its best answer")

    @property
    def ready(self) -> bool:
        """Whether ``result`` is there without waiting."""
        return self._later is None

    @property
    def result(self) -> Any:
        """The best answer so far. KeyboardInterrupt where the search had none yet."""
        if self._later is not None:
            try:
                self._result = self._later()
            except WhenceError as error:
                if error.id != "E-INTERRUPTED":
                    raise
                raise KeyboardInterrupt("the search was stopped before it had an answer") from None
            self._later = None
        return self._result

    def __reduce__(self) -> Any:
        return Interrupted, (self.result,)


_CLASSES: dict[int, type[WhenceError]] = {
    c.code: c
    for c in (UsageError, DataError, ConfigError, FileError, ResourceError, NumericalError)
}


def _restored(kind: type[WhenceError], problem: str, id: str, place: str, hint: str) -> WhenceError:
    return kind(problem, id=id, place=place, hint=hint)


def raise_error(code: int, id: str, place: str, problem: str, hint: str) -> NoReturn:
    """Called by the engine."""
    kind = _CLASSES.get(code, InternalError)
    raise kind(in_python(problem), id=id, place=in_python(place).rstrip("="), hint=in_python(hint))
