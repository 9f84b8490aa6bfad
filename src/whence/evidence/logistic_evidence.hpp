// Laplace's log-evidence of a logistic regression.
#pragma once

#include <span>

#include "whence/evidence/feature_kernel.hpp"

namespace whence {

/// How wide coefficients are expected to be: precision `strength` times the features' covariance,
/// so that neither units nor correlated features matter.
struct LogisticPrior {
  double strength = 0.25;
  double ridge = 0.01;       // share of each feature's own variance added on the diagonal
  double intercept = 0.01;   // precision of the first coefficient
};

/// log P(labels | features), labels 0 or 1 in the first rows() places. Column 0 holds ones.
double logistic_evidence(const FeatureColumns& x, std::span<const float> labels,
                         const LogisticPrior& prior = {});

}  // namespace whence
