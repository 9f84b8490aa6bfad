#include "whence/belief/equivalence_class.hpp"

#include <algorithm>

namespace whence {

namespace {

/// A graph some of whose edges have lost their direction, completed by Meek's rules.
class PartialGraph {
 public:
  /// All edges of the graph, undirected.
  explicit PartialGraph(const Graph& graph)
      : m_(graph.variables()), joined_(m_ * m_, false), arrow_(m_ * m_, false) {
    for (std::size_t i = 0; i < m_; ++i)
      for (std::size_t j = 0; j < m_; ++j)
        if (graph.edge(VariableId(i), VariableId(j)))
          joined_[i * m_ + j] = joined_[j * m_ + i] = true;
  }

  bool joined(std::size_t a, std::size_t b) const { return joined_[a * m_ + b]; }
  bool arrow(std::size_t a, std::size_t b) const { return arrow_[a * m_ + b]; }
  bool open(std::size_t a, std::size_t b) const {
    return joined(a, b) && !arrow(a, b) && !arrow(b, a);
  }
  void direct(std::size_t a, std::size_t b) { arrow_[a * m_ + b] = true; }

  /// Directs what would otherwise close a cycle or make a new v-structure, until nothing follows.
  void complete() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t a = 0; a < m_; ++a)
        for (std::size_t b = 0; b < m_; ++b)
          if (open(a, b) && follows(a, b)) {
            direct(a, b);
            changed = true;
          }
    }
  }

 private:
  /// Whether a - b must be a -> b.
  bool follows(std::size_t a, std::size_t b) const {
    for (std::size_t c = 0; c < m_; ++c) {
      if (c == a || c == b) continue;
      if (arrow(c, a) && !joined(c, b)) return true;  // else c -> a <- b
      if (arrow(a, c) && arrow(c, b)) return true;    // else a cycle
      if (!open(a, c)) continue;
      for (std::size_t d = 0; d < m_; ++d) {
        if (d == a || d == b || d == c) continue;
        if (open(a, d) && arrow(c, b) && arrow(d, b) && !joined(c, d)) return true;
        if (joined(a, d) && arrow(c, d) && arrow(d, b) && !joined(c, b)) return true;
      }
    }
    return false;
  }

  std::size_t m_;
  std::vector<bool> joined_, arrow_;
};

/// Directs a -> c <- b wherever a and b are not joined.
void direct_v_structures(const Graph& graph, PartialGraph& partial) {
  for (const Family& family : graph.families())
    for (VariableId a : family.parents)
      for (VariableId b : family.parents)
        if (a != b && !partial.joined(a.value, b.value))
          partial.direct(a.value, family.child.value);
}

/// Directs the edges between a target and a variable that is none.
void direct_at_targets(const Graph& graph, const std::vector<std::size_t>& targets,
                       PartialGraph& partial) {
  std::vector<bool> is_target(graph.variables(), false);
  for (std::size_t t : targets) is_target[t] = true;
  for (std::size_t t : targets)
    for (std::size_t v = 0; v < graph.variables(); ++v) {
      if (is_target[v]) continue;
      if (graph.edge(VariableId(t), VariableId(v))) partial.direct(t, v);
      if (graph.edge(VariableId(v), VariableId(t))) partial.direct(v, t);
    }
}

}  // namespace

bool EquivalenceClass::is_undirected(std::size_t a, std::size_t b) const {
  return std::binary_search(undirected.begin(), undirected.end(),
                            std::pair(std::min(a, b), std::max(a, b)));
}

EquivalenceClass equivalence_class(const Graph& graph,
                                   std::span<const std::vector<std::size_t>> targets) {
  PartialGraph partial(graph);
  direct_v_structures(graph, partial);
  for (const auto& environment : targets) direct_at_targets(graph, environment, partial);
  partial.complete();
  EquivalenceClass result{Graph(graph.variables()), {}};
  for (std::size_t a = 0; a < graph.variables(); ++a)
    for (std::size_t b = 0; b < graph.variables(); ++b) {
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
