#include "whence/discover/pair_models.hpp"

#include <algorithm>
#include <cmath>

#include "whence/math/logspace.hpp"

namespace whence {

FamilyCounts transposed(const FamilyCounts& table) {
  FamilyCounts t(table.levels, table.rows);
  for (std::size_t i = 0; i < table.rows; ++i)
    for (std::size_t j = 0; j < table.levels; ++j)
      t.cells[j * table.rows + i] = table.cells[i * table.levels + j];
  return t;
}

namespace {

FamilyCounts row_sums(const FamilyCounts& table) {
  FamilyCounts sums(1, table.rows);
  for (std::size_t i = 0; i < table.cells.size(); ++i)
    sums.cells[i / table.levels] += table.cells[i];
  return sums;
}

/// Scores of tables that nothing is known about.
PairTable told_from(const FamilyCounts& table) {
  PairTable t;
  t.second = table;
  t.first = row_sums(table);
  t.second_marginal = row_sums(transposed(table));
  const auto fresh = [](const FamilyCounts& seen) {
    return log_add_exp(log_marginal_likelihood(seen, 1),
                       log_marginal_likelihood(seen, 1 / double(seen.levels))) -
           std::log(2.0);
  };
  t.first_fresh = fresh(t.first);
  t.second_hard = fresh(t.second_marginal);
  t.second_fresh = fresh(t.second);
  const FamilyCounts nothing(table.rows, table.levels);
  for (std::size_t r = 0; r < table.rows; ++r)
    t.row_fresh.push_back(
        log_add_exp(log_predictive_row(nothing, table, 1, r),
                    log_predictive_row(nothing, table, 1 / double(table.levels), r)) -
        std::log(2.0));
  return t;
}

}  // namespace

PairCounts PairCounts::of(std::span<const FamilyCounts> joint) {
  PairCounts counts;
  for (const FamilyCounts& table : joint) {
    counts.told[0].push_back(told_from(table));
    counts.told[1].push_back(told_from(transposed(table)));
    const PairTable &x = counts.told[0].back(), &y = counts.told[1].back();
    counts.both_fresh.push_back(
        log_add_exp(x.first_fresh + x.second_fresh, y.first_fresh + y.second_fresh) -
        std::log(2.0));
  }
  return counts;
}

std::vector<FamilyCounts> joint_counts(const Dataset& data) {
  std::vector<FamilyCounts> joint;
  for (const Environment& e : data.environments)
    joint.push_back(count(data, {VariableId(1), {VariableId(0)}}, e.begin, e.end));
  return joint;
}

PairCounts PairCounts::of(const Dataset& data) { return of(joint_counts(data)); }

std::array<double, 4> cell_weights(std::size_t levels_x, std::size_t levels_y) {
  const double cells = double(levels_x) * double(levels_y);
  return {1 / cells, 1 / std::sqrt(cells), std::pow(cells, -0.25), 1.0};
}

CategoricalPair::CategoricalPair(const PairCounts& counts, Structure structure, double cell)
    : link_(structure != Structure::no_link),
      tables_(counts.told[structure == Structure::backward ? 1 : 0]),
      both_fresh_(counts.both_fresh),
      first_cell_(cell * double(tables_[0].second.levels)),
      second_cell_(link_ ? cell : cell * double(tables_[0].second.rows)) {}

double CategoricalPair::first_pooled(const Pool& pool, std::size_t e) const {
  return log_predictive(pool, tables_[e].first, first_cell_);
}

std::pair<double, double> CategoricalPair::second_pooled(const Pool& pool, std::size_t e) const {
  const FamilyCounts& seen = second(e);
  if (!link_) return {log_predictive(pool, seen, second_cell_), -INFINITY};
  double total = 0, examples = 0;
  std::vector<double> terms;
  for (std::size_t r = 0; r < seen.rows; ++r) {
    const double rows = tables_[e].first.cells[r];
    if (rows == 0) continue;
    const double pooled = log_predictive_row(pool, seen, second_cell_, r);
    terms.push_back(std::log(rows) + tables_[e].row_fresh[r] - pooled);
    total += pooled;
    examples += rows;
  }
  return {total, total + log_sum_exp(terms) - std::log(examples)};
}

PairMoments PairMoments::of(const Dataset& data) {
  PairMoments result;
  const auto d0 = std::size_t(data.variables[0].dimension);
  const auto d1 = std::size_t(data.variables[1].dimension);
  const std::size_t d = d0 + d1;
  result.dimension = {d0, d1};
  const auto value = [&](std::size_t row, std::size_t k) {
    return k < d0 ? data.columns[0].values[row * d0 + k]
                  : data.columns[1].values[row * d1 + k - d0];
  };
  // Units: each coordinate is centred on the mean of the largest environment and divided by the
  // pooled standard deviation within environments.
  const auto largest = std::max_element(
      data.environments.begin(), data.environments.end(),
      [](const Environment& a, const Environment& b) { return a.rows() < b.rows(); });
  std::vector<double> centre(d, 0.0), scale(d, 0.0);
  for (std::size_t k = 0; k < d; ++k) {
    double squares = 0, freedom = 0;
    for (const Environment& e : data.environments) {
      double mean = 0;
      for (std::size_t r = e.begin; r < e.end; ++r) mean += value(r, k) / double(e.rows());
      for (std::size_t r = e.begin; r < e.end; ++r)
        squares += (value(r, k) - mean) * (value(r, k) - mean);
      freedom += double(e.rows()) - 1;
      if (&e == &*largest) centre[k] = mean;
    }
    scale[k] = squares > 0 ? std::sqrt(squares / std::max(freedom, 1.0)) : 1;
  }
  std::vector<double> row(d);
  for (const Environment& e : data.environments) {
    Moments moments(d);
    for (std::size_t r = e.begin; r < e.end; ++r) {
      for (std::size_t k = 0; k < d; ++k) row[k] = (value(r, k) - centre[k]) / scale[k];
      moments.add_row(row);
    }
    result.environments.push_back(std::move(moments));
  }
  return result;
}

namespace {

double mean_of(std::initializer_list<double> logs) {
  return log_mean_exp(std::vector<double>(logs));
}

/// A mechanism whose offset and noise are new and whose slope is that of all environments: cheap to
/// learn in many dimensions, where a new slope is not.
class KeptSlope {
 public:
  /// `forward`: of Y on X.
  KeptSlope(const PairMoments& moments, bool forward)
      : begin_(forward ? moments.dimension[0] : 0),
        end_(forward ? moments.dimension[0] + moments.dimension[1] : moments.dimension[0]),
        slope_(within_slope(moments.environments, begin_, end_)) {}

