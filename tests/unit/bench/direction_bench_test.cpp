// The benchmark of whence direction: its bookkeeping, and beliefs that come true as often as they
// say on data drawn from the stated prior.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "bench/quality/direction/direction_cases.hpp"
#include "bench/quality/direction/direction_episodes.hpp"
#include "bench/quality/direction/direction_honesty.hpp"
#include "support/effort.hpp"
#include "whence/discover/pair/pair_beliefs.hpp"
#include "whence/judge/reliability.hpp"
#include "whence/paper/paper_criterion.hpp"

namespace whence {
namespace {

TEST(Reliability, CountsWhatCameTrue) {
  Reliability reliability;
  reliability.add(0.25, false);
  reliability.add(0.25, true);
  reliability.add(1.0, true);
  const auto bins = reliability.bins();
  EXPECT_EQ(bins[2].cases, 2u);
  EXPECT_DOUBLE_EQ(bins[2].stated, 0.25);
  EXPECT_DOUBLE_EQ(bins[2].observed, 0.5);
  EXPECT_EQ(bins[9].cases, 1u);
  EXPECT_DOUBLE_EQ(reliability.brier(), (0.0625 + 0.5625) / 3);
  EXPECT_DOUBLE_EQ(reliability.expected_error(), 2 * 0.25 / 3);
  EXPECT_DOUBLE_EQ(reliability.worst(1, false), 0);
  EXPECT_DOUBLE_EQ(reliability.worst(1, true), 0.25);
  EXPECT_DOUBLE_EQ(reliability.worst(3, true), 0);
}

/// Standard errors by which beliefs in X -> Y, stated under `stated`, differ from the truth of data
/// drawn from the documented prior: the sum of surprises, and the sum weighted by their belief.
struct Deviation {
  double mean = 0, slope = 0;
};
Deviation deviation(const ChangePrior& stated, std::size_t cases) {
  double surprise = 0, variance = 0, tilt = 0, tilt_variance = 0;
  DirectionOptions how;
  how.baseline = 0;
  how.prior = stated;
  const std::vector<std::size_t> rows = {100, 30, 30};
  for (std::size_t i = 0; i < cases; ++i) {
    const PriorDraw draw = draw_from_prior({}, 2, rows, {5, std::uint32_t(i)});
    const double q = beliefs_over(draw.joint, how).back()[0];
    const double miss = (draw.structure == Structure::forward) - q;
    surprise += miss;
    variance += q * (1 - q);
    tilt += miss * (q - 0.5);
    tilt_variance += q * (1 - q) * (q - 0.5) * (q - 0.5);
  }
  return {surprise / std::sqrt(variance), tilt / std::sqrt(tilt_variance)};
}

TEST(DirectionCalibration, BeliefsComeTrueAsOftenAsTheySay) {
  const std::size_t cases = support::effort(6000);
  const Deviation right = deviation({}, cases);
  EXPECT_LT(std::abs(right.mean), 6.1);
  EXPECT_LT(std::abs(right.slope), 6.1);
  // Planted: a prior in which single changes are the rule is too sure of itself.
  ChangePrior bold;
  bold.change = {0.02, 0.24, 0.24, 0.24, 0.24, 0.02};
  bold.quiet = bold.turbulent = 0;
  if (cases >= 6000) {
    EXPECT_GT(std::abs(deviation(bold, cases).slope), 6.1);
  }
}

TEST(DirectionCases, AreWhatTheySay) {
  const DiscreteDesign design{Situation::none, 3, false, 50, 10, 2};
  const Dataset data = draw_discrete(design, {1, 2});
  EXPECT_EQ(data.environments.size(), 3u);
  EXPECT_EQ(data.rows(), 70u);
  EXPECT_EQ(draw_discrete(design, {1, 2}).columns[1].levels, data.columns[1].levels);
  EXPECT_NE(draw_discrete(design, {1, 3}).columns[1].levels, data.columns[1].levels);
  for (const Situation situation : {Situation::cause, Situation::apart, Situation::confounded}) {
    for (const bool spline : {false, true}) {
      RealDesign real;
      real.spline = spline;
      real.situation = situation;
      real.rows = 20;
      real.environments = 2;
      EXPECT_EQ(draw_real(real, {1, 2}).rows(), 60u);
    }
  }
}

TEST(DirectionCases, ShufflesKeepTheirColumns) {
  const DiscreteDesign design{Situation::cause, 4, false, 60, 40, 2};
  const Dataset data = draw_discrete(design, {1, 2});
  Dataset shuffled = data;
  shuffle_second(shuffled, true, {1, 2});
  EXPECT_NE(shuffled.columns[1].levels, data.columns[1].levels);
  for (const Environment& e : data.environments) {
    const auto sorted = [&](const Dataset& of) {
      const auto begin = of.columns[1].levels.begin();
      std::vector<std::int32_t> rows(begin + std::ptrdiff_t(e.begin),
                                     begin + std::ptrdiff_t(e.end));
      std::sort(rows.begin(), rows.end());
      return rows;
    };
    EXPECT_EQ(sorted(shuffled), sorted(data)) << e.name;
  }
}

TEST(PaperCriterion, IsRightForCausesAndWrongForEffects) {
  const auto belief = [](Situation situation) {
    return paper_belief(draw_discrete({situation, 10, false, 10000, 20, 100}, {3, 1}));
  };
  EXPECT_GT(belief(Situation::cause), 0.95);
  EXPECT_LT(belief(Situation::effect), 0.05);
}

TEST(DirectionEpisodes, FewAreNeededAndToldOnesNeedNoMore) {
  RunOptions options;
  for (const EpisodesNeeded& n : episodes_needed(5, options, {})) {
    EXPECT_EQ(n.wrong, 0) << name_of(n.situation);
    EXPECT_LE(n.optimal, n.median) << name_of(n.situation);
    if (n.situation == Situation::row) continue;
    EXPECT_LE(n.median, 4) << name_of(n.situation);
  }
}

TEST(DirectionHonestyBench, CountsWhatMustNotBeSaidAndItsControl) {
  RunOptions options;
  options.threads = 1;
  options.seed = 3;
  const auto with = direction_honesty(4, true, options);
  const auto without = direction_honesty(4, false, options);
  ASSERT_EQ(with.size(), without.size());
  for (std::size_t hidden : {0, 1}) {  // beside a hidden cause
    EXPECT_EQ(with[hidden].wrong, 0u) << with[hidden].data;
    EXPECT_GE(without[hidden].wrong, 3u) << "the control: " << with[hidden].data;
  }
  for (std::size_t told : {2, 3}) {  // X causes Y
    EXPECT_GE(with[told].directions, 3u) << with[told].data;
    EXPECT_EQ(with[told].wrong, 0u) << with[told].data;
  }
  for (std::size_t weak : {4, 5, 6}) EXPECT_EQ(with[weak].not_linked, 0u) << with[weak].data;
  EXPECT_GE(with[7].not_linked, 2u) << with[7].data;
  EXPECT_EQ(honesty_table(with, without).rows.size(), with.size());
}

}  // namespace
}  // namespace whence
