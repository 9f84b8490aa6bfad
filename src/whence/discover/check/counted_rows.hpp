// Rows that count: where rows are copies, follow each other in time or are of the same entity
// again, as many of them as they are worth independent ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/core/remark.hpp"

namespace whence {

struct CountedRows {
  std::optional<Dataset> data;    // empty: all rows count
  std::vector<std::size_t> rows;  // of the given data, one for each row of `data`
  std::vector<Remark> remarks;    // why fewer count

  std::size_t given(std::size_t row) const { return data ? rows[row] : row; }
};

/// An Error unless there is one for every row, or none at all.
void require_entities(const Dataset& data, std::span<const std::int32_t> entity);

/// Of every environment distinct rows at even distances, as many as it is worth but no fewer than
/// `fewest` (or all of them). Where the same entities come again, each environment gets other ones
/// in turn, and `fewest` is no more than what all entities, shared out, allow (but three rows).
/// `entity`: as for effective_rows.
CountedRows counted_rows(const Dataset& data, std::span<const std::int32_t> entity = {},
                         std::size_t fewest = 20);

}  // namespace whence
