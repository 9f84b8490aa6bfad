#include "whence/evidence/label_evidence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include <Eigen/Dense>

#include "whence/evidence/conjugate_table.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

namespace {

using Size = Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Mid-ranks scaled into (0, 1).
VectorXd unit_ranks(const std::vector<double>& x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  VectorXd ranks(Size(x.size()));
  for (std::size_t i = 0; i < order.size();) {
    std::size_t j = i;
    while (j < order.size() && x[order[j]] == x[order[i]]) ++j;
    for (std::size_t k = i; k < j; ++k)
      ranks[Size(order[k])] = (double(i) + double(j)) / 2 / double(x.size());
    i = j;
  }
  return ranks;
}

/// A variable as columns of smooth features, each with the prior scale of its coefficient.
struct Features {
  MatrixXd columns;
  VectorXd scale;
};

constexpr int waves = 6;  // cosines per real coordinate: coarse enough for a hundred rows

Features features(const Dataset& data, VariableId v, std::span<const std::size_t> rows) {
  const Variable& variable = data.variables[v.value];
  const Column& column = data.columns[v.value];
  const auto n = Size(rows.size());
  if (variable.kind == Variable::Kind::categorical) {
    Features f{MatrixXd::Zero(n, variable.levels), VectorXd::Constant(variable.levels, 1.0)};
    for (Size i = 0; i < n; ++i) f.columns(i, column.levels[rows[std::size_t(i)]]) = 1;
    return f;
  }
  const int d = variable.dimension, each = d == 1 ? waves : 2;
  Features f{MatrixXd(n, d * each), VectorXd(d * each)};
  std::vector<double> x(rows.size());
  for (int k = 0; k < d; ++k) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      x[i] = column.values[rows[i] * std::size_t(d) + std::size_t(k)];
    const VectorXd ranks = unit_ranks(x);
    for (int w = 1; w <= each; ++w) {
      f.columns.col(k * each + w - 1) =
          std::numbers::sqrt2 * (std::numbers::pi * w * ranks.array()).cos();
      f.scale[k * each + w - 1] = 1.0 / w;
    }
  }
  return f;
}

/// Both variables: their own features and all products.
Features joined(const Features& a, const Features& b) {
  const Size p = a.columns.cols(), q = b.columns.cols();
  Features f{MatrixXd(a.columns.rows(), p + q + p * q), VectorXd(p + q + p * q)};
  f.columns << a.columns, b.columns, MatrixXd(a.columns.rows(), p * q);
  f.scale << a.scale, b.scale, VectorXd(p * q);
  for (Size i = 0; i < p; ++i)
    for (Size j = 0; j < q; ++j) {
      f.columns.col(p + q + i * q + j) = a.columns.col(i).cwiseProduct(b.columns.col(j));
      f.scale[p + q + i * q + j] = a.scale[i] * b.scale[j];
    }
  return f;
}

double log_likelihood(const VectorXd& score, const VectorXd& label) {
  // log sigmoid of +-score, without overflow.
  const Eigen::ArrayXd s = score.array();
  return (label.array() * s - s.max(0.0) - ((-s.abs()).exp() + 1).log()).sum();
}

/// A fitted logistic model: its evidence, and how far the two groups of rows overlap in what it
/// sees: 1 where labels cannot be guessed, 0 where they are certain.
struct Fit {
  double log_evidence = 0, overlap = 1;
};

/// Laplace's log-evidence of logistic regression with an intercept and coefficients N(0, (width
/// scale)^2).
Fit fit_labels(const MatrixXd& columns, const VectorXd& scale, double width,
               const VectorXd& label) {
  const Size n = columns.rows(), p = columns.cols();
  // Whitened coefficients: columns carry the prior scale, every coefficient is N(0, 1).
  MatrixXd x(n, p + 1);
  constexpr double intercept_width = 3;
  x.col(0).setConstant(intercept_width);
  if (p > 0) x.rightCols(p) = columns * (width * scale).asDiagonal();
  VectorXd w = VectorXd::Zero(p + 1);
  const double share = label.mean();
  w[0] = std::log(share / (1 - share)) / intercept_width;
  VectorXd score = x * w;
  double value = log_likelihood(score, label) - 0.5 * w.squaredNorm();
  Eigen::LLT<MatrixXd> curvature;
  for (int iteration = 0; iteration < 100; ++iteration) {
    const Eigen::ArrayXd probability = 1 / (1 + (-score.array()).exp());
    const VectorXd gradient = x.transpose() * (label.array() - probability).matrix() - w;
    const VectorXd weight = (probability * (1 - probability)).sqrt().matrix();
    const MatrixXd weighted = weight.asDiagonal() * x;
    MatrixXd hessian = MatrixXd::Identity(p + 1, p + 1);
    hessian.selfadjointView<Eigen::Lower>().rankUpdate(weighted.transpose());
    curvature.compute(hessian.selfadjointView<Eigen::Lower>());
    const VectorXd step = curvature.solve(gradient);
    // Concave, but a full Newton step may overshoot: halve it until it climbs.
    double rate = 1, next = -INFINITY;
    VectorXd tried;
    for (int halvings = 0; halvings < 30; ++halvings, rate /= 2) {
      tried = score + rate * (x * step);
      next = log_likelihood(tried, label) - 0.5 * (w + rate * step).squaredNorm();
      if (next >= value) break;
    }
    if (next < value) break;
    const double gain = next - value;
    w += rate * step;
    score = tried;
    value = next;
    if (gain < 1e-10) break;
  }
  const double log_det = 2 * curvature.matrixLLT().diagonal().array().log().sum();
  const Eigen::ArrayXd probability = 1 / (1 + (-score.array()).exp());
  const double unsure = (probability * (1 - probability)).mean();
  return {value - 0.5 * log_det, std::min(1.0, unsure / (share * (1 - share)))};
}

