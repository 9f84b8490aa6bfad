#include "whence/worlds/linear_gaussian_world.hpp"

#include <gtest/gtest.h>

#include "whence/core/error.hpp"

namespace whence {
namespace {

TEST(LinearGaussianWorld, ASingularCovarianceIsANumericalError) {  // N13
  const auto prior = LinearGaussianPrior::of(3, 6);
  GaussianPair pair = LinearGaussianWorld::draw_pair(prior, 1, 0).forward();
  pair.marginal.factor(2, 2) = 1e-7;
  try {
    const LinearGaussianWorld world(pair);
    FAIL() << "accepted, condition number " << world.condition();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::numerical);
    EXPECT_EQ(error.id(), "E-NUM-SINGULAR");
  }
}

TEST(LinearGaussianWorld, RecordsTheConditionNumber) {  // N13
  GaussianPair pair{{{0, 0}, Matrix(2, 0), Matrix(2, 2)}, {{0, 0}, Matrix(2, 2), Matrix(2, 2)}};
  pair.marginal.factor(0, 0) = 3;
  pair.marginal.factor(1, 1) = 1;
  pair.conditional.factor = pair.marginal.factor;
  pair.conditional.factor(0, 0) = 10;
  EXPECT_NEAR(LinearGaussianWorld(pair).condition(), 100, 1e-9);
}

TEST(LinearGaussianWorld, HasNoRowsToRedraw) {
  const auto prior = LinearGaussianPrior::of(2, 4);
  const auto world = LinearGaussianWorld::draw_pair(prior, 1, 0);
  EXPECT_THROW(world.shifted(ShiftKind::row, prior, Stream(1, Purpose::shift, {})), Error);
}

TEST(LinearGaussianWorld, GivesEveryFamilyItsModule) {
  const auto world = LinearGaussianWorld::draw_pair(LinearGaussianPrior::of(3, 6), 1, 0);
  const VariableId a(0), b(1);
  const auto same = [](const LinearGaussian<double>& m, const GaussianTerms& terms) {
    const LinearGaussian<double> other = linear_gaussian(terms);
    return std::equal(m.parameters().begin(), m.parameters().end(), other.parameters().begin(),
                      other.parameters().end());
  };
  EXPECT_TRUE(same(world.conditional({a, {}}), world.forward().marginal));
  EXPECT_TRUE(same(world.conditional({b, {a}}), world.forward().conditional));
  EXPECT_TRUE(same(world.conditional({b, {}}), world.backward().marginal));
  EXPECT_TRUE(same(world.conditional({a, {b}}), world.backward().conditional));
}

TEST(LinearGaussianWorld, MatricesAndParametersAreTheSameModule) {
  const auto world = LinearGaussianWorld::draw_pair(LinearGaussianPrior::of(4, 8), 2, 0);
  const GaussianTerms& terms = world.forward().conditional;
  const GaussianTerms again = terms_of(linear_gaussian(terms));
  EXPECT_EQ(again.offset, terms.offset);
  EXPECT_EQ(again.slope.values, terms.slope.values);
  for (std::size_t i = 0; i < 16; ++i)
    EXPECT_NEAR(again.factor.values[i], terms.factor.values[i], 1e-14);
}

}  // namespace
}  // namespace whence
