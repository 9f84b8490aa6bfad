// Data sets of two variables with a known truth: a baseline and environments in which a chosen
// mechanism is drawn anew.
#pragma once

#include <cstdint>

#include "whence/core/dataset.hpp"
#include "whence/core/shift.hpp"
#include "whence/io/json.hpp"

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

struct SimulatedPair {
  Dataset data;  // environment 0 is the baseline
  Json truth;    // the object of truth.json
};

/// Raised when a reader of truth.json would have to change.
inline constexpr int truth_format = 1;

/// Variables X and Y. The truth of an environment names what changed, by variable and by kind; with
/// ShiftKind::row, real pairs are an Error of usage: they have no rows.
SimulatedPair simulate_pair(const PairSimulation& what);

}  // namespace whence
