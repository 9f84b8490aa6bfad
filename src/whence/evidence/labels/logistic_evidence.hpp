// Laplace's log-evidence of a logistic regression.
#pragma once

#include <span>
#include <vector>

#include "whence/evidence/labels/feature_kernel.hpp"

namespace whence {

/// How wide coefficients are expected to be: precision `strength` times the features' covariance,
/// so that neither units nor correlated features matter.
struct LogisticPrior {
  double strength = 0.25;
  double ridge = 0.01;      // share of each feature's own variance added on the diagonal
  double intercept = 0.01;  // precision of the first coefficient
};

/// The most probable coefficients, and log P(labels | features).
struct LogisticFit {
  double log_evidence = 0;
  std::vector<double> weights;
};

/// Labels are 0 or 1 in the first rows() places. Column 0 of the features holds ones. `start` holds
/// coefficients of the first features to start from; a good start saves steps.
LogisticFit fit_logistic(const FeatureColumns& x, std::span<const float> labels,
                         const LogisticPrior& prior = {}, std::span<const double> start = {});

/// The log-evidence gained by the last x.columns() - fit.weights.size() features over those that
/// were fitted, by one step from there: exact where the gain is small. `without` is how many of the
/// rows that speak most for the step are left out of it.
double gain_of_more(const FeatureColumns& x, const LogisticFit& fit, std::span<const float> labels,
                    const LogisticPrior& prior = {}, std::size_t without = 0);

}  // namespace whence
