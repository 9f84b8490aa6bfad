#include "whence/evidence/labels/dependence_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "whence/evidence/categorical/conjugate_table.hpp"
#include "whence/math/logspace.hpp"
#include "whence/math/ranks.hpp"

namespace whence {
namespace {

constexpr std::size_t bins = 5;

/// A coarse level per row: the category, or the fifth of the environment that coordinate k's rank
/// falls into.
std::vector<std::size_t> coarse_levels(const Dataset& data, std::size_t v, std::size_t k) {
  std::vector<std::size_t> level(data.rows());
  const Variable& variable = data.variables[v];
  if (variable.kind == Variable::Kind::categorical) {
    for (std::size_t r = 0; r < level.size(); ++r)
      level[r] = std::size_t(data.columns[v].levels[r]);
    return level;
  }
  const auto d = std::size_t(variable.dimension);
  for (const Environment& e : data.environments) {
    std::vector<double> x;
    for (std::size_t r = e.begin; r < e.end; ++r) x.push_back(data.columns[v].values[r * d + k]);
    const std::vector<double> ranks = unit_ranks(x);
    for (std::size_t i = 0; i < x.size(); ++i)
      level[e.begin + i] = std::min(bins - 1, std::size_t(ranks[i] * double(bins)));
  }
  return level;
}

std::size_t coarse_count(const Variable& variable) {
  return variable.kind == Variable::Kind::categorical ? std::size_t(variable.levels) : bins;
}

using Levels = std::span<const std::size_t>;

/// Dependent against independent, averaged over how smooth the table is.
double table_dependence(Levels u, std::size_t levels_u, Levels v, std::size_t levels_v,
                        std::span<const double> worth) {
  FamilyCounts joint(1, levels_u * levels_v), marginal_u(1, levels_u), marginal_v(1, levels_v);
  for (std::size_t r = 0; r < u.size(); ++r) {
    joint.cells[u[r] * levels_v + v[r]] += worth[r];
    marginal_u.cells[u[r]] += worth[r];
    marginal_v.cells[v[r]] += worth[r];
  }
  std::vector<double> each;
  for (double alpha : {1.0 / std::sqrt(double(levels_u * levels_v)), 1.0})
    each.push_back(log_marginal_likelihood(joint, alpha) -
                   (log_marginal_likelihood(marginal_u, alpha * double(levels_v)) +
                    log_marginal_likelihood(marginal_v, alpha * double(levels_u))));
  return log_mean_exp(each);
}

/// Of one coordinate of each: the same dependence everywhere, or each environment with its own.
double coordinate_dependence(const Dataset& data, Levels u, Levels v,
                             std::span<const double> worth) {
  const std::size_t levels_u = coarse_count(data.variables[0]);
  const std::size_t levels_v = coarse_count(data.variables[1]);
  double own = 0;
  for (const Environment& e : data.environments) {
    const double here =
        table_dependence(u.subspan(e.begin, e.rows()), levels_u, v.subspan(e.begin, e.rows()),
                         levels_v, worth.subspan(e.begin, e.rows()));
    own += log_add_exp(0, here) - std::log(2.0);
  }
  return log_add_exp(table_dependence(u, levels_u, v, levels_v, worth), own) - std::log(2.0);
}

std::size_t coordinates(const Variable& variable) {
  return variable.kind == Variable::Kind::categorical ? 1 : std::size_t(variable.dimension);
}

}  // namespace

double dependence_evidence(const Dataset& data, std::span<const double> share) {
  std::vector<double> worth(data.rows(), 1.0);
  for (std::size_t e = 0; e < share.size(); ++e)
    std::fill(worth.begin() + std::ptrdiff_t(data.environments[e].begin),
              worth.begin() + std::ptrdiff_t(data.environments[e].end), share[e]);
  // Vectors: any pair of coordinates may be the one that depends.
  std::vector<std::vector<std::size_t>> second;
  for (std::size_t j = 0; j < coordinates(data.variables[1]); ++j)
    second.push_back(coarse_levels(data, 1, j));
  std::vector<double> pairs;
  for (std::size_t i = 0; i < coordinates(data.variables[0]); ++i) {
    const auto first = coarse_levels(data, 0, i);
    for (const auto& levels : second)
      pairs.push_back(coordinate_dependence(data, first, levels, worth));
  }
  return log_mean_exp(pairs);
}

}  // namespace whence
