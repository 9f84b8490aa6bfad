// Columns that say nothing new: exact linear functions of others.
#pragma once

#include <string>
#include <vector>

#include "whence/core/dataset.hpp"

namespace whence {

/// One sentence for each real column (of one number per row) that is, over all rows and up to
/// rounding, an exact linear function of columns before it. Nothing can tell which of them is a
/// cause: whatever holds for the one holds for the other.
std::vector<std::string> collinear_columns(const Dataset& data);

}  // namespace whence
