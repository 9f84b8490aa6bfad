// What can be between two variables while the rest of a graph stays as it is, and how much weight
// each of that has.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "whence/math/logspace.hpp"

namespace whence {

/// An edge, its reverse, or neither.
struct Between {
  enum State : std::size_t { forward, backward, nothing };
};
/// [Between::State].
using PairWeights = std::array<double, 3>;

/// Log-weights that are known up to a constant, as log-probabilities.
inline PairWeights normalised(PairWeights logs) {
  const double total = log_sum_exp(std::span<const double>(logs));
  for (double& l : logs) l -= total;
  return logs;
}

}  // namespace whence
