// Small dense matrices taken apart and put together again.
#include "whence/math/dense.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "whence/math/random.hpp"

namespace whence {
namespace {

TEST(SymmetricEigen, PutsTheMatrixTogetherAgain) {
  Stream stream(1, Purpose::tests, {});
  for (std::size_t n : {1, 2, 3, 10, 40}) {
    Matrix a(n, n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) a(i, j) = a(j, i) = sample_normal(stream);
    const SymmetricEigen eigen = symmetric_eigen(a);
    Matrix scaled = eigen.vectors;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k) scaled(i, k) *= eigen.values[k];
    const Matrix again = product(scaled, transposed(eigen.vectors));
    const Matrix unit = product(transposed(eigen.vectors), eigen.vectors);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        EXPECT_NEAR(again(i, j), a(i, j), 1e-12 * double(n));
        EXPECT_NEAR(unit(i, j), i == j, 1e-13 * double(n));
      }
    for (std::size_t k = 1; k < n; ++k) EXPECT_GE(eigen.values[k - 1], eigen.values[k]);
  }
}

TEST(SymmetricEigen, OfADiagonalOrEmptyMatrixIsExact) {
  Matrix a(3, 3);
  a(0, 0) = 1;
  a(2, 2) = 5;
  EXPECT_EQ(symmetric_eigen(a).values, (std::vector<double>{5, 1, 0}));
  EXPECT_TRUE(symmetric_eigen(Matrix()).values.empty());
}

}  // namespace
}  // namespace whence
