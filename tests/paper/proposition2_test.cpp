// Proposition 2: the gradient of the regret is prior minus posterior. Its identities are exact
// when, and only when, every mini-batch is scored before anything is learnt from it (errata E8).
#include <cmath>
#include <functional>
#include <limits>

#include "tests/paper/enumeration.hpp"
#include "tests/paper/law.hpp"
#include "tests/paper/scorers.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/optimizers.hpp"
#include "tests/support/wide.hpp"
#include "whence/belief/two_hypotheses.hpp"
#include "whence/math/logspace.hpp"

namespace whence::test {
namespace {

using Gradient = double (*)(double gamma, double delta);

/// Planted: errata E1, the sign that the discrete appendix prints.
double wrong_sign(double gamma, double delta) { return -regret_gradient(gamma, delta); }
/// Planted: the textbook formula, which cancels.
double naive(double gamma, double delta) { return sigmoid(gamma) - sigmoid(gamma + delta); }

/// The same with 113 bits, in a form that does not cancel.
support::Wide precise_gradient(double gamma, double delta) {
  const support::Wide g = gamma, d = delta;
  const support::Wide both = (1 + support::wide_exp(-g)) * (1 + support::wide_exp(g + d));
  return -support::wide_expm1(d) / both;
}

/// gamma in +-60; delta of either sign, from 1e-30 to 100.
double worst_ulps(Gradient gradient, std::size_t draws) {
  Stream stream(0, Purpose::tests, {2});
  double worst = 0;
  for (std::size_t i = 0; i < draws && worst < 1e6; ++i) {
    const double gamma = 120 * stream.uniform() - 60;
    const double sign = stream.uniform() < 0.5 ? -1 : 1;
    const double delta = sign * std::pow(10.0, 32 * stream.uniform() - 30);
    worst = std::max(worst, support::ulps(gradient(gamma, delta), precise_gradient(gamma, delta)));
  }
  return worst;
}

void expect_prior_minus_posterior(std::size_t draws) {
  expect_law(
      "P2a", 8, [&](Gradient g) { return worst_ulps(g, draws); }, &regret_gradient,
      Planted{"sign of the appendix (P3d)", &wrong_sign},
      Planted{"difference of two sigmoids", &naive});
}
TEST(Proposition2, GradientIsPriorMinusPosterior) {
  expect_prior_minus_posterior(support::effort(100'000));
}
TEST(SlowProposition2, GradientIsPriorMinusPosteriorInAMillionPlaces) {
  expect_prior_minus_posterior(1'000'000);
}

/// Largest relative distance to a central difference of the regret itself.
double finite_difference_error(Gradient gradient) {
  constexpr double h = 1e-5;
  double worst = 0;
  for (double gamma = -2; gamma <= 2; gamma += 0.25)
    for (double delta : {-4.0, -2.0, -1.0, 1.0, 2.0, 4.0}) {
      const auto at = [&](double g) { return regret(g, delta / 2, -delta / 2); };
      const double slope = (at(gamma + h) - at(gamma - h)) / (2 * h);
      worst = std::max(worst, std::abs(gradient(gamma, delta) / slope - 1));
    }
  return worst;
}

TEST(Proposition2, GradientIsTheSlopeOfTheRegret) {
  expect_law("P2b", 1e-9, finite_difference_error, &regret_gradient,
             Planted{"sign of the appendix", &wrong_sign},
             Planted{"slope of the printed regret", &printed_regret_gradient});
}

using Regret = double (*)(double gamma, double log_lik1, double log_lik2);

/// Planted: errata E2, the soft maximum of the continuous appendix.
double printed_regret(double gamma, double log_lik1, double log_lik2) {
  return -regret(gamma, -log_lik1, -log_lik2);
}
/// Planted: an exponential that underflows.
double underflowing_regret(double gamma, double log_lik1, double log_lik2) {
  return -std::log(sigmoid(gamma) * std::exp(log_lik1) + sigmoid(-gamma) * std::exp(log_lik2));
}

/// How far outside its bounds the regret falls, in units of rounding.
double outside_bounds(Regret regret_of) {
  Stream stream(0, Purpose::tests, {3});
  double worst = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double gamma = 60 * stream.uniform() - 30,
                 scale = std::pow(10.0, 6 * stream.uniform() - 2);
    const double r1 = scale * stream.uniform(), r2 = scale * stream.uniform();
    const double r = regret_of(gamma, -r1, -r2);
    const double low = std::min(r1, r2);
    const double high = std::min(r1 - log_sigmoid(gamma), r2 - log_sigmoid(-gamma));
    const double rounding = std::numeric_limits<double>::epsilon() * std::max(1.0, high);
    if (!(r <= high)) return std::numeric_limits<double>::infinity();  // exact: never above
    worst = std::max(worst, (low - r) / rounding);
  }
  return worst;
}

TEST(Proposition2, RegretLiesBetweenTheBestHypothesisAndItsPriceInBits) {
  expect_law("P2c", 2, outside_bounds, &regret,
             Planted{"soft maximum of the appendix", &printed_regret},
             Planted{"exponentiates a log-likelihood", &underflowing_regret});
}

/// Planted: only the first hypothesis is kept in the log domain.
double lopsided_regret(double gamma, double log_lik1, double log_lik2) {
  return -(log_sigmoid(gamma) + log_lik1 + std::log1p(std::exp(-gamma + log_lik2 - log_lik1)));
}

/// Share of draws where naming the hypotheses the other way round changes a bit.
double share_changed_by_swap(Regret regret_of) {
  Stream stream(0, Purpose::tests, {4});
  constexpr int draws = 10'000;
  int changed = 0;
  for (int i = 0; i < draws; ++i) {
    const double gamma = 60 * stream.uniform() - 30;
    const double l1 = -50 * stream.uniform(), l2 = -50 * stream.uniform();
    const double delta = l1 - l2;
    const bool same_regret = regret_of(gamma, l1, l2) == regret_of(-gamma, l2, l1);
    const bool same_gradient = regret_gradient(gamma, delta) == -regret_gradient(-gamma, -delta);
    changed += !(same_regret && same_gradient);
  }
  return double(changed) / draws;
}

TEST(Proposition2, SwappingTheHypothesesMirrorsRegretAndGradientBitForBit) {
  expect_law("P2c", 0, share_changed_by_swap, &regret,
             Planted{"treats the hypotheses differently", &lopsided_regret});
}

/// The cases that enumeration can afford: levels, steps, batch.
struct Case {
  int levels, steps, batch;
};
std::vector<Case> cases() {
  std::vector<Case> list = {{2, 1, 1}, {2, 2, 1}, {2, 3, 1}, {2, 1, 2}, {2, 2, 2},
                            {3, 1, 1}, {3, 2, 1}, {3, 3, 1}, {3, 1, 2}};
  if (support::effort_divisor == 1) list.insert(list.end(), {{2, 3, 2}, {3, 2, 2}});
  return list;
}

/// Every episode of a case, scored.
struct Scored {
  std::vector<double> log_lik1, log_lik2;
};
Scored score_everything(const Scorer& scorer, const Case& c, const OptimizerSpec& optimizer) {
  const PairTask task =
      PairTask::exact(CategoricalWorld::draw_pair(c.levels, 1.0, 7, std::uint32_t(c.steps)));
  const EpisodeSet set = all_episodes(task.world.variables(), c.steps, c.batch);
  const Scores scores = scorer(set, task.modules, optimizer);
  Scored scored;
  for (std::size_t e = 0; e < set.episodes.size(); ++e) {
    scored.log_lik1.push_back(scores.log_lik(EpisodeId(e), task.pair.forward));
    scored.log_lik2.push_back(scores.log_lik(EpisodeId(e), task.pair.backward));
  }
  return scored;
}

double total(std::span<const double> log_lik) {
  double sum = 0;
  for (double l : log_lik) sum += std::exp(l);
  return sum;
}

/// The largest distance from 1 of the sum, over all episodes, of a hypothesis' likelihood.
double normalisation_error(const Scorer& scorer, std::span<const Case> list) {
  double worst = 0;
  for (const Case& c : list)
    for (const auto& [name, optimizer] : support::all_optimizers()) {
      const Scored scored = score_everything(scorer, c, optimizer);
      worst = std::max(
          {worst, std::abs(total(scored.log_lik1) - 1), std::abs(total(scored.log_lik2) - 1)});
    }
  return worst;
}

TEST(Proposition2, OnlineLikelihoodIsAProbabilityOfTheEpisode) {
  const std::vector<Case> list = cases();
  const auto error = [&](const Scorer& scorer) { return normalisation_error(scorer, list); };
  expect_law("P2d", 1e-12, error, reference_scorer,
             Planted{"scored after the update", after_update},
             Planted{"the first batch is seen again", reused_batch},
             Planted{"what was learnt leaks into the next episode", leaked_update});
  expect_law("P2d", 1e-12, error, fast_scorer,
             Planted{"optimizer state leaks into the next episode", leaked_optimizer},
             Planted{"the fast path without a reset", fast_leaked_update});
}

/// Each planted bug is seen with every optimizer for itself, not just with the worst of them.
TEST(Proposition2, NormalisationSeesScoringAfterTheUpdateWithEveryOptimizer) {
  for (const auto& [name, optimizer] : support::all_optimizers()) {
    const Scored scored = score_everything(after_update, {2, 3, 1}, optimizer);
    EXPECT_GT(total(scored.log_lik1), 1.01) << name;
  }
}

TEST(SlowProposition2, OnlineLikelihoodIsAProbabilityOfHalfAMillionEpisodes) {
  const std::vector<Case> list = {{3, 3, 2}};
  const auto error = [&](const Scorer& scorer) { return normalisation_error(scorer, list); };
  expect_law("P2d", 1e-12, error, fast_scorer, Planted{"scored after the update", after_update});
}

/// |E g| over episodes drawn from the mixture itself, and |E e^-delta - 1| over those of
/// hypothesis 1.
double martingale_error(const Scorer& scorer, Gradient gradient) {
  double worst = 0;
  for (const Case& c : {Case{2, 3, 1}, Case{2, 2, 2}, Case{3, 2, 1}})
    for (const auto& [name, optimizer] : support::all_optimizers()) {
      const Scored scored = score_everything(scorer, c, optimizer);
      double inverse_odds = 0;
      std::vector<double> gammas = {-3, -1, 0, 0.5, 2}, pull(gammas.size(), 0.0);
      for (std::size_t e = 0; e < scored.log_lik1.size(); ++e) {
        const double l1 = scored.log_lik1[e], l2 = scored.log_lik2[e];
        inverse_odds += std::exp(l1) * std::exp(l2 - l1);
        for (std::size_t i = 0; i < gammas.size(); ++i)
          pull[i] += std::exp(-regret(gammas[i], l1, l2)) * gradient(gammas[i], l1 - l2);
      }
      worst = std::max(worst, std::abs(inverse_odds - 1));
      for (double g : pull) worst = std::max(worst, std::abs(g));
    }
  return worst;
}

TEST(Proposition2, BeliefIsAMartingaleUnderItsOwnPredictions) {
  const auto error = [](const Scorer& scorer) {
    return martingale_error(scorer, &regret_gradient);
  };
  expect_law("P2e", 1e-12, error, reference_scorer,
             Planted{"scored after the update", after_update},
             Planted{"the first batch is seen again", reused_batch});
  expect_law("P2e", 1e-12, error, fast_scorer,
             Planted{"what was learnt leaks into the next episode", leaked_update});
  const auto with = [](Gradient gradient) { return martingale_error(fast_scorer, gradient); };
  expect_law("P2e", 1e-12, with, &regret_gradient,
             Planted{"slope of the printed regret", &printed_regret_gradient});
}

/// How modules come to know the training distribution.
using Training = std::function<PairTask(CategoricalWorld, std::uint32_t run)>;

const Training exact_modules = [](CategoricalWorld world, std::uint32_t) {
  return PairTask::exact(std::move(world));
};
const Training counted_modules = [](CategoricalWorld world, std::uint32_t run) {
  return PairTask::counted(std::move(world), 1000, 1.0, {0, run});
};
/// Planted: one imaginary row per cell of each table, which the two factorisations read
/// differently.
const Training laplace_modules = [](CategoricalWorld world, std::uint32_t run) {
  const Dataset data = draw_rows(world, 100, Purpose::training, {0, run});
  PairTask task = PairTask::exact(std::move(world));
  for (Module& module : task.modules) {
    const double cells = double(table_of(module).parameters().size());
    module.mechanism = fit_counts(data, 0, 100, module.family, cells);
  }
  return task;
};

/// The largest |delta| of the first mini-batch, whatever has shifted since.
double first_batch_difference(const Training& train) {
  double worst = 0;
  for (int levels : {2, 10, 100})
    for (double concentration : {1.0, 1.0 / levels})
      for (std::uint32_t run = 0; run < 3; ++run) {
        const PairTask task =
            train(CategoricalWorld::draw_pair(levels, concentration, 0, run), run);
        const EpisodeSet set =
            draw_episodes(task.world, {ShiftKind::cause}, 1.0, {0, run}, 50, 2, 10);
        const OptimizerSpec sgd{.learning_rate = 0.1};
        const Scores scores =
            cpu_backend()->score(set.data, set.episodes, task.modules, {sgd, true});
        const auto delta = step_log_odds(scores, task.pair.forward, task.pair.backward);
        for (std::size_t e = 0; e < delta.size(); e += 2)
          worst = std::max(worst, std::abs(delta[e]));
      }
  return worst;
}

TEST(Proposition2, TheFirstMiniBatchSaysNothing) {
  expect_law("P2f", 1e-11, first_batch_difference, exact_modules,
             Planted{"one imaginary row per cell", laplace_modules});
  expect_law("P2f", 1e-11, first_batch_difference, counted_modules,
             Planted{"one imaginary row per cell", laplace_modules});
}

}  // namespace
}  // namespace whence::test
