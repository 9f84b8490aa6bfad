"""What causes what, from how data changes.

    >>> import whence
    >>> world = whence.simulate_graph("chain3", rows=100, seed=1)
    >>> found = whence.discover(world)
    >>> sorted(found.graph.edges)
    [('X0', 'X1'), ('X1', 'X2')]
    >>> bool(found.changes.loc["shifted_01", "X0"] > 0.9)
    True

Data are a DataFrame (pandas, polars, Arrow), an array, a dict of columns or a list of rows, with a
column or a list that tells the environments apart; or one such table per environment. Matrices are
``[cause, effect]``: the row causes the column. A result is what the command line writes, byte for
byte: a table counts as the CSV file that ``save_csv`` writes.
"""

from __future__ import annotations

import json as _json
import os as _os
from typing import TYPE_CHECKING, Any, Hashable, Iterable, Mapping, Sequence
from typing import overload as _overload

from . import _core
from ._errors import (ConfigError, DataError, FileError, InternalError, Interrupted,
                      NumericalError, ResourceError, UsageError, WhenceError)
from ._results import (Check, DirectionResult, EncoderResult, Evaluation, Experiment, GraphResult,
                       Result, Simulation, TransferResult)
from ._run import WhenceWarning

if TYPE_CHECKING:
    Table = Any

__version__: str = _core.version()
__all__ = [
    "discover", "direction", "changes", "check", "disentangle", "evaluate",
    "simulate_graph", "simulate_pair", "simulate_mixed", "reproduce", "meta_learn", "experiments",
    "save_csv",
    "Result", "GraphResult", "DirectionResult", "EncoderResult", "Check", "Simulation",
    "Evaluation", "Experiment", "TransferResult",
    "WhenceError", "UsageError", "DataError", "ConfigError", "FileError", "ResourceError",
    "NumericalError", "InternalError", "Interrupted", "WhenceWarning",
]

Edges = Iterable[tuple[Hashable, Hashable]]


def discover(data: Any, *, environment: Any = None, baseline: Hashable | None = None,
             names: Sequence[Hashable] | None = None, forbid: Edges = (), require: Edges = (),
             tiers: Sequence[Sequence[Hashable]] | None = None,
             targets: Mapping[Hashable, Sequence[Hashable]] | None = None, assigned: bool = False,
             model: str | None = None, noise: str | None = None,
             restarts: int | None = None, sweeps: int | None = None, seed: int = 0,
             time_limit: float | None = None, threads: int | None = None,
             progress: bool | None = None, **reading: Any) -> GraphResult:
    """What causes what among many variables, and which mechanism changed in each environment.

    data: a table with ``environment`` naming the column (or holding a label per row) that tells
        environments apart; or a table per environment, ``{"home": df0, "lab": df1}`` or
        ``[df0, df1]``; or paths of files.
    baseline: the environment that is unchanged by definition; without one, none is.
    names: of the columns of an array or of rows.
    forbid, require: edges ``(cause, effect)`` that cannot, or must, be there.
    tiers: groups of variables; later ones cause no earlier ones.
    targets: what is known to have changed, ``{"lab": ["dose"], "home2": []}``.
    assigned: the groups of one table were assigned (treatments, sites, runs), not formed by what
        their rows hold: without it, arrows that a choice of rows would explain stay at 75 %.
    model: "auto", "linear", "categorical" or "labels". noise: "robust" or "gaussian".
    time_limit: seconds, after which the best answer so far is returned.
    threads: results do not depend on it. progress: by default on terminals and in notebooks.
    reading: columns, types, exclude, missing, min_rows, small, na, unseen, max_memory, most_rows,
        odd_rows, as ``whence discover --help`` explains them.

    Ctrl-C raises ``Interrupted``, whose ``result`` is the best answer so far.

    >>> world = whence.simulate_graph("chain3", rows=100, seed=1)
    >>> found = whence.discover(world.data, environment="environment", baseline="baseline")
    >>> found.adjacency            # [cause, effect]: the row causes the column
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """
    return _graph("discover", data, environment, baseline, names, None, forbid, require, tiers,
                  targets, assigned, model, noise, restarts, sweeps, seed, time_limit, threads,
                  progress, reading)


