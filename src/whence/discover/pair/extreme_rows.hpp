// The few rows of a pair that lie furthest from the others of their environment.
#pragma once

#include <cstddef>
#include <vector>

#include "whence/core/dataset.hpp"

namespace whence {

/// One in a hundred of each environment, at least one, in ascending order: of numbers the furthest
/// from the bulk of the rows, alone or together; of levels those that are rarest everywhere.
/// Environments of fewer than twenty rows have none to spare.
std::vector<std::size_t> extreme_rows(const Dataset& pair);

}  // namespace whence
