// The data of a pair in an order that depends on what they hold alone: neither the order of files,
// columns and rows nor any name can then change an answer, not even in its last bit.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "whence/core/dataset.hpp"

namespace whence {

struct CanonicalPair {
  Dataset data;
  bool swapped = false;               // whether the second variable was given first
  std::vector<std::size_t> given_as;  // the number each environment was given with
  std::optional<std::size_t> baseline;

  /// Numbers of environments in the order in which they were given, a baseline first.
  std::vector<std::size_t> as_given() const;
};

/// Of two variables. The baseline, where there is one, comes first.
CanonicalPair canonical_pair(const Dataset& data, std::optional<std::size_t> baseline);

}  // namespace whence
