#include "whence/adapt/gradient.hpp"

#include <gtest/gtest.h>

#include "support/optimizers.hpp"
#include "support/tables.hpp"
#include "whence/math/dual.hpp"

namespace whence {
namespace {

const Family child_given_parent{VariableId(0), {VariableId(1)}};

Dataset random_pair(std::size_t rows, int levels) {
  support::Inputs inputs(71);
  Dataset data;
  data.variables = support::categorical_variables({levels, levels});
  for (int v = 0; v < 2; ++v) data.columns.push_back({inputs.levels(rows, levels), {}});
  return data;
}

/// Two levels, one step of SGD at rate 1 from the uniform table: the logits move by +-1/2.
TEST(Adapt, FollowsTheHandComputedStep) {
  Dataset data;
  data.variables = support::categorical_variables({2});
  data.columns = {{{1, 1}, {}}};
  CategoricalTable<double> table(2, std::size_t(1));
  Optimizer<double> optimizer({.learning_rate = 1}, 2);
  std::vector<double> scores(2);
  adapt(table, optimizer, data, {VariableId(0), {}}, {0, 2, 1}, std::span(scores));
  EXPECT_NEAR(scores[0], -std::log(2.0), 1e-15);
  EXPECT_NEAR(scores[1], -std::log1p(std::exp(-1.0)), 1e-15);
}

TEST(Adapt, StepsAlongTheMeanOfTheBatch) {
  Dataset once, thrice;
  once.variables = thrice.variables = support::categorical_variables({2});
  once.columns = {{{1}, {}}};
  thrice.columns = {{{1, 1, 1}, {}}};
  CategoricalTable<double> one(2, std::size_t(1)), three = one;
  Optimizer<double> optimizer({.learning_rate = 1}, 2);
  std::vector<double> score(1);
  adapt(one, optimizer, once, {VariableId(0), {}}, {0, 1, 1}, std::span(score));
  adapt(three, optimizer, thrice, {VariableId(0), {}}, {0, 1, 3}, std::span(score));
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(one.parameters()[i], three.parameters()[i], 1e-15);
  EXPECT_NEAR(score[0], -3 * std::log(2.0), 1e-15) << "scores are sums over the batch";
}

TEST(Adapt, StartsAtTheEpisodesFirstRow) {
  const Dataset data = random_pair(40, 3);
  Dataset tail = data;
  for (Column& column : tail.columns)
    column.levels.erase(column.levels.begin(), column.levels.begin() + 20);
  const auto run = [](const Dataset& d, std::size_t first) {
    CategoricalTable<double> table(3, std::size_t(3));
    Optimizer<double> optimizer({}, 9);
    std::vector<double> scores(4);
    adapt(table, optimizer, d, child_given_parent, {first, 4, 5}, std::span(scores));
    return scores;
  };
  EXPECT_EQ(run(data, 20), run(tail, 0));
}

/// The derivative of an episode's score in a starting parameter, through the whole adaptation:
/// dual numbers against the six-point rule in long double.
TEST(Adapt, IsDifferentiableFromEndToEnd) {
  const Dataset data = random_pair(12, 3);
  support::Inputs inputs(72);
  const auto start = inputs.reals(9, -1, 1), direction = inputs.reals(9, -1, 1);
  for (const auto& optimizer : support::all_optimizers()) {
    const auto score = [&]<class T>(std::vector<T> parameters) {
      CategoricalTable<T> table(3, std::move(parameters));
      Optimizer<T> o(optimizer.spec, 9);
      std::vector<T> scores(4);
      adapt(table, o, data, child_given_parent, {0, 4, 3}, std::span(scores));
      return scores[0] + scores[1] + scores[2] + scores[3];
    };
    std::vector<Dual<double>> duals;
    for (std::size_t i = 0; i < 9; ++i) duals.emplace_back(start[i], direction[i]);
    const auto at = [&](long double h) {
      std::vector<long double> moved(start.begin(), start.end());
      for (std::size_t i = 0; i < 9; ++i) moved[i] += h * (long double)(direction[i]);
      return score(moved);
    };
    const long double h = 1e-4L;
    const long double slope =
        (45 * (at(h) - at(-h)) - 9 * (at(2 * h) - at(-2 * h)) + (at(3 * h) - at(-3 * h))) /
        (60 * h);
    const double measured = score(duals).slope;
    EXPECT_NEAR(measured, double(slope), 1e-8 * (1 + std::abs(measured))) << optimizer.name;
  }
}

/// The same code in double and in long double.
TEST(Adapt, LosesLittleToRounding) {
  const Dataset data = random_pair(60, 3);
  support::Inputs inputs(73);
  const auto start = inputs.reals(9, -1, 1);
  for (const auto& optimizer : support::all_optimizers()) {
    const auto scores = [&]<class T>(T) {
      CategoricalTable<T> table(3, std::vector<T>(start.begin(), start.end()));
      Optimizer<T> o(optimizer.spec, 9);
      std::vector<T> result(20);
      adapt(table, o, data, child_given_parent, {0, 20, 3}, std::span(result));
      return result;
    };
    const auto narrow = scores(0.0);
    const auto wide = scores(0.0L);
    for (std::size_t t = 0; t < 20; ++t)
      EXPECT_NEAR(narrow[t], double(wide[t]), 1e-12 * (1 + std::abs(narrow[t]))) << optimizer.name;
  }
}

}  // namespace
}  // namespace whence
