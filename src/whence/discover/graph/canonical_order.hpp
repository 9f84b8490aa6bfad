// The same data in an order that depends on what they hold alone, so that neither the order of
// files, columns and rows nor any name can change an answer.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "whence/core/dataset.hpp"

namespace whence {

/// The baseline, where there is one, comes first; rows of each environment are sorted by their
/// values. The order hardly depends on units: they can change it by rounding alone. Columns, or
/// environments, that do not differ at all come in the order of their names.
struct CanonicalOrder {
  Dataset data;
  std::vector<std::size_t> variables, environments;  // where each came from
};

/// The rows are moved, one column at a time: data that are moved in need no second copy.
CanonicalOrder in_canonical_order(Dataset data, std::optional<std::size_t> baseline);

}  // namespace whence
