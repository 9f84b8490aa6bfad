#include "whence/adapt/encoder_regret.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "support/tables.hpp"
#include "whence/encoders/rotation.hpp"

namespace whence {
namespace {

using support::Inputs;
constexpr DensityShape shape{8, 3};
constexpr std::size_t rows = 60;

struct Task {
  MixtureDensity<double> forward{shape}, backward{shape};
  std::vector<std::array<std::vector<double>, 2>> batches;

  Task(std::uint64_t seed, int steps) {
    Inputs inputs(seed);
    for (auto* module : {&forward, &backward})
      for (double& p : module->parameters()) p = inputs.real(-0.5, 0.5);
    for (int t = 0; t <= steps; ++t)
      batches.push_back({inputs.reals(rows, -3, 3), inputs.reals(rows, -3, 3)});
  }

  template <Encoder E>
  PairRegret regret(const E& encoder, const RegretRecipe& recipe) const {
    std::vector<Encoded> encoded;
    for (const auto& [x, y] : batches) encoded.push_back(encoder.encode(x, y));
    EncoderRegret scorer(recipe, shape);
    return scorer.online(forward, backward,
                         std::span<const Encoded>(encoded).first(encoded.size() - 1),
                         encoded.back());
  }
};

RegretRecipe recipe_of(OptimizerSpec::Kind kind, double rate, bool exact = true) {
  return {{.kind = kind, .learning_rate = rate}, exact, {.iterations = 4, .gain = -1e300}};
}

/// Six points, h = 2e-3: the best rule along one direction.
template <class F>
double slope_by_differences(const F& f, double at) {
  const double h = 2e-3;
  return (45 * (f(at + h) - f(at - h)) - 9 * (f(at + 2 * h) - f(at - 2 * h)) +
          (f(at + 3 * h) - f(at - 3 * h))) /
         (60 * h);
}

TEST(EncoderRegret, ExactGradientGoesThroughEveryStep) {
  using Kind = OptimizerSpec::Kind;
  for (int steps = 2; steps <= 6; ++steps)
    for (const auto& recipe : {recipe_of(Kind::sgd, 0.1), recipe_of(Kind::sgd, 0.01)}) {
      const Task task(std::uint64_t(steps), steps);
      const auto forward = [&](double a) { return task.regret(Rotation(a), recipe).forward.value; };
      const auto backward = [&](double a) {
        return task.regret(Rotation(a), recipe).backward.value;
      };
      const PairRegret at = task.regret(Rotation(0.4), recipe);
      EXPECT_NEAR(at.forward.slope / slope_by_differences(forward, 0.4), 1, 1e-8) << steps;
      EXPECT_NEAR(at.backward.slope / slope_by_differences(backward, 0.4), 1, 1e-8) << steps;
    }
}

TEST(EncoderRegret, FirstOrderIsSomethingElse) {
  const Task task(3, 5);
  const auto exact = task.regret(Rotation(0.4), recipe_of(OptimizerSpec::Kind::sgd, 0.1));
  const auto first = task.regret(Rotation(0.4), recipe_of(OptimizerSpec::Kind::sgd, 0.1, false));
  EXPECT_NEAR(exact.forward.value, first.forward.value, 1e-9 * std::abs(first.forward.value));
  EXPECT_GT(std::abs(exact.forward.slope / first.forward.slope - 1), 1e-3);
}

TEST(EncoderRegret, IsPeriodic) {  // N19
  const Task task(4, 3);
  const auto recipe = recipe_of(OptimizerSpec::Kind::adam, 0.01);
  for (double angle : {0.0, 1.1, -2.3}) {
    const auto here = task.regret(Rotation(angle), recipe);
    const auto there = task.regret(Rotation(angle + 2 * std::numbers::pi), recipe);
    EXPECT_NEAR(there.forward.value / here.forward.value, 1, 1e-12);
    EXPECT_NEAR(there.backward.value / here.backward.value, 1, 1e-12);
  }
}

/// A quarter turn makes (U, V) into (-V, U): with modules relabelled the same way, the hypotheses
/// change places.
TEST(EncoderRegret, AQuarterTurnSwapsTheHypotheses) {
  Task task(5, 3);
  const auto recipe = recipe_of(OptimizerSpec::Kind::sgd, 0.05);
  const auto here = task.regret(Rotation(0.3), recipe);
  Task turned = task;
  // New U -> V is old (-V) -> U: negate the inputs of the old backward module.
  turned.forward = task.backward;
  for (std::size_t j = 0; j < shape.hidden; ++j) turned.forward.parameters()[j] *= -1;
  // New V -> U is old U -> (-V): negate the means of the old forward module.
  turned.backward = task.forward;
  const std::size_t k = shape.components, h = shape.hidden;
  for (std::size_t i = 0; i < k * h; ++i)
    turned.backward.parameters()[shape.output_weight() + k * h + i] *= -1;
  for (std::size_t i = 0; i < k; ++i)
    turned.backward.parameters()[shape.output_bias() + k + i] *= -1;
  const auto there = turned.regret(Rotation(0.3 + std::numbers::pi / 2), recipe);
  EXPECT_NEAR(there.forward.value / here.backward.value, 1, 1e-9);
  EXPECT_NEAR(there.backward.value / here.forward.value, 1, 1e-9);
}

/// (u, v) = factor (x, y): not volume-preserving.
struct Scaling {
  double factor;
  bool with_volume = true;
  Encoded encode(std::span<const double> x, std::span<const double> y) const {
    Encoded e;
    for (std::size_t i = 0; i < x.size(); ++i) {
      e.u.push_back(factor * x[i]);
      e.v.push_back(factor * y[i]);
      e.u_slope.push_back(x[i]);
      e.v_slope.push_back(y[i]);
    }
    if (with_volume) {
      const auto n = double(x.size());
      e.log_det = {2 * n * std::log(factor), 2 * n / factor};
    }
    return e;
  }
};

/// The network that says of scaled data what the given one says of the data.
MixtureDensity<double> scaled(const MixtureDensity<double>& module, double factor) {
  MixtureDensity<double> result = module;
  const auto theta = result.parameters();
  const std::size_t k = shape.components, h = shape.hidden;
  for (std::size_t j = 0; j < h; ++j) theta[j] /= factor;
  for (std::size_t i = 0; i < k * h; ++i) theta[shape.output_weight() + k * h + i] *= factor;
  for (std::size_t i = 0; i < k; ++i) {
    theta[shape.output_bias() + k + i] *= factor;
    theta[shape.output_bias() + 2 * k + i] += std::log(factor);
  }
  return result;
}

TEST(EncoderRegret, ShrinkingEverythingDoesNotLowerTheRegret) {  // N18
  const Task task(6, 1);  // one step: nothing has adapted yet, so rescaled modules are exact
  const auto recipe = recipe_of(OptimizerSpec::Kind::sgd, 0.01);
  const double whole = task.regret(Scaling{1}, recipe).forward.value;
  Task small = task;
  small.forward = scaled(task.forward, 0.01);
  small.backward = scaled(task.backward, 0.01);
  EXPECT_NEAR(small.regret(Scaling{0.01}, recipe).forward.value / whole, 1, 1e-9);
  // Without the log-determinant it would fall by 2 n log 100.
  const double cheated = small.regret(Scaling{0.01, false}, recipe).forward.value;
  EXPECT_NEAR(whole - cheated, 2 * rows * std::log(100.0), 1e-6);
}

TEST(EncoderRegret, PrintedFormGivesTheEncoderNoMarginalGradient) {
  const Task task(7, 1);
  const RegretRecipe recipe = recipe_of(OptimizerSpec::Kind::sgd, 0.05, false);
  const Encoded batch = Rotation(0.2).encode(task.batches[0][0], task.batches[0][1]);
  EncoderRegret one(recipe, shape), other(recipe, shape);
  const GaussianMixture<double> start(3), far(3, {0, 0, 0, -2, 0, 2, 1, 1, 1});
  const PairRegret a = one.printed(task.forward, task.backward, batch, 3, start, false);
  const PairRegret b = other.printed(task.forward, task.backward, batch, 3, far, true);
  EXPECT_NE(a.forward.value, b.forward.value);
  EXPECT_EQ(a.forward.slope, b.forward.slope);
}

}  // namespace
}  // namespace whence
