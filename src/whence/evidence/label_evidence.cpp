#include "whence/evidence/label_evidence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include <Eigen/Dense>

#include "whence/core/error.hpp"
#include "whence/core/row_order.hpp"
#include "whence/core/text.hpp"
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

/// Rows that look alike count as one: how many they are, and how many of them are of the
/// environment in question.
struct Labels {
  VectorXd total, ones;
  double share() const { return ones.sum() / total.sum(); }
};

double log_likelihood(const VectorXd& score, const Labels& labels) {
  // log sigmoid of +-score, without overflow.
  const Eigen::ArrayXd s = score.array();
  return (labels.ones.array() * s - labels.total.array() * s.max(0.0) -
          labels.total.array() * ((-s.abs()).exp() + 1).log())
      .sum();
}

/// A fitted logistic model: its evidence, and how far the two groups of rows overlap in what it
/// sees: 1 where labels cannot be guessed, 0 where they are certain.
struct Fit {
  double log_evidence = 0, overlap = 1;
};

constexpr double intercept_width = 3;
constexpr int most_steps = 100, most_halvings = 30;
constexpr double enough_gain = 1e-10;

Fit finished(double value, double log_det, const VectorXd& score, const Labels& labels) {
  const Eigen::ArrayXd probability = 1 / (1 + (-score.array()).exp());
  const double share = labels.share();
  const double unsure =
      (labels.total.array() * (probability * (1 - probability))).sum() / labels.total.sum();
  return {value - 0.5 * log_det, std::min(1.0, unsure / (share * (1 - share)))};
}

/// Laplace's log-evidence of logistic regression with an intercept and coefficients N(0, (width
/// scale)^2).
Fit fit_coefficients(const MatrixXd& columns, const VectorXd& scale, double width,
                     const Labels& labels) {
  const Size n = columns.rows(), p = columns.cols();
  // Whitened coefficients: columns carry the prior scale, every coefficient is N(0, 1).
  MatrixXd x(n, p + 1);
  x.col(0).setConstant(intercept_width);
  if (p > 0) x.rightCols(p) = columns * (width * scale).asDiagonal();
  VectorXd w = VectorXd::Zero(p + 1);
  const double share = labels.share();
  w[0] = std::log(share / (1 - share)) / intercept_width;
  VectorXd score = x * w;
  double value = log_likelihood(score, labels) - 0.5 * w.squaredNorm();
  Eigen::LLT<MatrixXd> curvature;
  for (int iteration = 0; iteration < most_steps; ++iteration) {
    const Eigen::ArrayXd probability = 1 / (1 + (-score.array()).exp());
    const VectorXd gradient =
        x.transpose() * (labels.ones.array() - labels.total.array() * probability).matrix() - w;
    const VectorXd weight =
        (labels.total.array() * (probability * (1 - probability))).sqrt().matrix();
    const MatrixXd weighted = weight.asDiagonal() * x;
    MatrixXd hessian = MatrixXd::Identity(p + 1, p + 1);
    hessian.selfadjointView<Eigen::Lower>().rankUpdate(weighted.transpose());
    curvature.compute(hessian.selfadjointView<Eigen::Lower>());
    const VectorXd step = curvature.solve(gradient);
    // Concave, but a full Newton step may overshoot: halve it until it climbs.
    double rate = 1, next = -INFINITY;
    VectorXd tried;
    for (int halvings = 0; halvings < most_halvings; ++halvings, rate /= 2) {
      tried = score + rate * (x * step);
      next = log_likelihood(tried, labels) - 0.5 * (w + rate * step).squaredNorm();
      if (next >= value) break;
    }
    if (next < value) break;
    const double gain = next - value;
    w += rate * step;
    score = tried;
    value = next;
    if (gain < enough_gain) break;
  }
  const double log_det = 2 * curvature.matrixLLT().diagonal().array().log().sum();
  return finished(value, log_det, score, labels);
}

