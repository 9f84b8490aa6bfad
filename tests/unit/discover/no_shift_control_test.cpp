// Evidence that the same rows have without a shift does not count.
#include "whence/discover/pair/no_shift_control.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "bench/quality/direction/direction_cases.hpp"
#include "support/effort.hpp"
#include "whence/discover/pair/pair_beliefs.hpp"
#include "whence/discover/pair/pair_models.hpp"

namespace whence {
namespace {

DirectionOptions with_baseline() {
  DirectionOptions options;
  options.baseline = 0;
  options.sensitivity = false;
  return options;
}

/// A large sparse table and few rows: what Dirichlet priors get wrong.
Dataset few_unchanged_rows(std::uint32_t run) {
  return draw_discrete({Situation::none, 100, true, 100, 1000, 1}, {41, run});
}

Dataset few_changed_rows(std::uint32_t run) {
  return draw_discrete({Situation::cause, 10, true, 100, 100, 3}, {42, run});
}

bool decided(const std::array<double, structures>& belief) {
  return std::max(belief[0], belief[1]) > decided_belief;
}

TEST(NoShiftControl, KeepsSparseTablesFromDecidingWithoutAShift) {
  const int runs = std::max(8, int(support::effort(40)));
  int before = 0, after = 0;
  for (int run = 0; run < runs; ++run) {
    const Dataset data = few_unchanged_rows(std::uint32_t(run));
    before += decided(beliefs_over(joint_counts(data), with_baseline()).back());
    after += decided(find_direction(data, with_baseline()).belief);
  }
  EXPECT_GE(before, runs / 4);  // without the control this test fails
  EXPECT_LE(after, 1);
}

TEST(NoShiftControl, LeavesWhatAShiftSays) {
  const int runs = std::max(8, int(support::effort(24)));
  int before = 0, after = 0;
  for (int run = 0; run < runs; ++run) {
    const Dataset data = few_changed_rows(std::uint32_t(run));
    before += decided(beliefs_over(joint_counts(data), with_baseline()).back());
    const auto result = find_direction(data, with_baseline());
    after += decided(result.belief);
    EXPECT_LT(result.belief[1], decided_belief);
  }
  EXPECT_GE(before, runs / 2);
  EXPECT_GE(after, before - std::max(1, runs / 8));
}

TEST(NoShiftControl, DoesNotDependOnNamesOfLevelsOrTheOrderOfRows) {
  int asked = 0;
  for (std::uint32_t run = 0; run < 4; ++run) {
    Dataset data = few_changed_rows(run);
    const auto before = find_direction(data, with_baseline());
    asked += decided(beliefs_over(joint_counts(data), with_baseline()).back());
    for (auto& level : data.columns[0].levels) level = (level * 7 + 5) % 10;
    for (auto& level : data.columns[1].levels) level = 9 - level;
    for (const Environment& e : data.environments)
      for (Column& column : data.columns)
        std::reverse(column.levels.begin() + std::ptrdiff_t(e.begin),
                     column.levels.begin() + std::ptrdiff_t(e.end));
    const auto after = find_direction(data, with_baseline());
    for (std::size_t s = 0; s < structures; ++s)
      EXPECT_NEAR(before.belief[s], after.belief[s], 1e-12);
    EXPECT_NEAR(before.shift_log_odds, after.shift_log_odds, 1e-8);
  }
  EXPECT_GT(asked, 0);
}

TEST(NoShiftControl, TakesTheBiasOffAndNeverAdds) {
  NoShiftControl control;
  control.deals = 9;
  control.bias = 2;
  EXPECT_EQ(control.left_of(5), 3);
  EXPECT_EQ(control.left_of(1), 0);
  EXPECT_EQ(control.left_of(-5), -5);
  const std::array<double, structures> belief = {0.6, 0.2, 0.2};
  const ChangePrior prior;
  EXPECT_NEAR(control.left_of(belief, prior)[0], 0.4, 1e-12);  // log 3 is less than 2: even odds
  control.most = 0.5;
  EXPECT_EQ(control.left_of(5), 0.5);
  EXPECT_EQ(control.left_of(-5), -0.5);
  control.most = 0;
  EXPECT_NEAR(control.left_of({0.799, 0.001, 0.2}, prior)[1], 0.4, 1e-12);
  EXPECT_EQ(control.left_of({0, 0, 1}, prior)[2], 1);
}

TEST(NoShiftControl, EvidenceCountsForLessTheOftenerChanceGivesAsMuch) {
  EXPECT_EQ(most_evidence(0.5), 0);
  EXPECT_NEAR(most_evidence(std::exp(-1.0)), 0, 1e-12);
  EXPECT_NEAR(most_evidence(0.05), -std::log(-std::exp(1.0) * 0.05 * std::log(0.05)), 1e-12);
  EXPECT_EQ(most_evidence(0), INFINITY);
  for (double p = 0.9; p > 1e-9; p /= 2) EXPECT_LE(most_evidence(p), most_evidence(p / 2));
}

TEST(NoShiftControl, AsksUntilSeveralDealsSayAsMuch) {
  // Ten rows of (0, 0), ten of (1, 1); the odds of a deal: how unevenly they fall.
  FamilyCounts table(2, 2);
  table.cells = {5, 0, 0, 5};
  const std::vector<FamilyCounts> tables = {table, table};
  EXPECT_TRUE(few_rows(tables));
  const LogOdds uneven = [](const std::vector<FamilyCounts>& dealt) {
    return std::abs(dealt[0].cells[0] - dealt[1].cells[0]);
  };
  const NoShiftControl near = deal_out(tables, 1, uneven);
  EXPECT_EQ(near.most, 0);
  EXPECT_LT(near.deals, 100u);
  const NoShiftControl far = deal_out(tables, 1000, uneven);
  EXPECT_GT(far.most, 100);
  EXPECT_LT(far.deals, 30u);
  EXPECT_GT(far.bias, 0.5);
}

}  // namespace
}  // namespace whence
