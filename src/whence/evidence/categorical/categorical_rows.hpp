// Categorical data as family scores read it: one byte per value, rows in a canonical order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "whence/core/dataset.hpp"

namespace whence {

/// Columns of level codes, environment after environment. Rows are sorted within environments, so
/// that nothing computed from them depends on the order in which they came, not even in its last
/// bit.
class CategoricalRows {
 public:
  /// Throws an Error unless all variables are categorical with 1 to 255 levels.
  explicit CategoricalRows(const Dataset& data);

  std::size_t variables() const { return levels_.size(); }
  std::size_t environments() const { return begin_.size() - 1; }
  std::size_t rows() const { return begin_.back(); }
  std::size_t begin(std::size_t environment) const { return begin_[environment]; }
  std::size_t end(std::size_t environment) const { return begin_[environment + 1]; }
  std::size_t rows(std::size_t environment) const { return end(environment) - begin(environment); }
  std::size_t levels(std::size_t variable) const { return levels_[variable]; }
  const std::uint8_t* column(std::size_t variable) const { return &codes_[variable * rows()]; }

  /// How often each level of a variable occurs in one environment.
  std::span<const std::uint32_t> counts(std::size_t variable, std::size_t environment) const {
    return {&counts_[environment * offset_.back() + offset_[variable]], levels_[variable]};
  }
  /// How often two variables take each pair of levels in all rows: [level of a][level of b], a < b.
  std::span<const std::uint32_t> pair_counts(std::size_t a, std::size_t b) const {
    return {&pairs_[pair_offset_[a * variables() + b]], levels_[a] * levels_[b]};
  }
  /// Environments by size, the largest first; of equal ones the earlier.
  std::span<const std::size_t> largest_first() const { return largest_first_; }

 private:
  void take(const Dataset& data);
  void count_levels();
  void count_pairs();

  std::vector<std::size_t> levels_, offset_;  // offset_: of a variable's levels among all
  std::vector<std::size_t> begin_, largest_first_, pair_offset_;
  std::vector<std::uint8_t> codes_;  // [variable][row]
  std::vector<std::uint32_t> counts_, pairs_;
};

/// The distinct configurations of some variables: their number, and which one each row has.
struct Configurations {
  std::size_t number = 1;
  std::vector<std::uint32_t> of_row;
};
Configurations configurations(const CategoricalRows& rows, std::span<const std::size_t> variables);

}  // namespace whence
