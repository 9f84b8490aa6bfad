#include "whence/evidence/labels/line_check.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "whence/evidence/labels/flexible_features.hpp"
#include "whence/evidence/labels/second_order.hpp"

namespace whence {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr std::size_t fewest_rows = 60, most_predictors = 6, check_waves = 24;
constexpr double matters = 0.01;  // nats per row
constexpr double clear = 4;       // standard errors
constexpr double freedom = 4;     // of Student's law, for both regressions

/// Rows of one half.
FeatureColumns half_of(const FeatureColumns& x, bool second) {
  const std::size_t first = x.rows() / 2, from = second ? first : 0;
  const std::size_t rows = second ? x.rows() - first : first;
  FeatureColumns part(rows, x.columns());
  for (std::size_t j = 0; j < x.columns(); ++j)
    std::copy_n(x.column(j) + from, rows, part.column(j));
  return part;
}

/// Ridge regression of a column on features. How much everything that is not linear is shrunk is
/// chosen by generalised cross-validation.
Vector ridge(const FeatureColumns& x, const FeatureColumns& target,
             const std::vector<float>& precision) {
  const auto q = Eigen::Index(x.columns());
  const double n = double(x.rows());
  Matrix gram(q, q);
  gram_matrix(x, nullptr, {gram.data(), std::size_t(q * q)});
  Vector cross(q), best;
  project(x, {target.column(0), target.stride()}, {cross.data(), std::size_t(q)});
  double total = 0, lowest = INFINITY;
  for (std::size_t r = 0; r < target.rows(); ++r)
    total += double(target.column(0)[r]) * double(target.column(0)[r]);
  for (double shrink : {1.0, 10.0, 100.0, 1000.0}) {
    Matrix h = gram;
    for (Eigen::Index j = 0; j < q; ++j) {
      const double p = precision[std::size_t(j)];
      h(j, j) += p < 0 ? -p : j == 0 ? p : p * shrink;
    }
    const Eigen::LLT<Matrix> factor(h);
    const Vector w = factor.solve(cross);
    const double used = factor.solve(gram).trace();
    const double left = std::max(1e-6, total - 2 * w.dot(cross) + w.dot(gram * w));
    const double error = left / std::pow(std::max(0.05, 1 - used / n), 2);
    if (error >= lowest) continue;
    lowest = error;
    best = w;
  }
  return best;
}

std::vector<double> predicted(const FeatureColumns& x, const Vector& w) {
  AlignedFloats score(x.stride());
  add_scores(x, {w.data(), std::size_t(w.size())}, 1, score);
  return {score.begin(), score.begin() + std::ptrdiff_t(x.rows())};
}

/// log-density of a residual under Student's law, up to a constant.
double log_density(double residual, double scale) {
  const double z = residual / scale;
  return -std::log(scale) - 0.5 * (freedom + 1) * std::log1p(z * z / freedom);
}

/// A regression with its scale, which may follow the predictors.
struct ScaledRegression {
  Vector mean, size;  // size: of the absolute residual
  double usual = 1;
};

ScaledRegression fit(const FeatureColumns& x, const FeatureColumns& y,
                     const std::vector<float>& precision, bool scale_varies,
                     std::size_t scale_features) {
  ScaledRegression result;
  result.mean = ridge(x, y, precision);
  const std::vector<double> mean = predicted(x, result.mean);
  FeatureColumns size(y.rows(), 1);
  double sum = 0;
  for (std::size_t r = 0; r < y.rows(); ++r) {
    size.column(0)[r] = float(std::abs(y.column(0)[r] - mean[r]));
    sum += size.column(0)[r];
  }
  result.usual = std::max(1e-3, sum / double(y.rows()));
  if (!scale_varies) return result;
  FeatureColumns simple(x.rows(), scale_features);
  for (std::size_t j = 0; j < scale_features; ++j)
    std::copy_n(x.column(j), x.rows(), simple.column(j));
  const Vector w = ridge(simple, size, std::vector<float>(scale_features, float(y.rows()) * 0.02F));
  result.size = Vector::Zero(Eigen::Index(x.columns()));
  result.size.head(w.size()) = w;
  return result;
}

std::vector<double> log_densities(const ScaledRegression& regression, const FeatureColumns& x,
                                  const FeatureColumns& y) {
  const std::vector<double> mean = predicted(x, regression.mean);
  const std::vector<double> size =
      regression.size.size() > 0 ? predicted(x, regression.size) : std::vector<double>();
  std::vector<double> list;
  for (std::size_t r = 0; r < y.rows(); ++r) {
    const double usual = regression.usual;
    const double scale = size.empty() ? usual : std::clamp(size[r], 0.3 * usual, 3 * usual);
    list.push_back(log_density(y.column(0)[r] - mean[r], scale));
  }
  return list;
}

/// The variables that predict best on their own, by any curve.
VariableSet best_predictors(const CodedColumns& columns, const FeatureColumns& codes,
                            std::size_t child, std::uint64_t seed) {
  const FlexibleFeatures features(columns, 0, seed);
  FeatureColumns y(codes.rows(), 1);
  std::copy_n(codes.column(columns.variable(child).first), codes.rows(), y.column(0));
  std::vector<std::pair<double, std::size_t>> errors;
  for (std::size_t v = 0; v < columns.variables(); ++v) {
    if (v == child) continue;
    const VariableSet one = VariableSet().with(v);
    const std::vector<float> precision = features.precisions(one);
    FeatureColumns x(codes.rows(), precision.size());
    features.fill(one, codes, x);
    const std::vector<double> mean = predicted(x, ridge(x, y, precision));
    double squares = 0;
    for (std::size_t r = 0; r < y.rows(); ++r) squares += std::pow(y.column(0)[r] - mean[r], 2);
    errors.emplace_back(squares, v);
  }
  std::sort(errors.begin(), errors.end());
  VariableSet set;
  for (std::size_t k = 0; k < std::min(errors.size(), most_predictors); ++k)
    set.insert(errors[k].second);
  return set;
}

}  // namespace

