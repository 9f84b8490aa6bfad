// Without a shift the direction cannot be told: the maximum-likelihood estimates of every complete
// factorisation give the same joint, and so do their likelihood-equivalent smoothed versions (E15).
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "tests/paper/enumeration.hpp"
#include "tests/paper/law.hpp"

namespace whence::test {
namespace {

/// Fits one family's table to all rows.
using Fit = std::function<CategoricalTable<double>(const Dataset&, const Family&)>;

Fit counts(double equivalent_rows) {
  return [=](const Dataset& data, const Family& family) {
    return fit_counts(data, 0, data.rows(), family, equivalent_rows);
  };
}
/// Planted: Laplace's rule, one imaginary row per cell of whichever table is fitted.
CategoricalTable<double> laplace(const Dataset& data, const Family& family) {
  const double cells =
      double(configurations(data.variables, family)) * data.variables[family.child.value].levels;
  return fit_counts(data, 0, data.rows(), family, cells);
}
/// Planted: a degree of freedom is taken off, as for a variance.
CategoricalTable<double> one_row_too_few(const Dataset& data, const Family& family) {
  return fit_counts(data, family.parents.empty() ? 0 : 1, data.rows(), family, 0);
}

/// P(state) as a chain of families along `order`: each variable given all before it.
std::vector<double> joint_along(const std::vector<std::size_t>& order, const Dataset& data,
                                const Fit& fit) {
  const Dataset states = all_states(data.variables);
  std::vector<double> joint(states.rows(), 1.0);
  std::vector<VariableId> before;
  for (std::size_t v : order) {
    const Family family{VariableId(v), before};
    const CategoricalTable<double> table = fit(data, family);
    for (std::size_t s = 0; s < joint.size(); ++s) {
      const auto level = std::size_t(states.columns[v].levels[s]);
      joint[s] *= std::exp(table.row(parent_configuration(states, family, s))[level]);
    }
    before.push_back(VariableId(v));
  }
  return joint;
}

/// The largest difference of a cell's probability between any two orders of the variables.
double disagreement(const Dataset& data, const Fit& fit) {
  std::vector<std::size_t> order(data.variables.size());
  for (std::size_t v = 0; v < order.size(); ++v) order[v] = v;
  const std::vector<double> first = joint_along(order, data, fit);
  double worst = 0;
  while (std::next_permutation(order.begin(), order.end())) {
    const std::vector<double> other = joint_along(order, data, fit);
    for (std::size_t s = 0; s < first.size(); ++s)
      worst = std::max(worst, std::abs(first[s] - other[s]));
  }
  return worst;
}

/// Few rows, so that cells and whole rows of a table stay empty; then many.
double worst_disagreement(const Fit& fit) {
  double worst = 0;
  for (const Graph& graph : {Graph{"pair", {2, 2}, {{0, 1}}}, Graph{"wide pair", {10, 7}, {{0, 1}}},
                             Graph{"three", {2, 3, 4}, {{0, 1}, {0, 2}}}})
    for (std::size_t rows : {3, 20, 1000})
      for (std::uint64_t seed = 0; seed < 10; ++seed)
        worst = std::max(worst, disagreement(draw_rows(draw_world(graph, seed), rows,
                                                       Purpose::training, {seed, 0}),
                                             fit));
  return worst;
}

TEST(SameDistribution, AllFactorisationsHaveTheSameMaximumLikelihoodJoint) {
  expect_law("P6", 1e-15, worst_disagreement, counts(0),
             Planted{"one row is left out of conditionals", Fit(one_row_too_few)});
}

TEST(SameDistribution, LikelihoodEquivalentSmoothingKeepsThemEqual) {
  for (double equivalent_rows : {0.5, 1.0, 10.0})
    expect_law("P6", 1e-15, worst_disagreement, counts(equivalent_rows),
               Planted{"one imaginary row per cell of each table", Fit(laplace)});
}

}  // namespace
}  // namespace whence::test
