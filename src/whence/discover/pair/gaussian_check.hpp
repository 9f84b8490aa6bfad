// Do two real columns look linear and Gaussian within environments?
#pragma once

#include "whence/core/dataset.hpp"
#include "whence/core/remark.hpp"

namespace whence {

struct GaussianCheck {
  bool passes = true;
  Remark reason = {RemarkCode::model_looks_gaussian, {}, {}, {}};
};

/// Skewness and excess kurtosis of each coordinate and of its regression residuals, and the
/// curvature of the regression in both directions, pooled over environments. Symmetric in the two
/// columns.
GaussianCheck check_gaussian(const Dataset& data);

}  // namespace whence
