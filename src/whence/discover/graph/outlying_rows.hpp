// Rows that lie so far out that a typing mistake is likelier than a measurement.
#pragma once

#include <cstddef>
#include <vector>

#include "whence/core/dataset.hpp"

namespace whence {

/// Rows with a number far beyond the others of its column and environment, or far from what the
/// row's other numbers let expect, if there are few: one in a hundred at most, or one. Where there
/// are more, the noise has heavy tails and they belong.
std::vector<std::size_t> outlying_rows(const Dataset& data);

/// The data without some rows, given in ascending order. Data that are given away are not copied.
Dataset without_rows(Dataset data, const std::vector<std::size_t>& rows);

}  // namespace whence
