// Optimizers follow PyTorch's formulas. The reference is written from PyTorch's documentation, one
// algorithm after another, in wide arithmetic.
#include <cmath>

#include <gtest/gtest.h>

#include "laws/law.hpp"
#include "support/optimizers.hpp"
#include "support/tables.hpp"
#include "support/wide.hpp"
#include "whence/math/optimizer.hpp"

namespace whence::laws {
namespace {

using support::Inputs;
using support::NamedOptimizer;
using support::Wide;
using Kind = OptimizerSpec::Kind;

/// gradient[step][parameter]
using Gradients = std::vector<std::vector<double>>;

/// Parameters after walking along the gradients from `start`. A nested vector is walked first, and
/// followed by a reset, when `before_reset` is not empty.
struct Walk {
  OptimizerSpec spec;
  std::vector<double> start;
  Gradients gradients, before_reset;
};
using Walker = std::function<std::vector<double>(const Walk&)>;

std::vector<double> walk_with_optimizer(const Walk& walk) {
  Optimizer<double> optimizer(walk.spec, walk.start.size());
  std::vector<double> theta = walk.start;
  for (const auto& g : walk.before_reset) optimizer.step(theta, std::span(g));
  if (!walk.before_reset.empty()) optimizer.reset();
  theta = walk.start;
  for (const auto& g : walk.gradients) optimizer.step(theta, std::span(g));
  return theta;
}

/// What a planted bug changes in the reference.
struct Mistakes {
  bool epsilon_inside_root = false, no_bias_correction = false, shared_momentum = false;
  bool dampening = false, wrong_sign = false, moments_survive_reset = false;
  bool step_count_survives_reset = false, nesterov_ignored = false,
       plain_momentum_as_nesterov = false;
};

/// torch.optim.SGD, RMSprop and Adam, as documented.
class TorchReference {
 public:
  TorchReference(const OptimizerSpec& spec, std::size_t size, const Mistakes& mistakes)
      : o_(spec), wrong_(mistakes), m_(size), v_(size) {}

  void step(std::vector<Wide>& theta, const std::vector<double>& gradient) {
    ++t_;
    for (std::size_t i = 0; i < theta.size(); ++i) {
      const std::size_t slot = wrong_.shared_momentum ? 0 : i;
      const Wide g = wrong_.wrong_sign ? -gradient[i] : gradient[i];
      switch (o_.kind) {
        case Kind::sgd: theta[i] -= Wide(o_.learning_rate) * sgd(g, m_[slot]); break;
        case Kind::rmsprop:
          theta[i] -= Wide(o_.learning_rate) * rmsprop(g, m_[slot], v_[slot]);
          break;
        case Kind::adam: theta[i] -= Wide(o_.learning_rate) * adam(g, m_[slot], v_[slot]); break;
      }
    }
  }

  void reset() {
    if (!wrong_.step_count_survives_reset) t_ = 0;
    if (wrong_.moments_survive_reset) return;
    m_.assign(m_.size(), 0);
    v_.assign(v_.size(), 0);
  }

 private:
  Wide sgd(Wide g, Wide& b) const {
    if (o_.momentum == 0) return g;
    const Wide share = wrong_.dampening ? 1 - Wide(o_.momentum) : Wide(1);
    b = t_ == 1 && !wrong_.shared_momentum ? g : Wide(o_.momentum) * b + share * g;
    const bool nesterov =
        (o_.nesterov && !wrong_.nesterov_ignored) || wrong_.plain_momentum_as_nesterov;
    return nesterov ? g + Wide(o_.momentum) * b : b;
  }
  Wide rmsprop(Wide g, Wide& b, Wide& v) const {
    v = Wide(o_.alpha) * v + (1 - Wide(o_.alpha)) * g * g;
    const Wide direction = g / root(v);
    if (o_.momentum == 0) return direction;
    b = Wide(o_.momentum) * b + direction;
    return b;
  }
  Wide adam(Wide g, Wide& m, Wide& v) const {
    m = Wide(o_.beta1) * m + (1 - Wide(o_.beta1)) * g;
    v = Wide(o_.beta2) * v + (1 - Wide(o_.beta2)) * g * g;
    if (wrong_.no_bias_correction) return m / root(v);
    return m / (1 - power(o_.beta1)) / root(v / (1 - power(o_.beta2)));
  }
  Wide root(Wide v) const {
    const Wide epsilon = o_.epsilon;
    return wrong_.epsilon_inside_root ? support::wide_sqrt(v + epsilon)
                                      : support::wide_sqrt(v) + epsilon;
  }
  Wide power(double beta) const {
    Wide p = 1;
    for (int i = 0; i < t_; ++i) p *= Wide(beta);
    return p;
  }

