// Environments that were given twice: the same rows are one observation, under whatever name.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/core/knowledge.hpp"
#include "whence/core/remark.hpp"

namespace whence {

/// The data with each environment once.
struct OnceEach {
  std::optional<Dataset> data;       // none where nothing was given twice
  std::vector<std::size_t> kept;     // environments, in their order
  std::vector<std::size_t> rows;     // of the data as given
  std::vector<std::size_t> told_by;  // of each environment as given: its place in `data`
  std::vector<Remark> remarks;       // one for each copy

  bool is_copy(std::size_t environment) const { return kept[told_by[environment]] != environment; }
};

/// Copies hold the same rows, in any order if they are so many or so exact that it cannot be a
/// coincidence, else in the same; and `known` says the same of both. Of copies the baseline is
/// kept, else the first. Where all environments are alike, nothing is taken away.
OnceEach once_each(const Dataset& data, std::optional<std::size_t> baseline,
                   std::span<const KnownChange> known = {});

}  // namespace whence
