#include "whence/adapt/categorical_adapter.hpp"

#include <gtest/gtest.h>

#include "support/bits.hpp"
#include "support/optimizers.hpp"
#include "support/tables.hpp"

namespace whence {
namespace {

using support::Inputs;

TEST(TablePlan, PadsRowsToEight) {
  Inputs inputs(81);
  for (int levels : {1, 2, 7, 8, 9, 16, 17}) {
    const auto table = support::random_table(inputs, levels, 3);
    const TablePlan plan(table);
    EXPECT_EQ(plan.stride % 8, 0u);
    EXPECT_GE(plan.stride, std::size_t(levels));
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < plan.stride; ++j) {
        const double log_p = plan.log_p[i * plan.stride + j], p = plan.p[i * plan.stride + j];
        if (j < std::size_t(levels)) {
          EXPECT_NEAR(log_p, table.log_prob(i, int(j)), 1e-15);
          EXPECT_NEAR(p, std::exp(log_p), 1e-15);
        } else {
          EXPECT_EQ(p, 0);
          EXPECT_EQ(log_p, -std::numeric_limits<double>::infinity());
        }
      }
  }
}

/// An episode on a scratch that has seen others, of this table and of other shapes.
TEST(TableScratch, ForgetsEverythingOnRestart) {
  Inputs inputs(82);
  const TablePlan plan(support::random_table(inputs, 5, 4)),
      other(support::random_table(inputs, 9, 7));
  const auto configuration = inputs.levels(30, 4), level = inputs.levels(30, 5);
  for (const auto& optimizer : support::all_optimizers()) {
    const auto score = [&](TableScratch& scratch) {
      std::vector<double> scores(10);
      scratch.restart(plan);
      adapt_table(plan, optimizer.spec, 3, configuration.data(), level.data(), scratch, scores);
      return scores;
    };
    TableScratch fresh, used;
    const auto expected = score(fresh);
    std::vector<double> ignored(10);
    used.restart(other);
    adapt_table(other, optimizer.spec, 3, configuration.data(), level.data(), used, ignored, true);
    for (int again = 0; again < 3; ++again)
      EXPECT_TRUE(support::same_bits(score(used), expected)) << optimizer.name << ", " << again;
  }
}

/// One long episode, cut anywhere: a learner that goes on computes the same bits.
TEST(AdaptTable, GoesOnWhereItStopped) {
  Inputs inputs(83);
  const TablePlan plan(support::random_table(inputs, 6, 5));
  const auto configuration = inputs.levels(40, 5), level = inputs.levels(40, 6);
  for (const auto& optimizer : support::all_optimizers()) {
    std::vector<double> whole(20), parts(20);
    TableScratch scratch;
    scratch.restart(plan);
    adapt_table(plan, optimizer.spec, 2, configuration.data(), level.data(), scratch, whole);
    for (std::size_t cut : {1, 7, 19}) {
      scratch.restart(plan);
      adapt_table(plan, optimizer.spec, 2, configuration.data(), level.data(), scratch,
                  std::span(parts).first(cut), true);
      adapt_table(plan, optimizer.spec, 2, configuration.data() + 2 * cut, level.data() + 2 * cut,
                  scratch, std::span(parts).subspan(cut));
      EXPECT_TRUE(support::same_bits(parts, whole)) << optimizer.name << ", " << cut;
    }
  }
}

/// The same with a test set: its curve goes on as well.
TEST(AdaptTable, KeepsTheTestCurveAcrossCuts) {
  Inputs inputs(84);
  const auto table = support::random_table(inputs, 6, 5);
  const TablePlan plan(table);
  const auto configuration = inputs.levels(40, 5), level = inputs.levels(40, 6);
  Dataset test;
  test.variables = support::categorical_variables({6, 5});
  test.columns = {{inputs.levels(25, 6), {}}, {inputs.levels(25, 5), {}}};
  const TestCounts counts(plan, test, {VariableId(0), {VariableId(1)}}, 0, 25);
  for (const auto& optimizer : support::all_optimizers()) {
    std::vector<double> scores(20), whole(20), parts(20);
    TableScratch scratch;
    scratch.restart(plan);
    adapt_table(plan, optimizer.spec, 2, configuration.data(), level.data(), scratch, scores, false,
                &counts, whole);
    scratch.restart(plan);
    for (std::size_t t = 0; t < 20; t += 5)
      adapt_table(plan, optimizer.spec, 2, configuration.data() + 2 * t, level.data() + 2 * t,
                  scratch, std::span(scores).first(5), true, &counts,
                  std::span(parts).subspan(t, 5));
    for (std::size_t t = 0; t < 20; ++t)
      EXPECT_NEAR(parts[t], whole[t], 1e-14) << optimizer.name << ", " << t;
  }
}

TEST(TestCounts, CountOnlyTheRowsAskedFor) {
  const TablePlan plan(CategoricalTable<double>(2, std::size_t(3)));
  Dataset data;
  data.variables = support::categorical_variables({2, 3});
  data.columns = {{{0, 1, 1, 0}, {}}, {{0, 2, 2, 1}, {}}};
  const TestCounts counts(plan, data, {VariableId(0), {VariableId(1)}}, 1, 4);
  EXPECT_EQ(counts.size, 3u);
  double sum = 0;
  for (double c : counts.counts) sum += c;
  EXPECT_EQ(sum, 3);
  EXPECT_EQ(counts.counts[2 * plan.stride + 1], 2);
  EXPECT_EQ(counts.counts[1 * plan.stride + 0], 1);
  EXPECT_EQ(counts.counts[0], 0);
}

}  // namespace
}  // namespace whence
