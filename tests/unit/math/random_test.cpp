#include "whence/math/random.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "support/bits.hpp"
#include "support/simd.hpp"
#include "whence/math/random_lanes.hpp"

namespace whence {
namespace {

TEST(UnitInterval, IsOpenAndSymmetric) {
  EXPECT_EQ(unit_interval(0, 0), 0x1p-53);
  EXPECT_EQ(unit_interval(0xFFFFFFFF, 0xFFFFFFFF), 1 - 0x1p-53);
  EXPECT_EQ(unit_interval(0x12345678, 0x9ABCDEF0), 1 - unit_interval(~0x12345678u, ~0x9ABCDEF0u));
}

/// Streams are a promise: these numbers never change.
TEST(Stream, KeepsItsFirstNumbers) {
  Stream stream(42, Purpose::sample, {1, 2, 3});
  EXPECT_EQ(stream.uniform(), 0x1.b264370f6e9b2p-2);
  EXPECT_EQ(stream.uniform(), 0x1.30787dad450fp-5);
  EXPECT_EQ(stream.uniform(), 0x1.1ab8f81ebf9cfp-1);
  EXPECT_EQ(stream.uniform(), 0x1.205f85e750b97p-1);
}

TEST(Stream, WalksAlongItsNumbers) {
  Stream stream(1, Purpose::tests, {4, 5, 6});
  const Stream still = stream;
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(stream.uniform(), still.uniform_at(i));
}

TEST(Stream, CopiesWalkOnTheirOwn) {
  Stream stream(1, Purpose::tests, {});
  stream.uniform();
  Stream copy = stream;
  EXPECT_EQ(copy.uniform(), stream.uniform());
}

TEST(Stream, GoesOnAfterFilling) {
  for (std::size_t n : {1, 2, 5, 8}) {
    Stream stream(1, Purpose::tests, {});
    const Stream still = stream;
    std::vector<double> u(n);
    stream.fill(u);
    EXPECT_EQ(stream.uniform(), still.uniform_at(std::uint32_t(n))) << n;
  }
}

TEST(Stream, LeavesNumbersBeyondTheSpanAlone) {
  Stream stream(1, Purpose::tests, {});
  std::vector<double> u(20, -1);
  stream.fill(std::span(u).first(5));
  for (std::size_t i = 5; i < u.size(); ++i) EXPECT_EQ(u[i], -1);
}

TEST(NormalQuantiles, HaveTheBitsOfTheScalarOnEveryInstructionSet) {
  Stream stream(2, Purpose::tests, {});
  std::vector<double> p(5003);  // no multiple of anything
  stream.fill(p);
  for (int k = 1; k < 53; ++k) {  // far into both tails
    p[std::size_t(80 * k)] = std::ldexp(1.0, -k);
    p[std::size_t(80 * k + 9)] = 1 - std::ldexp(1.0, -k);
  }
  for (double edge : {0.075, 0.925, 0.5}) p.push_back(edge);
  std::vector<double> expected;
  for (double v : p) expected.push_back(normal_quantile(v));
  support::for_each_simd_target([&](const std::string& name) {
    std::vector<double> x = p;
    normal_quantiles(x);
    EXPECT_TRUE(support::same_bits(x, expected)) << name;
  });
}

TEST(SampleLevel, OfOneLevelIsThatLevel) {
  const std::vector<double> certain = {1};
  for (double u : {0x1p-53, 0.5, 1 - 0x1p-53}) EXPECT_EQ(sample_level(certain, u), 0);
}

TEST(Cumulate, EndsAtExactlyOne) {
  for (std::size_t n : {1, 2, 3, 10, 100}) {
    std::vector<double> log_p(n, -portable_log(double(n))), cumulative(n);
    cumulate(log_p, cumulative);
    EXPECT_EQ(cumulative.back(), 1);
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR(cumulative[i], double(i + 1) / double(n), 1e-15);
  }
}

TEST(Cumulate, TakesUnnormalisedAndImpossibleLevels) {
  const double never = -std::numeric_limits<double>::infinity();
  const std::vector<double> log_p = {never, std::log(3.0), never, std::log(1.0)};
  std::vector<double> cumulative(4);
  cumulate(log_p, cumulative);
  EXPECT_EQ(cumulative[0], 0);
  EXPECT_NEAR(cumulative[1], 0.75, 1e-15);
  EXPECT_NEAR(cumulative[2], 0.75, 1e-15);
  EXPECT_EQ(cumulative[3], 1);
}

TEST(Dirichlet, HasTheSameBitsOnEveryInstructionSet) {
  for (std::size_t n : {1, 2, 7, 10, 33}) {
    const auto draw = [n] {
      Stream stream(3, Purpose::tests, {});
      std::vector<double> both(2 * n);
      sample_log_dirichlet(stream, 1, std::span(both).first(n), std::span(both).last(n));
      return both;
    };
    const auto expected = draw();
    support::for_each_simd_target([&](const std::string& target) {
      EXPECT_TRUE(support::same_bits(draw(), expected)) << target << ", " << n;
    });
  }
}

TEST(Dirichlet, CumulativeBelongsToItsLogarithms) {
  for (double concentration : {0.1, 1.0, 3.0}) {
    Stream stream(4, Purpose::tests, {});
    std::vector<double> log_p(10), cumulative(10);
    sample_log_dirichlet(stream, concentration, log_p, cumulative);
    double sum = 0;
    for (std::size_t i = 0; i < 10; ++i) {
      sum += std::exp(log_p[i]);
      EXPECT_NEAR(cumulative[i], sum, 1e-14);
    }
  }
}

}  // namespace
}  // namespace whence
