#include "whence/evidence/linear/conjugate_gaussian.hpp"

#include <cmath>

#include <Eigen/Dense>

#include "whence/core/error.hpp"
#include "whence/math/special.hpp"

namespace whence {

void Moments::add_row(std::span<const double> row) {
  n += 1;
  for (std::size_t i = 0; i < dimension; ++i) {
    sum[i] += row[i];
    for (std::size_t j = 0; j < dimension; ++j) squares[i * dimension + j] += row[i] * row[j];
  }
}

Moments& Moments::operator+=(const Moments& other) {
  n += other.n;
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other.sum[i];
  for (std::size_t i = 0; i < squares.size(); ++i) squares[i] += other.squares[i];
  return *this;
}

double log_marginal_likelihood(const Moments& rows, std::size_t begin, std::size_t end,
                               const GaussianPrior& prior) {
  const auto d = Eigen::Index(end - begin);
  if (rows.n == 0 || d == 0) return 0;
  const double n = rows.n, weight = prior.mean_weight;
  // The posterior scale matrix: T + scatter about the mean + the mean's own surprise.
  Eigen::MatrixXd scale(d, d);
  for (Eigen::Index i = 0; i < d; ++i)
    for (Eigen::Index j = 0; j < d; ++j) {
      const std::size_t a = begin + std::size_t(i), b = begin + std::size_t(j);
      scale(i, j) = rows.squares[a * rows.dimension + b] - rows.sum[a] * rows.sum[b] / (n + weight);
    }
  scale.diagonal().array() += prior.scale;
  const Eigen::LLT<Eigen::MatrixXd> cholesky(scale);
  if (cholesky.info() != Eigen::Success)
    throw Error(ExitCode::numerical, "E-NUM-SINGULAR", "",
                "the columns are linearly dependent to rounding",
                "drop one of the dependent columns");
  const double log_det = 2 * cholesky.matrixL().toDenseMatrix().diagonal().array().log().sum();
  // A sub-vector of an inverse-Wishart vector has as many degrees of freedom fewer as it is
  // shorter.
  const double degrees = double(d) + prior.extra_degrees;
  const double dd = double(d);
  return -0.5 * n * dd * 1.1447298858494001741 + 0.5 * dd * std::log(weight / (weight + n)) +
         log_gamma_multivariate(0.5 * (degrees + n), int(d)) -
         log_gamma_multivariate(0.5 * degrees, int(d)) +
         0.5 * degrees * dd * std::log(prior.scale) - 0.5 * (degrees + n) * log_det;
}

namespace {

using Eigen::MatrixXd;

MatrixXd matrix_of(const Moments& rows) {
  const auto d = Eigen::Index(rows.dimension);
  return Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(rows.squares.data(), d,
                                                                          d);
}

/// Where [begin, end) and the others begin, and how long they are.
struct Split {
  Eigen::Index own, size, others, rest;
  Split(std::size_t d, std::size_t begin, std::size_t end)
      : own(Eigen::Index(begin)),
        size(Eigen::Index(end - begin)),
        others(begin == 0 ? Eigen::Index(end) : 0),
        rest(Eigen::Index(d - (end - begin))) {}
};

}  // namespace

std::vector<double> within_slope(std::span<const Moments> environments, std::size_t begin,
                                 std::size_t end) {
  const auto d = Eigen::Index(environments[0].dimension);
  const Split split(std::size_t(d), begin, end);
  MatrixXd scatter = MatrixXd::Zero(d, d);
  for (const Moments& rows : environments) {
    const Eigen::Map<const Eigen::VectorXd> sum(rows.sum.data(), d);
    scatter += matrix_of(rows) - sum * sum.transpose() / rows.n;
  }
  MatrixXd others = scatter.block(split.others, split.others, split.rest, split.rest);
  others.diagonal().array() += 1e-9 * (1 + others.trace());  // constant columns have no slope
  const MatrixXd slope =
      others.ldlt().solve(scatter.block(split.others, split.own, split.rest, split.size));
  std::vector<double> out;
  for (Eigen::Index i = 0; i < split.size; ++i)
    for (Eigen::Index j = 0; j < split.rest; ++j) out.push_back(slope(j, i));
  return out;
}

Moments residual_moments(const Moments& rows, std::span<const double> slope, std::size_t begin,
                         std::size_t end) {
  const auto d = Eigen::Index(rows.dimension);
  const Split split(rows.dimension, begin, end);
  MatrixXd turn = MatrixXd::Zero(split.size, d);  // own minus slope times others
  for (Eigen::Index i = 0; i < split.size; ++i) {
    turn(i, split.own + i) = 1;
    for (Eigen::Index j = 0; j < split.rest; ++j)
      turn(i, split.others + j) = -slope[std::size_t(i * split.rest + j)];
  }
  const MatrixXd squares = turn * matrix_of(rows) * turn.transpose();
  const Eigen::VectorXd sum = turn * Eigen::Map<const Eigen::VectorXd>(rows.sum.data(), d);
  Moments rest(end - begin);
  rest.n = rows.n;
  for (Eigen::Index i = 0; i < split.size; ++i) {
    rest.sum[std::size_t(i)] = sum[i];
    for (Eigen::Index j = 0; j < split.size; ++j)
      rest.squares[std::size_t(i * split.size + j)] = 0.5 * (squares(i, j) + squares(j, i));
  }
  return rest;
}

double log_conditional_likelihood(const Moments& rows, std::size_t begin, std::size_t end,
                                  const GaussianPrior& prior) {
  const double whole = log_marginal_likelihood(rows, 0, rows.dimension, prior);
  return begin == 0 ? whole - log_marginal_likelihood(rows, end, rows.dimension, prior)
                    : whole - log_marginal_likelihood(rows, 0, begin, prior);
}

}  // namespace whence