def changes(data: Any, graph: Any, *, environment: Any = None, baseline: Hashable | None = None,
            names: Sequence[Hashable] | None = None,
            targets: Mapping[Hashable, Sequence[Hashable]] | None = None,
            model: str | None = None, noise: str | None = None, restarts: int | None = None,
            sweeps: int | None = None, seed: int = 0, time_limit: float | None = None,
            threads: int | None = None, progress: bool | None = None,
            **reading: Any) -> GraphResult:
    """The graph is known: which mechanism changed in each environment?

    graph: a networkx.DiGraph from cause to effect, a list of ``(cause, effect)``, a dict
        ``{cause: [effects]}``, an adjacency DataFrame [cause, effect], a result, or a path.
    Everything else as in ``discover``.

    >>> world = whence.simulate_graph("chain3", rows=100, seed=1)
    >>> found = whence.changes(world, [("X0", "X1"), ("X1", "X2")])
    >>> found.changes.loc["shifted_02"].idxmax()
    'X1'
    """
    return _graph("changes", data, environment, baseline, names, graph, (), (), None, targets,
                  False, model, noise, restarts, sweeps, seed, time_limit, threads, progress,
                  reading)


def _graph(command: str, data: Any, environment: Any, baseline: Any, names: Any, graph: Any,
           forbid: Edges, require: Edges, tiers: Any, targets: Any, assigned: bool,
           model: Any, noise: Any, restarts: Any, sweeps: Any, seed: int,
           time_limit: Any, threads: Any, progress: Any, reading: dict[str, Any]) -> GraphResult:
    from ._data import read
    from ._graphs import graph_document, variables_of
    from ._run import data_words, finish, run, words

    _refuse_unknown(discover if command == "discover" else changes, reading)
    table = read(data, environment, baseline, names)
    texts: dict[str, str] = {}
    given: list[str] = []
    if isinstance(graph, str) and "->" in graph and not _os.path.exists(graph):
        graph = graph.split(",")
    if isinstance(graph, (str, _os.PathLike)):
        given = words("graph", _os.fspath(graph))
    elif graph is not None:
        texts["graph.json"] = graph_document(graph, names=table.columns, order=table.variables())
        given = words("graph", "graph.json")
        if reading.get("columns") is None:
            reading["columns"] = variables_of(texts["graph.json"], table)
    argv = [command, *data_words(table, **reading), *given]
    argv += _edge_words(forbid, "forbid", table) + _edge_words(require, "require", table)
    if tiers is not None:
        if isinstance(tiers, (str, bytes)) or not isinstance(tiers, Iterable):
            raise UsageError(f"a {type(tiers).__name__} is no list of groups", place="tiers",
                             id="E-USAGE-KNOWLEDGE", hint='tiers=[["first"], ["later", "too"]]')
        texts["tiers.json"] = _json.dumps([
            [table.columns.text(n) for n in table.columns.listed(t, "tiers")] for t in tiers])
        argv += words("tiers", "tiers.json")
    if targets is not None and not isinstance(targets, Mapping):
        raise UsageError("targets are a dict", id="E-USAGE-KNOWLEDGE", place="targets",
                         hint='targets={"lab": ["dose"]}: of an environment, what changed there')
    for name, changed in (targets or {}).items():
        listed = "+".join(_core.list_name(table.columns.text(c))
                          for c in table.columns.listed(changed, "targets"))
        argv += words("targets", f"{_core.list_name(table.environments.text(name))}:{listed}")
    if assigned:
        argv.append("--assigned")
    argv += words("model", model) + words("noise", noise)
    argv += words("restarts", restarts) + words("sweeps", sweeps) + words("seed", seed)
    argv += words("time-limit", time_limit)
    found = run(argv, table, texts, threads=threads, progress=progress)
    return finish(lambda: GraphResult(found, table, threads), found)


def _edge_words(edges: Edges, option: str, table: Any) -> list[str]:
    return [f"--{option}={table.columns.text(a)}->{table.columns.text(b)}"
            for a, b in _pairs(edges, option)]


