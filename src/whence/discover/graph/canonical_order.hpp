// The same data in an order of their own, so that answers do not depend on how a file was sorted.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "whence/core/dataset.hpp"

namespace whence {

/// Columns and environments by name, a baseline first, rows of each environment by their values.
struct CanonicalOrder {
  Dataset data;
  std::vector<std::size_t> variables, environments;  // where each came from
};

/// The rows are moved, one column at a time: who gives its data away needs no room for two of them.
CanonicalOrder in_canonical_order(Dataset data, std::optional<std::size_t> baseline);

}  // namespace whence
