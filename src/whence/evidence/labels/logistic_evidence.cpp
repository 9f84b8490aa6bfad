#include "whence/evidence/labels/logistic_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include <Eigen/Dense>

namespace whence {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Precision of the coefficients, from the Gram matrix of the features.
Matrix prior_precision(const Matrix& gram, double rows, const LogisticPrior& prior) {
  const Eigen::Index q = gram.rows();
  Matrix precision = Matrix::Zero(q, q);
  precision(0, 0) = prior.intercept;
  if (q == 1) return precision;
  const Vector mean = gram.col(0).tail(q - 1) / rows;
  Matrix covariance = gram.bottomRightCorner(q - 1, q - 1) / rows - mean * mean.transpose();
  constexpr double floor = 1e-4;  // a feature that is constant in these rows stays regular
  covariance.diagonal() *= 1 + prior.ridge;
  precision.bottomRightCorner(q - 1, q - 1) = prior.strength * covariance;
  precision.diagonal().tail(q - 1).array() += floor;
  return precision;
}

double log_determinant(const Eigen::LLT<Matrix>& factor) {
  return 2 * factor.matrixLLT().diagonal().array().log().sum();
}

/// Newton's method on the penalised log-likelihood.
class NewtonFit {
 public:
  NewtonFit(const FeatureColumns& x, std::span<const float> labels, const LogisticPrior& prior)
      : x_(x),
        labels_(labels),
        q_(Eigen::Index(x.columns())),
        gram_(q_, q_),
        score_(x.stride()),
        tried_(x.stride()),
        residual_(x.stride()),
        weight_(x.stride()) {
    gram_matrix(x, nullptr, {gram_.data(), std::size_t(q_ * q_)});
    precision_ = prior_precision(gram_, double(x.rows()), prior);
    double ones = 0;
    for (std::size_t r = 0; r < x.rows(); ++r) ones += labels[r];
    share_ = ones / double(x.rows());
  }

  LogisticFit best(std::span<const double> from) {
    start(from);
    constexpr int most_steps = 30;
    constexpr double enough = 0.01;  // nats
    double volume = 0;
    for (int step = 0; step < most_steps; ++step) {
      // The last step is so short that the curvature where it began will do.
      const Eigen::LLT<Matrix> factor(curvature(step == 0 && from.empty()));
      volume = log_determinant(factor);
      if (climb(factor) < enough) break;
    }
    const double evidence =
        value_ + 0.5 * log_determinant(Eigen::LLT<Matrix>(precision_)) - 0.5 * volume;
    return {evidence, {w_.data(), w_.data() + q_}};
  }

 private:
  void start(std::span<const double> from) {
    w_ = Vector::Zero(q_);
    w_[0] = std::log(share_ / (1 - share_));
    std::copy(from.begin(), from.end(), w_.data());
    if (from.empty())
      std::fill(score_.begin(), score_.end(), float(w_[0]));
    else
      add_scores(x_, {w_.data(), std::size_t(q_)}, 1, score_);
    value_ = log_lik(score_) - penalty(w_);
  }

  double log_lik(const AlignedFloats& score) {
    return logistic_pass(x_.rows(), score, labels_, residual_, weight_);
  }
  double penalty(const Vector& w) const { return 0.5 * w.dot(precision_ * w); }

  /// Of the negative objective at the current weights, which are all alike at the start.
  Matrix curvature(bool at_start) {
    if (at_start) return share_ * (1 - share_) * gram_ + precision_;
    Matrix weighted(q_, q_);
    gram_matrix(x_, weight_.data(), {weighted.data(), std::size_t(q_ * q_)});
    return weighted + precision_;
  }

