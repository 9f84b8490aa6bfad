#include "whence/math/spline.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/tables.hpp"
#include "whence/core/error.hpp"

namespace whence {
namespace {

using support::Inputs;

struct Case {
  int degree, points;
};
constexpr Case cases[] = {{2, 8}, {3, 8}, {3, 10}};

TEST(Spline, GoesThroughItsPoints) {
  Inputs inputs(1);
  for (const Case& c : cases)
    for (int repeat = 0; repeat < 100; ++repeat) {
      const auto x = even_points(c.points, 8), y = inputs.reals(x.size(), -8, 8);
      const Spline f(c.degree, x, y);
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(f(x[i]), y[i], 1e-12);
    }
}

TEST(Spline, HasTheKnotsOfFitpack) {
  const auto x = even_points(8, 8);
  const Spline quadratic(2, x, x);
  const double expected[] = {-32.0 / 7, -16.0 / 7, 0, 16.0 / 7, 32.0 / 7};
  ASSERT_EQ(quadratic.knots().size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(quadratic.knots()[i], expected[i], 1e-14);
  const Spline cubic(3, x, x);
  ASSERT_EQ(cubic.knots().size(), 4u);
  EXPECT_EQ(cubic.knots()[0], x[2]);
  EXPECT_EQ(cubic.knots()[3], x[5]);
}

TEST(Spline, IsSmoothAtItsKnots) {
  Inputs inputs(2);
  for (const Case& c : cases) {
    const auto x = even_points(c.points, 8), y = inputs.reals(x.size(), -8, 8);
    const Spline f(c.degree, x, y);
    for (double knot : f.knots()) {
      const double before = std::nextafter(knot, -10);
      EXPECT_NEAR(f(before), f(knot), 1e-12);
      EXPECT_NEAR(f.slope(before), f.slope(knot), 1e-11);
    }
  }
}

TEST(Spline, ReproducesPolynomialsOfItsDegree) {
  for (const Case& c : cases) {
    const auto polynomial = [&](double t) {
      return 1 + t * (0.5 - t * (0.1 + (c.degree - 2) * 0.01 * t));
    };
    const auto x = even_points(c.points, 8);
    std::vector<double> y;
    for (double t : x) y.push_back(polynomial(t));
    const Spline f(c.degree, x, y, Extrapolation::polynomial);
    for (double t = -10; t <= 10; t += 0.37) EXPECT_NEAR(f(t), polynomial(t), 1e-11) << t;
  }
}

TEST(Spline, GoesOnAsItsPolicySays) {  // N15
  Inputs inputs(3);
  const auto x = even_points(8, 8), y = inputs.reals(8, -8, 8);
  const Spline line(2, x, y), end(2, x, y, Extrapolation::polynomial);
  EXPECT_NEAR(line(9), line(8) + line.slope(8), 1e-12);
  EXPECT_NEAR(line(-9.5), line(-8) - 1.5 * line.slope(-8), 1e-12);
  for (const Spline* f : {&line, &end})
    for (double edge : {-8.0, 8.0}) {  // value and slope are continuous
      const double outside = std::nextafter(edge, 2 * edge);
      EXPECT_NEAR((*f)(outside), (*f)(edge), 1e-12);
      EXPECT_NEAR(f->slope(outside), f->slope(edge), 1e-12);
    }
  EXPECT_GT(std::abs(end(11) - line(11)), 1e-3);  // the two policies do differ
  const Spline strict(2, x, y, Extrapolation::error);
  EXPECT_NO_THROW(strict(8));
  EXPECT_THROW(strict(8.1), Error);
}

TEST(Spline, RefusesWhatIsNoSpline) {
  const std::vector<double> x = {0, 1, 2};
  EXPECT_THROW(Spline(3, x, x), Error);
  EXPECT_THROW(Spline(4, even_points(8, 8), even_points(8, 8)), Error);
}

}  // namespace
}  // namespace whence