LineCheck check_line(const CodedColumns& columns, const FeatureColumns& codes, std::size_t child,
                     std::uint64_t seed) {
  LineCheck result;
  const CodedVariable& variable = columns.variable(child);
  const float* own = codes.column(variable.first);
  const bool constant = std::all_of(own, own + codes.rows(), [&](float x) { return x == own[0]; });
  if (!variable.real || variable.count != 1 || constant || codes.rows() < fewest_rows)
    return result;
  result.checked = true;
  std::vector<double> gains;
  for (bool second : {false, true}) {
    const FeatureColumns training = half_of(codes, second), judged = half_of(codes, !second);
    const VariableSet predictors = best_predictors(columns, training, child, seed);
    const FlexibleFeatures features(columns, check_waves, seed);
    const std::vector<float> precision = features.precisions(predictors);
    const std::vector<Coordinate> list = coordinates_of(columns, predictors);
    const auto build = [&](const FeatureColumns& from, bool flexible) {
      FeatureColumns x(from.rows(), flexible ? precision.size() : 1 + list.size());
      if (flexible) {
        features.fill(predictors, from, x);
        return x;
      }
      std::fill_n(x.column(0), from.rows(), 1.0F);
      for (std::size_t k = 0; k < list.size(); ++k)
        std::copy_n(from.column(list[k].column), from.rows(), x.column(k + 1));
      return x;
    };
    const auto target = [&](const FeatureColumns& from) {
      FeatureColumns y(from.rows(), 1);
      std::copy_n(from.column(columns.variable(child).first), from.rows(), y.column(0));
      return y;
    };
    const FeatureColumns y = target(training), unseen = target(judged);
    const ScaledRegression straight =
        fit(build(training, false), y, std::vector<float>(1 + list.size(), 0.1F), false, 0);
    const ScaledRegression curved =
        fit(build(training, true), y, precision, true, second_order_count(list));
    const auto by_line = log_densities(straight, build(judged, false), unseen);
    const auto by_curve = log_densities(curved, build(judged, true), unseen);
    for (std::size_t r = 0; r < by_line.size(); ++r) gains.push_back(by_curve[r] - by_line[r]);
  }
  const double n = double(gains.size());
  double sum = 0, squares = 0;
  for (double g : gains) sum += g;
  result.gain = sum / n;
  for (double g : gains) squares += (g - result.gain) * (g - result.gain);
  result.standard_error = std::sqrt(squares / n / n);
  result.not_linear = result.gain > matters && result.gain > clear * result.standard_error;
  return result;
}

}  // namespace whence
