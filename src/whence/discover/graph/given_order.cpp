#include "whence/discover/graph/given_order.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace whence {

GraphOptions in_canonical_order(const GraphOptions& options, const CanonicalOrder& order) {
  GraphOptions result = options;
  const std::size_t m = order.variables.size(), environments = order.environments.size();
  if (!options.knowledge.words.empty())
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < m; ++j)
        result.knowledge.words[i * m + j] =
            options.knowledge.words[order.variables[i] * m + order.variables[j]];
  if (!options.known.empty())
    for (std::size_t v = 0; v < m; ++v)
      for (std::size_t e = 0; e < environments; ++e)
        result.known[v * environments + e] =
            options.known[order.variables[v] * environments + order.environments[e]];
  if (options.baseline) result.baseline = 0;
  return result;
}

void sort_findings(std::vector<EdgeFinding>& findings) {
  constexpr double told_apart = 1e9;
  std::sort(findings.begin(), findings.end(), [](const EdgeFinding& a, const EdgeFinding& b) {
    const double p = std::round(told_apart * a.probability);
    const double q = std::round(told_apart * b.probability);
    return p != q ? p > q : std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
}

GraphResult in_given_order(const GraphResult& found, const CanonicalOrder& order) {
  GraphResult result = found;
  const std::size_t m = order.variables.size(), environments = order.environments.size();
  const auto& to = order.variables;
  const auto turned = [&](const Graph& graph) {
    Graph other(m);
    graph.each_edge([&](std::size_t i, std::size_t j) {
      other.set_edge(VariableId(to[i]), VariableId(to[j]));
    });
    return other;
  };
  for (std::size_t i = 0; i < m; ++i) {
    result.variables[to[i]] = found.variables[i];
    if (!found.drift.empty()) result.drift[to[i]] = found.drift[i];
    if (!found.checks.empty()) result.checks[to[i]] = found.checks[i];
    for (std::size_t j = 0; j < m; ++j) {
      result.edges.at(to[i], to[j]) = found.edges.at(i, j);
      if (found.edge_errors.variables != 0)
        result.edge_errors.at(to[i], to[j]) = found.edge_errors.at(i, j);
      if (found.hidden.variables == 0) continue;
      result.hidden.at(to[i], to[j]) = found.hidden.at(i, j);
      result.shift_only.at(to[i], to[j]) = found.shift_only.at(i, j);
    }
  }
  result.search.spread_from = to[found.search.spread_from];
  result.search.spread_to = to[found.search.spread_to];
  result.graph = turned(found.graph);
  for (Graph& draw : result.draws) draw = turned(draw);
  for (EdgeFinding& edge : result.findings) {
    edge.from = to[edge.from];
    edge.to = to[edge.to];
    const std::vector<double> support = edge.support;
    for (std::size_t e = 0; e < support.size(); ++e)
      edge.support[order.environments[e]] = support[e];
    edge.turned_without = order.environments[edge.turned_without];
  }
  sort_findings(result.findings);
  for (std::size_t e = 0; e < environments; ++e) {
    GraphEnvironment& environment = result.environments[order.environments[e]];
    environment = found.environments[e];
    for (std::size_t v = 0; v < m; ++v)
      environment.changed[to[v]] = found.environments[e].changed[v];
  }
  return result;
}

}  // namespace whence
