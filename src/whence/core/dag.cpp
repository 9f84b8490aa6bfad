#include "whence/core/dag.hpp"

#include <algorithm>

namespace whence {

Dag::Dag(const Graph& graph) : Dag(graph.variables()) {
  for (std::size_t cause = 0; cause < graph.variables(); ++cause)
    for (std::size_t effect = 0; effect < graph.variables(); ++effect)
      if (graph.edge(VariableId(cause), VariableId(effect))) parents_[effect].insert(cause);
  update();
}

Graph Dag::graph() const {
  Graph result(variables());
  for (std::size_t effect = 0; effect < variables(); ++effect)
    parents_[effect].each(
        [&](std::size_t cause) { result.set_edge(VariableId(cause), VariableId(effect)); });
  return result;
}

std::size_t Dag::edge_count() const {
  std::size_t n = 0;
  for (const VariableSet& parents : parents_) n += parents.size();
  return n;
}

bool Dag::update() {
  // Whoever has no parent left to wait for is next.
  const std::size_t m = variables();
  thread_local std::vector<std::size_t> waiting, next;
  thread_local std::vector<std::vector<std::size_t>> children;
  waiting.assign(m, 0);
  next.clear();
  children.resize(std::max(children.size(), m));
  for (std::size_t v = 0; v < m; ++v) children[v].clear();
  for (std::size_t v = 0; v < m; ++v) {
    parents_[v].each([&](std::size_t parent) {
      children[parent].push_back(v);
      ++waiting[v];
    });
    if (waiting[v] == 0) next.push_back(v);
  }
  std::size_t done = 0;
  for (; done < next.size(); ++done) {
    const std::size_t v = next[done];
    VariableSet ancestors = parents_[v];
    parents_[v].each([&](std::size_t parent) { ancestors |= ancestors_[parent]; });
    ancestors_[v] = ancestors;
    for (std::size_t child : children[v])
      if (--waiting[child] == 0) next.push_back(child);
  }
  return done == m;
}

VariableSet Dag::descendants(std::size_t v) const {
  VariableSet result;
  for (std::size_t other = 0; other < variables(); ++other)
    if (is_ancestor(v, other)) result.insert(other);
  return result;
}

bool Dag::turning_closes_cycle(std::size_t cause, std::size_t effect) const {
  bool other_way = false;
  parents_[effect].each([&](std::size_t parent) {
    other_way = other_way || (parent != cause && is_ancestor(cause, parent));
  });
  return other_way;
}

}  // namespace whence
