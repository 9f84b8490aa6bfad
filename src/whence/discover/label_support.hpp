// Which environments speak for a direction, and how far a probability may go by them.
#pragma once

#include <vector>

#include "whence/discover/label_search.hpp"

namespace whence {

/// Nats by environment for "a causes b", against each of its rivals, in one graph.
struct LabelSupport {
  std::vector<double> against_reverse, against_hidden;
  double reverse = 0, hidden = 0;  // sums
  double without_best = 0;         // the first sum without the environment that adds most to it
  std::size_t best = 0;            // that environment
};

LabelSupport label_support(const LabelScore& score, const LabelGraph& graph, std::size_t from,
                           std::size_t to);

/// The highest probability that this support allows for the direction. Shifts must speak for it
/// against its reverse, and against something hidden behind both: the effect must have followed its
/// cause somewhere.
double highest_probability(const LabelSupport& support);

}  // namespace whence
