// Columns in units that arithmetic can bear.
#pragma once

#include <optional>

#include "whence/core/dataset.hpp"

namespace whence {

/// Squares and products of very large or very small numbers leave the range of a double. Each
/// coordinate of a real column whose largest magnitude is beyond 1e100, or below 1e-100, multiplied
/// by a power of two: exact, and to the answers all units are the same. Nothing where no column
/// needs it.
std::optional<Dataset> in_safe_units(const Dataset& data);

}  // namespace whence
