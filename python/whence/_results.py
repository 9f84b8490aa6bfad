"""What the functions return: plain values around the JSON document of the command line.

Matrices are ``[cause, effect]``: the row causes the column.
"""

from __future__ import annotations

import html
import json
import os
from typing import TYPE_CHECKING, Any, Hashable, Iterable, Iterator, Mapping

from . import _core
from ._columns import Names
from ._graph_shaped import GraphShaped, need
from ._hints import in_python, without_files

if TYPE_CHECKING:
    import networkx
    import pandas

    from ._data import Data


def _as_frame(value: Any) -> "pandas.DataFrame":
    """For those who check types: pandas is imported when it is needed."""
    frame: "pandas.DataFrame" = value
    return frame


class Result:
    """What was found. ``to_json()`` is byte for byte what the command line writes."""

    def __init__(self, found: Any, data: Data | None = None, threads: int | None = None) -> None:
        self._found: Any = found
        self._made: dict[str, bytes] | None = None
        self._json: str = found.json
        self._screen: str = found.screen
        self._command: list[str] = list(found.command)
        self._tables: list[str] = list(data.tables) if data else []
        self._columns = data.columns if data else Names()
        self._environments = data.environments if data else Names()
        self.notes: list[str] = self._in_python(found.notes)
        self._seconds, self._threads = found.seconds, threads or 0
        #: seconds that the engine took, and those that reading the data took before it
        self.seconds = {"engine": found.engine_seconds,
                        "reading": found.seconds - found.engine_seconds}
        self._document: dict[str, Any] | None = None

    # The document

    def to_json(self) -> str:
        """``result.json`` as text: the same bytes as the command line's."""
        return self._json

    def to_dict(self) -> dict[str, Any]:
        """The same, parsed. A copy: it is yours to change."""
        document: dict[str, Any] = json.loads(self._json)
        return document

    @property
    def _dict(self) -> dict[str, Any]:
        if self._document is None:
            self._document = self.to_dict()
        return self._document

    @property
    def summary(self) -> str:
        """The answer in a sentence or two."""
        return str(self._dict.get("summary", ""))

    @property
    def warnings(self) -> list[str]:
        """What to know about the data and the answer, with hints in words of Python."""
        return self._in_python(self._dict.get("warnings", []))

    @property
    def advice(self) -> list[str]:
        """What would settle what is open."""
        return self._in_python(self._dict.get("advice", []))

    def _in_python(self, texts: Iterable[str]) -> list[str]:
        """Arguments instead of options, tables instead of the files that they count as."""
        return [in_python(without_files(text, self._tables)) for text in texts]

    @property
    def command(self) -> str:
        """The command line that gives the same result, for a table saved by ``save_csv``."""
        return _core.shell_words(self._command)

    # Files

    @property
    def files(self) -> dict[str, bytes]:
        """All files that ``report()`` writes, by name, made when first asked for."""
        if self._made is None:
            self._made = dict(self._found.files())
            self._found = None
        return self._made

    @property
    def page(self) -> str:
        """The report page, one HTML file that needs nothing else."""
        return self.files["index.html"].decode()

    def report(self, folder: str | os.PathLike[str]) -> str:
        """Writes the page and all files, as the command line does; returns the page's path."""
        folder = os.fspath(folder)
        _core.publish(folder, list(self.files.items()), self._command, self._threads,
                      self._seconds)
        return os.path.join(folder, "index.html")

    # Python

    def __repr__(self) -> str:
        return in_python(self._screen.rstrip("\n"))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._json == other._json

    def __hash__(self) -> int:
        return hash(self._json)

    def __getstate__(self) -> dict[str, Any]:
        made = self.files  # what makes them cannot be stored
        return {**self.__dict__, "_found": None, "_made": made, "_document": None}

    def _repr_html_(self) -> str:
        return _html(self.summary, "", [], self.advice, self.warnings)

    def _variable(self, text: str) -> Hashable:
        return self._columns.name(text)

    def _environment(self, text: str) -> Hashable:
        return self._environments.name(text)


def _html(lead: str, picture: str, tables: list[tuple[str, Any]], advice: list[str],
          warnings: list[str]) -> str:
    """For notebooks: all text escaped, the picture as an image of its own."""
    out = [f"<div class='whence'><p><strong>{html.escape(lead)}</strong></p>"]
    if picture:
        out.append(f"<img alt='{html.escape(lead, quote=True)}' src='{picture}' "
                   "style='max-width:100%;background:white'>")
    for title, frame in tables:
        out.append(f"<p>{html.escape(title)}</p>" + frame)
    out += [f"<p>{html.escape(text)}</p>" for text in advice[:5]]
    if warnings:
        listed = "".join(f"<li>{html.escape(text)}</li>" for text in warnings[:10])
        count = "1 warning" if len(warnings) == 1 else f"{len(warnings)} warnings"
        out.append(f"<details><summary>{count}</summary><ul>{listed}</ul></details>")
    return "".join(out) + "</div>"


