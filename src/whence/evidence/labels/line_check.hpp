// Whether straight lines are enough for one variable: a linear and a flexible regression on the
// other columns, compared on rows that neither has seen.
#pragma once

#include <cstddef>
#include <cstdint>

#include "whence/evidence/labels/coded_columns.hpp"
#include "whence/evidence/labels/feature_kernel.hpp"

namespace whence {

struct LineCheck {
  bool checked = false;  // false: categorical, a vector, constant, or too few rows
  double gain = 0;       // nats per row by which the flexible regression predicts better
  double standard_error = 0;
  bool not_linear = false;  // the gain is clear and large enough to matter
};

/// `codes` holds rows of one environment in random order. Noise of any shape passes; what counts is
/// the mean and the scale.
LineCheck check_line(const CodedColumns& columns, const FeatureColumns& codes, std::size_t child,
                     std::uint64_t seed);

}  // namespace whence
