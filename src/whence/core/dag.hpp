// A directed acyclic graph as sets of bits, with everybody's ancestors at hand.
#pragma once

#include <cstddef>
#include <vector>

#include "whence/core/graph.hpp"
#include "whence/core/variable_set.hpp"

namespace whence {

/// Parents may be set freely; `update` then finds the ancestors, and says whether there is a cycle.
class Dag {
 public:
  explicit Dag(std::size_t variables = 0) : parents_(variables), ancestors_(variables) {}
  explicit Dag(const Graph& graph);

  std::size_t variables() const { return parents_.size(); }
  const VariableSet& parents(std::size_t v) const { return parents_[v]; }
  bool edge(std::size_t cause, std::size_t effect) const { return parents_[effect].has(cause); }
  bool adjacent(std::size_t a, std::size_t b) const { return edge(a, b) || edge(b, a); }
  std::size_t edge_count() const;
  Graph graph() const;

  void set_parents(std::size_t v, const VariableSet& parents) { parents_[v] = parents; }
  void flip(std::size_t cause, std::size_t effect) { parents_[effect].flip(cause); }

  /// Recomputes the ancestors. False, and ancestors are unusable, if there is a cycle.
  bool update();
  /// Other parents for one variable of a graph whose ancestors are known. False, and ancestors are
  /// unusable, if that closes a cycle. The same as `set_parents` and `update`, for less.
  bool replace_parents(std::size_t v, const VariableSet& parents);
  bool is_ancestor(std::size_t v, std::size_t of) const { return ancestors_[of].has(v); }
  VariableSet descendants(std::size_t v) const;  // without v

  /// Whether the new edge would close a cycle.
  bool closes_cycle(std::size_t cause, std::size_t effect) const {
    return cause == effect || is_ancestor(effect, cause);
  }
  /// Whether turning cause -> effect round would: is there another way from cause to effect?
  bool turning_closes_cycle(std::size_t cause, std::size_t effect) const;

  bool operator==(const Dag& other) const { return parents_ == other.parents_; }

 private:
  std::vector<VariableSet> parents_, ancestors_;
};

}  // namespace whence
