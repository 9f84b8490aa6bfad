#include "whence/evidence/labels/remainder_drift.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "whence/math/logspace.hpp"

namespace whence {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

}  // namespace

double with_drift(double still_changed, double moved, double variance, double tau) {
  const double t2 = tau * tau;
  return still_changed + 0.5 * moved * moved / (t2 + variance) + 0.5 * std::log1p(t2 / variance);
}

float drifts_at_times(double unmoved, double drifted) {
  return float(std::log(2.0) - log_add_exp(-unmoved, -drifted));
}

double with_noisy_parents(double still_changed, double moved, double variance, double expected,
                          double signal) {
  const double error = std::sqrt(variance), furthest = 1 / signal - 1;
  if (moved <= 0 || expected < 0.5 * error) return INFINITY;
  constexpr double widest = 3, step = 0.25;
  double density = 0, weights = 0;
  for (double x = -widest; x <= widest; x += step) {
    const double weight = std::exp(-0.5 * x * x), further = (moved + x * error) / expected;
    weights += weight;
    if (further > 0 && further < furthest) density += weight / ((1 + further) * (1 + further));
  }
  density /= weights * expected * (1 - signal);
  constexpr double root_of_two_pi = 2.5066282746310002;
  return still_changed + std::log(2.0) + std::max(0.0, -std::log(density * error * root_of_two_pi));
}

Offset offset_of(const std::vector<float>& z, std::size_t n, double reference) {
  const Vector own = Eigen::Map<const Eigen::VectorXf>(z.data(), Eigen::Index(n)).cast<double>();
  Offset offset{own.sum() / (double(n) + 0.1), 1};
  const double spread = std::max(1e-3, std::sqrt((own.array() - offset.value).square().mean()));
  offset.variance = std::min(spread * spread, 9.0) / double(n) + 1 / reference;
  return offset;
}

Drift estimate_drift(const std::vector<float>& z, std::size_t n, double reference,
                     const std::vector<const float*>& parents) {
  Drift drift;
  const auto rows = Eigen::Index(n);
  const Vector own = Eigen::Map<const Eigen::VectorXf>(z.data(), rows).cast<double>();
  drift.offset = offset_of(z, n, reference);
  Matrix slopes(rows, 1 + Eigen::Index(parents.size()));
  slopes.col(0).setOnes();
  for (std::size_t k = 0; k < parents.size(); ++k)
    for (Eigen::Index r = 0; r < rows; ++r)
      slopes(r, Eigen::Index(k + 1)) = std::clamp(parents[k][std::size_t(r)], -3.0F, 3.0F);
  Matrix gram = slopes.transpose() * slopes;
  gram.diagonal().array() += 0.1;
  const Eigen::LLT<Matrix> factor(gram);
  const Vector moved = factor.solve(slopes.transpose() * own);
  const Vector left = own - slopes * moved;
  const double scale = std::max(1e-3, std::sqrt((left.squaredNorm() + 1e-3) / double(n)));
  drift.log_scale = std::log(scale);
  Matrix covariance =
      factor.solve(Matrix::Identity(gram.rows(), gram.cols())) * std::min(scale * scale, 9.0);
  covariance.diagonal().array() += 1 / reference;
  const Eigen::SelfAdjointEigenSolver<Matrix> axes(covariance);
  const Vector along = axes.eigenvectors().transpose() * moved;
  const Vector variances = axes.eigenvalues().cwiseMax(1e-9);
  drift.moved.assign(along.data(), along.data() + along.size());
  drift.variances.assign(variances.data(), variances.data() + variances.size());
  for (Eigen::Index r = 0; r < rows; ++r) {
    drift.without_offset.push_back(float(own[r] - drift.offset.value));
    drift.without_all.push_back(float(left[r] / scale));
  }
  return drift;
}

}  // namespace whence
