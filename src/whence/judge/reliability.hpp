// Stated beliefs against what turned out to be true.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "whence/core/report.hpp"

namespace whence {

/// Beliefs sorted into ten bins; a limit belongs to the bin above it.
class Reliability {
 public:
  using Limits = std::array<double, 11>;
  static constexpr Limits even = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
  static constexpr Limits narrow_ends = {0.0, 0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99, 1.0};
  explicit Reliability(const Limits& limits = even) : limits_(limits) {}

  void add(double stated, bool came_true);
  /// All of another one with the same limits.
  void add(const Reliability& others);

  struct Bin {
    double low = 0, high = 1;
    std::size_t cases = 0;
    double stated = 0, observed = 0;  // means over the bin
  };
  std::array<Bin, 10> bins() const;
  std::size_t cases() const;

  /// Mean of (stated - came true)^2.
  double brier() const;
  /// Mean over cases of |stated - observed| of their bin.
  double expected_error() const;
  /// The largest stated - observed over bins of at least `cases`; two-sided: of its absolute value.
  double worst(std::size_t cases, bool two_sided) const;

  Table table(std::string id, std::string title) const;

 private:
  struct Sums {
    std::size_t cases = 0, came_true = 0;
    double stated = 0, squares = 0;
  };
  Limits limits_;
  std::array<Sums, 10> bins_;
};

}  // namespace whence
