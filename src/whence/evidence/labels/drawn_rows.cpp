#include "whence/evidence/labels/drawn_rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace whence {

std::vector<std::size_t> draw_rows(const Environment& environment, std::size_t most,
                                   Stream stream) {
  std::vector<std::size_t> rows(environment.rows());
  std::iota(rows.begin(), rows.end(), environment.begin);
  const std::size_t count = std::min(most, rows.size());
  // Shuffled even where all are taken: rows may come sorted, and parts of a draw are compared.
  for (std::size_t i = 0; i < count; ++i)
    std::swap(rows[i], rows[i + std::size_t(sample_index(stream, int(rows.size() - i)))]);
  rows.resize(count);
  return rows;
}

FeatureColumns gather_rows(const CodedColumns& columns, const std::vector<std::size_t>& rows) {
  FeatureColumns codes(rows.size(), columns.coordinates());
  for (std::size_t c = 0; c < columns.coordinates(); ++c) {
    const std::span<const float> from = columns.coordinate(c);
    float* to = codes.column(c);
    for (std::size_t r = 0; r < rows.size(); ++r) to[r] = from[rows[r]];
  }
  return codes;
}

}  // namespace whence
