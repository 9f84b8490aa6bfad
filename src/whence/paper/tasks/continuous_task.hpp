// What the continuous experiments start from: a spline world, the two pre-trained conditionals of
// the pair, its two marginals, and the ways to score an episode with them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "whence/adapt/mixture_density_adapter.hpp"
#include "whence/adapt/mixture_em.hpp"
#include "whence/core/scores.hpp"
#include "whence/paper/tasks/pair_task.hpp"
#include "whence/worlds/spline_world.hpp"

namespace whence {

/// A kind of spline by its name in settings, and what it is outside its points.
SplineKind spline_kind(std::string_view name, std::string_view extrapolation);
CauseLaw::Kind cause_law_kind(std::string_view name);

/// The released code stops EM at a gain of 1e-8, in single precision: a sum of some thousand nats
/// is there known to about 1e-3, so that its gain falls to 0 by rounding.
inline constexpr double released_em_gain = 1e-3;

/// Everything that had to be mended on the way, for the report.
struct Fallbacks {
  long clamped = 0;   // log sigma held at its limit
  long floored = 0;   // variance lifted to the floor
  long reseeded = 0;  // mixture component started again
  void add(const EmOutcome& fit) {
    floored += fit.floored;
    reseeded += fit.reseeded;
  }
  void add(const Fallbacks& other) {
    clamped += other.clamped;
    floored += other.floored;
    reseeded += other.reseeded;
  }
};

/// How conditionals are pre-trained: a fresh batch of the training distribution every step.
struct DensityTraining {
  DensityShape shape;
  OptimizerSpec optimizer{.kind = OptimizerSpec::Kind::adam, .learning_rate = 1e-3};
  int steps = 3000;
  int batch = 1000;
};

struct PairColumns {
  std::vector<double> a, b;
  explicit PairColumns(std::size_t rows = 0) : a(rows), b(rows) {}
  DensityPoints forward() const { return {a, b}; }
  DensityPoints backward() const { return {b, a}; }
};

PairColumns draw_columns(const SplineWorld& world, std::size_t rows, Purpose purpose,
                         std::uint64_t seed, Cell cell);

/// P(B|A), or P(A|B) when `backward`, learnt from the world as it is. Throws E-NUM-DIVERGED when
/// the training leaves the finite numbers.
MixtureDensity<double> train_density(const SplineWorld& world, const DensityTraining& how,
                                     bool backward, RunKey key, Fallbacks& fallbacks);

/// Log-likelihoods of one episode per step, for the four families of pair_hypotheses().
struct EpisodeScores {
  std::vector<double> family[4];
  /// Into row `episode` of a table.
  void store(Scores& table, std::size_t episode) const;
};

/// How episodes of one pair are scored. One per thread.
class ContinuousScorer {
 public:
  ContinuousScorer(const MixtureDensity<double>& forward, const MixtureDensity<double>& backward,
                   const OptimizerSpec& adaptation, int steps, int em_iterations)
      : forward_(forward),
        backward_(backward),
        learner_(forward, adaptation),
        steps_(std::size_t(steps)),
        em_iterations_(em_iterations) {}

  /// The printed form: all points in every step; the marginals are fitted to the very points they
  /// score, from a random start, and counted once per step. With their own weights, and with the
  /// released code's softmax of the weights.
  struct Hindsight {
    EpisodeScores em_weights, softmax_weights;
  };
  Hindsight score_hindsight(const PairColumns& points, Stream start);

  /// The corrected form, a probability of the episode: the points come in `steps` mini-batches, and
  /// each is scored before anything is learnt from it, by conditionals and marginals alike. The
  /// marginals start from the training distribution's and are fitted to the points seen so far,
  /// with ten imaginary points per component where it started.
  EpisodeScores score_online(const PairColumns& points, const GaussianMixture<double>& cause,
                             const GaussianMixture<double>& effect);

  Fallbacks fallbacks() const;

 private:
  std::vector<double> conditional(const MixtureDensity<double>& start, const DensityPoints& points,
                                  bool one_batch);
  std::vector<double> online_marginal(const GaussianMixture<double>& start,
                                      const std::vector<double>& x);

  const MixtureDensity<double>&forward_, &backward_;
  DensityLearner learner_;
  std::size_t steps_;
  int em_iterations_;
  EmScratch scratch_;
  Fallbacks fallbacks_;
};

/// The marginal of the training distribution: a mixture fitted to many points.
GaussianMixture<double> train_marginal(std::size_t components, const std::vector<double>& x,
                                       Fallbacks& fallbacks);

}  // namespace whence