  /// One step by the factorised curvature; what it gains.
  double climb(const Eigen::LLT<Matrix>& factor) {
    Vector gradient(q_);
    project(x_, residual_, {gradient.data(), std::size_t(q_)});
    gradient -= precision_ * w_;
    const Vector step = factor.solve(gradient);
    const std::span<const double> direction(step.data(), std::size_t(q_));
    // Concave, but a full step may overshoot: halve it until it climbs.
    for (double rate = 1; rate > 1e-3; rate /= 2) {
      tried_ = score_;
      add_scores(x_, direction, rate, tried_);
      const Vector next = w_ + rate * step;
      const double value = log_lik(tried_) - penalty(next);
      if (value < value_) continue;
      const double gain = value - value_;
      w_ = next;
      value_ = value;
      score_.swap(tried_);
      return gain;
    }
    log_lik(score_);  // residuals and weights of where we stay
    return 0;
  }

  const FeatureColumns& x_;
  std::span<const float> labels_;
  Eigen::Index q_;
  Matrix gram_, precision_;
  double share_ = 0.5, value_ = 0;
  Vector w_;
  AlignedFloats score_, tried_, residual_, weight_;
};

}  // namespace

LogisticFit fit_logistic(const FeatureColumns& x, std::span<const float> labels,
                         const LogisticPrior& prior, std::span<const double> start) {
  return NewtonFit(x, labels, prior).best(start);
}

/// What the rows that speak most for a step say of it, together.
static double said_by_few(const FeatureColumns& x, const AlignedFloats& residual,
                          const Vector& step, std::size_t few) {
  AlignedFloats along(x.stride());
  add_scores(x, {step.data(), std::size_t(step.size())}, 1, along);
  std::vector<double> said(x.rows());
  for (std::size_t r = 0; r < said.size(); ++r) said[r] = double(residual[r]) * double(along[r]);
  const auto end = said.begin() + std::ptrdiff_t(std::min(few, said.size()));
  std::partial_sort(said.begin(), end, said.end(), std::greater<>());
  return std::accumulate(said.begin(), end, 0.0,
                         [](double sum, double one) { return sum + std::max(0.0, one); });
}

double gain_of_more(const FeatureColumns& x, const LogisticFit& fit, std::span<const float> labels,
                    const LogisticPrior& prior, std::size_t without) {
  const auto q = Eigen::Index(x.columns()), old = Eigen::Index(fit.weights.size()), more = q - old;
  std::vector<double> w(x.columns(), 0.0);
  std::copy(fit.weights.begin(), fit.weights.end(), w.begin());
  AlignedFloats score(x.stride()), residual(x.stride()), weight(x.stride());
  add_scores(x, w, 1, score);
  logistic_pass(x.rows(), score, labels, residual, weight);
  Matrix curvature(q, q);
  gram_matrix(x, weight.data(), {curvature.data(), std::size_t(q * q)});
  // Covariances of the features among the rows whose label is open: their weights are at hand.
  constexpr double few = 1e-6;
  const Matrix precision = prior_precision(curvature, std::max(few, curvature(0, 0)), prior);
  Vector gradient(q);
  project(x, residual, {gradient.data(), std::size_t(q)});
  // The old coefficients follow when the new ones move: their share of the curvature is taken off.
  const Matrix prior_more = precision.bottomRightCorner(more, more);
  const Matrix cross = curvature.topRightCorner(old, more);
  const Eigen::LLT<Matrix> of_old(curvature.topLeftCorner(old, old) +
                                  precision.topLeftCorner(old, old));
  const Eigen::LLT<Matrix> left(curvature.bottomRightCorner(more, more) + prior_more -
                                cross.transpose() * of_old.solve(cross));
  const Vector along = left.matrixL().solve(gradient.tail(more));
  double fitted = 0.5 * along.squaredNorm();
  if (without > 0 && fitted > 0) {
    Vector step(q);
    step.tail(more) = left.solve(gradient.tail(more));
    step.head(old) = -of_old.solve(cross * step.tail(more));
    const double kept = 1 - said_by_few(x, residual, step, without) / (2 * fitted);
    fitted *= std::pow(std::max(0.0, kept), 2);
  }
  return fitted + 0.5 * log_determinant(Eigen::LLT<Matrix>(prior_more)) -
         0.5 * log_determinant(left);
}

}  // namespace whence
