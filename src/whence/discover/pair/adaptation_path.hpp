// How a direction becomes credible as the rows of one environment arrive.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "whence/discover/pair/direction.hpp"

namespace whence {

struct AdaptationPath {
  std::size_t environment = 0, reference = 0;  // of the data
  std::vector<std::size_t> rows;               // seen of the environment
  std::vector<std::array<double, structures>> belief;
};

/// The environments with the largest absolute log-odds first; a baseline is none of them.
std::vector<std::size_t> loudest_environments(const DirectionResult& result);

/// What the others are compared with: the baseline, or else the smallest absolute log-odds.
std::optional<std::size_t> reference_of(const DirectionResult& result);

/// The belief from the reference and the first rows of the loudest environment alone, at about
/// twelve places. Nothing where there are too few rows, or so many that asking again would take
/// long.
std::optional<AdaptationPath> adaptation_path(const Dataset& data, const DirectionOptions& options,
                                              const DirectionResult& result,
                                              const Control& control = {});

}  // namespace whence