def _html_screen(text: str) -> str:
    """Columns stay under each other whatever the style of the notebook."""
    return f"<pre style='font-family:monospace;white-space:pre-wrap'>{html.escape(text)}</pre>"


def _html_table(columns: list[str], rows: list[list[Any]]) -> str:
    head = "".join(f"<th>{html.escape(str(c))}</th>" for c in columns)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(str(v))}</td>" for v in row) + "</tr>"
                   for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _image(svg: bytes | None) -> str:
    if svg is None:
        return ""
    import base64

    return "data:image/svg+xml;base64," + base64.b64encode(svg).decode()


def _frame(content: bytes) -> "pandas.DataFrame":
    """A CSV file of the engine; numbers come back as they were, digit by digit."""
    pd = need("pandas", "a table")
    import io

    frame = pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)
    for name in frame:
        for kind in ("int64", "float64"):
            try:
                frame[name] = frame[name].astype(object).map(
                    int if kind == "int64" else float).astype(kind)
                break
            except (ValueError, OverflowError):
                continue
    return _as_frame(frame)


def _percent(p: float | None) -> str:
    if p is None:
        return ""
    return "> 99.9 %" if p > 0.999 else "< 0.1 %" if p < 0.001 else f"{100 * p:.1f} %"


def _step(step: Mapping[str, Any] | None) -> str:
    """What a step of a cause does, in words."""
    if step is None:
        return ""
    ends = [v if isinstance(v, str) else f"{v:.3g}" for v in (step["from"], step["to"])]
    of = "" if step["level"] is None else f"P({step['level']}) "
    return (f"{of}{step['change']:+.3g} ({step['low']:.3g} to {step['high']:.3g}), "
            f"from {ends[0]} to {ends[1]}")


