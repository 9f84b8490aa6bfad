// Directed graphs over variables, and the short language they are written in.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "whence/core/family.hpp"

namespace whence {

/// Edges as a matrix [cause][effect]: row causes column.
class Graph {
 public:
  explicit Graph(std::size_t variables = 0)
      : variables_(variables), words_((variables * variables + 63) / 64, 0) {}

  std::size_t variables() const { return variables_; }
  bool edge(VariableId cause, VariableId effect) const {
    const std::size_t at = cause.value * variables_ + effect.value;
    return words_[at / 64] >> (at % 64) & 1;
  }
  void set_edge(VariableId cause, VariableId effect, bool present = true) {
    const std::size_t at = cause.value * variables_ + effect.value;
    const std::uint64_t bit = std::uint64_t(1) << (at % 64);
    words_[at / 64] = present ? words_[at / 64] | bit : words_[at / 64] & ~bit;
  }
  std::size_t edge_count() const;
  bool is_acyclic() const;
  /// Calls function(cause, effect) for each edge, causes in order, then effects.
  template <class Function>
  void each_edge(Function&& function) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) {
        const std::size_t at = w * 64 + std::size_t(std::countr_zero(rest));
        function(at / variables_, at % variables_);
      }
  }

  /// The family of each variable, parents in the order of the variables.
  std::vector<Family> families() const;

  /// "0->1, 1->2": one entry per edge, causes in order. A graph without edges is written as "".
  std::string to_string() const;

  bool operator==(const Graph&) const = default;

 private:
  std::size_t variables_;
  std::vector<std::uint64_t> words_;  // bits, [cause][effect]
};

/// Reads "0->1->2,{0-3}->4": arrows join single variables or sets {a,b,c-d}, and every member of
/// the left set causes every member of the right one. A name with a number is a graph of that many
/// variables: chain, fork, collider, confounder, full, tree, jungle, bidiag ("chain5").
/// `variables` = 0: as many as are named. Throws E-GRAPH-SYNTAX, E-GRAPH-RANGE or E-GRAPH-CYCLE.
Graph read_graph(std::string_view text, std::size_t variables = 0);

/// Every directed acyclic graph over that few variables (5 at the most: 29281 of them), in a fixed
/// order that begins with the empty graph.
std::vector<Graph> all_acyclic_graphs(std::size_t variables);

inline constexpr std::size_t largest_enumerated_graph = 5;

/// Parent sets of one variable among m, as bits over the other m - 1 in their order.
using ParentSet = std::uint32_t;

/// The number of parent sets each of m variables can have.
constexpr std::size_t parent_sets(std::size_t variables) {
  return std::size_t(1) << (variables - 1);
}
/// Which bit of the child's parent set the parent has.
constexpr std::size_t parent_bit(std::size_t child, std::size_t parent) {
  return parent < child ? parent : parent - 1;
}
/// The parent behind a bit.
constexpr std::size_t parent_of_bit(std::size_t child, std::size_t bit) {
  return bit < child ? bit : bit + 1;
}
/// The parent set of a variable in a graph.
ParentSet parent_set(const Graph& graph, VariableId child);

/// All families over m variables: child by child, the parent sets in the order of their bits, so
/// that family (child, set) has the number child * parent_sets(m) + set.
std::vector<Family> all_families(std::size_t variables);

}  // namespace whence
