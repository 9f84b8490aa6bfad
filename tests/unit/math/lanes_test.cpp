// Vectors compute the bits of the scalar functions, on every instruction set of this machine.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "support/bits.hpp"
#include "support/effort.hpp"
#include "support/simd.hpp"
#include "support/tables.hpp"
#include "unit/math/lanes_probe.hpp"
#include "whence/math/elementary.hpp"
#include "whence/math/exp2.hpp"
#include "whence/math/special.hpp"
#include "whence/math/special_lanes.hpp"

namespace whence {
namespace {

using support::for_each_simd_target;
using support::Inputs;
using support::same_bits;

constexpr double infinity = std::numeric_limits<double>::infinity();

void expect_same_bits(const std::vector<double>& x, void (*lanes)(std::span<double>),
                      double (*scalar)(double)) {
  for_each_simd_target([&](const std::string& target) {
    std::vector<double> y = x;
    lanes(y);
    std::size_t different = 0, first = 0;
    for (std::size_t i = x.size(); i-- > 0;)
      if (!same_bits(y[i], scalar(x[i]))) ++different, first = i;
    EXPECT_EQ(different, 0u) << target << ": first at " << x[first] << ": " << y[first] << " for "
                             << scalar(x[first]);
  });
}

/// These, no number, and as many ones as whole vectors need.
void add_special(std::vector<double>& x, std::initializer_list<double> special,
                 std::size_t multiple = 8) {
  x.insert(x.end(), special);
  x.push_back(std::nan(""));
  while (x.size() % multiple) x.push_back(1);
}

TEST(Lanes, ExpHasTheBitsOfTheScalar) {
  Inputs inputs(61);
  auto x = inputs.reals(support::effort(200000), -720, 720);
  for (double v : inputs.reals(support::effort(80000), -1, 1)) x.push_back(v);
  add_special(x, {0.0, -0.0, infinity, -infinity, -708.0, std::nextafter(-708.0, -infinity), 709.0,
                  std::nextafter(709.0, infinity), 1e308, -1e308, 5e-324, -5e-324, -745.0, 710.0});
  expect_same_bits(x, support::lanes_exp, portable_exp);
}

TEST(Lanes, LogHasTheBitsOfTheScalar) {
  Inputs inputs(62);
  auto x = inputs.reals(support::effort(200000), 0.1, 3);
  for (std::size_t i = 0; i < support::effort(80000); ++i)
    x.push_back(std::ldexp(inputs.real(0.5, 1), inputs.whole(2045) - 1021));
  add_special(x, {1.0, std::sqrt(0.5), std::nextafter(1.0, 0.0), std::nextafter(1.0, 2.0),
                  std::numeric_limits<double>::min(), std::numeric_limits<double>::max(), 0x1p-53,
                  1 - 0x1p-53});
  expect_same_bits(x, support::lanes_log, portable_log);
}

TEST(Lanes, TanhHasTheBitsOfTheScalar) {
  Inputs inputs(64);
  auto x = inputs.reals(support::effort(80000), -25, 25);
  add_special(x, {0.0, -0.0, infinity, -infinity, 400.0, -400.0, 1e308, -1e308, 5e-324, 1e-9});
  expect_same_bits(x, support::lanes_tanh, portable_tanh);
}

TEST(Lanes, PowersOfTwoHaveTheBitsOfTheScalar) {
  Inputs inputs(65);
  auto x = inputs.reals(support::effort(100000), -1060, 1060);
  for (double v : inputs.reals(support::effort(40000), -1, 1)) x.push_back(v);
  add_special(x,
              {0.0, -0.0, infinity, -infinity, 0.5, -0.5, 1022.0, -1022.0, 1e308, -1e308, 1e17,
               -1e17, 5e-324},
              16);
  expect_same_bits(x, support::lanes_exp2, portable_exp2);
}

TEST(Lanes, PowersOfTwoAreWithinThreeUnits) {
  Inputs inputs(66);
  double worst = 0;
  for (double x : inputs.reals(support::effort(200000), -1021, 1021)) {
    const long double expected = std::exp2(static_cast<long double>(x));
    worst = std::max(worst, double(std::abs(portable_exp2(x) / expected - 1)));
  }
  EXPECT_LT(worst, 3 * 0x1p-52);
  EXPECT_EQ(portable_exp2(0), 1);
  EXPECT_EQ(portable_exp2(-1022), 0x1p-1022);
  EXPECT_TRUE(std::isnan(portable_exp2(std::nan(""))));
  EXPECT_LT(portable_exp2(-1e9), 0x1p-1021);  // far below, it does not come back
  EXPECT_GT(portable_exp2(-1e9), 0);
  EXPECT_GT(portable_exp2(1e9), 0x1p1022);
}

TEST(Lanes, LogGammaHasTheBitsOfTheScalar) {
  Inputs inputs(67);
  auto x = inputs.reals(support::effort(80000), 1e-3, 30);
  for (double v : inputs.reals(support::effort(80000), 10, 1e7)) x.push_back(v);
  for (double v : {1e-12, 0.5, 1.0, 2.0, 9.0, std::nextafter(10.0, 0.0), 10.0, 1e12, 1e15})
    x.push_back(v);  // not a multiple of eight: the rest goes one by one
  expect_same_bits(x, log_gamma_all, log_gamma);
}

TEST(Lanes, SumIsOneFixedTree) {
  Inputs inputs(63);
  for (std::size_t n : {8, 16, 24, 104}) {
    const auto x = inputs.reals(n, -1, 1);
    double partial[8] = {};
    for (std::size_t i = 0; i < n; ++i) partial[i % 8] += x[i];
    const double expected = ((partial[0] + partial[4]) + (partial[2] + partial[6])) +
                            ((partial[1] + partial[5]) + (partial[3] + partial[7]));
    for_each_simd_target([&](const std::string& target) {
      EXPECT_TRUE(same_bits(support::lanes_sum(x), expected)) << target << ", " << n;
    });
  }
}

}  // namespace
}  // namespace whence
