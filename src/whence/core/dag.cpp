#include "whence/core/dag.hpp"

#include <algorithm>
#include <utility>

namespace whence {

Dag::Dag(const Graph& graph) : Dag(graph.variables()) {
  graph.each_edge([&](std::size_t cause, std::size_t effect) { parents_[effect].insert(cause); });
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
  // A variable whose parents are all placed comes next.
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

bool Dag::replace_parents(std::size_t v, const VariableSet& parents) {
  const VariableSet below = descendants(v);
  parents_[v] = parents;
  if (parents.has(v) || parents.meets(below)) return false;
  // An ancestor has fewer ancestors: by their old number, causes come before effects.
  thread_local std::vector<std::pair<std::size_t, std::size_t>> order;
  order.assign(1, {0, v});
  below.each([&](std::size_t u) { order.emplace_back(ancestors_[u].size() + 1, u); });
  std::sort(order.begin() + 1, order.end());
  for (const auto& [count, u] : order) {
    VariableSet ancestors = parents_[u];
    parents_[u].each([&](std::size_t parent) { ancestors |= ancestors_[parent]; });
    ancestors_[u] = ancestors;
  }
  return true;
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