class GraphResult(GraphShaped, Result):
    """What causes what, and which mechanism changed where: of ``discover`` and ``changes``."""

    @property
    def _graph(self) -> dict[str, Any]:
        return self._dict

    @property
    def environments(self) -> list[Hashable]:
        return [self._environment(e["name"]) for e in self._dict["environments"]]

    @property
    def edges(self) -> "pandas.DataFrame":
        """One row per edge, most probable first: cause, effect, probability; the probability of an
        edge either way; ``support``, what changes alone say for this direction against the other
        (nats); the range of the probability over leaving out any one environment."""
        pd = need("pandas", "edges")
        rows = []
        for e in self._dict["edges"]:
            low = e.get("leave_one_out") or {}
            rows.append((self._variable(e["from"]), self._variable(e["to"]), e["probability"],
                         e.get("adjacent_probability"), e.get("shift_log_odds"), low.get("low"),
                         low.get("high")))
        names = ["cause", "effect", "probability", "joined", "support", "range_low", "range_high"]
        frame = pd.DataFrame(rows, columns=names)
        return _as_frame(frame.astype({n: "float64" for n in names[2:]}))

    @property
    def effects(self) -> "pandas.DataFrame":
        """What a step of each cause does: its effect goes up by ``change`` (95 % range ``low`` to
        ``high``, in the unit of the effect's column) when the cause goes from ``before`` to ``after``,
        the other causes staying where the baseline has them. Of categories: the probability of
        ``level``."""
        pd = need("pandas", "effects")
        names = ["cause", "effect", "before", "after", "change", "low", "high", "level"]
        steps = [(e, e["effect"]) for e in self._dict["edges"] if e.get("effect")]
        rows = [(self._variable(e["from"]), self._variable(e["to"]), s["from"], s["to"],
                 s["change"], s["low"], s["high"], s["level"]) for e, s in steps]
        return _as_frame(pd.DataFrame(rows, columns=names))

    @property
    def hidden(self) -> "pandas.DataFrame":
        """Pairs that depend on each other through something hidden: first, second, probability."""
        pd = need("pandas", "hidden")
        rows = [(self._variable(p["a"]), self._variable(p["b"]), p["probability"])
                for p in self._dict["hidden"]]
        return _as_frame(pd.DataFrame(rows, columns=["first", "second", "probability"]))

    @property
    def assumption(self) -> str:
        """What every arrow takes for granted, in one sentence."""
        return str(self._dict["assumption"])

    @property
    def support(self) -> "pandas.DataFrame":
        """What is lost of an edge's support when an environment is left out: edge x environment."""
        pd = need("pandas", "support")
        rows = {(self._variable(e["from"]), self._variable(e["to"])):
                {self._environment(k): v for k, v in e["support"].items()}
                for e in self._dict["edges"] if e.get("support")}
        frame = pd.DataFrame.from_dict(rows, orient="index")
        return _as_frame(frame.rename_axis(index=["cause", "effect"]) if rows else frame)

    @property
    def changes(self) -> "pandas.DataFrame":
        """The probability that a variable's mechanism changed: environment x variable."""
        pd = need("pandas", "changes")
        variables = self._dict["variables"]
        rows = [[(e.get("changed") or {}).get(v) for v in variables]
                for e in self._dict["environments"]]
        return _as_frame(pd.DataFrame(rows, index=pd.Index(self.environments, name="environment",
                                                           tupleize_cols=False),
                                      columns=pd.Index(self.variables, name="variable",
                                                       tupleize_cols=False),
                                      dtype="float64"))

    @property
    def stopped(self) -> str:
        """Why the search ended early; empty where it did not."""
        return str((self._dict.get("search") or {}).get("stopped") or "")

    def _repr_html_(self) -> str:
        edges = [[self._variable(e["from"]), self._variable(e["to"]), _percent(e["probability"]),
                  _step(e.get("effect"))]
                 for e in self._dict["edges"][:20] if e["probability"] >= 0.05]
        tables = [("what causes what", _html_table(
            ["cause", "effect", "probability", "a step of the cause"], edges))]
        hidden = [[self._variable(p["a"]), self._variable(p["b"]), _percent(p["probability"])]
                  for p in self._dict["hidden"][:20] if p["probability"] >= 0.5]
        if hidden:
            tables.append(("moved by something hidden",
                           _html_table(["first", "second", "probability"], hidden)))
        tables.append(("what changed where",
                       _html_table(["environment", "changed"], self._changed_words())))
        return _html(self.summary, _image(self.files.get("figures/graph.svg")), tables,
                     [self.assumption, *self.advice], self.warnings)

    def _changed_words(self) -> list[list[Any]]:
        return [[self._environment(e["name"]),
                 ", ".join(f"{self._variable(v)} {_percent(p)}"
                           for v, p in (e.get("changed") or {}).items() if p >= 0.5) or "nothing"]
                for e in self._dict["environments"][:30] if not e.get("baseline")]


class DirectionResult(Result):
    """Which of two variables is the cause: of ``direction``."""

    @property
    def variables(self) -> list[Hashable]:
        return [self._variable(v) for v in self._dict["variables"]]

    @property
    def verdict(self) -> str:
        """direction, no-link, undecided, no-shift, all-changed or conflicting."""
        return str(self._dict["verdict"]["kind"])

    @property
    def cause(self) -> Hashable | None:
        """The cause, where a direction is decided."""
        return self._of_verdict("from")

    @property
    def effect(self) -> Hashable | None:
        return self._of_verdict("to")

    def _of_verdict(self, end: str) -> Hashable | None:
        name = self._dict["verdict"].get(end)
        return None if name is None else self._variable(name)

    @property
    def beliefs(self) -> dict[tuple[Hashable, Hashable], float]:
        """P((cause, effect)) of both directions."""
        return {(self._variable(b["from"]), self._variable(b["to"])): b["probability"]
                for b in self._dict["beliefs"]}

    @property
    def no_link(self) -> float:
        """The probability that neither causes the other."""
        return float(self._dict["no_link"])

    @property
    def score(self) -> float:
        """P(first causes second) - P(second causes first): above 0, the order of columns wins."""
        first, second = (b["probability"] for b in self._dict["beliefs"])
        return float(first - second)

    @property
    def environments(self) -> "pandas.DataFrame":
        """Per environment: rows, what it adds to the log-odds, and P(changed) per variable."""
        pd = need("pandas", "environments")
        rows = [{key: e[key] for key in ("rows", "baseline", "log_odds")}
                for e in self._dict["environments"]]
        names = [self._environment(e["name"]) for e in self._dict["environments"]]
        return _as_frame(pd.DataFrame(rows, index=pd.Index(names, name="environment",
                                                           tupleize_cols=False)))

    @property
    def changes(self) -> "pandas.DataFrame":
        """The probability that a variable's mechanism changed: environment x variable."""
        pd = need("pandas", "changes")
        rows = [list(e["changed"].values()) for e in self._dict["environments"]]
        index = [self._environment(e["name"]) for e in self._dict["environments"]]
        return _as_frame(pd.DataFrame(rows, index=pd.Index(index, name="environment",
                                                           tupleize_cols=False),
                                      columns=pd.Index(self.variables, name="variable",
                                                       tupleize_cols=False)))

    def _repr_html_(self) -> str:
        beliefs = [[a, b, _percent(p)] for (a, b), p in self.beliefs.items()]
        picture = next((v for k, v in self.files.items() if k.endswith("graph.svg")), None)
        return _html(self.summary, _image(picture),
                     [("beliefs", _html_table(["cause", "effect", "probability"], beliefs))],
                     self.advice, self.warnings)