/// Averaged over how wide the coefficients may be; relative to labels that depend on nothing.
Fit gain(const Features& f, const VectorXd& label) {
  constexpr std::array widths = {0.3, 1.0, 3.0};
  const double nothing = fit_labels(MatrixXd(label.size(), 0), VectorXd(0), 1, label).log_evidence;
  std::vector<double> each;
  Fit best{-INFINITY, 1};
  for (double width : widths) {
    const Fit fit = fit_labels(f.columns, f.scale, width, label);
    each.push_back(fit.log_evidence);
    if (fit.log_evidence > best.log_evidence) best = fit;
  }
  return {log_mean_exp(each) - nothing, best.overlap};
}

/// That seeing both adds nothing to seeing one speaks for an unchanged mechanism, but only as far
/// as rows of both groups were there to compare: where one variable tells the groups apart, nothing
/// is learnt about the other one given it, beyond what it shows by itself.
double with_overlap(double both, const Fit& one, const Fit& other) {
  const double lack = std::min(0.0, both - one.log_evidence);
  const double counted = std::min(std::sqrt(one.overlap) * lack, std::min(0.0, other.log_evidence));
  return std::max(both, one.log_evidence + counted);
}

}  // namespace

LabelEvidence label_evidence(const Dataset& data, std::size_t environment,
                             std::span<const std::size_t> reference) {
  std::vector<std::size_t> rows;
  const auto append = [&](std::size_t e) {
    for (std::size_t r = data.environments[e].begin; r < data.environments[e].end; ++r)
      rows.push_back(r);
  };
  append(environment);
  const auto ours = Size(rows.size());
  for (std::size_t e : reference) append(e);
  VectorXd label = VectorXd::Zero(Size(rows.size()));
  label.head(ours).setOnes();
  const Features u = features(data, VariableId(0), rows), v = features(data, VariableId(1), rows);
  const Features both = joined(u, v);
  const Size alone = u.columns.cols() + v.columns.cols();
  const Features apart{both.columns.leftCols(alone), both.scale.head(alone)};
  const Fit by_u = gain(u, label), by_v = gain(v, label);
  const auto of_both = [&](const Features& f) {
    const double found = gain(f, label).log_evidence;
    return std::max(with_overlap(found, by_u, by_v), with_overlap(found, by_v, by_u));
  };
  return {by_u.log_evidence, by_v.log_evidence, of_both(both), of_both(apart)};
}

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
    const VectorXd ranks = unit_ranks(x);
    for (std::size_t i = 0; i < x.size(); ++i)
      level[e.begin + i] = std::min(bins - 1, std::size_t(ranks[Size(i)] * double(bins)));
  }
  return level;
}

std::size_t coarse_count(const Variable& variable) {
  return variable.kind == Variable::Kind::categorical ? std::size_t(variable.levels) : bins;
}

using Levels = std::span<const std::size_t>;

/// Dependent against independent, averaged over how smooth the table is.
double table_dependence(Levels u, std::size_t levels_u, Levels v, std::size_t levels_v) {
  FamilyCounts joint(1, levels_u * levels_v), marginal_u(1, levels_u), marginal_v(1, levels_v);
  for (std::size_t r = 0; r < u.size(); ++r) {
    joint.cells[u[r] * levels_v + v[r]] += 1;
    marginal_u.cells[u[r]] += 1;
    marginal_v.cells[v[r]] += 1;
  }
  std::vector<double> each;
  for (double alpha : {1.0 / std::sqrt(double(levels_u * levels_v)), 1.0})
    each.push_back(log_marginal_likelihood(joint, alpha) -
                   (log_marginal_likelihood(marginal_u, alpha * double(levels_v)) +
                    log_marginal_likelihood(marginal_v, alpha * double(levels_u))));
  return log_mean_exp(each);
}

/// Of one coordinate of each: the same dependence everywhere, or each environment with its own.
double coordinate_dependence(const Dataset& data, std::size_t i, std::size_t j) {
  const auto u = coarse_levels(data, 0, i), v = coarse_levels(data, 1, j);
  const std::size_t levels_u = coarse_count(data.variables[0]);
  const std::size_t levels_v = coarse_count(data.variables[1]);
  double own = 0;
  for (const Environment& e : data.environments) {
    const double here = table_dependence(Levels(u).subspan(e.begin, e.rows()), levels_u,
                                         Levels(v).subspan(e.begin, e.rows()), levels_v);
    own += log_add_exp(0, here) - std::log(2.0);
  }
  return log_add_exp(table_dependence(u, levels_u, v, levels_v), own) - std::log(2.0);
}

std::size_t coordinates(const Variable& variable) {
  return variable.kind == Variable::Kind::categorical ? 1 : std::size_t(variable.dimension);
}

}  // namespace

double dependence_evidence(const Dataset& data) {
  // Vectors: any pair of coordinates may be the one that depends.
  std::vector<double> pairs;
  for (std::size_t i = 0; i < coordinates(data.variables[0]); ++i)
    for (std::size_t j = 0; j < coordinates(data.variables[1]); ++j)
      pairs.push_back(coordinate_dependence(data, i, j));
  return log_mean_exp(pairs);
}

}  // namespace whence
