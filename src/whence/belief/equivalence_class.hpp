// What data of given environments can say about a graph at best: its interventional essential
// graph.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "whence/core/dag.hpp"
#include "whence/core/graph.hpp"
#include "whence/math/random.hpp"

namespace whence {

/// Edges on whose direction all graphs of the class agree, and the others.
struct EquivalenceClass {
  Graph directed;                                               // [cause][effect]
  std::vector<std::pair<std::size_t, std::size_t>> undirected;  // (smaller, larger), ascending
  bool operator==(const EquivalenceClass&) const = default;
};

/// The graphs with the same edges, the same v-structures, and the same direction of every edge of
/// which exactly one end is a target in some environment (Hauser and Buehlmann 2012; Yang et al.
/// 2018 for mechanisms that change otherwise). One list of targets per environment; none, or empty
/// lists only: the ordinary Markov equivalence class. The graph is acyclic.
EquivalenceClass equivalence_class(const Graph& graph,
                                   std::span<const std::vector<std::size_t>> targets = {});

/// A graph of the class: undirected parts are walked through from a random end, each time to a
/// variable with most neighbours behind (maximum cardinality search), and oriented along the walk.
/// Every member can come out; where the parts are trees or complete, all are equally likely.
Dag random_member(const EquivalenceClass& all, Stream& stream);

/// The graph of the class that such a walk from `first` gives: what the class leaves open points
/// away from it.
Dag member_from(const EquivalenceClass& all, std::size_t first);

}  // namespace whence
