// Algorithm 1 of the paper as one call: draw a transfer distribution, adapt every module to it
// while scoring, and move the belief over the two hypotheses down the gradient of the regret; again
// and again, telling an observer after each episode.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "whence/backends/backend.hpp"
#include "whence/belief/two_hypotheses.hpp"
#include "whence/core/shift.hpp"
#include "whence/discover/pair_task.hpp"
#include "whence/worlds/linear_gaussian_world.hpp"

namespace whence {

/// Where episodes come from: a world, a recording, anything that can fill rows [first, first +
/// rows) with the episode of that number. What it writes must depend on the number alone.
struct EpisodeSource {
  std::vector<Variable> variables;
  std::function<void(std::size_t episode, Dataset& data, std::size_t first, std::size_t rows)> draw;
};

/// Worlds as sources, each episode under a fresh draw of the shift. The world must outlive them.
EpisodeSource episodes_of(const CategoricalWorld& world, const Shift& shift, double concentration,
                          RunKey key);
EpisodeSource episodes_of(const LinearGaussianWorld& world, ShiftKind shift,
                          const LinearGaussianPrior& prior, RunKey key);

/// Every switch of the algorithm. Hypotheses are sets of the modules' families.
struct MetaLearning {
  std::vector<Module> modules;  // pre-trained
  Hypothesis first, second;     // the belief is P(first)
  std::size_t episodes = 200;
  int steps = 2, batch = 10;      // T mini-batches of m examples in an episode
  GradientAdaptation adaptation;  // optimizer; reset or not
  BeliefLearning belief;          // optimizer of gamma, its start, the objective
  /// Raw observations -> the variables of the modules, on a whole data set at once; empty: none.
  std::function<Dataset(const Dataset&)> encoder;
  int threads = 1;
};

/// What one episode did.
struct MetaStep {
  std::size_t episode = 0;  // counted from 0
  double log_lik_first = 0, log_lik_second = 0;
  double delta = 0;                // their difference
  double regret = 0;               // of the mixture, with gamma as it was before the episode
  double gamma = 0, belief = 0.5;  // after it
  double bayes_gamma = 0;          // after the exact Bayes update on the same scores
};

/// Hears every episode, in order; returning false ends the run.
using MetaObserver = std::function<bool(const MetaStep&)>;

struct MetaResult {
  std::vector<double> delta, gamma, bayes_gamma;  // per episode
  int clamped = 0;                                // how often gamma hit its limit
  std::size_t lost_first = 0, lost_second = 0;    // adaptations that left the finite numbers
};

/// A model that left the finite numbers has lost the episode by this many nats.
inline constexpr double lost_by = 1e9;
/// log L1 - log L2; `lost_by` against a model without a finite likelihood, 0 when both have none.
double log_odds_or_lost(double log_lik1, double log_lik2);

/// The same result for any number of threads. Unless adaptation.must_stay_finite is off, an episode
/// that leaves the finite numbers is an Error with its place. Without a reset all episodes are held
/// at once, and the convergence argument of the paper does not apply (errata E16).
MetaResult meta_learn(const EpisodeSource& source, const MetaLearning& how,
                      const MetaObserver& observer = {});

}  // namespace whence
