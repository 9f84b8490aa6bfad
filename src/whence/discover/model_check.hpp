// Whether straight lines are enough: a linear and a flexible regression of each variable on the
// others, compared on baseline rows that neither has seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "whence/core/dataset.hpp"

namespace whence {

/// Of one variable.
struct ModelCheck {
  bool checked = false;         // false: categorical, a vector, constant, or too few rows
  double gain = 0;              // nats per row by which the flexible regression predicts better
  double standard_error = 0;
  bool not_linear = false;      // the gain is clear and large enough to matter
};

/// One entry per variable. Noise of any shape passes; what counts is the mean and the scale.
std::vector<ModelCheck> model_check(const Dataset& data, std::size_t baseline, std::uint64_t seed,
                                    int threads);

}  // namespace whence
