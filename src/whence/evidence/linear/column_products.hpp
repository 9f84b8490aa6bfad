// Products of all columns of a table with each other, in tiles that stay in the cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace whence {

/// Rows that are looked at together, so that not all of them need be there at once.
inline std::size_t rows_at_once(std::size_t width) {
  constexpr std::size_t numbers = std::size_t(1) << 18;
  return std::max<std::size_t>(64, numbers / width);
}

/// Adds x_i x_j of every row to entry(i, j), a double&, for all j <= i. `rows` has `width` numbers
/// per row. Each sum is taken from the first row to the last, whatever the tiling.
template <class Entry>
void add_column_products(std::span<const double> rows, std::size_t width, const Entry& entry) {
  constexpr std::size_t tall = 8, wide = 64;
  double sums[tall][wide];
  for (std::size_t r = 0; r < width; r += tall)
    for (std::size_t c = 0; c < std::min(r + tall, width); c += wide) {
      const std::size_t height = std::min(tall, width - r), length = std::min(wide, width - c);
      const auto each_entry = [&](const auto& use) {
        for (std::size_t i = r; i < r + height; ++i)
          for (std::size_t j = c; j < std::min(c + length, i + 1); ++j)
            use(sums[i - r][j - c], entry(i, j));
      };
      for (auto& line : sums) std::fill(line, line + wide, 0.0);
      each_entry([](double& sum, const double& so_far) { sum = so_far; });
      for (std::size_t at = 0; at < rows.size(); at += width)
        for (std::size_t i = 0; i < height; ++i) {
          const double factor = rows[at + r + i];
          const double* line = &rows[at + c];
          for (std::size_t j = 0; j < length; ++j) sums[i][j] += factor * line[j];
        }
      each_entry([](const double& sum, double& total) { total = sum; });
    }
}

}  // namespace whence
