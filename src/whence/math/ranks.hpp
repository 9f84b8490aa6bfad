// Ranks of numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace whence {

/// Mid-ranks scaled into (0, 1): equal numbers share the middle of their places.
inline std::vector<double> unit_ranks(std::span<const double> x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  std::vector<double> ranks(x.size());
  for (std::size_t i = 0, j = 0; i < order.size(); i = j) {
    while (j < order.size() && x[order[j]] == x[order[i]]) ++j;
    for (std::size_t k = i; k < j; ++k)
      ranks[order[k]] = (double(i) + double(j)) / 2 / double(x.size());
  }
  return ranks;
}

}  // namespace whence
