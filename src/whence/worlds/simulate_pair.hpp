// Data sets of two variables with a known truth: a baseline and environments in which a chosen
// mechanism is drawn anew.
#pragma once

#include <cstdint>

#include "whence/core/dataset.hpp"
#include "whence/core/shift.hpp"

namespace whence {

struct PairSimulation {
  enum class Kind { categorical, linear_gaussian, spline };
  enum class Truth { forward, backward, no_link };  // X -> Y, Y -> X, neither
  Kind kind = Kind::categorical;
  Truth truth = Truth::forward;
  int levels = 10;  // of both variables, where they are categorical
  ShiftKind shift = ShiftKind::cause;
  std::size_t environments = 10, rows = 100, baseline_rows = 1000;
  std::uint64_t seed = 0;
};

/// Variables X and Y; environment 0 is the baseline. With ShiftKind::row, real pairs are an Error
/// of usage: they have no rows.
Dataset simulate_pair(const PairSimulation& what);

/// Its environments; the first one is the baseline.
std::vector<Environment> pair_environments(const PairSimulation& what);

}  // namespace whence
