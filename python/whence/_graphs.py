"""Graphs of any kind, into the JSON that the engine reads."""

from __future__ import annotations

import json
from typing import Any, Hashable, Mapping

from ._columns import Names
from ._errors import DataError, UsageError


def graph_document(graph: Any, variables: list[str] | None = None, names: Names | None = None,
                   place: str = "graph") -> str:
    """A graph of any kind as the JSON that the engine reads: names and edges cause -> effect."""
    names = names or Names()
    nodes, edges = _nodes_and_edges(graph, place)
    texts = [names.text(n) for n in nodes]
    for end in {e for edge in edges for e in edge}:
        if end not in nodes:
            raise DataError(f"an edge names {end!r}, which is no variable of the graph",
                            id="E-GRAPH-NAME", place=place)
    if variables is not None:  # edges alone do not name variables without any
        texts += [v for v in variables if v not in texts]
    return json.dumps({"variables": texts,
                       "edges": [{"from": names.text(a), "to": names.text(b)} for a, b in edges]})


def _nodes_and_edges(graph: Any, place: str) -> tuple[list[Hashable], list[tuple[Any, Any]]]:
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
        return columns, [(columns[i], columns[j]) for i, j in zip(*matrix.nonzero())]
    if isinstance(graph, Mapping):
        nodes = list(graph)
        pairs = [(a, b) for a, effects in graph.items() for b in effects]
        return nodes + [b for b in dict.fromkeys(b for _, b in pairs) if b not in graph], pairs
    if isinstance(graph, (list, tuple)):
        if any(not isinstance(e, (list, tuple)) or len(e) != 2 for e in graph):
            raise DataError("edges are pairs (cause, effect)", id="E-GRAPH-SYNTAX", place=place)
        pairs = [(a, b) for a, b in graph]
        return list(dict.fromkeys(x for e in pairs for x in e)), pairs
    raise UsageError(f"a {type(graph).__name__} is not a graph", id="E-USAGE-GRAPH", place=place,
                     hint="a networkx.DiGraph, a list of (cause, effect), {cause: [effects]}, an "
                          "adjacency DataFrame, a result, or a path")
