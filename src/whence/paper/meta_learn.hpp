// Algorithm 1 of the paper as one call: draw a transfer distribution, adapt every module to it
// while scoring, and move the belief down the gradient of the regret; again and again, telling an
// observer after each episode. The belief is over two hypotheses, or over every edge of a graph.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "whence/backends/backend.hpp"
#include "whence/belief/edges.hpp"
#include "whence/belief/two_hypotheses.hpp"
#include "whence/core/shift.hpp"
#include "whence/paper/tasks/mlp_task.hpp"
#include "whence/paper/tasks/pair_task.hpp"
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
EpisodeSource episodes_of(const MlpWorld& world, EpisodeShift::Kind shift, const MlpDraw& how,
                          RunKey key);

/// What happens in an episode, whatever the belief is about.
struct EpisodeLearning {
  std::vector<Module> modules;  // pre-trained
  std::size_t episodes = 200;
  int steps = 2, batch = 10;      // T mini-batches of m examples in an episode
  GradientAdaptation adaptation;  // optimizer; reset or not
  /// Raw observations -> the variables of the modules, on a whole data set at once; empty: none.
  /// One that is learnt along with the belief: paper/encoder_learning.hpp.
  std::function<Dataset(const Dataset&)> encoder;
  int threads = 1;
};

/// Every switch of the algorithm. Hypotheses are sets of the modules' families.
struct MetaLearning : EpisodeLearning {
  Hypothesis first, second;  // the belief is P(first)
  BeliefLearning belief;     // optimizer of gamma, its start, the objective
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

/// Called after every episode, in order; returning false ends the run.
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

/// The same with a belief per edge (Proposition 4). There is a module for every family over the
/// variables, in the order of all_families(): a network of its own, or one masked network.
struct EdgeMetaLearning : EpisodeLearning {
  EdgeLearning belief;  // optimizer of gamma, K sampled graphs or the exact sum, acyclicity
  EdgeMatrix gamma0;    // [effect][cause]; empty: 0 everywhere
  /// Each family counts as frozen or adapting, half and half; off: always adapting, as the paper.
  bool frozen_or_adapting = false;
  /// gamma descends the regret of all episodes so far; off: of each for itself, as the paper.
  bool all_so_far = false;
  RunKey key;  // names the randomness of sampled graphs
};

/// What one episode did.
struct EdgeMetaStep {
  std::size_t episode = 0;      // counted from 0
  std::vector<double> log_lik;  // of every family in this episode
  double regret = 0;            // of all graphs, with gamma as it was before; cycles count unless
                                // acyclicity is exact
  EdgeMatrix log_odds;          // of every edge after it, [cause][effect]
  EdgeMatrix bayes_log_odds;    // after the exact Bayes update over acyclic graphs; empty beyond 5
};
using EdgeMetaObserver = std::function<bool(const EdgeMetaStep&)>;

struct EdgeMetaResult {
  std::vector<EdgeMatrix> log_odds, bayes_log_odds;  // per episode, [cause][effect]
  std::vector<double> regret;                        // per episode
  int clamped = 0, rejected = 0;                     // gamma at its limit; episodes not learnt from
  std::vector<std::vector<double>> effective_samples;  // per sampled episode and node
};

/// Throws E-CONFIG-K for one sampled graph, E-META-MODULES when the modules are not the families.
EdgeMetaResult meta_learn(const EpisodeSource& source, const EdgeMetaLearning& how,
                          const EdgeMetaObserver& observer = {});

}  // namespace whence
