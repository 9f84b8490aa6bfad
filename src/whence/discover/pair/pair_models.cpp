#include "whence/discover/pair/pair_models.hpp"

#include <algorithm>
#include <cmath>

#include "whence/backends/threads.hpp"
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

/// Tables that nothing is known about: dense or sparse ones.
class FreshTable {
 public:
  FreshTable(std::size_t rows, std::size_t levels)
      : dense_(rows, levels, 1), sparse_(rows, levels, 1 / double(levels)) {}

  /// log P(seen); `rows` gets that of each touched row, were it new alone.
  double operator()(const Tally& seen, std::vector<double>* rows = nullptr) const {
    const auto dense = score(dense_, seen).rows, sparse = score(sparse_, seen).rows;
    const auto either = [](double a, double b) { return log_add_exp(a, b) - std::log(2.0); };
    double all_dense = 0, all_sparse = 0;
    for (std::size_t r = 0; r < dense.size(); ++r) {
      all_dense += dense[r];
      all_sparse += sparse[r];
      if (rows) rows->push_back(either(dense[r], sparse[r]));
    }
    return either(all_dense, all_sparse);
  }

 private:
  LearntTable dense_, sparse_;
};

PairTable told_from(const FamilyCounts& table, const FreshTable& fresh_first,
                    const FreshTable& fresh_second, const FreshTable& fresh_marginal) {
  PairTable t;
  t.second = table;
  const FamilyCounts first = row_sums(table);
  t.first = Tally(first);
  t.second_marginal = Tally(row_sums(transposed(table)));
  t.by_first = Tally(table);
  t.first_fresh = fresh_first(t.first);
  t.second_hard = fresh_marginal(t.second_marginal);
  t.second_fresh = fresh_second(t.by_first, &t.row_fresh);
  const double examples = t.first.count.empty() ? 0 : t.first.count.back();
  for (const Tally::Row& row : t.by_first.rows)
    t.log_share.push_back(std::log(first.cells[row.row]) - std::log(examples));
  return t;
}

}  // namespace

PairCounts PairCounts::of(std::span<const FamilyCounts> joint, int threads) {
  PairCounts counts;
  if (joint.empty()) return counts;
  const std::size_t x = joint[0].rows, y = joint[0].levels;
  const FreshTable x_alone(1, x), y_alone(1, y), y_of_x(x, y), x_of_y(y, x);
  for (auto& told : counts.told) told.resize(joint.size());
  counts.both_fresh.resize(joint.size());
  parallel_for(joint.size(), threads, [&](std::size_t e) {
    PairTable &from_x = counts.told[0][e], &from_y = counts.told[1][e];
    from_x = told_from(joint[e], x_alone, y_of_x, y_alone);
    from_y = told_from(transposed(joint[e]), y_alone, x_of_y, x_alone);
    counts.both_fresh[e] = log_add_exp(from_x.first_fresh + from_x.second_fresh,
                                       from_y.first_fresh + from_y.second_fresh) -
                           std::log(2.0);
  });
  return counts;
}

std::vector<FamilyCounts> joint_counts(const Dataset& data, int threads,
                                       std::span<const double> share) {
  std::vector<FamilyCounts> joint(data.environments.size());
  parallel_for(joint.size(), threads, [&](std::size_t e) {
    const Environment& rows = data.environments[e];
    joint[e] = count(data, {VariableId(1), {VariableId(0)}}, rows.begin, rows.end);
    if (!share.empty())
      for (double& cell : joint[e].cells) cell *= share[e];
  });
  return joint;
}

PairCounts PairCounts::of(const Dataset& data, int threads, std::span<const double> share) {
  return of(joint_counts(data, threads, share), threads);
}

std::array<double, 4> cell_weights(std::size_t levels_x, std::size_t levels_y) {
  const double cells = double(levels_x) * double(levels_y);
  return {1 / cells, 1 / std::sqrt(cells), std::pow(cells, -0.25), 1.0};
}

CategoricalPair::CategoricalPair(const PairCounts& counts, Structure structure, double cell)
    : link_(structure != Structure::no_link),
      tables_(counts.told[structure == Structure::backward ? 1 : 0]),
      both_fresh_(counts.both_fresh),
      shape_(tables_[0].second),
      first_cell_(cell * double(shape_.levels)),
      second_cell_(link_ ? cell : cell * double(shape_.rows)) {}

CategoricalPair::Growth CategoricalPair::first_pooled(const Pool& pool, std::size_t e) const {
  Growth growth;
  growth.scored = score(pool, tables_[e].first);
  for (double row : growth.scored.rows) growth.pooled += row;
  return growth;
}

CategoricalPair::Growth CategoricalPair::second_pooled(const Pool& pool, std::size_t e) const {
  Growth growth;
  growth.scored = score(pool, second(e));
  std::vector<double> terms;
  for (std::size_t r = 0; r < growth.scored.rows.size(); ++r) {
    const double pooled = growth.scored.rows[r];
    growth.pooled += pooled;
    if (link_) terms.push_back(tables_[e].log_share[r] + tables_[e].row_fresh[r] - pooled);
  }
  if (link_) growth.row = growth.pooled + log_sum_exp(terms);
  return growth;
}

PairMoments PairMoments::of(const Dataset& data, std::span<const double> share) {
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
    if (!share.empty()) {
      const double worth = share[result.environments.size()];
      moments.n *= worth;
      for (double& x : moments.sum) x *= worth;
      for (double& x : moments.squares) x *= worth;
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

GaussianPairModel::GaussianPairModel(const PairMoments& moments, Structure structure, double scale,
                                     bool noise_only)
    : moments_(moments), structure_(structure) {
  prior_.scale = scale;
  GaussianPrior alone = prior_;  // a marginal of its own knows less about where it is
  alone.mean_weight = 0.01;
  const std::size_t d0 = moments.dimension[0], d = d0 + moments.dimension[1];
  const KeptSlope forward(moments, true), backward(moments, false);
  const bool turned = structure == Structure::backward, link = structure != Structure::no_link;
  for (const Moments& m : moments.environments) {
    first_fresh_.push_back(first(m));
    const auto& kept = turned ? backward : forward;
    // The same weight as among the two ways in which a mechanism may change.
    second_fresh_.push_back(noise_only ? kept.second(m, prior_) - std::log(2.0)
                            : link     ? mean_of({second(m), kept.second(m, prior_)})
                                       : second(m));
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

GaussianPairModel::Pool GaussianPairModel::pool_of(Score score) const {
  Pool pool{Moments(moments_.environments[0].dimension), 0};
  pool.log_lik = (this->*score)(pool.moments);
  return pool;
}

GaussianPairModel::Growth GaussianPairModel::grown(const Pool& pool, std::size_t e,
                                                   Score score) const {
  Growth growth;
  growth.grown.moments = pool.moments;
  growth.grown.moments += moments_.environments[e];
  growth.grown.log_lik = (this->*score)(growth.grown.moments);
  growth.pooled = growth.grown.log_lik - pool.log_lik;
  return growth;
}

}  // namespace whence
