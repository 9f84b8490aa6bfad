#include "whence/worlds/spline_world.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/statistics.hpp"
#include "whence/core/error.hpp"

namespace whence {
namespace {

constexpr std::size_t rows = 100000;

struct Columns {
  std::vector<double> a = std::vector<double>(rows), b = a;
};

Columns sample(const SplineWorld& world) {
  Columns c;
  world.sample(Stream(3, Purpose::tests, {1, 2, 3}), c.a, c.b);
  return c;
}

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

TEST(SplineWorld, EffectIsTheSplinePlusUnitNoise) {
  const SplineWorld world = SplineWorld::draw({10, 3}, {}, 1, 0);
  const Columns c = sample(world);
  std::vector<double> noise;
  for (std::size_t i = 0; i < rows; ++i) noise.push_back(c.b[i] - world.mechanism()(c.a[i]));
  EXPECT_GT(support::ks_p_value(noise, normal_cdf), support::alpha);
  // The test notices noise of variance 1.1.
  for (double& n : noise) n *= std::sqrt(1.1);
  EXPECT_LT(support::ks_p_value(noise, normal_cdf), support::alpha);
}

TEST(SplineWorld, EveryLawOfTheCauseHasItsMeanAndSpread) {
  for (auto kind : {CauseLaw::Kind::gaussian, CauseLaw::Kind::laplace, CauseLaw::Kind::bimodal}) {
    const Columns c = sample(SplineWorld::draw({}, {kind, 1.5, 2}, 1, 0));
    double mean = 0, variance = 0;
    for (double a : c.a) mean += a / rows;
    for (double a : c.a) variance += (a - mean) * (a - mean) / rows;
    EXPECT_NEAR(mean, 1.5, 0.05) << name_of(kind);
    EXPECT_NEAR(variance, 4, 0.15) << name_of(kind);
  }
}

TEST(SplineWorld, AShiftChangesWhatItNames) {
  const SplineWorld world = SplineWorld::draw({}, {}, 1, 0);
  const auto shifted = [&](ShiftKind kind) {
    return world.shifted(kind, Stream(1, Purpose::tests, {}));
  };
  EXPECT_EQ(shifted(ShiftKind::none).cause().mean, 0);
  const SplineWorld cause = shifted(ShiftKind::cause), mechanism = shifted(ShiftKind::mechanism);
  EXPECT_NE(cause.cause().mean, 0);
  EXPECT_LE(std::abs(cause.cause().mean), 4);
  EXPECT_EQ(cause.mechanism()(1.3), world.mechanism()(1.3));
  EXPECT_EQ(mechanism.cause().mean, 0);
  EXPECT_NE(mechanism.mechanism()(1.3), world.mechanism()(1.3));
  EXPECT_NE(shifted(ShiftKind::both).mechanism()(1.3), world.mechanism()(1.3));
  EXPECT_NE(shifted(ShiftKind::both).cause().mean, 0);
  EXPECT_THROW(shifted(ShiftKind::row), Error);

  const Columns cut = sample(shifted(ShiftKind::effect));  // B no longer listens to A
  double ab = 0, aa = 0, bb = 0, mean_b = 0;
  for (double b : cut.b) mean_b += b / rows;
  for (std::size_t i = 0; i < rows; ++i) {
    ab += cut.a[i] * (cut.b[i] - mean_b);
    aa += cut.a[i] * cut.a[i];
    bb += (cut.b[i] - mean_b) * (cut.b[i] - mean_b);
  }
  EXPECT_LT(std::abs(ab / std::sqrt(aa * bb)) * std::sqrt(double(rows)), 6.1);
}

TEST(SplineWorld, SamplesDependOnTheStreamAlone) {
  const SplineWorld world = SplineWorld::draw({}, {}, 1, 0);
  EXPECT_EQ(sample(world).b, sample(world).b);
  EXPECT_NE(sample(SplineWorld::draw({}, {}, 1, 1)).b, sample(world).b);
}

}  // namespace
}  // namespace whence
