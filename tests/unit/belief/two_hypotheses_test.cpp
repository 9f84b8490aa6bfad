#include "whence/belief/two_hypotheses.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/bits.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/optimizers.hpp"
#include "whence/judge/summary.hpp"
#include "whence/math/logspace.hpp"
#include "whence/paper/tasks/pair_task.hpp"

namespace whence {
namespace {

constexpr std::array all_objectives = {BeliefObjective::mixture, BeliefObjective::printed,
                                       BeliefObjective::per_step};

OptimizerSpec sgd(double learning_rate) { return {.learning_rate = learning_rate}; }

std::vector<double> repeated(double delta, std::size_t episodes) {
  return std::vector<double>(episodes, delta);
}

// Regret ------------------------------------------------------------------------------------------

TEST(Regret, OfACertainBeliefIsThatHypothesisOwn) {
  EXPECT_DOUBLE_EQ(regret(800, -3, -900), 3);
  EXPECT_DOUBLE_EQ(regret(-800, -900, -3), 3);
}

TEST(Regret, OfEqualHypothesesIsTheirsWhateverTheBelief) {
  for (double gamma : {-50.0, -1.0, 0.0, 3.0, 50.0}) EXPECT_NEAR(regret(gamma, -7, -7), 7, 1e-14);
}

TEST(Regret, AndItsGradientStayFiniteAtExtremes) {
  const double far[] = {-1e300, -1e6, -745, -40, -1e-300, 0, 1e-300, 40, 745, 1e6, 1e300};
  for (double gamma : {-1e6, -gamma_limit, 0.0, gamma_limit, 1e6})
    for (double delta : far) {
      EXPECT_TRUE(std::isfinite(regret(gamma, delta, 0))) << gamma << " " << delta;
      for (double slope : {regret_gradient(gamma, delta), printed_regret_gradient(gamma, delta)}) {
        EXPECT_TRUE(std::isfinite(slope)) << gamma << " " << delta;
        EXPECT_LE(std::abs(slope), 1) << gamma << " " << delta;
        EXPECT_LE(slope * delta, 0) << "evidence for h1 lowers the regret when gamma grows";
      }
    }
}

TEST(Regret, GradientKeepsItsDigitsWhereSigmoidsSaturate) {  // N02
  // Far out sigma(g) - sigma(g + d) is e^-g (e^-d - 1), twenty digits below either sigmoid.
  EXPECT_NEAR(regret_gradient(45, 1) / (std::exp(-45.0) * std::expm1(-1.0)), 1, 1e-13);
  EXPECT_NEAR(regret_gradient(0.3, 1e-18) / (-1e-18 * sigmoid(0.3) * sigmoid(-0.3)), 1, 1e-13);
}

TEST(Regret, GradientsOfBothFormsAgreeAtATie) {
  for (double gamma : {-3.0, 0.0, 2.0}) {
    EXPECT_EQ(regret_gradient(gamma, 0), 0);
    EXPECT_EQ(printed_regret_gradient(gamma, 0), 0);
  }
}

// Learning ----------------------------------------------------------------------------------------

TEST(LearnBelief, FollowsEveryOptimizerStepByStep) {
  const std::vector<double> delta = {0.7, -0.2, 1.5, 0.1, -3.0};
  for (const auto& [name, spec] : support::all_optimizers()) {
    Optimizer<double> optimizer(spec, 1);
    double gamma = 0.4;
    const BeliefTrajectory path = learn_belief(delta, 1, {.gamma0 = 0.4, .optimizer = spec});
    ASSERT_EQ(path.gamma.size(), delta.size());
    for (std::size_t e = 0; e < delta.size(); ++e) {
      const double gradient = sigmoid(gamma) - sigmoid(gamma + delta[e]);
      optimizer.step({&gamma, 1}, {&gradient, 1});
      EXPECT_NEAR(path.gamma[e], gamma, 1e-12) << name << " " << e;
    }
  }
}

TEST(LearnBelief, GoesWhereConstantEvidencePointsWithEveryOptimizerAndObjective) {
  for (const auto& [name, spec] : support::all_optimizers())
    for (BeliefObjective objective : all_objectives)
      for (double delta : {-1.0, 1.0}) {
        const auto path =
            learn_belief(repeated(delta, 600), 2, {.optimizer = spec, .objective = objective});
        EXPECT_GT(path.gamma.back() * delta, 2) << name << " " << name_of(objective);
      }
}

TEST(LearnBelief, MirrorsBitForBitWhenTheHypothesesAreSwapped) {
  std::vector<double> delta = {0.7, -0.2, 1.5, 0.1, -3.0, 1e-9, 50, -70, 0, 2.5};
  std::vector<double> negated = delta;
  for (double& d : negated) d = -d;
  for (const auto& [name, spec] : support::all_optimizers())
    for (BeliefObjective objective : all_objectives) {
      const auto path =
          learn_belief(delta, 2, {.gamma0 = 0.3, .optimizer = spec, .objective = objective});
      const auto mirrored =
          learn_belief(negated, 2, {.gamma0 = -0.3, .optimizer = spec, .objective = objective});
      for (std::size_t e = 0; e < path.gamma.size(); ++e)
        EXPECT_EQ(path.gamma[e], -mirrored.gamma[e]) << name << " " << name_of(objective);
    }
}

TEST(LearnBelief, ObjectivesAreWhatTheirNamesSay) {
  const std::vector<double> delta = {0.5, 1.5};  // one episode of two steps
  const auto after = [&](BeliefObjective objective) {
    return learn_belief(delta, 2, {.gamma0 = 0.2, .optimizer = sgd(1), .objective = objective})
        .gamma.back();
  };
  const auto step = [](double d) { return sigmoid(0.2 + d) - sigmoid(0.2); };
  EXPECT_NEAR(after(BeliefObjective::mixture), 0.2 + step(2), 1e-15);
  EXPECT_NEAR(after(BeliefObjective::per_step), 0.2 + step(0.5) + step(1.5), 1e-15);
  EXPECT_NEAR(after(BeliefObjective::printed), 0.2 - step(-2), 1e-15);
}

TEST(LearnBelief, PerStepAndMixtureCoincideWhenTheFirstStepSaysNothing) {
  const std::vector<double> delta = {0, 0.5, 0, -0.3, 0, 1.2};
  const auto mixture = learn_belief(delta, 2, {});
  const auto per_step = learn_belief(delta, 2, {.objective = BeliefObjective::per_step});
  EXPECT_TRUE(support::same_bits(mixture.gamma, per_step.gamma));
}

TEST(LearnBelief, StopsAtTheLimitAndCountsIt) {  // N03
  const auto path = learn_belief(repeated(5, 10), 1, {.gamma0 = 39, .optimizer = sgd(1e20)});
  EXPECT_EQ(path.gamma.back(), gamma_limit);
  EXPECT_EQ(path.clamped, 10);
  const auto down = learn_belief(repeated(-5, 10), 1, {.gamma0 = -39, .optimizer = sgd(1e20)});
  EXPECT_EQ(down.gamma.back(), -gamma_limit);
  EXPECT_EQ(down.clamped, 10);
  EXPECT_EQ(learn_belief(repeated(5, 10), 1, {}).clamped, 0);
}

TEST(LearnBelief, ComesBackFromTheLimitWhenTheEvidenceTurns) {
  // Without the limit gamma would be 500 and the return trip as long as the way there.
  std::vector<double> delta = repeated(50, 10);
  delta.insert(delta.end(), 3, -45);
  const auto path = bayes_belief(delta, 1);
  EXPECT_EQ(path.gamma[9], gamma_limit);
  EXPECT_LT(path.gamma.back(), 0);
}

TEST(BayesBelief, AddsTheEvidence) {
  const std::vector<double> delta = {0.5, 0.25, -1, 3};
  const auto path = bayes_belief(delta, 2, 0.125);
  ASSERT_EQ(path.gamma.size(), 2u);
  EXPECT_EQ(path.gamma[0], 0.875);
  EXPECT_EQ(path.gamma[1], 2.875);
  EXPECT_EQ(path.clamped, 0);
}

TEST(BayesBelief, IsThePosteriorOfBayesRule) {
  const double prior = 0.3, l1 = 0.02, l2 = 0.05;
  const double delta[] = {std::log(l1 / l2)};
  const double posterior = sigmoid(bayes_belief(delta, 1, logit(prior)).gamma.back());
  EXPECT_NEAR(posterior, prior * l1 / (prior * l1 + (1 - prior) * l2), 1e-15);
}

TEST(BayesBelief, CountsEveryTimeTheLimitIsHit) {
  EXPECT_EQ(bayes_belief(repeated(30, 4), 1).clamped, 3);
  EXPECT_EQ(bayes_belief(repeated(-30, 4), 1).gamma.back(), -gamma_limit);
}

TEST(StepLogOdds, SubtractsTheFamiliesOfTheTwoHypotheses) {
  const PairHypotheses pair = pair_hypotheses();
  Scores scores(1, 4, 2);
  for (std::size_t f = 0; f < 4; ++f)
    for (std::size_t t = 0; t < 2; ++t)
      scores.of(EpisodeId(0), FamilyId(f))[t] = -double(1 << (2 * f + t));
  const auto delta = step_log_odds(scores, pair.forward, pair.backward);
  ASSERT_EQ(delta.size(), 2u);
  EXPECT_EQ(delta[0], -1 - 4 + 16 + 64);
  EXPECT_EQ(delta[1], -2 - 8 + 32 + 128);
  EXPECT_EQ(log_odds(scores, pair.forward, pair.backward)[0], delta[0] + delta[1]);
}

// The curves of the released code -----------------------------------------------------------------

/// delta per episode and step of one run: SGD .1, two mini-batches of ten, shifts of the cause.
std::vector<double> deltas(int levels, std::uint32_t run, std::size_t episodes, int steps = 2) {
  const PairTask task = PairTask::exact(CategoricalWorld::draw_pair(levels, 1.0, 0, run));
  const EpisodeSet set =
      draw_episodes(task.world, {ShiftKind::cause}, 1.0, {0, run}, episodes, steps, 10);
  const Scores scores =
      cpu_backend()->score(set.data, set.episodes, task.modules, {sgd(0.1), true});
  return step_log_odds(scores, task.pair.forward, task.pair.backward);
}

/// Medians over runs of the belief after each episode.
std::vector<double> median_beliefs(int levels, std::size_t episodes, const BeliefLearning& how) {
  const std::size_t runs = 20;
  std::vector<std::vector<double>> gamma;
  for (std::uint32_t run = 0; run < runs; ++run)
    gamma.push_back(learn_belief(deltas(levels, run, episodes), 2, how).gamma);
  std::vector<double> medians;
  for (std::size_t e = 0; e < episodes; ++e) {
    std::vector<double> at;
    for (const auto& path : gamma) at.push_back(sigmoid(path[e]));
    medians.push_back(median(at));
  }
  return medians;
}

struct Range {
  std::size_t episode;  // counted from 1
  double low, high;
};
void expect_within(const std::vector<double>& belief, std::initializer_list<Range> ranges) {
  for (const Range& r : ranges) {
    EXPECT_GE(belief[r.episode - 1], r.low) << "episode " << r.episode;
    EXPECT_LE(belief[r.episode - 1], r.high) << "episode " << r.episode;
  }
}

TEST(ReleasedCode, BeliefRisesAsMeasuredForTenLevels) {
  expect_within(median_beliefs(10, 1000, {}), {{1, .524, .526},
                                               {10, .567, .650},
                                               {20, .613, .706},
                                               {50, .694, .788},
                                               {100, .782, .861},
                                               {200, .880, .923},
                                               {300, .930, .954},
                                               {500, .971, .981},
                                               {1000, .9958, .9974}});
}

TEST(ReleasedCode, BeliefRisesAsMeasuredForAHundredLevels) {
  expect_within(median_beliefs(100, 500, {}),
                {{50, .656, .753}, {100, .748, .829}, {200, .847, .903}, {500, .956, .975}});
}

TEST(ReleasedCode, TieArtefactSlowsTheBeliefAsInTheSavedCurve) {
  const BeliefLearning how{.objective = BeliefObjective::per_step, .tie_artefact = true};
  expect_within(median_beliefs(10, 1000, how), {{1, .4745, .4755},
                                                {10, .472, .512},
                                                {50, .524, .584},
                                                {100, .603, .663},
                                                {200, .736, .786},
                                                {300, .810, .870},
                                                {500, .925, .945},
                                                {1000, .988, .996}});
}

TEST(ReleasedCode, TieArtefactIsWorseForAHundredLevels) {
  const BeliefLearning how{.objective = BeliefObjective::per_step, .tie_artefact = true};
  expect_within(median_beliefs(100, 500, how),
                {{1, .4745, .4755}, {200, .52, .60}, {500, .76, .85}});
}

TEST(ReleasedCode, TieArtefactStrikesOnlyAtAnExactTie) {
  const std::vector<double> delta = {0.5, 0, 0.5, 0};  // the first step says something
  const BeliefLearning plain{.objective = BeliefObjective::per_step};
  BeliefLearning tied = plain;
  tied.tie_artefact = true;
  EXPECT_TRUE(
      support::same_bits(learn_belief(delta, 2, plain).gamma, learn_belief(delta, 2, tied).gamma));
  tied.gamma0 = 0.1;  // or the belief is not even
  const std::vector<double> silent = {0, 0.5};
  EXPECT_GT(learn_belief(silent, 2, tied).gamma.back(), 0.1);
}

TEST(ReleasedCode, EvidencePerEpisodeIsWhatWasMeasured) {
  // N = 10: mean .119, sd .089, positive in 94.8 %.
  std::vector<double> all;
  for (std::uint32_t run = 0; run < 20; ++run) {
    const auto steps = deltas(10, run, 200);
    for (std::size_t i = 0; i < steps.size(); i += 2) all.push_back(steps[i] + steps[i + 1]);
  }
  const BeliefDiagnostics d = diagnose(all);
  EXPECT_NEAR(d.mean, 0.119, 0.012);
  EXPECT_NEAR(d.standard_error * std::sqrt(double(all.size())), 0.089, 0.015);
  EXPECT_NEAR(d.win_rate, 0.948, 0.02);
}

// Diagnostics -------------------------------------------------------------------------------------

using Verdict = BeliefDiagnostics::Verdict;

TEST(Diagnose, SteadyEvidenceGivesADirection) {
  const std::vector<double> delta = {1, 2, 1.5, 0.8, 2.2, 1.1, 0.9, 1.4};
  const BeliefDiagnostics d = diagnose(delta);
  EXPECT_EQ(d.verdict, Verdict::direction);
  EXPECT_EQ(d.p_star, 1);
  EXPECT_EQ(d.win_rate, 1);
  EXPECT_LT(d.log_mean_exp_minus, 0);
}

TEST(Diagnose, MirrorsWhenTheHypothesesAreSwapped) {
  const std::vector<double> delta = {3, 3, 3, -3, -3, 1, 0}, negated = {-3, -3, -3, 3, 3, -1, 0};
  const BeliefDiagnostics d = diagnose(delta), m = diagnose(negated);
  EXPECT_EQ(d.mean, -m.mean);
  EXPECT_EQ(d.standard_error, m.standard_error);
  EXPECT_NEAR(d.win_rate, 1 - m.win_rate, 1e-15);
  EXPECT_NEAR(d.p_star, 1 - m.p_star, 1e-11);
  EXPECT_EQ(d.log_mean_exp_plus, m.log_mean_exp_minus);
  EXPECT_EQ(d.verdict, m.verdict);
}

TEST(Diagnose, ContradictionsAreCalledConflicting) {
  std::vector<double> delta;
  for (int i = 0; i < 200; ++i) delta.push_back(i % 5 < 3 ? 3 : -3);  // E3's example
  const BeliefDiagnostics d = diagnose(delta);
  EXPECT_NEAR(d.mean, 0.6, 1e-12);
  EXPECT_NEAR(d.p_star, 0.6105, 5e-5);
  EXPECT_NEAR(d.win_rate, 0.6, 1e-12);
  // A mean of .6 with a standard error of .21 is no more than a hint; a little more evidence:
  EXPECT_EQ(d.verdict, Verdict::undecided);
  for (int i = 0; i < 200; ++i) delta.push_back(i % 5 < 3 ? 3 : -3);
  EXPECT_EQ(diagnose(delta).verdict, Verdict::conflicting);
}

TEST(Diagnose, WeakEvidenceIsUndecided) {
  const std::vector<double> delta = {0.1, -0.1, 0.2, -0.15, 0.02, 0.01, -0.05};
  EXPECT_EQ(diagnose(delta).verdict, Verdict::undecided);
  EXPECT_EQ(diagnose(repeated(0, 10)).verdict, Verdict::undecided);
  EXPECT_EQ(diagnose(repeated(5, 1)).verdict, Verdict::undecided) << "one episode";
}

TEST(Diagnose, TheThresholdIsThreeStandardErrors) {
  // Values m +- 1, n of each: the standard error is 1 / sqrt(2n - 1).
  const auto verdict = [](double standard_errors) {
    std::vector<double> delta;
    const double m = standard_errors / std::sqrt(199.0);
    for (int i = 0; i < 100; ++i) delta.insert(delta.end(), {m - 1, m + 1});
    return diagnose(delta).verdict;
  };
  EXPECT_EQ(verdict(2.99), Verdict::undecided);
  EXPECT_NE(verdict(3.01), Verdict::undecided);
  EXPECT_EQ(verdict(-2.99), Verdict::undecided);
  EXPECT_NE(verdict(-3.01), Verdict::undecided);
}

TEST(Diagnose, RoundingIsNotEvidence) {
  // With one step per episode both models are equal when they are scored: delta is rounding.
  for (std::uint32_t run = 0; run < 20; ++run) {
    const BeliefDiagnostics d = diagnose(deltas(10, run, 1000, 1));
    EXPECT_LT(std::abs(d.mean), 1e-12);
    EXPECT_EQ(d.verdict, Verdict::undecided) << "run " << run << ", mean " << d.mean;
  }
}

TEST(Diagnose, CountsTiesAsHalf) {
  const std::vector<double> delta = {1, 0, -1, 0};
  EXPECT_EQ(diagnose(delta).win_rate, 0.5);
}

TEST(Diagnose, StaysFiniteForEnormousEvidence) {
  const std::vector<double> delta = {1e6, -1e6, 2e6, 5, -3e5};
  const BeliefDiagnostics d = diagnose(delta);
  EXPECT_NEAR(d.p_star, 0.6, 0.01);  // large contradictions lead to the win rate
  EXPECT_TRUE(std::isfinite(d.log_mean_exp_plus));
  EXPECT_TRUE(std::isfinite(d.log_mean_exp_minus));
  EXPECT_TRUE(std::isfinite(d.standard_error));
}

TEST(Diagnose, SaysNothingAboutNothing) {
  const BeliefDiagnostics d = diagnose({});
  EXPECT_EQ(d.verdict, Verdict::undecided);
  EXPECT_EQ(d.p_star, 0.5);
  EXPECT_EQ(d.mean, 0);
}

TEST(LimitBelief, IsCertainForEvidenceOfOneSign) {
  EXPECT_EQ(limit_belief(repeated(0.3, 7)), 1);
  EXPECT_EQ(limit_belief(repeated(-0.3, 7)), 0);
  EXPECT_EQ(limit_belief(repeated(0, 7)), 0.5);
  EXPECT_EQ(limit_belief(repeated(1e5, 3)), 1);
}

TEST(LimitBelief, MinimisesTheMeanRegret) {
  const std::vector<double> delta = {2, -1, 0.5, -2.5, 1, 1};
  const double best = logit(limit_belief(delta));
  const auto mean_regret = [&](double gamma) {
    double sum = 0;
    for (double d : delta) sum += regret(gamma, d, 0);
    return sum / double(delta.size());
  };
  for (double step : {-1.0, -0.1, -0.01, 0.01, 0.1, 1.0})
    EXPECT_GT(mean_regret(best + step), mean_regret(best));
}

TEST(Names, AreThoseOfTheSettings) {
  EXPECT_EQ(name_of(BeliefObjective::mixture), "mixture");
  EXPECT_EQ(name_of(BeliefObjective::printed), "printed");
  EXPECT_EQ(name_of(BeliefObjective::per_step), "per-step");
  EXPECT_EQ(name_of(Verdict::direction), "direction");
  EXPECT_EQ(name_of(Verdict::conflicting), "conflicting");
  EXPECT_EQ(name_of(Verdict::undecided), "undecided");
}

}  // namespace
}  // namespace whence
