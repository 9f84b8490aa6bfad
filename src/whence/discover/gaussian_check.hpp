// Do two real columns look linear and Gaussian within environments?
#pragma once

#include <string>

#include "whence/core/dataset.hpp"

namespace whence {

struct GaussianCheck {
  bool passes = true;
  std::string reason;  // when not, in words
};

/// Skewness and excess kurtosis of each coordinate and of its regression residuals, and the
/// curvature of the regression in both directions, pooled over environments. Symmetric in the two
/// columns.
GaussianCheck check_gaussian(const Dataset& data);

}  // namespace whence