  double second(const Moments& rows, const GaussianPrior& prior) const {
    const Moments rest = residual_moments(rows, slope_, begin_, end_);
    return log_marginal_likelihood(rest, 0, rest.dimension, prior);
  }

 private:
  std::size_t begin_, end_;
  std::vector<double> slope_;
};

}  // namespace

GaussianPairModel::GaussianPairModel(const PairMoments& moments, Structure structure, double scale)
    : moments_(moments), structure_(structure) {
  prior_.scale = scale;
  GaussianPrior alone = prior_;  // a marginal of its own knows less about where it is
  alone.mean_weight = 0.01;
  const std::size_t d0 = moments.dimension[0], d = d0 + moments.dimension[1];
  const KeptSlope forward(moments, true), backward(moments, false);
  const bool turned = structure == Structure::backward, link = structure != Structure::no_link;
  for (const Moments& m : moments.environments) {
    first_fresh_.push_back(first(m));
    second_fresh_.push_back(
        link ? mean_of({second(m), (turned ? backward : forward).second(m, prior_)}) : second(m));
    second_hard_.push_back(structure == Structure::backward
                               ? log_marginal_likelihood(m, 0, d0, alone)
                               : log_marginal_likelihood(m, d0, d, alone));
    // Everything new: the joint, or either mechanism's place and spread with its slope kept.
    both_fresh_.push_back(
        !link ? first_fresh_.back() + second_fresh_.back()
              : mean_of({log_marginal_likelihood(m, 0, d, prior_),
                         log_marginal_likelihood(m, 0, d0, prior_) + forward.second(m, prior_),
                         log_marginal_likelihood(m, d0, d, prior_) + backward.second(m, prior_)}));
  }
}

double GaussianPairModel::first(const Moments& m) const {
  const std::size_t d0 = moments_.dimension[0];
  return structure_ == Structure::backward ? log_marginal_likelihood(m, d0, m.dimension, prior_)
                                           : log_marginal_likelihood(m, 0, d0, prior_);
}

double GaussianPairModel::second(const Moments& m) const {
  const std::size_t d0 = moments_.dimension[0];
  switch (structure_) {
    case Structure::forward: return log_conditional_likelihood(m, d0, m.dimension, prior_);
    case Structure::backward: return log_conditional_likelihood(m, 0, d0, prior_);
    case Structure::no_link: break;
  }
  return log_marginal_likelihood(m, d0, m.dimension, prior_);
}

double GaussianPairModel::first_pooled(const Pool& pool, std::size_t e) const {
  Pool grown = pool;
  grown += moments_.environments[e];
  return first(grown) - first(pool);
}

std::pair<double, double> GaussianPairModel::second_pooled(const Pool& pool, std::size_t e) const {
  Pool grown = pool;
  grown += moments_.environments[e];
  return {second(grown) - second(pool), -INFINITY};
}

}  // namespace whence
