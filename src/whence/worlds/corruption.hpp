// What goes wrong with real tables: cells typed wrongly, and rows that belong to something else.
#pragma once

#include <cstddef>
#include <cstdint>

#include "whence/core/dataset.hpp"

namespace whence {

/// `cells` different cells of real columns, anywhere in the table, become 10 to 100 times what they
/// were: a decimal point in the wrong place. Throws E-WORLD-SHAPE where there are not so many.
void mistype_cells(Dataset& data, std::size_t cells, std::uint64_t seed);

/// In every environment this share of the rows, rounded, holds noise: every real cell drawn on its
/// own from the column's baseline mean and three of its deviations (whole numbers, not below 0,
/// where the baseline has no others), every level equally likely.
void replace_rows_by_noise(Dataset& data, double share, std::uint64_t seed);

}  // namespace whence
