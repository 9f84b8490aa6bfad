// Proposition 1: modules that are right and have not changed feel no expected pull at the first
// step of adaptation; from the second step on the pull is of second order in the learning rate
// (errata E4).
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/paper/enumeration.hpp"
#include "tests/paper/law.hpp"
#include "whence/adapt/gradient.hpp"

namespace whence::test {
namespace {

using Table = CategoricalTable<double>;

/// Adds weight * d log P(row) / d logits.
using AddGradient = std::function<void(const Table&, const Dataset&, const Family&, std::size_t row,
                                       double weight, std::span<double>)>;

const AddGradient right_gradient = [](const Table& table, const Dataset& data, const Family& family,
                                      std::size_t row, double weight, std::span<double> gradient) {
  table.add_gradient(data, family, row, weight, gradient);
};

/// Planted: credits the next category.
const AddGradient off_by_one = [](const Table& table, const Dataset& data, const Family& family,
                                  std::size_t row, double weight, std::span<double> gradient) {
  Dataset moved = data;
  auto& level = moved.columns[family.child.value].levels[row];
  level = (level + 1) % table.levels();
  table.add_gradient(moved, family, row, weight, gradient);
};

/// Planted: pulls towards what was seen without pushing away from what was expected.
const AddGradient uncentred = [](const Table& table, const Dataset& data, const Family& family,
                                 std::size_t row, double weight, std::span<double> gradient) {
  const std::size_t i = parent_configuration(data, family, row);
  const auto level = data.columns[family.child.value].levels[row];
  gradient[i * std::size_t(table.levels()) + std::size_t(level)] += weight;
};

double largest(std::span<const double> x) {
  double top = 0;
  for (double v : x) top = std::max(top, std::abs(v));
  return top;
}

std::vector<double> expected_gradient(const AddGradient& add, const Table& table,
                                      const Family& family, const CategoricalWorld& shifted) {
  const Dataset states = all_states(shifted.variables());
  const std::vector<double> p = probabilities(shifted);
  std::vector<double> sum(table.parameters().size(), 0.0);
  for (std::size_t s = 0; s < p.size(); ++s) add(table, states, family, s, p[s], sum);
  return sum;
}

/// The largest expected pull on any module that did not change: every graph, every shifted
/// variable, every other variable, parents and children of the shifted one alike.
double pull_on_unchanged(const AddGradient& add) {
  double worst = 0;
  for (const Graph& graph : small_graphs())
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const CategoricalWorld world = draw_world(graph, seed);
      for (std::size_t v = 0; v < graph.levels.size(); ++v) {
        const CategoricalWorld shifted = with_mechanism_redrawn(world, VariableId(v), seed);
        for (const Family& family : world.families())
          if (family.child != VariableId(v))
            worst = std::max(
                worst, largest(expected_gradient(add, world.conditional(family), family, shifted)));
      }
    }
  return worst;
}

TEST(Proposition1, UnchangedModulesFeelNoPullAtTheFirstStep) {
  expect_law("P1a", 1e-14, pull_on_unchanged, right_gradient,
             Planted{"credits the next category", off_by_one},
             Planted{"gradient without the expected part", uncentred});
}

/// Two distributions of one pair: before and after P(A) has been redrawn.
struct CauseShift {
  CategoricalWorld before, after;
};
CauseShift draw_cause_shift(int levels, std::uint64_t seed) {
  CategoricalWorld before = CategoricalWorld::draw_pair(levels, 1.0, seed, 0);
  CategoricalWorld after = with_mechanism_redrawn(before, VariableId(0), seed);
  return {std::move(before), std::move(after)};
}

/// How far the expected pull on the changed marginal is from P2 - P1.
double error_of_changed_marginal(const AddGradient& add) {
  double worst = 0;
  for (int levels = 2; levels <= 6; ++levels)
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const CauseShift shift = draw_cause_shift(levels, seed);
      const Table &p1 = shift.before.table(VariableId(0)), &p2 = shift.after.table(VariableId(0));
      const auto pull = expected_gradient(add, p1, {VariableId(0), {}}, shift.after);
      for (std::size_t i = 0; i < pull.size(); ++i)
        worst =
            std::max(worst, std::abs(pull[i] - (std::exp(p2.row(0)[i]) - std::exp(p1.row(0)[i]))));
    }
  return worst;
}

TEST(Proposition1, TheChangedMarginalIsPulledFromTheOldToTheNewDistribution) {
  expect_law("P1b", 1e-14, error_of_changed_marginal, right_gradient,
             Planted{"credits the next category", off_by_one},
             Planted{"gradient without the expected part", uncentred});
}

TEST(Proposition1, TheChangedMarginalIsReallyPulled) {
  const CauseShift shift = draw_cause_shift(3, 1);
  const auto pull = expected_gradient(right_gradient, shift.before.table(VariableId(0)),
                                      {VariableId(0), {}}, shift.after);
  EXPECT_GT(largest(pull), 0.1);
}

