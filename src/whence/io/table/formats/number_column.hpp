// Numbers of a column, in one byte each as long as all are codes 0 to 254: fresh memory costs more
// than parsing such short fields, and many tables hold nothing else.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "whence/io/table/formats/large_memory.hpp"
#include "whence/io/table/row_draw.hpp"

namespace whence {

class NumberColumn {
 public:
  std::size_t size() const { return wide_ ? numbers_.size() : codes_.size(); }
  std::size_t capacity() const { return wide_ ? numbers_.capacity() : codes_.capacity(); }

  /// NaN where the value is missing.
  double operator[](std::size_t row) const {
    if (wide_) return numbers_[row];
    return codes_[row] == missing ? std::numeric_limits<double>::quiet_NaN() : codes_[row];
  }

  void reserve(std::size_t capacity) {
    if (wide_)
      reserve_large(numbers_, capacity);
    else
      reserve_large(codes_, capacity);
  }

  void append(std::span<const double> values) {
    if (!wide_) {
      const std::size_t begin = codes_.size();
      bool all_codes = true;
      for (const double value : values) {
        const bool is_code = value >= 0 && value < missing;
        const auto code = std::uint8_t(is_code ? value : missing);
        all_codes &= (is_code && double(code) == value) || std::isnan(value);
        codes_.push_back(code);
      }
      if (all_codes) return;
      codes_.resize(begin);
      widen();
    }
    numbers_.insert(numbers_.end(), values.begin(), values.end());
  }
  void push_back(double value) { append({&value, 1}); }

  /// Only the values at these places, ascending.
  void keep(std::span<const std::size_t> places) {
    if (wide_)
      keep_places(numbers_, places);
    else
      keep_places(codes_, places);
  }
  void shrink_to_fit() {
    numbers_.shrink_to_fit();
    codes_.shrink_to_fit();
  }

  /// Eight bytes each from now on.
  void widen() {
    if (wide_) return;
    reserve_large(numbers_, codes_.capacity());
    for (std::size_t row = 0; row < codes_.size(); ++row) numbers_.push_back((*this)[row]);
    std::vector<std::uint8_t>().swap(codes_);
    wide_ = true;
  }

  /// All of them; nothing is left here.
  std::vector<double> take() {
    widen();
    return std::move(numbers_);
  }
  std::vector<double> values() const { return NumberColumn(*this).take(); }

 private:
  static constexpr std::uint8_t missing = 255;
  bool wide_ = false;
  std::vector<std::uint8_t> codes_;
  std::vector<double> numbers_;
};

}  // namespace whence
