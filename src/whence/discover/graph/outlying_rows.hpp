// Rows that lie so far out that a typing mistake is likelier than a measurement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/core/remark.hpp"

namespace whence {

/// Rows with a number far beyond the others of its column and environment, or far from what the
/// row's other numbers let expect, if there are few: one in a hundred at most, or one. Where there
/// are more, the noise has heavy tails and they belong.
std::vector<std::size_t> outlying_rows(const Dataset& data);

/// A number that is plainly a mistake: far beyond the tail of its column in its environment, or in
/// a row that does not fit together.
struct OddCell {
  std::size_t row = 0, variable = 0;
  double value = 0;
  std::vector<double> others;  // the least and the most of the others; empty: the row does not fit
};

/// Far beyond: twice as far out as the others reach, on a scale that is linear about the middle and
/// logarithmic beyond, so that a heavy tail is measured by itself. One row in fifty of an
/// environment at most, or one; where more lie so far out they belong.
std::vector<OddCell> odd_cells(const Dataset& data);

/// The rows of these cells, ascending, and what is said of them (rows by environment, from 1).
std::vector<std::size_t> rows_of(const std::vector<OddCell>& cells);
std::vector<Remark> remarks_on(const std::vector<OddCell>& cells, const Dataset& data);

/// A list with one item per row, or none, without the items of some rows.
std::vector<std::int32_t> without_entries(const std::vector<std::int32_t>& entries,
                                          const std::vector<std::size_t>& rows);

/// The data without some rows, given in ascending order. Data that are given away are not copied.
Dataset without_rows(Dataset data, const std::vector<std::size_t>& rows);

}  // namespace whence
