#include "whence/math/dual.hpp"

#include <gtest/gtest.h>

#include "whence/math/optimizer.hpp"

namespace whence {
namespace {

TEST(Dual, ConstantsHaveNoSlope) {
  const Dual<double> x(3, 2);
  EXPECT_EQ((x * 5.0).slope, 10);
  EXPECT_EQ((5.0 - x).slope, -2);
  EXPECT_EQ((1.0 / x).slope, -2.0 / 9);
}

TEST(Dual, ComparesByValue) {
  EXPECT_LT(Dual<double>(1, 9), Dual<double>(2, 0));
  EXPECT_EQ(Dual<double>(1, 9), Dual<double>(1, 0));
}

TEST(Dual, RootOfAnUntouchedMomentStaysFlat) {
  EXPECT_EQ(sqrt(Dual<double>(0, 0)).slope, 0);
  EXPECT_FALSE(isfinite(sqrt(Dual<double>(0, 1))));
}

TEST(Dual, IsFiniteWhenBothPartsAre) {
  EXPECT_TRUE(isfinite(Dual<double>(1, 2)));
  EXPECT_FALSE(isfinite(Dual<double>(1, INFINITY)));
  EXPECT_FALSE(isfinite(Dual<double>(std::nan(""), 0)));
}

/// Duals of duals: the second derivative of x^3 is 6x.
TEST(Dual, Nests) {
  using Twice = Dual<Dual<double>>;
  const Twice x(Dual<double>(2, 1), Dual<double>(1, 0));
  EXPECT_EQ((x * x * x).slope.slope, 12);
}

/// A step of each optimizer, differentiated through the gradient, against differences.
TEST(Dual, GoesThroughOptimizers) {
  using Kind = OptimizerSpec::Kind;
  for (Kind kind : {Kind::sgd, Kind::rmsprop, Kind::adam}) {
    const OptimizerSpec spec{.kind = kind, .momentum = 0.5};
    const auto walk = [&]<class T>(T g) {
      Optimizer<T> optimizer(spec, 1);
      T theta(0);
      for (int t = 0; t < 3; ++t) {
        optimizer.step({&theta, 1}, {&g, 1});
        g = g * g + T(0.1);
      }
      return theta;
    };
    const long double h = 1e-6L;
    const auto slope = double((walk(0.3L + h) - walk(0.3L - h)) / (2 * h));
    EXPECT_NEAR(walk(Dual<double>(0.3, 1)).slope, slope, 1e-8) << name_of(kind);
  }
}

}  // namespace
}  // namespace whence
