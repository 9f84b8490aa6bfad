// Beliefs about a categorical pair from counts alone, for benches and controls.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "whence/discover/pair/direction.hpp"
#include "whence/evidence/categorical/conjugate_table.hpp"

namespace whence {

/// The path of beliefs of a categorical pair from tables of counts alone, one per environment
/// (rows: X, levels: Y). Counts may be fractional: an exactly known baseline is a table of very
/// many imaginary rows.
std::vector<std::array<double, structures>> beliefs_over(std::span<const FamilyCounts> joint,
                                                         const DirectionOptions& options);

}  // namespace whence
