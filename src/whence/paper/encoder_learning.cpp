#include "whence/paper/encoder_learning.hpp"

#include <cmath>

#include <fmt/format.h>

#include "whence/core/error.hpp"
#include "whence/encoders/rotation.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

OneParameterEncoder rotation_encoder() {
  return [](double angle, std::span<const double> x, std::span<const double> y) {
    return Rotation(angle).encode(x, y);
  };
}

namespace {

MixtureDensity<double> start(DensityShape shape, RunKey key, std::uint32_t side) {
  return initial_density(shape, Stream(key.seed, Purpose::initialise, {key.run, side, 0}));
}

}  // namespace

EncodedPair::EncodedPair(DensityShape shape, const OptimizerSpec& training, RunKey key)
    : forward(start(shape, key, 0), training), backward(start(shape, key, 1), training) {}

void EncodedPair::train(const ObservationSource& source, const OneParameterEncoder& encode,
                        double parameter, int steps, std::uint32_t iteration) {
  forward.restart_optimizer();
  backward.restart_optimizer();
  for (int i = 0; i < steps; ++i) {
    const PairColumns seen = source.training(iteration, std::uint32_t(i));
    const Encoded e = encode(parameter, seen.a, seen.b);
    forward.learn({e.u, e.v});
    backward.learn({e.v, e.u});
  }
}

namespace {

PairRegret scaled(const PairRegret& r, double factor) {
  return {r.forward * Dual<double>(factor), r.backward * Dual<double>(factor)};
}

class EncoderLearner {
 public:
  EncoderLearner(const ObservationSource& source, const EncoderLearning& how)
      : source_(source),
        how_(how),
        modules_(how.shape, how.training, how.key),
        regret_(how.regret, how.shape),
        parameter_step_(how.encoder, 1),
        gamma_step_(how.belief, 1),
        parameter_(how.parameter0),
        gamma_(how.gamma0) {}

  EncoderResult run(const EncoderObserver& observer) {
    EncoderResult result;
    for (int k = 0; k < how_.iterations; ++k) {
      const EncoderStep step = iterate(std::uint32_t(k));
      result.parameter.push_back(step.parameter);
      result.gamma.push_back(step.gamma);
      if (observer && !observer(step)) break;
    }
    result.fallbacks.add(regret_.fits());
    result.fallbacks.clamped =
        regret_.clamped() + modules_.forward.clamped() + modules_.backward.clamped();
    return result;
  }

 private:
  EncoderStep iterate(std::uint32_t k) {
    modules_.train(source_, how_.encode, parameter_, how_.training_steps, k);
    const PairRegret r = how_.corrected ? corrected(k) : printed(k);
    const double difference = r.backward.value - r.forward.value;  // log-odds of U -> V
    // The printed form weights the worse direction more, the corrected one the better.
    const double weight = sigmoid(gamma_ + (how_.corrected ? difference : -difference));
    const double slope = weight * r.forward.slope + (1 - weight) * r.backward.slope;
    const double gamma_slope = how_.corrected ? sigmoid_difference(gamma_, difference)
                                              : -sigmoid_difference(gamma_, -difference);
    if (!std::isfinite(slope) || !std::isfinite(gamma_slope))
      throw Error(ExitCode::numerical, "E-NUM-DIVERGED",
                  fmt::format("run {}, meta-iteration {}", how_.key.run + 1, k + 1),
                  "the regret or its gradient left the finite numbers", "lower the learning rates");
    parameter_step_.step({&parameter_, 1}, {&slope, 1});
    gamma_step_.step({&gamma_, 1}, {&gamma_slope, 1});
    return {int(k), r.forward.value, r.backward.value, parameter_, gamma_};
  }

  Encoded transfer(std::uint32_t k, std::uint32_t step) const {
    const PairColumns seen = source_.transfer(k, step);
    return how_.encode(parameter_, seen.a, seen.b);
  }

  /// Fresh batches, scored before they are learnt from; marginals fitted to a batch of their own.
  PairRegret corrected(std::uint32_t k) {
    std::vector<Encoded> batches;
    batches.reserve(std::size_t(how_.steps));
    for (int t = 0; t < how_.steps; ++t) batches.push_back(transfer(k, std::uint32_t(t)));
    const PairRegret r = regret_.online(modules_.forward.density(), modules_.backward.density(),
                                        batches, transfer(k, std::uint32_t(how_.steps)));
    return how_.mean_likelihood ? scaled(r, 1.0 / double(batches[0].u.size())) : r;
  }

  /// One batch for all steps, the mean over points and steps, no gradient from the marginals.
  PairRegret printed(std::uint32_t k) {
    const GaussianMixture<double> origin = random_mixture(
        how_.shape.components, Stream(how_.key.seed, Purpose::initialise, {how_.key.run, 2, k}));
    const Encoded batch = transfer(k, 0);
    const PairRegret r = regret_.printed(modules_.forward.density(), modules_.backward.density(),
                                         batch, how_.steps, origin, how_.softmax_weights);
    return scaled(r, 1.0 / (double(batch.u.size()) * how_.steps));
  }

  const ObservationSource& source_;
  const EncoderLearning& how_;
  EncodedPair modules_;
  EncoderRegret regret_;
  Optimizer<double> parameter_step_, gamma_step_;
  double parameter_, gamma_;
};

}  // namespace

EncoderResult meta_learn(const ObservationSource& source, const EncoderLearning& how,
                         const EncoderObserver& observer) {
  return EncoderLearner(source, how).run(observer);
}

}  // namespace whence
