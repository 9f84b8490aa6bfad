// How many independent rows the rows of each environment are worth.
//
// Every evidence adds up over rows as if each were drawn anew. Copies of a row, rows that follow
// each other in time and the same entity measured again are not: counted as they stand, they make
// every small difference between environments certain. An environment of n such rows is worth
// n times a share of at most 1; evidence per row is scaled by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/core/remark.hpp"

namespace whence {

/// What rows are counted for: the law of each column, where a slow column alone makes few rows of
/// many; or links between columns (link_order.hpp), where it takes two.
enum class RowsFor { laws, links };

struct EffectiveRows {
  std::vector<double> share;                // [environment], in (0, 1]; 1: nothing was found
  std::vector<std::vector<double>> column;  // [variable][environment]: copies, and its own order
  double copies = 0;      // share of all rows that repeat another row of their environment
  double neighbours = 0;  // the largest correlation of a column with its next row, 0: none clear
  std::string neighbour;  // that column
  double entities = 0;    // correlation of the same entity in two environments, 0: none clear
  std::vector<Remark> remarks;  // one for each reason

  bool all_count() const { return copies == 0 && neighbours == 0 && entities == 0; }
};

/// Looks at rows in the order in which they were observed: call it before rows are sorted.
///
/// - Copies: rows that agree in every column, where one real column alone separates nearly all
///   distinct rows, so that agreement is no coincidence. Only distinct rows count.
/// - Neighbours: each column's autocorrelation in row order (of ranks, or of equal levels), summed
///   over lags up to the first that is not clear; n rows are worth n / (1 + 2 sum). A table that is
///   sorted by one of its columns has no order of time: nothing is concluded there.
/// - Entities: environments with equally many rows whose rows correspond one by one, or `entity`,
///   the number of the entity that each row of `data` belongs to. With k rows each and correlation
///   r, n rows are worth n / (1 + (k - 1) r).
///
/// Only what stands out by five standard errors (and an order that takes a fifth of the rows)
/// counts, so independent rows keep a share of exactly 1 and the answer does not depend on their
/// order.
EffectiveRows effective_rows(const Dataset& data, std::span<const std::int32_t> entity = {},
                             RowsFor purpose = RowsFor::laws);

}  // namespace whence
