// The regret of both directions on encoded data, with its derivative along the encoder's parameter:
// exactly, through every adaptation step, or to first order as the released code takes it.
#pragma once

#include <span>
#include <vector>

#include "whence/adapt/mixture_density_adapter.hpp"
#include "whence/adapt/mixture_em.hpp"
#include "whence/encoders/encoder.hpp"

namespace whence {

/// How an episode is turned into regrets.
struct RegretRecipe {
  OptimizerSpec adaptation{.kind = OptimizerSpec::Kind::adam, .learning_rate = 1e-3};
  bool exact = true;  // derivatives go through the optimizer's steps; otherwise each step's
                      // parameters count as constants
  /// The marginals' start and length of fitting.
  EmOptions em{.iterations = 30, .gain = 0};
};

/// Negative log-likelihoods of an episode under U -> V and V -> U, summed over points and steps.
struct PairRegret {
  Dual<double> forward, backward;
};

/// Two conditionals that adapt, and room to fit marginals. One per thread.
class EncoderRegret {
 public:
  EncoderRegret(const RegretRecipe& recipe, DensityShape shape);

  /// The corrected form: each batch is scored before it is learnt from, and the marginals are
  /// fitted to `held_out` points of the same distribution, with derivatives through the fit.
  PairRegret online(const MixtureDensity<double>& forward, const MixtureDensity<double>& backward,
                    std::span<const Encoded> batches, const Encoded& held_out);

  /// The printed form: one batch for all steps; the marginals are fitted to the points they score
  /// and give the encoder no gradient. `softmax_weights`: score them as the released code does.
  PairRegret printed(const MixtureDensity<double>& forward, const MixtureDensity<double>& backward,
                     const Encoded& batch, int steps, const GaussianMixture<double>& start,
                     bool softmax_weights);

  const EmOutcome& fits() const { return fits_; }  // floored and re-seeded so far
  long clamped() const { return learner_.clamped(); }

 private:
  struct Side {  // a parent and its child, as columns of an encoded batch
    bool swapped;
    DensityPoints points(const Encoded& batch, bool slopes) const;
  };
  Dual<double> conditional(const MixtureDensity<double>& start, std::span<const Encoded> batches,
                           Side side);
  Dual<double> repeated(const MixtureDensity<double>& start, const Encoded& batch, int steps,
                        Side side);
  Dual<double> step_log_lik(const DensityPoints& points, bool last);
  Dual<double> marginal(std::span<const Encoded> batches, const Encoded& held_out, bool of_v);
  double hindsight(const std::vector<double>& x, const GaussianMixture<double>& start,
                   bool softmax_weights);
  void count(const EmOutcome& fit);

  RegretRecipe recipe_;
  DensityLearner learner_;
  EmScratch scratch_;
  EmOutcome fits_;
};

}  // namespace whence