  OptimizerSpec o_;
  Mistakes wrong_;
  int t_ = 0;
  std::vector<Wide> m_, v_;
};

std::vector<double> walk_with_reference(const Walk& walk, const Mistakes& mistakes) {
  TorchReference optimizer(walk.spec, walk.start.size(), mistakes);
  std::vector<Wide> theta(walk.start.begin(), walk.start.end());
  for (const auto& g : walk.before_reset) optimizer.step(theta, g);
  if (!walk.before_reset.empty()) optimizer.reset();
  theta.assign(walk.start.begin(), walk.start.end());
  for (const auto& g : walk.gradients) optimizer.step(theta, g);
  return {theta.begin(), theta.end()};
}

Walker mistaken(const Mistakes& mistakes) {
  return [mistakes](const Walk& walk) { return walk_with_reference(walk, mistakes); };
}

Gradients random_gradients(Inputs& inputs, std::size_t steps, std::size_t size) {
  Gradients gradients;
  for (std::size_t t = 0; t < steps; ++t) {
    gradients.push_back(inputs.reals(size, -1, 1));
    for (double& g : gradients.back()) g *= std::pow(10, inputs.whole(7) - 5);  // 1e-5 ... 10
    if (t % 5 == 4) gradients.back()[0] = 0;  // an example that does not reach the parameter
  }
  return gradients;
}

Finding same_parameters(const Walker& walker, std::size_t steps, bool after_reset) {
  Finding finding;
  Inputs inputs(3);
  for (const NamedOptimizer& optimizer : support::all_optimizers()) {
    const Walk walk = {optimizer.spec, inputs.reals(4, -1, 1), random_gradients(inputs, steps, 4),
                       after_reset ? random_gradients(inputs, 7, 4) : Gradients{}};
    const auto measured = walker(walk), expected = walk_with_reference(walk, {});
    for (std::size_t i = 0; i < expected.size(); ++i)
      finding.near(measured[i], expected[i], 1e-12 * std::max(1.0, std::abs(expected[i])),
                   optimizer.name);
  }
  return finding;
}

Finding one_step_follows_torch(const Walker& walker) { return same_parameters(walker, 1, false); }
Finding hundred_steps_follow_torch(const Walker& w) { return same_parameters(w, 100, false); }
Finding reset_forgets(const Walker& walker) { return same_parameters(walker, 20, true); }

/// The documented step at theta = 0, gradient g, by hand.
Finding first_step_by_hand(const Walker& walker) {
  Finding finding;
  const double g = -0.3, rate = 0.1;
  const auto step = [&](OptimizerSpec spec) {
    spec.learning_rate = rate;
    return walker({spec, {0.0}, {{g}}, {}})[0];
  };
  const double tiny = 1e-15;
  finding.near(step({.kind = Kind::sgd}), 0.03, tiny, "sgd");
  finding.near(step({.kind = Kind::sgd, .momentum = 0.9}), 0.03, tiny, "momentum starts at g");
  finding.near(step({.kind = Kind::sgd, .momentum = 0.9, .nesterov = true}), 0.03 * 1.9, tiny,
               "nesterov");
  finding.near(step({.kind = Kind::rmsprop}), 0.1 * 0.3 / (0.1 * 0.3 + 1e-8), 1e-13, "rmsprop");
  finding.near(step({.kind = Kind::adam}), 0.1 * 0.3 / (0.3 + 1e-8), 1e-13, "adam");
  return finding;
}

LAW(OptimizerLaws, FirstStepIsTheHandFormula, first_step_by_hand,
    {{"optimizer", walk_with_optimizer}},
    {{"wrong sign", mistaken({.wrong_sign = true})},
     {"dampening", mistaken({.shared_momentum = true, .dampening = true})},
     {"nesterov ignored", mistaken({.nesterov_ignored = true})},
     {"no bias correction", mistaken({.no_bias_correction = true})}});

LAW(OptimizerLaws, OneStepFollowsTorch, one_step_follows_torch,
    {{"optimizer", walk_with_optimizer}},
    {{"epsilon inside the root", mistaken({.epsilon_inside_root = true})},
     {"no bias correction", mistaken({.no_bias_correction = true})},
     {"shared momentum", mistaken({.shared_momentum = true})}});

LAW(OptimizerLaws, HundredStepsFollowTorch, hundred_steps_follow_torch,
    {{"optimizer", walk_with_optimizer}},
    {{"epsilon inside the root", mistaken({.epsilon_inside_root = true})},
     {"no bias correction", mistaken({.no_bias_correction = true})},
     {"shared momentum", mistaken({.shared_momentum = true})},
     {"dampening", mistaken({.dampening = true})},
     {"nesterov ignored", mistaken({.nesterov_ignored = true})},
     {"momentum taken for nesterov", mistaken({.plain_momentum_as_nesterov = true})}});

LAW(OptimizerLaws, ResetForgetsEverything, reset_forgets, {{"optimizer", walk_with_optimizer}},
    {{"moments survive", mistaken({.moments_survive_reset = true})},
     {"step count survives", mistaken({.step_count_survives_reset = true})}});

}  // namespace
}  // namespace whence::laws
