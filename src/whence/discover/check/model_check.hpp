// Which variables a linear model does not fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/evidence/labels/line_check.hpp"

namespace whence {

/// One entry per variable, from rows of the baseline.
std::vector<LineCheck> model_check(const Dataset& data, std::size_t baseline, std::uint64_t seed,
                                   int threads);

}  // namespace whence