/// The negative of the weakest pull on any of the given families over many shifts of the cause.
double minus_weakest_pull(const std::vector<Family>& families) {
  double weakest = 1;
  for (int levels = 2; levels <= 6; ++levels)
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const CauseShift shift = draw_cause_shift(levels, seed);
      for (const Family& family : families)
        weakest = std::min(
            weakest, largest(expected_gradient(right_gradient, shift.before.conditional(family),
                                               family, shift.after)));
    }
  return -weakest;
}

TEST(Proposition1, BothModulesOfTheWrongDirectionArePulled) {
  const VariableId a(0), b(1);
  const std::vector<Family> wrong_direction = {{b, {}}, {a, {b}}};
  const std::vector<Family> with_a_right_one = {{b, {}}, {b, {a}}};
  expect_law("P1c", -1e-3, minus_weakest_pull, wrong_direction,
             Planted{"one module has the right parents", with_a_right_one});
}

/// A module of the pair as it stands before the shift.
struct Learnt {
  Family family;
  Table table;
};
using Training = std::function<Learnt(const CategoricalWorld&, std::uint64_t seed)>;

const Training right_module = [](const CategoricalWorld& world, std::uint64_t) {
  const Family b_given_a{VariableId(1), {VariableId(0)}};
  return Learnt{b_given_a, world.conditional(b_given_a)};
};
/// Planted: errors of a small sample, which pull at every step.
const Training undertrained_module = [](const CategoricalWorld& world, std::uint64_t seed) {
  const Family b_given_a{VariableId(1), {VariableId(0)}};
  const Dataset data = draw_rows(world, 1000, Purpose::training, {seed, 0});
  return Learnt{b_given_a, fit_counts(data, 0, 1000, b_given_a, 1.0)};
};
/// Planted: the parents of the wrong direction.
const Training reversed_module = [](const CategoricalWorld& world, std::uint64_t) {
  const Family a_given_b{VariableId(0), {VariableId(1)}};
  return Learnt{a_given_b, world.conditional(a_given_b)};
};

/// |E gradient| at step 2 with SGD, over every pair of examples after the shift.
double pull_at_second_step(const Learnt& module, const CategoricalWorld& shifted,
                           double learning_rate) {
  const Dataset states = all_states(shifted.variables());
  const std::vector<double> p = probabilities(shifted);
  std::vector<double> sum(module.table.parameters().size(), 0.0);
  for (std::size_t first = 0; first < p.size(); ++first) {
    Table learnt = module.table;
    Optimizer<double> sgd({.learning_rate = learning_rate}, sum.size());
    double score = 0;
    adapt(learnt, sgd, states, module.family, {first, 1, 1}, {&score, 1});
    for (std::size_t second = 0; second < p.size(); ++second)
      learnt.add_gradient(states, module.family, second, p[first] * p[second], sum);
  }
  return largest(sum);
}

/// |slope - 2| of log |E gradient| against log learning rate, by least squares.
double distance_from_second_order(const Training& train) {
  double worst = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const CauseShift shift = draw_cause_shift(3, seed);
    const Learnt module = train(shift.before, seed);
    double xx = 0, xy = 0;
    for (double decades : {-1.5, -0.5, 0.5, 1.5}) {  // learning rates .001, .01, .1 and 1, centred
      const double rate = std::pow(10.0, decades - 1.5);
      xx += decades * decades;
      xy += decades * std::log10(pull_at_second_step(module, shift.after, rate));
    }
    worst = std::max(worst, std::abs(xy / xx - 2));
  }
  return worst;
}

TEST(Proposition1, LaterStepsFeelAPullOfSecondOrderInTheLearningRate) {
  expect_law("P1d", 0.1, distance_from_second_order, right_module,
             Planted{"learnt from a small sample", undertrained_module},
             Planted{"parents of the wrong direction", reversed_module});
}

TEST(Proposition1, NeedsTrainingDataWhereverTheShiftedCauseGoes) {
  // A = 0 never happened before the shift, so P(B | A = 0) could not be learnt (errata E4).
  const double never = -std::numeric_limits<double>::infinity();
  const auto categorical = Variable::Kind::categorical;
  const Family b_given_a{VariableId(1), {VariableId(0)}};
  const Table mechanism(2, {std::log(.9), std::log(.1), std::log(.2), std::log(.8)});
  const auto world = [&](std::vector<double> log_p) {
    return CategoricalWorld({{"A", categorical, 2}, {"B", categorical, 2}},
                            {{VariableId(0), {}}, b_given_a},
                            {Table(2, std::move(log_p)), mechanism});
  };
  const Table learnt = world({never, 0.0}).conditional(b_given_a);
  const auto pull =
      expected_gradient(right_gradient, learnt, b_given_a, world({std::log(.5), std::log(.5)}));
  EXPECT_NEAR(largest(pull), 0.2, 1e-12);  // half of .9 - .5
}

}  // namespace
}  // namespace whence::test
