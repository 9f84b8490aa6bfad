// Columns that were computed from others: a volume from a number and a price, a total from its
// parts.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "whence/core/dataset.hpp"

namespace whence {

/// Three real columns of which one follows from the other two, to about four digits in every row:
/// as their sum or difference, or, of positive numbers, as their product or ratio, with any factors
/// and powers. Each of the two is needed. What such columns do to each other is arithmetic.
using DerivedColumns = std::array<std::size_t, 3>;
std::vector<DerivedColumns> derived_columns(const Dataset& data);

}  // namespace whence
