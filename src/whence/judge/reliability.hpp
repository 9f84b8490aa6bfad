// Stated beliefs against what turned out to be true.
#pragma once

#include <cstddef>
#include <vector>

#include "whence/core/report.hpp"

namespace whence {

/// Beliefs sorted into bins of equal width.
class Reliability {
 public:
  explicit Reliability(std::size_t bins = 10) : bins_(bins) {}

  void add(double stated, bool came_true);

  struct Bin {
    double low = 0, high = 1;
    std::size_t cases = 0;
    double stated = 0, observed = 0;  // means over the bin
  };
  std::vector<Bin> bins() const;
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
  std::vector<Sums> bins_;
};

}  // namespace whence
