// Columns of any kind as numbers that regressions can use: a real column is one coordinate, scaled
// by the baseline and bounded, so that no cell outweighs the others; a categorical column is one
// indicator per level but one.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "whence/core/dataset.hpp"

namespace whence {

/// Where one variable's coordinates are.
struct CodedVariable {
  bool real = true;
  std::size_t first = 0, count = 1;
};

/// How a real column is centred and scaled: median and quartiles of the baseline.
struct RobustScale {
  double centre = 0, spread = 1;
};
RobustScale robust_scale(std::vector<double> values);

/// Linear within `linear_range` spreads of the centre, slower beyond, never above `largest_code`.
inline constexpr double linear_range = 4, largest_code = 7;
float bounded_code(double standardised);

class CodedColumns {
 public:
  CodedColumns(const Dataset& data, std::size_t baseline);

  std::size_t variables() const { return variables_.size(); }
  std::size_t coordinates() const { return codes_.size(); }
  const CodedVariable& variable(std::size_t v) const { return variables_[v]; }
  /// One number per row of the data.
  std::span<const float> coordinate(std::size_t c) const { return codes_[c]; }
  /// Code of each row's level of a categorical variable: 0 is the reference, k its k-th coordinate.
  std::span<const int> levels(std::size_t v) const { return levels_[v]; }

 private:
  void add_real(const Dataset& data, std::size_t v, std::size_t baseline);
  void add_categorical(const Dataset& data, std::size_t v, std::size_t baseline);

  std::size_t most_levels_;
  std::vector<CodedVariable> variables_;
  std::vector<std::vector<float>> codes_;
  std::vector<std::vector<int>> levels_;  // by variable; empty for real ones
};

}  // namespace whence
