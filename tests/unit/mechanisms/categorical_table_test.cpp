#include "whence/mechanisms/categorical_table.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "support/tables.hpp"

namespace whence {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(ParentConfiguration, HasTheFirstParentMostSignificant) {
  Dataset data;
  data.variables = support::categorical_variables({2, 3, 4});
  data.columns = {{{1}, {}}, {{2}, {}}, {{3}, {}}};
  const VariableId a(0), b(1), c(2);
  EXPECT_EQ(parent_configuration(data, {a, {}}, 0), 0u);
  EXPECT_EQ(parent_configuration(data, {a, {b}}, 0), 2u);
  EXPECT_EQ(parent_configuration(data, {a, {b, c}}, 0), 2u * 4 + 3);
  EXPECT_EQ(parent_configuration(data, {a, {c, b}}, 0), 3u * 3 + 2);
  EXPECT_EQ(configurations(data.variables, {a, {b, c}}), 12u);
  EXPECT_EQ(configurations(data.variables, {a, {}}), 1u);
}

TEST(CategoricalTable, StartsUniform) {
  const CategoricalTable<double> table(4, std::size_t(3));
  EXPECT_EQ(table.levels(), 4);
  EXPECT_EQ(table.rows(), 3u);
  for (std::size_t i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) EXPECT_NEAR(table.log_prob(i, j), -std::log(4.0), 1e-15);
}

TEST(CategoricalTable, SurvivesHugeLogits) {  // N05
  const CategoricalTable<double> table(3, std::vector<double>{1e308, -1e308, 0});
  EXPECT_EQ(table.log_prob(0, 0), 0);
  EXPECT_EQ(table.log_prob(0, 1), -infinity);
  EXPECT_EQ(table.log_prob(0, 2), -1e308);
}

/// Any finite double as a logit, by its bits: denormals, huge values and zeros of both signs.
double any_finite(Stream& bits) {
  for (;;) {
    const auto half = [&] { return std::uint64_t(bits.uniform() * 0x1p32); };
    const std::uint64_t word = half() << 32 | half();
    const double value = std::bit_cast<double>(word);
    if (std::isfinite(value)) return value;
  }
}

TEST(CategoricalTable, AnyBitsGiveADistribution) {  // N05
  Stream bits(5, Purpose::tests, {});
  Dataset data;
  data.variables = support::categorical_variables({4});
  data.columns = {{{0}, {}}};
  for (int n = 0; n < 20'000; ++n) {
    std::vector<double> logits(4);
    for (double& l : logits) l = any_finite(bits);
    if (n % 2 == 0)  // near each other: none decides alone
      for (double& l : logits) l = std::remainder(l, 8.0);
    const CategoricalTable<double> table(4, logits);
    double total = 0, slope = 0;
    for (int j = 0; j < 4; ++j) total += std::exp(table.log_prob(0, j));
    EXPECT_NEAR(total, 1, 4e-15);
    std::vector<double> gradient(4, 0.0);
    table.add_gradient(data, {VariableId(0), {}}, 0, 1, gradient);
    for (double g : gradient) slope += g;
    EXPECT_NEAR(slope, 0, 4e-15);
  }
}

TEST(CategoricalTable, KnowsImpossibleLevels) {
  const CategoricalTable<double> table(3, std::vector<double>{0, -infinity, 0});
  EXPECT_EQ(table.log_prob(0, 1), -infinity);
  EXPECT_NEAR(table.log_prob(0, 0), -std::log(2.0), 1e-15);
  Dataset data;
  data.variables = support::categorical_variables({3});
  data.columns = {{{0}, {}}};
  const Family family{VariableId(0), {}};
  std::vector<double> gradient(3, 0.0);
  table.add_gradient(data, family, 0, 1, gradient);
  EXPECT_EQ(gradient, (std::vector<double>{0.5, 0, -0.5}));
  Stream stream(1, Purpose::tests, {});
  for (int i = 0; i < 1000; ++i) {
    table.sample(stream, data, family, 0);
    EXPECT_NE(data.columns[0].levels[0], 1);
  }
}

TEST(CategoricalTable, AddsToTheGradient) {
  const CategoricalTable<double> table(2, std::size_t(2));
  Dataset data;
  data.variables = support::categorical_variables({2, 2});
  data.columns = {{{0, 1}, {}}, {{1, 1}, {}}};
  std::vector<double> gradient(4, 10.0);
  const Family family{VariableId(0), {VariableId(1)}};
  table.add_gradient(data, family, 0, 2, gradient);
  EXPECT_EQ(gradient, (std::vector<double>{10, 10, 11, 9}));
  table.add_gradient(data, family, 1, 2, gradient);
  EXPECT_EQ(gradient, (std::vector<double>{10, 10, 10, 10}));
}

TEST(FitCounts, CountsRowsThatNothingReaches) {  // N04
  Dataset data;
  data.variables = support::categorical_variables({2, 4});
  data.columns = {{{0, 1, 1}, {}}, {{0, 0, 2}, {}}};
  const Family family{VariableId(0), {VariableId(1)}};
  int unseen = 0;
  const auto table = fit_counts(data, 0, 3, family, 0, &unseen);
  EXPECT_EQ(unseen, 2);  // configurations 1 and 3
  for (std::size_t i : {1, 3})
    for (int j : {0, 1}) EXPECT_NEAR(table.log_prob(i, j), -std::log(2.0), 1e-15);
  EXPECT_EQ(table.log_prob(2, 0), -infinity);
  EXPECT_EQ(table.log_prob(2, 1), 0);
}

TEST(FitCounts, SmoothingReachesEveryRow) {
  Dataset data;
  data.variables = support::categorical_variables({2, 4});
  data.columns = {{{0}, {}}, {{0}, {}}};
  int unseen = 0;
  const auto table = fit_counts(data, 0, 1, {VariableId(0), {VariableId(1)}}, 1, &unseen);
  EXPECT_EQ(unseen, 0);
  for (double logit : table.parameters()) EXPECT_TRUE(std::isfinite(logit));
}

TEST(FitCounts, OfNothingIsUniform) {
  Dataset data;
  data.variables = support::categorical_variables({5});
  data.columns = {{{}, {}}};
  int unseen = 0;
  const auto table = fit_counts(data, 0, 0, {VariableId(0), {}}, 0, &unseen);
  EXPECT_EQ(unseen, 1);
  for (int j = 0; j < 5; ++j) EXPECT_NEAR(table.log_prob(0, j), -std::log(5.0), 1e-15);
}

}  // namespace
}  // namespace whence
