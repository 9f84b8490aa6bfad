#include "whence/judge/summary.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "whence/math/random.hpp"

namespace whence {
namespace {

TEST(EffectiveSamples, AreANumberPerNodeAndAWarningWhereTheyAreFew) {
  Report report;
  const std::vector<std::vector<double>> episodes = {{1.2, 3}, {1.4, 5}, {1.3, 4}};
  add_effective_samples("ess", "a row", episodes, report);
  ASSERT_EQ(report.numbers.size(), 2u);
  EXPECT_EQ(report.numbers[0].id, "ess/A");
  EXPECT_DOUBLE_EQ(report.numbers[0].value, 1.3);
  EXPECT_EQ(report.numbers[1].id, "ess/B");
  EXPECT_DOUBLE_EQ(report.numbers[1].value, 4);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_NE(report.warnings[0].find("a row: half of the estimates of A's"), std::string::npos);
  Report none;
  add_effective_samples("ess", "a row", {}, none);
  EXPECT_TRUE(none.numbers.empty());
}

TEST(SameRate, IsFishersExactTest) {
  EXPECT_NEAR(same_rate_probability(4, 20, 8, 20), 0.300845, 1e-6);  // R: fisher.test
  EXPECT_NEAR(same_rate_probability(8, 20, 4, 20), 0.300845, 1e-6);
  EXPECT_NEAR(same_rate_probability(1, 10, 9, 10), 0.001093, 1e-6);
  EXPECT_DOUBLE_EQ(same_rate_probability(0, 5, 0, 7), 1);
}

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  const std::vector<double> values = {4, 1, 3, 2};  // R: quantile(1:4, type = 7)
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0.75), 3.25);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 4);
}

TEST(Quantile, OfOneValueIsThatValue) {
  for (double q : {0.0, 0.25, 0.5, 1.0}) EXPECT_EQ(quantile({7}, q), 7);
}

TEST(Quantile, DoesNotDependOnTheOrderOfTheValues) {
  std::vector<double> values;
  Stream stream(0, Purpose::tests, {51});
  for (int i = 0; i < 37; ++i) values.push_back(sample_normal(stream));
  std::vector<double> sorted = values, reversed = values;
  std::sort(sorted.begin(), sorted.end());
  std::reverse(reversed.begin(), reversed.end());
  for (double q : {0.1, 0.25, 0.5, 0.75, 0.9}) {
    EXPECT_EQ(quantile(values, q), quantile(sorted, q));
    EXPECT_EQ(quantile(values, q), quantile(reversed, q));
  }
}

TEST(Quantile, RisesWithTheShare) {
  std::vector<double> values;
  Stream stream(0, Purpose::tests, {52});
  for (int i = 0; i < 20; ++i) values.push_back(stream.uniform());
  double last = quantile(values, 0);
  for (int i = 1; i <= 100; ++i) {
    const double next = quantile(values, i / 100.0);
    EXPECT_GE(next, last);
    last = next;
  }
}

TEST(Summarise, TakesMedianAndQuartilesAcrossRuns) {
  const std::vector<std::vector<double>> runs = {{1, 10}, {2, 30}, {3, 20}, {4, 50}, {5, 40}};
  const Curve curve = summarise("id", "label", {0, 1}, runs);
  EXPECT_EQ(curve.id, "id");
  EXPECT_EQ(curve.label, "label");
  EXPECT_EQ(curve.x, (std::vector<double>{0, 1}));
  EXPECT_EQ(curve.median, (std::vector<double>{3, 30}));
  EXPECT_EQ(curve.q25, (std::vector<double>{2, 20}));
  EXPECT_EQ(curve.q75, (std::vector<double>{4, 40}));
}

TEST(Summarise, OfOneRunIsTheRun) {
  const std::vector<std::vector<double>> runs = {{1, 5, -2}};
  const Curve curve = summarise("id", "label", {0, 1, 2}, runs);
  EXPECT_EQ(curve.median, runs[0]);
  EXPECT_EQ(curve.q25, runs[0]);
  EXPECT_EQ(curve.q75, runs[0]);
}

TEST(Show, IsShortAndReadable) {
  EXPECT_EQ(show(0.97432), "0.974");
  EXPECT_EQ(show(0.97432, 4), "0.9743");
  EXPECT_EQ(show(12, 0), "12");
  EXPECT_EQ(show(0), "0.000");
  EXPECT_EQ(show(1.234e-17), "1.2e-17");
  EXPECT_EQ(show(-2.5e-7), "-2.5e-07");
  EXPECT_EQ(show(2.5e9), "2.5e+09");
}

}  // namespace
}  // namespace whence