def _pairs(edges: Edges, place: str) -> list[tuple[Hashable, Hashable]]:
    from ._graphs import pair_of

    single = isinstance(edges, str) or not isinstance(edges, Iterable)
    pairs = [edges] if single else list(edges)
    found = [pair_of(edge) for edge in pairs]
    for edge, pair in zip(pairs, found):
        if pair is None:
            raise UsageError(f"{edge!r} is not an edge", id="E-USAGE-KNOWLEDGE", place=place,
                             hint=f'a list of edges: {place}=[("cause", "effect"), ...]')
    return [pair for pair in found if pair is not None]


def _refuse_unknown(function: Any, reading: dict[str, Any]) -> None:
    """An argument that neither the function nor the reader knows."""
    import difflib
    import inspect

    from ._run import data_words

    known = list(inspect.signature(data_words).parameters)[1:]
    if function not in (discover, changes, check):  # the others look at every row
        known.remove("most_rows")
    if function not in (discover, changes, check, direction):  # the others leave none out
        known.remove("odd_rows")
    known += [n for n, p in inspect.signature(function).parameters.items() if n != "reading"]
    for name in reading:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1) or [
                k for k in known if k.startswith(name)]
            raise TypeError(f"{function.__name__}() has no argument {name!r}" +
                            (f"; did you mean {near[0]!r}?" if near else ""))


def direction(data: Any, first: Hashable | None = None, second: Hashable | None = None, *,
              environment: Any = None, baseline: Hashable | None = None,
              names: Sequence[Hashable] | None = None, forbid: Edges = (), require: Edges = (),
              assigned: bool = False, model: str | None = None, prior: Mapping[str, float] | None = None,
              threads: int | None = None,
              progress: bool | None = None, **reading: Any) -> DirectionResult:
    """Which of two variables is the cause?

    first, second: two columns; may be left out where the table has two. Everything else as in
    ``discover``; forbid, require: a direction ``(cause, effect)``; prior: weights such as
    ``{"no_link": .2}``.

    >>> world = whence.simulate_pair(environments=3, seed=1)
    >>> found = whence.direction(world, "X", "Y", assigned=True)
    >>> found.verdict, found.cause, found.effect
    ('direction', 'X', 'Y')
    """
    from ._data import read
    from ._run import data_words, finish, run, words

    _refuse_unknown(direction, reading)
    table = read(data, environment, baseline, names)
    _choose_pair(first, second, reading)
    argv = ["direction", *data_words(table, **reading), *words("model", model)]
    argv += _edge_words(forbid, "forbid", table) + _edge_words(require, "require", table)
    if assigned:
        argv.append("--assigned")
    if prior is not None and not isinstance(prior, Mapping):
        raise UsageError("prior weights are a dict", id="E-USAGE-VALUE", place="prior",
                         hint='prior={"no_link": 0.2}')
    if prior:
        argv += words("prior", ",".join(f"{k}={v!r}" for k, v in prior.items()))
    found = run(argv, table, threads=threads, progress=progress)
    return finish(lambda: DirectionResult(found, table, threads), found)


def _choose_pair(first: Any, second: Any, reading: dict[str, Any]) -> None:
    if (first is None) != (second is None):
        raise UsageError("two columns are needed, or none", id="E-USAGE-COLUMNS", place="second",
                         hint='direction(df, "rain", "umbrella", ...)')
    if first is not None:
        if reading.get("columns") is not None:
            raise UsageError("columns are named twice", id="E-USAGE-COLUMNS", place="columns")
        reading["columns"] = [first, second]


def check(data: Any, first: Hashable | None = None, second: Hashable | None = None, *,
          environment: Any = None, baseline: Hashable | None = None,
          names: Sequence[Hashable] | None = None, threads: int | None = None,
          **reading: Any) -> Check:
    """What the data hold, and what they can decide: of a pair, or of all columns. Arguments as in
    ``direction``.

    >>> world = whence.simulate_pair(environments=3, seed=1)
    >>> whence.check(world).columns["kind"].tolist()
    ['categorical', 'categorical']
    """
    from ._data import read
    from ._run import data_words, finish, run

    _refuse_unknown(check, reading)
    table = read(data, environment, baseline, names)
    _choose_pair(first, second, reading)
    found = run(["check", *data_words(table, **reading)], table, threads=threads,
                progress=False)
    return finish(lambda: Check(found, table, threads), found)


