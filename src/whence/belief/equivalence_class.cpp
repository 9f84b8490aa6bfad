#include "whence/belief/equivalence_class.hpp"

#include <algorithm>
#include <string>

#include "whence/core/error.hpp"

namespace whence {

namespace {

/// A graph some of whose edges have lost their direction, completed by Meek's rules.
class PartialGraph {
 public:
  /// All edges of the graph, undirected.
  explicit PartialGraph(const Graph& graph)
      : joined_(graph.variables()), arrows_(graph.variables()), neighbours_(graph.variables()) {
    graph.each_edge([&](std::size_t i, std::size_t j) {
      joined_[i].insert(j);
      joined_[j].insert(i);
    });
    for (std::size_t v = 0; v < joined_.size(); ++v) neighbours_[v] = joined_[v].members();
  }

  std::size_t variables() const { return joined_.size(); }
  const std::vector<std::size_t>& neighbours(std::size_t v) const { return neighbours_[v]; }
  bool joined(std::size_t a, std::size_t b) const { return joined_[a].has(b); }
  bool arrow(std::size_t a, std::size_t b) const { return arrows_[a].has(b); }
  bool open(std::size_t a, std::size_t b) const {
    return joined(a, b) && !arrow(a, b) && !arrow(b, a);
  }
  void direct(std::size_t a, std::size_t b) { arrows_[a].insert(b); }

  /// Directs what would otherwise close a cycle or make a new v-structure, until nothing follows.
  void complete() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t a = 0; a < variables(); ++a)
        for (const std::size_t b : neighbours_[a])
          if (open(a, b) && follows(a, b)) {
            direct(a, b);
            changed = true;
          }
    }
  }

 private:
  /// Whether a - b must be a -> b.
  bool follows(std::size_t a, std::size_t b) const {
    for (const std::size_t c : neighbours_[a]) {
      if (c == b) continue;
      if (arrow(c, a) && !joined(c, b)) return true;  // else c -> a <- b
      if (arrow(a, c) && arrow(c, b)) return true;    // else a cycle
      if (!open(a, c)) continue;
      for (const std::size_t d : neighbours_[a]) {
        if (d == b || d == c) continue;
        if (open(a, d) && arrow(c, b) && arrow(d, b) && !joined(c, d)) return true;
        if (arrow(c, d) && arrow(d, b) && !joined(c, b)) return true;
      }
    }
    return false;
  }

  std::vector<VariableSet> joined_, arrows_;
  std::vector<std::vector<std::size_t>> neighbours_;
};

/// Directs a -> c <- b wherever a and b are not joined.
void direct_v_structures(const Dag& dag, PartialGraph& partial) {
  for (std::size_t child = 0; child < dag.variables(); ++child) {
    const std::vector<std::size_t> parents = dag.parents(child).members();
    for (std::size_t a : parents)
      for (std::size_t b : parents)
        if (a != b && !partial.joined(a, b)) partial.direct(a, child);
  }
}

/// Directs the edges between a target and a variable that is none.
void direct_at_targets(const Graph& graph, const std::vector<std::size_t>& targets,
                       PartialGraph& partial) {
  std::vector<bool> is_target(graph.variables(), false);
  for (std::size_t t : targets) is_target[t] = true;
  for (std::size_t t : targets)
    for (const std::size_t v : partial.neighbours(t)) {
      if (is_target[v]) continue;
      if (graph.edge(VariableId(t), VariableId(v))) partial.direct(t, v);
      if (graph.edge(VariableId(v), VariableId(t))) partial.direct(v, t);
    }
}

}  // namespace

EquivalenceClass equivalence_class(const Graph& graph,
                                   std::span<const std::vector<std::size_t>> targets) {
  if (graph.variables() > most_variables)
    throw Error(ExitCode::resource, "E-LIMIT-VARIABLES", "graph",
                std::to_string(graph.variables()) + " variables are more than the " +
                    std::to_string(most_variables) + " of which a class can be told");
  PartialGraph partial(graph);
  direct_v_structures(Dag(graph), partial);
  for (const auto& environment : targets) direct_at_targets(graph, environment, partial);
  partial.complete();
  EquivalenceClass result{Graph(graph.variables()), {}};
  for (std::size_t a = 0; a < graph.variables(); ++a)
    for (const std::size_t b : partial.neighbours(a)) {
      if (partial.arrow(a, b)) result.directed.set_edge(VariableId(a), VariableId(b));
      if (a < b && partial.open(a, b)) result.undirected.emplace_back(a, b);
    }
  return result;
}

namespace {

/// Walks through the undirected parts, each time to one of the variables with most neighbours
/// behind, and orients along the walk. `choose` picks one of them.
template <class Choose>
Dag walked(const EquivalenceClass& all, const Choose& choose) {
  const std::size_t m = all.directed.variables();
  std::vector<std::vector<std::size_t>> neighbours(m);
  for (const auto& [a, b] : all.undirected) {
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }
  Dag dag(all.directed);
  std::vector<std::size_t> behind(m, 0);  // neighbours that were walked through
  std::vector<bool> done(m, false);
  for (std::size_t step = 0; step < m; ++step) {
    std::vector<std::size_t> next;
    for (std::size_t v = 0; v < m; ++v) {
      if (done[v]) continue;
      if (!next.empty() && behind[v] > behind[next[0]]) next.clear();
      if (next.empty() || behind[v] == behind[next[0]]) next.push_back(v);
    }
    const std::size_t v = choose(next);
    done[v] = true;
    for (std::size_t u : neighbours[v]) {
      if (done[u])
        dag.flip(u, v);
      else
        ++behind[u];
    }
  }
  dag.update();
  return dag;
}

}  // namespace

Dag random_member(const EquivalenceClass& all, Stream& stream) {
  return walked(all, [&](const std::vector<std::size_t>& next) {
    return next[std::size_t(sample_index(stream, int(next.size())))];
  });
}

Dag member_from(const EquivalenceClass& all, std::size_t first) {
  return walked(all, [&](const std::vector<std::size_t>& next) {
    return std::find(next.begin(), next.end(), first) != next.end() ? first : next[0];
  });
}

}  // namespace whence
