// Algorithm 1 with an encoder that is learnt along with the belief: in every meta-iteration the two
// conditionals train a little on the encoded training distribution, adapt to an encoded transfer
// distribution, and the encoder's parameter and gamma step down the gradient of the regret.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "whence/adapt/encoder_regret.hpp"
#include "whence/paper/tasks/continuous_task.hpp"

namespace whence {

/// Where raw observations (X, Y) come from. What comes back must depend on the numbers alone.
struct ObservationSource {
  /// Mini-batch `step` of the training distribution in a meta-iteration.
  std::function<PairColumns(std::uint32_t iteration, std::uint32_t step)> training;
  /// Mini-batch `step` of the transfer distribution of a meta-iteration.
  std::function<PairColumns(std::uint32_t iteration, std::uint32_t step)> transfer;
};

/// Any encoder of one parameter: points, their slopes along it, the log-determinant (errata E11).
using OneParameterEncoder =
    std::function<Encoded(double parameter, std::span<const double> x, std::span<const double> y)>;
OneParameterEncoder rotation_encoder();

/// The two conditionals U -> V and V -> U while they are trained.
struct EncodedPair {
  DensityLearner forward, backward;

  EncodedPair(DensityShape shape, const OptimizerSpec& training, RunKey key);

  /// Some steps on the encoded training distribution, with a fresh optimizer, as the released code
  /// does.
  void train(const ObservationSource& source, const OneParameterEncoder& encode, double parameter,
             int steps, std::uint32_t iteration);
};

/// Every switch of the loop.
struct EncoderLearning {
  OneParameterEncoder encode = rotation_encoder();
  double parameter0 = 0, gamma0 = 0;
  int iterations = 1000;
  DensityShape shape;
  OptimizerSpec training{.kind = OptimizerSpec::Kind::adam, .learning_rate = 0.01};
  int training_steps = 20;
  int steps = 5;  // T
  /// Off: the paper's e^(+R), the mean over points and steps, one batch for all steps, marginals
  /// fitted to the points they score, from which the encoder learns nothing. On: the mixture of
  /// likelihoods, fresh batches scored before they are learnt from, marginals fitted elsewhere.
  bool corrected = true;
  bool mean_likelihood = false;  // of the corrected form, over the points of a batch
  bool softmax_weights = false;  // of the printed form, as the released code
  RegretRecipe regret;           // adaptation, exact or first-order gradient, EM
  OptimizerSpec encoder{.kind = OptimizerSpec::Kind::adam, .learning_rate = 0.01};
  OptimizerSpec belief{.kind = OptimizerSpec::Kind::adam, .learning_rate = 0.01};
  RunKey key;
};

/// What one meta-iteration did.
struct EncoderStep {
  int iteration = 0;  // counted from 0
  double regret_uv = 0, regret_vu = 0;
  double parameter = 0, gamma = 0;  // after it
};
/// Called after every meta-iteration; returning false ends the run.
using EncoderObserver = std::function<bool(const EncoderStep&)>;

struct EncoderResult {
  std::vector<double> parameter, gamma;  // after each meta-iteration
  Fallbacks fallbacks;
};

/// A regret or gradient that leaves the finite numbers is E-NUM-DIVERGED with its place (N20).
EncoderResult meta_learn(const ObservationSource& source, const EncoderLearning& how,
                         const EncoderObserver& observer = {});

}  // namespace whence