/// The same evidence where there are more coefficients than rows: by the rows' inner products K
/// under the prior, scores K a. As many unknowns as there are rows.
Fit fit_rows(const MatrixXd& products, double width, const Labels& labels) {
  const Size n = products.rows();
  MatrixXd k = width * width * products;
  k.array() += intercept_width * intercept_width;
  VectorXd a = VectorXd::Zero(n), score = VectorXd::Zero(n);
  double value = log_likelihood(score, labels);
  Eigen::LLT<MatrixXd> curvature;
  for (int iteration = 0; iteration < most_steps; ++iteration) {
    const Eigen::ArrayXd probability = 1 / (1 + (-score.array()).exp());
    const VectorXd weight = (labels.total.array() * (probability * (1 - probability))).matrix();
    const VectorXd root = weight.cwiseSqrt();
    MatrixXd inner = root.asDiagonal() * k * root.asDiagonal();
    inner.diagonal().array() += 1;
    curvature.compute(inner);
    const VectorXd target = weight.cwiseProduct(score) +
                            (labels.ones.array() - labels.total.array() * probability).matrix();
    const VectorXd solved = curvature.solve(root.cwiseProduct(k * target));
    const VectorXd step = target - root.cwiseProduct(solved) - a;
    const VectorXd score_step = k * step;
    double rate = 1, next = -INFINITY;
    for (int halvings = 0; halvings < most_halvings; ++halvings, rate /= 2) {
      const VectorXd tried = score + rate * score_step;
      next = log_likelihood(tried, labels) - 0.5 * (a + rate * step).dot(tried);
      if (next >= value) break;
    }
    if (next < value) break;
    const double gain = next - value;
    a += rate * step;
    score += rate * score_step;
    value = next;
    if (gain < enough_gain) break;
  }
  const double log_det = 2 * curvature.matrixLLT().diagonal().array().log().sum();
  return finished(value, log_det, score, labels);
}

/// Averaged over how wide the coefficients may be; relative to labels that depend on nothing.
template <class FitOfWidth>
Fit gain(const FitOfWidth& fit_of, const Labels& labels) {
  constexpr std::array widths = {0.3, 1.0, 3.0};
  const MatrixXd no_columns(labels.total.size(), 0);
  const double nothing = fit_coefficients(no_columns, VectorXd(0), 1, labels).log_evidence;
  std::vector<double> each;
  Fit best{-INFINITY, 1};
  for (double width : widths) {
    const Fit fit = fit_of(width);
    each.push_back(fit.log_evidence);
    if (fit.log_evidence > best.log_evidence) best = fit;
  }
  return {log_mean_exp(each) - nothing, best.overlap};
}

Fit gain_of_columns(const Features& f, const Labels& labels) {
  return gain([&](double width) { return fit_coefficients(f.columns, f.scale, width, labels); },
              labels);
}

Fit gain_of_products(const MatrixXd& products, const Labels& labels) {
  return gain([&](double width) { return fit_rows(products, width, labels); }, labels);
}

MatrixXd products_of(const Features& f) {
  const MatrixXd scaled = f.columns * f.scale.asDiagonal();
  return scaled * scaled.transpose();
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

namespace {

/// Rows of the environment, then of those it is compared with.
std::vector<std::size_t> rows_of(const Dataset& data, std::size_t environment,
                                 std::span<const std::size_t> reference) {
  std::vector<std::size_t> rows;
  const auto append = [&](std::size_t e) {
    for (std::size_t r = data.environments[e].begin; r < data.environments[e].end; ++r)
      rows.push_back(r);
  };
  append(environment);
  for (std::size_t e : reference) append(e);
  return rows;
}

/// One of each kind of row, and how many there are.
struct DistinctRows {
  std::vector<std::size_t> place;  // in the list of rows
  Labels labels;
};

DistinctRows distinct(const Dataset& data, std::span<const std::size_t> rows, std::size_t ours) {
  constexpr std::array<std::size_t, 2> both = {0, 1};
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const int way = compare_rows(data, both, rows[a], rows[b]);
    return way != 0 ? way < 0 : a < b;
  });
  DistinctRows out;
  std::vector<double> total, ones;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || compare_rows(data, both, rows[order[i - 1]], rows[order[i]]) != 0) {
      out.place.push_back(order[i]);
      total.push_back(0);
      ones.push_back(0);
    }
    total.back() += 1;
    ones.back() += order[i] < ours;
  }
  out.labels = {Eigen::Map<VectorXd>(total.data(), Size(total.size())),
                Eigen::Map<VectorXd>(ones.data(), Size(ones.size()))};
  return out;
}

std::size_t feature_count(const Variable& variable) {
  if (variable.kind == Variable::Kind::categorical) return std::size_t(variable.levels);
  return variable.dimension == 1 ? std::size_t(waves) : 2 * std::size_t(variable.dimension);
}

Features at_places(const Features& f, std::span<const std::size_t> places) {
  Features out{MatrixXd(Size(places.size()), f.columns.cols()), f.scale};
  for (std::size_t i = 0; i < places.size(); ++i)
    out.columns.row(Size(i)) = f.columns.row(Size(places[i]));
  return out;
}