def disentangle(data: Any, *, environment: Any = None, baseline: Hashable | None = None,
                names: Sequence[Hashable] | None = None, mixing: str | None = None,
                latents: int | None = None, threads: int | None = None,
                progress: bool | None = None, **reading: Any) -> EncoderResult:
    """The variables behind columns that mix them. A baseline is needed.

    mixing: "rotation" or "linear"; latents: at most so many. Everything else as in ``discover``.

    >>> world = whence.simulate_mixed(shift="mixed", rows=200, seed=1)
    >>> whence.disentangle(world).verdict
    'encoder'
    """
    from ._data import read
    from ._run import data_words, finish, run, words

    _refuse_unknown(disentangle, reading)
    table = read(data, environment, baseline, names)
    argv = ["disentangle", *data_words(table, **reading)]
    argv += words("mixing", mixing) + words("latents", latents)
    found = run(argv, table, threads=threads, progress=progress)
    return finish(lambda: EncoderResult(found, table, threads), found)


def _simulate(what: str, options: Mapping[str, Any],
              texts: Mapping[str, str] | None = None) -> Simulation:
    from ._run import finish, run, words

    argv = ["simulate", what]
    for name, value in options.items():
        argv += words(name.replace("_", "-"), value)
    found = run(argv, None, texts)
    return finish(lambda: Simulation(found), found)


def simulate_graph(graph: Any = "er:20:40", *, mechanism: str | None = None,
                   shift: str | None = None, environments: int | None = None,
                   rows: int | None = None, baseline_rows: int | None = None,
                   levels: int | None = None, noise: str | None = None,
                   weights: str | None = None, hidden: int | None = None,
                   drift: float | None = None, typos: int | None = None,
                   noise_rows: float | None = None, seed: int = 0,
                   max_memory: str | int | None = None) -> Simulation:
    """Data of a graph, with shifts of which the truth is known.

    graph: "chain8", "0->1->2", "er:VARIABLES:EDGES" (random), "sf:VARIABLES:LINKS" (scale-free), a
    networkx.DiGraph, a list of ``(cause, effect)``, a matrix [cause, effect], or a path.
    mechanism, shift and the rest as ``whence simulate --help`` lists them.

    >>> world = whence.simulate_graph("chain3", rows=50, seed=1)
    >>> world.environments["shifted_01"].shape
    (50, 3)
    >>> list(world.graph.edges)
    [('X0', 'X1'), ('X1', 'X2')]
    """
    from ._graphs import graph_document

    texts = {}
    if not isinstance(graph, str) and not isinstance(graph, _os.PathLike):
        order: list[Hashable] | None = None
        if hasattr(graph, "ndim"):
            order = [f"X{i}" for i in range(len(graph))]
        texts["graph.json"] = graph_document(graph, order=order)
        graph = "graph.json"
    return _simulate("graph", dict(
        graph=_os.fspath(graph), mechanism=mechanism, shift=shift, environments=environments,
        rows=rows, baseline_rows=baseline_rows, levels=levels, noise=noise, weights=weights,
        hidden=hidden, drift=drift, typos=typos, noise_rows=noise_rows, seed=seed,
        max_memory=max_memory), texts)


def simulate_pair(*, kind: str | None = None, truth: str | None = None, shift: str | None = None,
                  environments: int | None = None, rows: int | None = None,
                  baseline_rows: int | None = None, levels: int | None = None,
                  seed: int = 0, max_memory: str | int | None = None) -> Simulation:
    """Data of a cause X and its effect Y. kind: "categorical", "linear-gaussian" or "spline";
    truth: "forward", "backward" or "none"; shift: what is drawn anew in each environment.

    >>> world = whence.simulate_pair(environments=3, rows=20, seed=1)
    >>> [len(table) for table in world.environments.values()]
    [1000, 20, 20, 20]
    """
    return _simulate("pair", dict(kind=kind, truth=truth, shift=shift, environments=environments,
                                  rows=rows, baseline_rows=baseline_rows, levels=levels, seed=seed,
                                  max_memory=max_memory))


