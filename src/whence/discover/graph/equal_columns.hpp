// Columns that hold the same in every row: nothing in the data distinguishes them, so nothing in
// an answer may.
#pragma once

#include <cstddef>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/discover/graph/graph_discovery.hpp"

namespace whence {

/// Groups of two or more equal columns.
std::vector<std::vector<std::size_t>> equal_columns(const Dataset& data);

/// Gives each column of a group the mean of what was found for the group, with any other variable
/// and among themselves. True where there is a group.
bool share_among_equal_columns(GraphResult& result,
                               const std::vector<std::vector<std::size_t>>& groups);

}  // namespace whence
