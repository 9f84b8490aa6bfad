// Verdicts: what an open question is called, and what would settle it.
#include "whence/discover/pair/verdict.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "bench/quality/direction/direction_cases.hpp"
#include "support/effort.hpp"
#include "whence/report/direction_report.hpp"
#include "whence/report/remark_words.hpp"

namespace whence {
namespace {

DirectionResult judged(const DiscreteDesign& design, std::uint32_t run) {
  DirectionOptions options;
  options.baseline = 0;
  options.sensitivity = false;
  return find_direction(draw_discrete(design, {51, run}), options);
}

bool mentions(const std::vector<std::string>& sentences, std::string_view what) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& s) { return s.find(what) != std::string::npos; });
}

/// How many of `runs` pairs are named confounded.
int named(Situation situation, int runs) {
  int count = 0;
  for (int run = 0; run < runs; ++run)
    count += judged({situation, 10, true, 1000, 1000, 3}, std::uint32_t(run)).verdict.confounded;
  return count;
}

TEST(Verdict, AHiddenCommonCauseThatShiftsIsNamed) {
  const int runs = std::max(6, int(support::effort(20)));
  EXPECT_GE(named(Situation::confounded, runs), 2 * runs / 3);
}

TEST(Verdict, LogOddsOfEnvironmentsAddUpAndTheBaselineHasNone) {
  for (Situation situation : {Situation::cause, Situation::mechanism})
    for (std::uint32_t run = 0; run < 4; ++run) {
      const auto result = judged({situation, 10, true, 1000, 1000, 5}, run);
      double sum = 0;
      for (const EnvironmentFinding& e : result.environments) sum += e.log_odds;
      EXPECT_NEAR(sum, result.shift_log_odds, 1e-6);
      EXPECT_NEAR(result.environments[0].log_odds, 0, 1e-6);
      EXPECT_NE(result.verdict.kind, Verdict::Kind::conflicting) << in_words(result);
    }
}

TEST(Verdict, IsNotSureWhereOneEnvironmentLeftOutGivesAnotherAnswer) {
  DirectionResult result;
  result.variables = {"X", "Y"};
  result.belief = {0.97, 0.01, 0.02};
  result.path = {result.belief};
  result.environments.resize(2);
  result.environments[1].name = "small";
  const DirectionResult before = result;
  limit_turning({result.belief, {0.45, 0.3, 0.25}},
                result);  // open without it, but no other answer
  EXPECT_EQ(result.belief, before.belief);
  limit_turning({result.belief, {0.12, 0.1, 0.78}}, result);
  EXPECT_EQ(judge(result).kind, Verdict::Kind::undecided);
  EXPECT_NEAR(result.belief[0] + result.belief[1] + result.belief[2], 1, 1e-12);
  EXPECT_GT(result.belief[2], before.belief[2]);
  EXPECT_TRUE(mentions(advice_in_words(result.remarks), "without one environment (small)"));
}

class VerdictOnOneChange : public testing::TestWithParam<Situation> {};

TEST_P(VerdictOnOneChange, IsNotCalledConfounded) {
  const int runs = std::max(6, int(support::effort(20)));
  EXPECT_LE(named(GetParam(), runs), runs / 20);
}

INSTANTIATE_TEST_SUITE_P(Controls, VerdictOnOneChange,
                         testing::Values(Situation::cause, Situation::effect, Situation::mechanism,
                                         Situation::row, Situation::none, Situation::apart));

TEST(Verdict, ConfoundingIsSaidEverywhere) {
  for (std::uint32_t run = 0; run < 20; ++run) {
    const auto result = judged({Situation::confounded, 10, true, 1000, 1000, 3}, run);
    if (!result.verdict.confounded) continue;
    EXPECT_NE(result.verdict.kind, Verdict::Kind::direction);
    EXPECT_NE(in_words(result).find("confounded"), std::string::npos);
    EXPECT_TRUE(mentions(warnings_in_words(result.remarks), "confounded"));
    EXPECT_TRUE(mentions(advice_in_words(result.remarks), "hidden common cause"));
    EXPECT_NE(direction_json(result, {}).dump().find("\"confounded\":true"), std::string::npos);
    const Report report = direction_report(result, belief_path(result));
    EXPECT_NE(report.summary.find("confounded"), std::string::npos);
    EXPECT_TRUE(mentions(report.warnings, "confounded"));
    return;
  }
  FAIL() << "no pair was named confounded";
}

TEST(Verdict, AnOpenQuestionSaysWhichShiftAndHowManyRowsWouldSettleIt) {
  int open = 0;
  for (Situation situation : {Situation::none, Situation::row, Situation::both})
    for (std::uint32_t run = 0; run < 8; ++run) {
      const auto result = judged({situation, 6, false, 200, 20, 1}, run);
      using Kind = Verdict::Kind;
      if (result.verdict.kind == Kind::direction || result.verdict.kind == Kind::no_link) continue;
      ++open;
      EXPECT_TRUE(mentions(advice_in_words(result.remarks), "What would settle it"))
          << in_words(result);
      EXPECT_TRUE(mentions(advice_in_words(result.remarks), "rows")) << in_words(result);
    }
  EXPECT_GT(open, 8);
}

TEST(Verdict, MoreRowsAreAskedForWhereLessIsKnown) {
  DirectionResult result;
  result.variables = {"x", "y"};
  result.belief = {0.7, 0.2, 0.1};
  result.environments = {{"base", 100, true, 0, {}, {}}, {"week", 50, false, 1, {}, {}}};
  result.verdict = judge(result);
  ASSERT_EQ(result.verdict.kind, Verdict::Kind::undecided);
  result.shift_log_odds = 1;
  EXPECT_TRUE(mentions(advice_in_words(remarks_on(result)), "about 182 shifted rows"));
  result.shift_log_odds = 2;
  EXPECT_TRUE(mentions(advice_in_words(remarks_on(result)), "about 91 shifted rows"));
  result.shift_log_odds = 0.1;
  EXPECT_TRUE(mentions(advice_in_words(remarks_on(result)), "next to nothing"));
}

}  // namespace
}  // namespace whence
