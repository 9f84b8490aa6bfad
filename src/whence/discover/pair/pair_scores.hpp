// What each structure of a pair makes of its environments: X -> Y, Y -> X, no link, and something
// hidden that moves both.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "whence/core/control.hpp"
#include "whence/discover/pair/direction.hpp"
#include "whence/discover/pair/pair_models.hpp"

namespace whence {

/// What one structure makes of all environments.
struct StructureScore {
  double log_evidence = 0;
  std::vector<double> steps;  // what each environment adds; their sum is all the evidence
  std::vector<double> after;  // log-evidence of the environments up to and with each
  std::vector<ChangeProbabilities> changes;
  double log_dropped = -INFINITY;
};

/// The three structures, and something hidden: -INFINITY where that is not possible.
struct Scored {
  std::array<StructureScore, structures> structure;
  double hidden = -INFINITY;
  std::vector<double> hidden_after;  // of the environments up to and with each

  /// log P(data | X -> Y) - log P(data | Y -> X)
  double log_odds() const { return structure[0].log_evidence - structure[1].log_evidence; }
};

/// Environments in the order in which they are taken: a named baseline first.
struct Order {
  std::vector<std::size_t> environments;
  std::optional<std::size_t> baseline;
};

/// Scores over a choice of environments, for every one of some priors.
using Scorer = std::function<std::vector<Scored>(const Order&, std::span<const ChangePrior>)>;

/// What was asked for, how the work is watched, and how far it is.
struct DirectionTask : DirectionOptions {
  DirectionTask(const DirectionOptions& options, const Control& how);

  /// Reports the share of all passes; ends the work where that is wanted.
  Progress pulse() const;

  Control control;
  std::vector<double> share;  // what a row of each environment is worth; empty: 1
  std::size_t passes = 1;     // over all environments
  std::shared_ptr<std::size_t> passed = std::make_shared<std::size_t>(0);
};

/// Dirichlet tables. Something hidden is looked for where both variables change at once.
Scorer categorical_scorer(PairCounts tables, const DirectionTask& task);

/// Linear Gaussian vectors. Beside something hidden a variable's own noise may shift; the slope
/// stays.
Scorer gaussian_scorer(const Dataset& data, const DirectionTask& task);

/// Fills in what something hidden makes of the data: the mean over the ways in which it may do so,
/// none of them preferred.
void set_hidden(Scored& scored, std::span<const StructureScore> ways);

}  // namespace whence
