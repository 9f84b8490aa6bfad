#include "whence/adapt/mixture_density_adapter.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/bits.hpp"
#include "support/optimizers.hpp"
#include "support/simd.hpp"
#include "support/tables.hpp"
#include "whence/adapt/gradient.hpp"

namespace whence {
namespace {

using support::Inputs;

struct Task {
  MixtureDensity<double> start;
  std::vector<double> x, y, x_slope, y_slope;
  DensityPoints points() const { return {x, y}; }
  DensityPoints sloped() const { return {x, y, x_slope, y_slope}; }
};

/// Sizes that are no multiple of anything, and the paper's.
Task make_task(std::uint64_t seed, std::size_t rows, DensityShape shape = {}) {
  Inputs inputs(seed);
  Task task{MixtureDensity<double>(shape), inputs.reals(rows, -6, 6), inputs.reals(rows, -8, 8),
            inputs.reals(rows, -1, 1), inputs.reals(rows, -1, 1)};
  for (double& p : task.start.parameters()) p = inputs.real(-0.8, 0.8);
  return task;
}

double relative(double measured, double expected, double largest) {
  return std::abs(measured - expected) / (std::abs(expected) + 1e-3 * largest);
}

double worst_relative(std::span<const double> measured, std::span<const double> expected) {
  double largest = 0, worst = 0;
  for (double g : expected) largest = std::max(largest, std::abs(g));
  for (std::size_t i = 0; i < expected.size(); ++i)
    worst = std::max(worst, relative(measured[i], expected[i], largest));
  return worst;
}

TEST(MixtureDensityAdapter, AgreesWithTheReference) {
  for (const DensityShape shape : {DensityShape{}, DensityShape{7, 3}, DensityShape{5, 1}})
    for (std::size_t rows : {1u, 8u, 100u, 333u}) {
      const Task task = make_task(rows, rows, shape);
      DensityLearner learner(task.start, {});
      learner.want_inputs = true;
      const double log_lik = learner.gradient(task.points()).value;
      double expected = 0;
      std::vector<double> gradient(shape.size());
      for (std::size_t i = 0; i < rows; ++i) {
        expected += task.start.log_prob(task.x[i], task.y[i]);
        task.start.add_gradient(task.x[i], task.y[i], 1.0, std::span(gradient));
      }
      EXPECT_NEAR(log_lik, expected, 1e-11 * std::abs(expected));
      EXPECT_LT(worst_relative(learner.parameter_gradient(), gradient), 1e-11) << rows;
      EXPECT_NEAR(learner.log_lik(task.points()).value, log_lik, 1e-12 * std::abs(log_lik));
    }
}

TEST(MixtureDensityAdapter, InputGradientsAreDerivatives) {
  const Task task = make_task(3, 50);
  DensityLearner learner(task.start, {});
  learner.want_inputs = true;
  learner.gradient(task.points());
  MixtureDensity<Dual<double>> dual(
      task.start.shape(), {task.start.parameters().begin(), task.start.parameters().end()});
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_NEAR(learner.x_gradient()[i], dual.log_prob({task.x[i], 1.0}, task.y[i]).slope, 1e-10);
    EXPECT_NEAR(learner.y_gradient()[i], dual.log_prob(task.x[i], {task.y[i], 1.0}).slope, 1e-10);
  }
}

TEST(MixtureDensityAdapter, EveryInstructionSetGivesTheSameBits) {
  const Task task = make_task(5, 203);
  std::vector<double> first;
  support::for_each_simd_target([&](const std::string& name) {
    std::vector<double> all;
    for (bool tangent : {false, true}) {
      DensityLearner learner(task.start, {.kind = OptimizerSpec::Kind::adam, .learning_rate = 0.01},
                             tangent);
      for (int step = 0; step < 3; ++step) {
        const Dual<double> log_lik = learner.learn(tangent ? task.sloped() : task.points());
        all.push_back(log_lik.value);
        all.push_back(log_lik.slope);
      }
      all.insert(all.end(), learner.parameters().begin(), learner.parameters().end());
      all.insert(all.end(), learner.parameter_slopes().begin(), learner.parameter_slopes().end());
    }
    if (first.empty()) first = all;
    EXPECT_TRUE(support::same_bits(all, first)) << name;
  });
}

/// The same steps with dual numbers in the readable code: data and parameters carry slopes.
TEST(MixtureDensityAdapter, TangentsAreThoseOfDualNumbers) {
  const Task task = make_task(7, 40, {6, 3});
  for (const support::NamedOptimizer& o : support::all_optimizers()) {
    OptimizerSpec spec = o.spec;
    spec.learning_rate = 0.05;
    DensityLearner learner(task.start, spec, true);
    MixtureDensity<Dual<double>> dual(
        task.start.shape(), {task.start.parameters().begin(), task.start.parameters().end()});
    Optimizer<Dual<double>> optimizer(spec, dual.parameters().size());
    for (int step = 0; step < 4; ++step) {
      std::vector<Dual<double>> gradient(dual.parameters().size());
      Dual<double> expected(0.0);
      for (std::size_t i = 0; i < task.x.size(); ++i) {
        const Dual<double> x(task.x[i], task.x_slope[i]), y(task.y[i], task.y_slope[i]);
        expected += dual.log_prob(x, y);
        dual.add_gradient(x, y, Dual<double>(-1.0 / double(task.x.size())), std::span(gradient));
      }
      optimizer.step(dual.parameters(), std::span<const Dual<double>>(gradient));
      const Dual<double> measured = learner.learn(task.sloped());
      EXPECT_NEAR(measured.value, expected.value, 1e-9 * std::abs(expected.value)) << o.name;
      EXPECT_NEAR(measured.slope, expected.slope, 1e-8 * (1 + std::abs(expected.slope))) << o.name;
    }
  }
}

TEST(MixtureDensityAdapter, FollowsTheReferenceAdaptation) {
  const Task task = make_task(9, 120);
  Dataset data;
  data.variables = {{"A", Variable::Kind::real}, {"B", Variable::Kind::real}};
  data.columns = {{{}, task.x}, {{}, task.y}};
  const Family family{VariableId(1), {VariableId(0)}};
  const OptimizerSpec spec{.kind = OptimizerSpec::Kind::adam, .learning_rate = 0.01};
  std::vector<double> scores(4);
  MixtureDensity<double> module = task.start;
  Optimizer<double> optimizer(spec, module.parameters().size());
  adapt(module, optimizer, data, family, {0, 4, 30}, std::span(scores));
  DensityLearner learner(task.start, spec);
  for (std::size_t t = 0; t < 4; ++t)
    EXPECT_NEAR(learner.learn(task.points().part(30 * t, 30)).value, scores[t],
                1e-11 * std::abs(scores[t]));
  EXPECT_LT(
      worst_relative(learner.parameters().first(module.parameters().size()), module.parameters()),
      1e-10);
}

TEST(MixtureDensityAdapter, OneRepeatedPointCannotCollapseAComponent) {  // N08
  const std::vector<double> x(64, 0.5), y(64, 1.25);
  Inputs inputs(11);
  MixtureDensity<double> start;
  for (double& p : start.parameters()) p = inputs.real(-0.2, 0.2);
  DensityLearner learner(start, {.kind = OptimizerSpec::Kind::sgd, .learning_rate = 0.5});
  for (int step = 0; step < 400; ++step)
    ASSERT_TRUE(std::isfinite(learner.learn({x, y}).value)) << step;
  for (double p : learner.parameters()) ASSERT_TRUE(std::isfinite(p));

  // Beyond the limit log sigma is held, counted, and feels nothing.
  const DensityShape shape = start.shape();
  MixtureDensity<double> extreme = start;
  for (std::size_t k = 0; k < shape.components; ++k)
    extreme.parameters()[shape.output_bias() + 2 * shape.components + k] = -40;
  DensityLearner held(extreme, {});
  EXPECT_TRUE(std::isfinite(held.gradient({x, y}).value));
  EXPECT_EQ(held.clamped(), 640);
  EXPECT_EQ(extreme.clamped(0.5), 10);
  for (std::size_t k = 0; k < shape.components; ++k)
    EXPECT_EQ(held.parameter_gradient()[shape.output_bias() + 2 * shape.components + k], 0);
}

}  // namespace
}  // namespace whence
