"""Graphs of any kind, into the JSON that the engine reads."""

from __future__ import annotations

import json
from typing import Any, Hashable, Mapping

from ._columns import Names
from ._data import Data
from ._errors import DataError, UsageError


def graph_document(graph: Any, names: Names | None = None, place: str = "graph",
                   order: list[Hashable] | None = None) -> str:
    """A graph of any kind as the JSON that the engine reads: names and edges cause -> effect.
    order: the variables, for a matrix without names."""
    names = names or Names()
    try:
        nodes, edges = _nodes_and_edges(graph, place, order)
    except TypeError as problem:
        if "unhashable" not in str(problem):
            raise
        raise DataError(f"a name in the graph is no name ({problem})", id="E-GRAPH-NAME",
                        place=place, hint="use a text, a number or a tuple") from None
    texts = [names.text(n) for n in nodes]
    _check_edges(edges, place)
    for end in {e for edge in edges for e in edge}:
        if end not in nodes:
            raise DataError(f"an edge names {end!r}, which is no variable of the graph",
                            id="E-GRAPH-NAME", place=place)
    return json.dumps({"variables": texts,
                       "edges": [{"from": names.text(a), "to": names.text(b)} for a, b in edges]})


def _check_edges(edges: list[tuple[Any, Any]], place: str) -> None:
    seen = set()
    for a, b in edges:
        if a == b:
            raise DataError(f"{a!r} would cause itself", id="E-GRAPH-EDGE", place=place,
                            hint="leave this edge out")
        if (a, b) in seen:
            raise DataError(f"the edge from {a!r} to {b!r} is given twice", id="E-GRAPH-EDGE",
                            place=place, hint="leave one out")
        seen.add((a, b))


def variables_of(document: str, table: Data) -> list[Hashable] | None:
    """The columns that a graph names, where it does not name all: only they are looked at."""
    known = [table.columns.text(v) for v in table.variables()]
    texts = json.loads(document)["variables"]
    if not known:  # files: the engine knows what they hold
        return None
    if not texts:
        raise DataError("the graph has no variables", id="E-GRAPH-NAME", place="graph",
                        hint="name those without edges, too: {\"x\": [\"y\"], \"z\": []}")
    for text in texts:
        if text not in known:
            import difflib

            near = difflib.get_close_matches(text, known, 1)
            raise DataError(f"the data have no variable {text!r}", id="E-GRAPH-NAME",
                            place="graph", hint=f"did you mean {near[0]!r}?" if near else
                            "the variables are " + ", ".join(known[:20]))
    return None if len(texts) == len(known) else [table.columns.name(t) for t in texts]


def pair_of(edge: Any) -> tuple[Any, Any] | None:
    """("a", "b") or "a->b"; None where it is neither."""
    if isinstance(edge, str) and edge.count("->") == 1:
        cause, _, effect = edge.partition("->")
        return cause.strip(), effect.strip()
    if isinstance(edge, (list, tuple)) and len(edge) == 2:
        return edge[0], edge[1]
    return None


def _of_matrix(matrix: Any, order: list[Hashable] | None, place: str,
               ) -> tuple[list[Hashable], list[tuple[Any, Any]]]:
    """adjacency[cause, effect] in the order of the variables."""
    count = len(order or [])
    if order is None or matrix.shape != (count, count):
        raise DataError(f"a matrix of shape {matrix.shape} does not say which variables it is of",
                        id="E-GRAPH-NAME", place=place,
                        hint="an adjacency DataFrame [cause, effect] names them"
                        + (f"; the data have {count} variables" if order else ""))
    _check_values(matrix, place)
    return list(order), [(order[i], order[j]) for i, j in zip(*matrix.nonzero())]


def _check_values(matrix: Any, place: str) -> None:
    """Not a number is no entry of a matrix, and no edge either."""
    if (matrix != matrix).any():
        raise DataError("the matrix has entries that are no numbers", id="E-GRAPH-SYNTAX",
                        place=place, hint="0 where there is no edge, 1 where there is one")


def _is_matrix_of_lists(graph: Any, order: list[Hashable] | None) -> bool:
    """[[0, 1], [0, 0]] for two variables of which none is called 0 or 1."""
    return (isinstance(graph, list) and order is not None and len(graph) == len(order) > 1
            and all(isinstance(row, list) and len(row) == len(graph) for row in graph)
            and all(type(x) in (int, float, bool) and x not in order for row in graph for x in row))


def _nodes_and_edges(graph: Any, place: str, order: list[Hashable] | None,
                     ) -> tuple[list[Hashable], list[tuple[Any, Any]]]:
    from ._results import GraphResult, Simulation

    if isinstance(graph, (GraphResult, Simulation)):
        graph = graph.graph
    if hasattr(graph, "nodes") and hasattr(graph, "edges"):
        nodes = graph.nodes() if callable(graph.nodes) else graph.nodes
        edges = graph.edges() if callable(graph.edges) else graph.edges
        if hasattr(graph, "is_directed") and not graph.is_directed():
            raise DataError("the graph has no directions", id="E-GRAPH-KIND", place=place,
                            hint="a networkx.DiGraph from cause to effect")
        return list(nodes), [(a, b) for a, b, *_ in edges]
    if hasattr(graph, "columns") and hasattr(graph, "to_numpy"):  # an adjacency DataFrame
        columns = list(graph.columns)
        if list(graph.index) != columns:
            raise DataError("rows and columns of the matrix have different names",
                            id="E-GRAPH-NAME", place=place,
                            hint="adjacency[cause, effect], rows and columns named alike")
        matrix = graph.to_numpy()
        _check_values(matrix, place)
        return columns, [(columns[i], columns[j]) for i, j in zip(*matrix.nonzero())]
    if isinstance(graph, Mapping):
        nodes = list(graph)
        pairs = [(a, b) for a, effects in graph.items() for b in effects]
        return nodes + [b for b in dict.fromkeys(b for _, b in pairs) if b not in graph], pairs
    if hasattr(graph, "nonzero") and getattr(graph, "ndim", 0) == 2:
        return _of_matrix(graph, order, place)
    if _is_matrix_of_lists(graph, order):
        import numpy as np

        return _of_matrix(np.array(graph), order, place)
    if isinstance(graph, (list, tuple)):
        pairs = []
        for i, edge in enumerate(graph):
            pair = pair_of(edge)
            if pair is None:
                raise DataError(f"{edge!r} is not an edge", id="E-GRAPH-SYNTAX",
                                place=f"{place}[{i}]", hint="edges are pairs (cause, effect); a "
                                "matrix [cause, effect] is numpy.array(...)")
            pairs.append(pair)
        return list(dict.fromkeys(x for e in pairs for x in e)), pairs
    raise UsageError(f"a {type(graph).__name__} is not a graph", id="E-USAGE-GRAPH", place=place,
                     hint="a networkx.DiGraph, a list of (cause, effect), {cause: [effects]}, an "
                          "adjacency matrix [cause, effect], a result, or a path")
