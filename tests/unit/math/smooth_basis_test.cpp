#include "whence/math/smooth_basis.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace whence {
namespace {

TEST(SmoothBasis, IsOrthonormalAndOrderedByBending) {
  std::vector<double> places, weights;
  for (int k = 0; k < 40; ++k) {
    places.push_back(-3 + 6.0 * k / 39);
    weights.push_back(std::exp(-0.5 * places.back() * places.back()));
  }
  double all = 0;
  for (double w : weights) all += w;
  const Matrix basis = smooth_basis(places, weights, 6);
  double last = -1;
  for (std::size_t i = 0; i < 6; ++i) {
    double mean = 0, bend = 0;
    for (std::size_t k = 0; k < places.size(); ++k) {
      mean += basis(k, i) * weights[k] / all;
      if (k < 2) continue;
      const double second = basis(k, i) - 2 * basis(k - 1, i) + basis(k - 2, i);
      bend += second * second;
    }
    EXPECT_NEAR(mean, 0, 1e-9);
    EXPECT_GT(bend, last);
    EXPECT_GT(basis(places.size() - 1, i), 0);
    last = bend;
    for (std::size_t j = 0; j <= i; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < places.size(); ++k)
        product += basis(k, i) * basis(k, j) * weights[k] / all;
      EXPECT_NEAR(product, i == j ? 1 : 0, 5e-3) << i << " " << j;
    }
  }
}

}  // namespace
}  // namespace whence
