#include "whence/evidence/labels/label_evidence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include <Eigen/Dense>

#include "whence/core/error.hpp"
#include "whence/core/row_order.hpp"
#include "whence/core/text.hpp"
#include "whence/math/logspace.hpp"
#include "whence/math/ranks.hpp"

namespace whence {

namespace {

using Size = Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

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
    const std::vector<double> places = unit_ranks(x);
    const auto ranks = Eigen::Map<const VectorXd>(places.data(), n);
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

/// Rows of the environment, then of those it is compared with, and what each row is worth.
struct Compared {
  std::vector<std::size_t> rows;
  std::vector<double> worth;
  std::size_t ours = 0;

  Compared(const Dataset& data, std::size_t environment, std::span<const std::size_t> reference,
           std::span<const double> share) {
    const auto append = [&](std::size_t e) {
      for (std::size_t r = data.environments[e].begin; r < data.environments[e].end; ++r) {
        rows.push_back(r);
        worth.push_back(share.empty() ? 1.0 : share[e]);
      }
    };
    append(environment);
    ours = rows.size();
    for (std::size_t e : reference) append(e);
  }

  Labels labels() const {
    Labels out{VectorXd(Size(rows.size())), VectorXd::Zero(Size(rows.size()))};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out.total[Size(i)] = worth[i];
      if (i < ours) out.ones[Size(i)] = worth[i];
    }
    return out;
  }
};

/// One of each kind of row, and how many there are.
struct DistinctRows {
  std::vector<std::size_t> place;  // in the list of rows
  Labels labels;
};

DistinctRows distinct(const Dataset& data, const Compared& compared) {
  constexpr std::array<std::size_t, 2> both = {0, 1};
  const auto& rows = compared.rows;
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
    const double worth = compared.worth[order[i]];
    total.back() += worth;
    ones.back() += order[i] < compared.ours ? worth : 0;
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

LabelEvidence evidence_by_columns(const Dataset& data, const Compared& compared) {
  const auto& rows = compared.rows;
  const Labels labels = compared.labels();
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
                             std::span<const std::size_t> reference, std::size_t max_memory,
                             std::span<const double> share) {
  const Compared compared(data, environment, reference, share);
  const auto& rows = compared.rows;
  const std::size_t p = feature_count(data.variables[0]), q = feature_count(data.variables[1]);
  const std::size_t columns = p + q + p * q;
  if (by_columns(columns, rows.size(), max_memory)) return evidence_by_columns(data, compared);
  const DistinctRows kinds = distinct(data, compared);
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

/// Rows of one level look alike: they count together. The rarest levels are one.
double level_evidence(const Dataset& data, VariableId variable, const Compared& compared) {
  constexpr std::size_t most = 60;
  struct Level {
    double total = 0, ones = 0;
  };
  std::vector<Level> levels(std::size_t(data.variables[variable.value].levels));
  for (std::size_t i = 0; i < compared.rows.size(); ++i) {
    Level& level = levels[std::size_t(data.columns[variable.value].levels[compared.rows[i]])];
    level.total += compared.worth[i];
    if (i < compared.ours) level.ones += compared.worth[i];
  }
  std::erase_if(levels, [](const Level& level) { return level.total == 0; });
  std::stable_sort(levels.begin(), levels.end(),
                   [](const Level& a, const Level& b) { return a.total > b.total; });
  for (; levels.size() > most; levels.pop_back()) {
    levels[most - 1].total += levels.back().total;
    levels[most - 1].ones += levels.back().ones;
  }
  const auto n = Size(levels.size());
  Labels labels{VectorXd(n), VectorXd(n)};
  for (Size i = 0; i < n; ++i) {
    labels.total[i] = levels[std::size_t(i)].total;
    labels.ones[i] = levels[std::size_t(i)].ones;
  }
  const Features each{MatrixXd::Identity(n, n), VectorXd::Ones(n)};
  return gain_of_columns(each, labels).log_evidence;
}

}  // namespace

double law_evidence(const Dataset& data, VariableId variable, std::size_t environment,
                    std::span<const std::size_t> reference, std::span<const double> share) {
  const Compared compared(data, environment, reference, share);
  if (data.variables[variable.value].kind == Variable::Kind::categorical)
    return level_evidence(data, variable, compared);
  return gain_of_columns(features(data, variable, compared.rows), compared.labels()).log_evidence;
}

double marginal_difference(const Dataset& data, std::size_t environment,
                           std::span<const std::size_t> reference, std::span<const double> share) {
  return std::max(law_evidence(data, VariableId(0), environment, reference, share),
                  law_evidence(data, VariableId(1), environment, reference, share));
}

}  // namespace whence