class Check(Result):
    """What data hold and what they can decide: of ``check``."""

    @property
    def columns(self) -> "pandas.DataFrame":
        pd = need("pandas", "columns")
        frame = pd.DataFrame(self._dict["columns"])
        frame["name"] = [self._variable(n) for n in frame["name"]]
        return _as_frame(frame.set_index("name"))

    @property
    def environments(self) -> "pandas.DataFrame":
        pd = need("pandas", "environments")
        rows, names = [], []
        for e in self._dict["environments"]:
            row = {"rows": e["rows"], "baseline": e["baseline"]}
            for key in ("marginal_evidence", "conditional_evidence"):
                row.update({f"{key} {self._variable(v)}": x for v, x in e.get(key, {}).items()})
            rows.append({**row, "visible_shift": e["visible_shift"]})
            names.append(self._environment(e["name"]))
        return _as_frame(pd.DataFrame(rows, index=pd.Index(names, name="environment",
                                                           tupleize_cols=False)))

    def _repr_html_(self) -> str:
        return _html_screen(repr(self))


class EncoderResult(Result):
    """The variables behind columns that mix them: of ``disentangle``."""

    @property
    def verdict(self) -> str:
        return str(self._dict["verdict"]["kind"])

    @property
    def unmixing(self) -> "pandas.DataFrame":
        """Weights of the columns in each latent: latent x column."""
        return self._rows("weights")

    @property
    def unmixing_sd(self) -> "pandas.DataFrame":
        """How far chance may have moved each weight: latent x column."""
        return self._rows("sd")

    def _rows(self, part: str) -> "pandas.DataFrame":
        pd = need("pandas", "unmixing")
        rows = {row["latent"]: {self._variable(c): x for c, x in row[part].items()}
                for row in self._dict["unmixing"]}
        frame = pd.DataFrame.from_dict(rows, orient="index")
        return _as_frame(frame.rename_axis(index="latent"))

    @property
    def effects(self) -> "pandas.DataFrame":
        """What latents do to each other, through whatever lies between: baseline deviations of the
        effect for one of the cause."""
        pd = need("pandas", "effects")
        return _as_frame(pd.DataFrame(self._dict["effects"], columns=["from", "to", "effect", "sd"]))

    @property
    def latents(self) -> "pandas.DataFrame":
        """The latents of every row."""
        return _frame(self.files["latents.csv"])


class Curves(Mapping[str, Any]):
    """Curves by id, each a DataFrame with x, median, q25 and q75."""

    def __init__(self, curves: list[dict[str, Any]]) -> None:
        self._curves = {c["id"]: c for c in curves}

    def __getitem__(self, key: str) -> "pandas.DataFrame":
        pd = need("pandas", "curves")
        if key not in self._curves:
            raise KeyError(f"{key!r}; there are: {', '.join(self._curves)}")
        curve = self._curves[key]
        names = [k for k in ("x", "median", "q25", "q75") if curve.get(k)]
        return _as_frame(pd.DataFrame({k: curve[k] for k in names}))

    def __iter__(self) -> Iterator[str]:
        return iter(self._curves)

    def __len__(self) -> int:
        return len(self._curves)


