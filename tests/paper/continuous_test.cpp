// The continuous appendix: the criterion answers rightly when the cause shifts, and the opposite
// when the effect does (documented behaviour, not a failure of the code).
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/effort.hpp"
#include "whence/backends/backend.hpp"
#include "whence/belief/two_hypotheses.hpp"
#include "whence/paper/tasks/continuous_task.hpp"

namespace whence::test {
namespace {

constexpr OptimizerSpec adam{.kind = OptimizerSpec::Kind::adam, .learning_rate = 1e-3};
constexpr std::size_t points = 300;
constexpr int steps = 10;

/// One spline with its conditionals, trained less long than in the experiment.
struct Pair {
  SplineWorld world;
  MixtureDensity<double> forward, backward;

  static Pair trained(std::uint32_t run) {
    const SplineWorld world = SplineWorld::draw({}, {}, 3, run);
    const DensityTraining how{{}, {.kind = adam.kind, .learning_rate = 5e-3}, 800, 300};
    Fallbacks unused;
    return {world, train_density(world, how, false, {3, run}, unused),
            train_density(world, how, true, {3, run}, unused)};
  }
};

/// Mean log-odds per point over episodes under one kind of shift, the printed way.
double mean_delta(const Pair& pair, std::uint32_t run, ShiftKind kind) {
  const PairHypotheses hypotheses = pair_hypotheses();
  const std::size_t episodes = 30;
  ContinuousScorer scorer(pair.forward, pair.backward, adam, steps, 100);
  Scores table(episodes, 4, steps);
  for (std::uint32_t e = 0; e < episodes; ++e) {
    const SplineWorld shifted =
        pair.world.shifted(kind, Stream(3, Purpose::shift, {run, e, std::uint32_t(kind)}));
    const PairColumns data = draw_columns(shifted, points, Purpose::sample, 3, {run, e, 0});
    scorer.score_hindsight(data, Stream(3, Purpose::initialise, {run, e + 2, 0}))
        .em_weights.store(table, e);
  }
  double sum = 0;
  for (double delta : log_odds(table, hypotheses.forward, hypotheses.backward)) sum += delta;
  return sum / double(episodes * points * steps);
}

TEST(ContinuousPair, CauseShiftsSpeakForTheCauseAndEffectShiftsAgainstIt) {
  int right = 0, wrong = 0;
  const std::uint32_t runs = support::effort_divisor > 1 ? 2 : 4;
  for (std::uint32_t run = 0; run < runs; ++run) {
    const Pair pair = Pair::trained(run);
    right += mean_delta(pair, run, ShiftKind::cause) > 0 ? 1 : 0;
    wrong += mean_delta(pair, run, ShiftKind::effect) < 0 ? 1 : 0;
  }
  EXPECT_GE(right, int(runs) - 1);
  EXPECT_EQ(wrong, int(runs));
}

/// A probability of the episode may not look at a mini-batch before it scores it.
TEST(ContinuousPair, OnlineScoresOfAStepDoNotDependOnLaterPoints) {
  const SplineWorld world = SplineWorld::draw({}, {}, 3, 0);
  const MixtureDensity<double> module =
      initial_density({8, 3}, Stream(3, Purpose::initialise, {0, 0, 0}));
  const PairColumns data = draw_columns(world, points, Purpose::sample, 3, {});
  PairColumns changed = data;
  for (std::size_t i = points / 2; i < points; ++i) changed.a[i] = changed.b[i] = 7.5;
  const GaussianMixture<double> start = spread_mixture(3, std::span<const double>(data.a));
  ContinuousScorer scorer(module, module, adam, steps, 50);
  const EpisodeScores a = scorer.score_online(data, start, start);
  const EpisodeScores b = scorer.score_online(changed, start, start);
  for (std::size_t f = 0; f < 4; ++f)
    for (std::size_t t = 0; t <= std::size_t(steps) / 2; ++t) {
      const bool same = a.family[f][t] == b.family[f][t];
      EXPECT_EQ(same, t < std::size_t(steps) / 2) << f << ' ' << t;
    }
  // The printed form does look ahead: the check can fail.
  const Stream from(3, Purpose::initialise, {0, 2, 0});
  EXPECT_NE(scorer.score_hindsight(data, from).em_weights.family[0][0],
            scorer.score_hindsight(changed, from).em_weights.family[0][0]);
}

/// On fresh mini-batches the backend's kernel and the reference are one.
TEST(ContinuousPair, BackendsAgreeOnMixtureDensities) {
  const SplineWorld world = SplineWorld::draw({}, {}, 3, 1);
  Dataset data;
  data.variables = {{"A", Variable::Kind::real}, {"B", Variable::Kind::real}};
  const PairColumns rows = draw_columns(world, 240, Purpose::sample, 3, {});
  data.columns = {{{}, rows.a}, {{}, rows.b}};
  const PairHypotheses pair = pair_hypotheses();
  const MixtureDensity<double> network =
      initial_density({8, 3}, Stream(3, Purpose::initialise, {0, 0, 0}));
  const GaussianMixture<double> mixture = random_mixture(3, Stream(3, Purpose::tests, {}));
  const std::vector<Module> modules = {{pair.families[0], mixture},
                                       {pair.families[1], network},
                                       {pair.families[2], mixture},
                                       {pair.families[3], network}};
  const std::vector<Episode> episodes = {{0, 4, 20}, {80, 4, 20}, {160, 4, 20}};
  for (bool reset : {true, false}) {
    const GradientAdaptation how{adam, reset};
    const Scores fast = cpu_backend()->score(data, episodes, modules, how, 2);
    const Scores slow = reference_backend()->score(data, episodes, modules, how);
    for (std::size_t e = 0; e < episodes.size(); ++e)
      for (std::size_t f = 0; f < 4; ++f)
        for (std::size_t t = 0; t < 4; ++t) {
          const double expected = slow.of(EpisodeId(e), FamilyId(f))[t];
          EXPECT_NEAR(fast.of(EpisodeId(e), FamilyId(f))[t], expected, 1e-10 * std::abs(expected));
        }
  }
}

}  // namespace
}  // namespace whence::test
