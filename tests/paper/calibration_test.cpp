// Calibration without noise: when the hypothesis is drawn from the prior and the episode from that
// hypothesis' own online predictions, a posterior of q is right in exactly the share q of cases.
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/paper/enumeration.hpp"
#include "tests/paper/law.hpp"
#include "tests/paper/scorers.hpp"
#include "tests/support/optimizers.hpp"
#include "whence/belief/two_hypotheses.hpp"
#include "whence/math/logspace.hpp"

namespace whence::test {
namespace {

/// log Q_h of every episode, in long double and independent of the backends: the truth to draw
/// from.
std::vector<long double> log_truth(const EpisodeSet& set, const PairTask& task, const Hypothesis& h,
                                   const OptimizerSpec& spec) {
  std::vector<long double> log_lik(set.episodes.size(), 0);
  for (FamilyId f : h.families) {
    const Module& module = task.modules[f.value];
    const auto logits = table_of(module).parameters();
    const std::vector<long double> wide(logits.begin(), logits.end());
    for (std::size_t e = 0; e < set.episodes.size(); ++e) {
      CategoricalTable<long double> learner(table_of(module).levels(), wide);
      Optimizer<long double> optimizer(spec, wide.size());
      std::vector<long double> scores(std::size_t(set.episodes[e].steps));
      adapt(learner, optimizer, set.data, module.family, set.episodes[e],
            std::span<long double>(scores));
      for (long double score : scores) log_lik[e] += score;
    }
  }
  return log_lik;
}

struct Weighed {
  double posterior;                     // what is believed after the episode
  long double with_first, with_second;  // P(episode and hypothesis)
};

/// The largest |P(h1 | q) - q| over all values q that occur; equal posteriors are taken together.
double calibration_error(std::vector<Weighed> episodes) {
  std::sort(episodes.begin(), episodes.end(),
            [](const Weighed& a, const Weighed& b) { return a.posterior < b.posterior; });
  double worst = 0;
  for (std::size_t i = 0; i < episodes.size();) {
    const double q = episodes[i].posterior;
    long double first = 0, second = 0;
    for (; i < episodes.size() && episodes[i].posterior <= q + 1e-13; ++i) {
      first += episodes[i].with_first;
      second += episodes[i].with_second;
    }
    worst = std::max(worst, std::abs(double(first / (first + second)) - q));
  }
  return worst;
}

/// Scores by `scorer`, posteriors by one exact Bayes update from the prior.
double worst_calibration(const Scorer& scorer) {
  double worst = 0;
  for (const auto& [name, spec] : support::all_optimizers())
    for (int steps = 1; steps <= 3; ++steps)
      for (double prior : {0.2, 0.5, 0.9}) {
        const PairTask task =
            PairTask::exact(CategoricalWorld::draw_pair(2, 1.0, 3, std::uint32_t(steps)));
        const EpisodeSet set = all_episodes(task.world.variables(), steps, 1);
        const Scores scores = scorer(set, task.modules, spec);
        const auto truth1 = log_truth(set, task, task.pair.forward, spec);
        const auto truth2 = log_truth(set, task, task.pair.backward, spec);
        std::vector<Weighed> episodes;
        for (std::size_t e = 0; e < set.episodes.size(); ++e) {
          const double delta[] = {scores.log_lik(EpisodeId(e), task.pair.forward) -
                                  scores.log_lik(EpisodeId(e), task.pair.backward)};
          const double gamma = bayes_belief(delta, 1, logit(prior)).gamma.back();
          episodes.push_back(
              {sigmoid(gamma), prior * expl(truth1[e]), (1 - prior) * expl(truth2[e])});
        }
        worst = std::max(worst, calibration_error(std::move(episodes)));
      }
  return worst;
}

TEST(Calibration, APosteriorIsRightExactlyAsOftenAsItSays) {
  expect_law("calibration", 1e-12, worst_calibration, reference_scorer,
             Planted{"scored after the update", after_update},
             Planted{"the first batch is seen again", reused_batch});
  expect_law("calibration", 1e-12, worst_calibration, fast_scorer,
             Planted{"what was learnt leaks into the next episode", leaked_update},
             Planted{"optimizer state leaks into the next episode", leaked_optimizer});
}

}  // namespace
}  // namespace whence::test