def simulate_mixed(*, mixing: str | None = None, shift: str | None = None,
                   latents: int | None = None, law: str | None = None,
                   per_latent: str | int | None = None, unchanged: int | None = None,
                   doubles: int | None = None, links: float | None = None,
                   sensors: str | None = None, columns: int | None = None,
                   environments: int | None = None, rows: int | None = None, baseline_rows: int | None = None,
                   seed: int = 0, max_memory: str | int | None = None) -> Simulation:
    """Variables seen through a mixture: for ``disentangle``.

    >>> world = whence.simulate_mixed(shift="mixed", environments=2, rows=20, seed=1)
    >>> len(world.environments)
    3
    """
    return _simulate("mixed", dict(mixing=mixing, shift=shift, latents=latents, law=law,
                                   per_latent=per_latent, unchanged=unchanged, doubles=doubles, links=links,
                                   sensors=sensors, columns=columns, environments=environments, rows=rows,
                                   baseline_rows=baseline_rows, seed=seed, max_memory=max_memory))


def evaluate(found: Any, truth: Any) -> Evaluation:
    """An answer against the truth.

    found: a result, or a graph as ``changes`` takes it. truth: a simulation, its ``truth``, or a
    graph.

    >>> world = whence.simulate_graph("chain3", rows=100, seed=1)
    >>> whence.evaluate(whence.discover(world), world)["shd"]["total"]
    0
    """
    from ._run import finish, run

    texts: dict[str, str] = {}
    argv = ["evaluate", _document(found, "found.json", texts),
            _document(truth, "truth.json", texts)]
    _name_all_variables(found, truth, texts)
    answer = run(argv, None, texts, progress=False)
    return finish(lambda: Evaluation(answer), answer)


def _document(given: Any, name: str, texts: dict[str, str]) -> str:
    from ._graphs import graph_document

    if isinstance(given, (str, _os.PathLike)):
        return _os.fspath(given)
    if isinstance(given, TransferResult):
        texts[name] = given.files["graph.json"].decode()
    elif isinstance(given, Result):
        texts[name] = given.to_json()
    elif isinstance(given, Mapping) and "variables" in given:
        texts[name] = _json.dumps(given)
    else:
        texts[name] = graph_document(given, place=name[:-5])
    return name


def _name_all_variables(found: Any, truth: Any, texts: dict[str, str]) -> None:
    """Edges alone do not name the variables that have none: those that the other one has."""
    documents = {name: _json.loads(text) for name, text in texts.items()}
    every = [v for d in documents.values() for v in d.get("variables", [])
             if isinstance(v, str)]
    for given, name in ((found, "found.json"), (truth, "truth.json")):
        if name in documents and not isinstance(given, (Result, Mapping)):
            documents[name]["variables"] = list(
                dict.fromkeys([*documents[name]["variables"], *every]))
            texts[name] = _json.dumps(documents[name])


def experiments() -> list[str]:
    """The experiments of the paper that ``reproduce`` knows."""
    return list(_core.experiments())


def reproduce(name: str, *, scale: str = "full", profile: str | None = None,
              config: Mapping[str, Any] | None = None, seed: int | None = None,
              max_memory: str | int | None = None, threads: int | None = None,
              progress: bool | None = None) -> Experiment:
    """A figure of the paper again, with what holds; ``name`` may be "all".

    scale: "full", the paper's own counts, in minutes; or "smoke", the same in seconds. config:
    settings of your own, laid over the others.

    >>> found = whence.reproduce("belief-discrete", scale="smoke")
    >>> bool(found.curves["belief/N=10"]["median"].iloc[-1] > 0.9)
    True
    """
    from ._run import finish, run, words

    texts = {}
    argv = ["reproduce", name, *words("scale", scale), *words("profile", profile)]
    if config is not None:
        texts["config.json"] = _settings(config)
        argv += words("config", "config.json")
    argv += words("seed", seed) + words("max-memory", max_memory)
    found = run(argv, None, texts, threads=threads, progress=progress)
    return finish(lambda: Experiment(found, threads=threads), found)