/// The four gains that label evidence is made of, however they are computed.
LabelEvidence evidence_of(const Fit& u, const Fit& v, const Fit& both, const Fit& apart) {
  const auto joint = [&](const Fit& found) {
    return std::max(with_overlap(found.log_evidence, u, v), with_overlap(found.log_evidence, v, u));
  };
  return {u.log_evidence, v.log_evidence, joint(both), joint(apart)};
}

/// More coefficients than rows: everything from inner products of rows. Products of features need
/// not be written out: their inner products are the products of those of the features.
LabelEvidence evidence_by_rows(const Dataset& data, std::span<const std::size_t> rows,
                               const DistinctRows& kinds) {
  const auto products = [&](std::size_t v) {
    return products_of(at_places(features(data, VariableId(v), rows), kinds.place));
  };
  const MatrixXd u = products(0), v = products(1), apart = u + v;
  const MatrixXd both = apart + u.cwiseProduct(v);
  return evidence_of(gain_of_products(u, kinds.labels), gain_of_products(v, kinds.labels),
                     gain_of_products(both, kinds.labels), gain_of_products(apart, kinds.labels));
}

LabelEvidence evidence_by_columns(const Dataset& data, std::span<const std::size_t> rows,
                                  std::size_t ours) {
  const auto n = Size(rows.size());
  Labels labels{VectorXd::Ones(n), VectorXd::Zero(n)};
  labels.ones.head(Size(ours)).setOnes();
  const Features u = features(data, VariableId(0), rows), v = features(data, VariableId(1), rows);
  const Features both = joined(u, v);
  const Size alone = u.columns.cols() + v.columns.cols();
  const Features apart{both.columns.leftCols(alone), both.scale.head(alone)};
  return evidence_of(gain_of_columns(u, labels), gain_of_columns(v, labels),
                     gain_of_columns(both, labels), gain_of_columns(apart, labels));
}

constexpr double most_work = 4e9;  // products of numbers in one step of a fit: minutes, not hours
constexpr double matrices = 6;     // of rows by columns, or rows by rows, at a time

bool by_columns(std::size_t columns, std::size_t rows, std::size_t max_memory) {
  const double p = double(columns), n = double(rows);
  return columns <= rows && n * p * p <= most_work &&
         matrices * n * p * double(sizeof(double)) <= double(max_memory);
}

}  // namespace

LabelEvidence label_evidence(const Dataset& data, std::size_t environment,
                             std::span<const std::size_t> reference, std::size_t max_memory) {
  const auto rows = rows_of(data, environment, reference);
  const std::size_t ours = data.environments[environment].rows();
  const std::size_t p = feature_count(data.variables[0]), q = feature_count(data.variables[1]);
  const std::size_t columns = p + q + p * q;
  if (by_columns(columns, rows.size(), max_memory)) return evidence_by_columns(data, rows, ours);
  const DistinctRows kinds = distinct(data, rows, ours);
  const std::size_t n = kinds.place.size();
  const double work = double(n) * double(n) * double(n);
  // Features are made of all rows, then one of each kind is kept.
  const double bytes =
      (matrices * double(n) * double(n) + 2 * double(rows.size()) * double(std::max(p, q))) *
      double(sizeof(double));
  if (work > most_work || bytes > double(max_memory))
    throw Error(ExitCode::resource, "E-LIMIT-LEVELS", "",
                "environment \"" + excerpt(data.environments[environment].name) + "\" has " +
                    std::to_string(n) + " different rows, and telling them from others takes " +
                    std::to_string(columns) +
                    " coefficients: more than can be fitted in reasonable time and memory",
                "group rare values, round numbers, or leave out what identifies a row");
  return evidence_by_rows(data, rows, kinds);
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
double coordinate_dependence(const Dataset& data, Levels u, Levels v) {
  const std::size_t levels_u = coarse_count(data.variables[0]);
  const std::size_t levels_v = coarse_count(data.variables[1]);
  double own = 0;
  for (const Environment& e : data.environments) {
    const double here = table_dependence(u.subspan(e.begin, e.rows()), levels_u,
                                         v.subspan(e.begin, e.rows()), levels_v);
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
  std::vector<std::vector<std::size_t>> second;
  for (std::size_t j = 0; j < coordinates(data.variables[1]); ++j)
    second.push_back(coarse_levels(data, 1, j));
  std::vector<double> pairs;
  for (std::size_t i = 0; i < coordinates(data.variables[0]); ++i) {
    const auto first = coarse_levels(data, 0, i);
    for (const auto& levels : second) pairs.push_back(coordinate_dependence(data, first, levels));
  }
  return log_mean_exp(pairs);
}

}  // namespace whence
