"""A graph with a probability on every edge, and what it becomes in other programs.

Matrices are ``[cause, effect]``: the row causes the column.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Hashable, Iterable

from . import _core

if TYPE_CHECKING:
    import networkx
    import numpy


def need(module: str, what: str) -> Any:
    """A package that only this needs; where it is missing, the exception says how to get it."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = {"causallearn": "causal-learn"}.get(module.split(".")[0], module.split(".")[0])
        raise ImportError(f"{what} needs {package}: pip install {package}") from error


def _matrix(variables: list[str], entries: Iterable[tuple[str, str, float]],
            ) -> "numpy.ndarray[Any, Any]":
    """[cause, effect], in the order of the variables."""
    import numpy as np

    at = {v: i for i, v in enumerate(variables)}
    out = np.zeros((len(at), len(at)))
    for cause, effect, value in entries:
        out[at[cause], at[effect]] = value
    return out


class GraphShaped:
    """Results that hold a graph: ``_graph`` has its variables, edges and the arrows to draw."""

    if TYPE_CHECKING:

        @property
        def _graph(self) -> dict[str, Any]: ...

        def _variable(self, text: str) -> Hashable: ...

    @property
    def variables(self) -> list[Hashable]:
        return [self._variable(v) for v in self._graph["variables"]]

    @property
    def probabilities(self) -> "numpy.ndarray[Any, Any]":
        """P(cause -> effect) as a matrix [cause, effect], in the order of ``variables``."""
        graph = self._graph
        return _matrix(graph["variables"],
                       ((e["from"], e["to"], e["probability"]) for e in graph["edges"]))

    @property
    def adjacency(self) -> "numpy.ndarray[Any, Any]":
        """The graph as 0 and 1: adjacency[cause, effect], the row causes the column."""
        graph = self._graph
        return _matrix(graph["variables"], ((a, b, 1) for a, b in graph["graph"])).astype(int)

    @property
    def graph(self) -> "networkx.DiGraph":
        """networkx.DiGraph from cause to effect; ``probability`` on the edges."""
        return self.to_networkx()

    def to_networkx(self) -> "networkx.DiGraph":
        nx = need("networkx", "graph")
        probability = {(e["from"], e["to"]): float(e["probability"])
                       for e in self._graph["edges"]}
        graph = nx.DiGraph()
        graph.add_nodes_from(self.variables)
        for a, b in self._graph["graph"]:
            graph.add_edge(self._variable(a), self._variable(b),
                           probability=probability.get((a, b)))
        return graph

    def _write(self, format: str) -> str:
        """The edges of ``graph`` alone, in a format of the engine."""
        present = {(a, b) for a, b in self._graph["graph"]}
        kept = [{"from": e["from"], "to": e["to"], "probability": e["probability"]}
                for e in self._graph["edges"] if (e["from"], e["to"]) in present]
        return _core.graph_text(json.dumps({"variables": self._graph["variables"], "edges": kept}),
                                format).decode()

    def to_dot(self) -> str:
        """Graphviz."""
        return self._write("dot")

    def to_graphml(self) -> str:
        """GraphML; names are labels."""
        return self._write("graphml")

    def to_gml(self) -> str:
        return self._write("gml")

    def to_pgmpy(self) -> Any:
        """A pgmpy DAG with the edges of ``graph``."""
        base = need("pgmpy.base", "to_pgmpy")
        dag = base.DAG()
        dag.add_nodes_from(self.variables)
        dag.add_edges_from([(self._variable(a), self._variable(b))
                            for a, b in self._graph["graph"]])
        return dag

    def to_causal_learn(self) -> Any:
        """A causallearn GeneralGraph: -1 at the tail (cause), 1 at the arrow head (effect)."""
        general = need("causallearn.graph.GeneralGraph", "to_causal_learn")
        nodes = need("causallearn.graph.GraphNode", "to_causal_learn")
        edge = need("causallearn.graph.Edge", "to_causal_learn")
        ends = need("causallearn.graph.Endpoint", "to_causal_learn").Endpoint
        known = {v: nodes.GraphNode(str(self._variable(v))) for v in self._graph["variables"]}
        graph = general.GeneralGraph(list(known.values()))
        for a, b in self._graph["graph"]:
            graph.add_edge(edge.Edge(known[a], known[b], ends.TAIL, ends.ARROW))
        return graph