class Experiment(Result):
    """What an experiment of the paper found: of ``reproduce`` and ``meta_learn``."""

    @property
    def _first(self) -> dict[str, Any]:
        many = self._dict.get("experiments")
        return many[0] if many else self._dict

    @property
    def experiments(self) -> list[dict[str, Any]]:
        """Each experiment as the document has it; one, unless all were asked for."""
        return list(self._dict.get("experiments", [self._dict]))

    @property
    def summary(self) -> str:
        return str(self._first.get("summary", ""))

    @property
    def curves(self) -> Curves:
        """By id: ``curves["belief/N=10"]`` is a DataFrame."""
        return Curves([c for e in self.experiments for c in e.get("curves", [])])

    @property
    def tables(self) -> dict[str, "pandas.DataFrame"]:
        pd = need("pandas", "tables")
        return {t["id"]: pd.DataFrame(t["rows"], columns=t["columns"])
                for e in self.experiments for t in e.get("tables", [])}

    @property
    def claims(self) -> "pandas.DataFrame":
        """What was claimed, what was measured, and whether it holds."""
        pd = need("pandas", "claims")
        names = ["id", "kind", "paper", "measured", "holds", "why"]
        return _as_frame(pd.DataFrame([[c[n] for n in names] for e in self.experiments
                                       for c in e.get("claims", [])], columns=names))

    @property
    def numbers(self) -> dict[str, float]:
        return {n["id"]: n["value"] for e in self.experiments for n in e.get("numbers", [])}

    def plot(self, *curves: str, ax: Any = None) -> Any:
        """Draws the named curves, or all, with matplotlib: medians and quartiles."""
        plt = need("matplotlib.pyplot", "plot")
        ax = ax if ax is not None else plt.figure().add_subplot()
        every = self.curves
        for name in curves or every:
            frame = every[name]
            line, = ax.plot(frame["x"], frame["median"], label=name)
            if "q25" in frame and "q75" in frame:
                ax.fill_between(frame["x"], frame["q25"], frame["q75"], color=line.get_color(),
                                alpha=0.2)
        ax.legend()
        return ax

    def _repr_html_(self) -> str:
        pictures = "".join(f"<img alt='' src='{_image(v)}' style='max-width:48%;background:white'>"
                           for k, v in self.files.items() if k.endswith(".svg"))
        claims = [["yes" if c["holds"] else "NO", c["paper"], c["measured"]]
                  for e in self.experiments for c in e.get("claims", [])]
        tables = [("claims", _html_table(["holds", "claim", "measured"], claims))] if claims else []
        return _html(self.summary, "", tables, [], self.warnings) + pictures


class TransferResult(GraphShaped, Experiment):
    """What the paper's learner believes of data, edge by edge: of ``meta_learn``."""

    @property
    def _graph(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.files["graph.json"])
        return document

    @property
    def edges(self) -> "pandas.DataFrame":
        """One row per edge, surest first: cause, effect, probability, which is a belief here."""
        pd = need("pandas", "edges")
        rows = [(self._variable(e["from"]), self._variable(e["to"]), e["probability"])
                for e in self._graph["edges"]]
        frame = pd.DataFrame(rows, columns=["cause", "effect", "probability"])
        return _as_frame(frame.sort_values("probability", ascending=False, kind="stable",
                                           ignore_index=True))


class Simulation(Result):
    """Data with a known truth: of ``simulate_graph``, ``simulate_pair`` and ``simulate_mixed``."""

    baseline = "baseline"

    @property
    def truth(self) -> dict[str, Any]:
        """``truth.json``, parsed."""
        return self.to_dict()

    @property
    def environments(self) -> dict[str, "pandas.DataFrame"]:
        """A DataFrame for each environment, the baseline first."""
        return {name[:-4]: _frame(content) for name, content in self.files.items()
                if name.endswith(".csv")}

    @property
    def data(self) -> "pandas.DataFrame":
        """All rows in one DataFrame, with a column ``environment``."""
        pd = need("pandas", "data")
        frames = [f.assign(environment=name) for name, f in self.environments.items()]
        return _as_frame(pd.concat(frames, ignore_index=True))

    @property
    def graph(self) -> "networkx.DiGraph":
        """The true graph, from cause to effect."""
        nx = need("networkx", "graph")
        graph = nx.DiGraph()
        graph.add_nodes_from(self._dict["variables"])
        graph.add_edges_from((e["from"], e["to"]) for e in self._dict.get("edges", []))
        return graph

    def report(self, folder: str | os.PathLike[str]) -> str:
        """Writes the data sets and truth.json; returns the folder."""
        _core.publish(os.fspath(folder), list(self.files.items()), self._command, self._threads,
                      self._seconds)
        return os.fspath(folder)

    def __repr__(self) -> str:
        return self._screen.rstrip(": \n")

    def _repr_html_(self) -> str:
        return _html_screen(repr(self))


class Evaluation(Result, Mapping[str, Any]):
    """How near an answer came to the truth; a mapping of numbers."""

    def __getitem__(self, key: str) -> Any:
        return self._dict[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._dict)

    def __len__(self) -> int:
        return len(self._dict)

    __eq__ = Result.__eq__
    __hash__ = Result.__hash__

    def _repr_html_(self) -> str:
        return _html_screen(repr(self))