@_overload
def meta_learn(given: Simulation, /, *, baseline: Hashable | None = None, seed: int | None = None,
               max_memory: str | int | None = None, threads: int | None = None,
               progress: bool | None = None, **reading: Any) -> TransferResult: ...


@_overload
def meta_learn(given: Any, /, *, environment: Any = None, baseline: Hashable,
               names: Sequence[Hashable] | None = None, seed: int | None = None,
               max_memory: str | int | None = None, threads: int | None = None,
               progress: bool | None = None, **reading: Any) -> TransferResult: ...


@_overload
def meta_learn(given: Mapping[str, Any] | str | _os.PathLike[str], /, *, seed: int | None = None,
               max_memory: str | int | None = None, threads: int | None = None,
               progress: bool | None = None) -> Experiment: ...


def meta_learn(given: Any, /, *, environment: Any = None, baseline: Hashable | None = None,
               names: Sequence[Hashable] | None = None, seed: int | None = None,
               max_memory: str | int | None = None, threads: int | None = None,
               progress: bool | None = None, **reading: Any) -> Experiment:
    """Algorithm 1 of the paper on a world of your choice, or on your data.

    given: a dict of settings, every switch of the command, or the path of such a file; or data as
        ``discover`` takes them, with a ``baseline``: 2 to 5 columns of categories. Then the result
        has ``edges``, ``graph`` and matrices [cause, effect]: the row causes the column.
    Everything else as in ``discover``. The paper's criterion is right where causes shift; for an
    answer about your data ask ``discover``.

    >>> found = whence.meta_learn({"world": "categorical", "shift": "cause", "episodes": 20,
    ...                            "runs": 2})
    >>> len(found.curves) > 0
    True
    >>> world = whence.simulate_graph("0->1", mechanism="categorical", environments=1, rows=300,
    ...                               baseline_rows=2000)
    >>> list(whence.meta_learn(world).graph.edges)
    [('X0', 'X1')]
    """
    from ._data import is_data, read
    from ._run import data_words, finish, run, words

    _refuse_unknown(meta_learn, reading)
    chosen = words("seed", seed)
    if not (environment is not None or baseline is not None or is_data(given)):
        if reading or names is not None:
            word = next(iter(reading), "names")
            raise UsageError("settings of a world are not read from a table", id="E-USAGE-DATA",
                             place=word, hint="give data with a baseline, or leave it out")
        texts = {} if isinstance(given, (str, _os.PathLike)) else {"config.json": _settings(given)}
        file = "config.json" if texts else _os.fspath(given)
        argv = ["meta-learn", f"--config={file}", *chosen, *words("max-memory", max_memory)]
        drawn = run(argv, None, texts, threads=threads, progress=progress)
        return finish(lambda: Experiment(drawn, threads=threads), drawn)
    table = read(given, environment, baseline, names)
    argv = ["meta-learn", *data_words(table, max_memory=max_memory, **reading), *chosen]
    found = run(argv, table, threads=threads, progress=progress)
    return finish(lambda: TransferResult(found, table, threads), found)


def _settings(config: Mapping[str, Any]) -> str:
    """Settings as JSON; a value that is none is named."""
    def plain(value: Any) -> Any:
        if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
            return value.tolist()
        raise TypeError(f"a {type(value).__name__} is no value of a setting")

    try:
        return _json.dumps(dict(config), default=plain)
    except (TypeError, ValueError) as problem:
        raise ConfigError(str(problem), id="E-CONFIG-TYPE", place="config",
                          hint="texts, numbers, truth values, and dicts of them") from None


def save_csv(data: Any, path: str | _os.PathLike[str], *,
             names: Sequence[Hashable] | None = None) -> None:
    """Writes a table as the CSV file that it counts as: the command line finds in it, byte for
    byte, what the functions here find in the table (where its name is the same: "data.csv")."""
    from ._data import Data, _columns_of, _core_table

    table = _core_table(_columns_of(data, names), _os.path.basename(_os.fspath(path)), Data())
    _core.save_csv(table, _os.fspath(path))
