#include "whence/encoders/unsupervised.hpp"

#include <cmath>

#include <Eigen/Dense>

namespace whence {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

MatrixXd centred(const Matrix& rows) {
  MatrixXd x = Eigen::Map<const RowMajor>(rows.values.data(), Eigen::Index(rows.rows),
                                          Eigen::Index(rows.columns));
  const Eigen::RowVectorXd mean = x.colwise().mean();
  x.rowwise() -= mean;
  return x;
}

/// White components, the largest variance last.
MatrixXd whitening(const MatrixXd& x) {
  const MatrixXd spread = x.transpose() * x / double(x.rows());
  const Eigen::SelfAdjointEigenSolver<MatrixXd> axes(spread);
  const VectorXd size = axes.eigenvalues().cwiseMax(1e-300).cwiseSqrt();
  return size.cwiseInverse().asDiagonal() * axes.eigenvectors().transpose();
}

Matrix plain(const MatrixXd& m) {
  Matrix out(std::size_t(m.rows()), std::size_t(m.cols()));
  Eigen::Map<RowMajor>(out.values.data(), m.rows(), m.cols()) = m;
  return out;
}

/// The nearest matrix with orthonormal rows.
MatrixXd decorrelated(const MatrixXd& w) {
  const Eigen::JacobiSVD<MatrixXd> svd(w, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixU() * svd.matrixV().transpose();
}

}  // namespace

Matrix principal_components(const Matrix& rows) {
  return plain(whitening(centred(rows)).colwise().reverse());
}

Matrix independent_components(const Matrix& rows) {
  const MatrixXd x = centred(rows), whiten = whitening(x);
  const MatrixXd z = x * whiten.transpose();
  const auto d = x.cols();
  MatrixXd w(d, d);  // a start that favours no axis
  for (Eigen::Index i = 0; i < d; ++i)
    for (Eigen::Index j = 0; j < d; ++j) w(i, j) = std::sin(1.0 + double(i * d + j) * 2.3999632);
  w = decorrelated(w);
  for (int round = 0; round < 200; ++round) {
    const MatrixXd y = (z * w.transpose()).array().tanh();
    const VectorXd slope = (1 - y.array().square()).colwise().mean();
    const MatrixXd next =
        decorrelated(y.transpose() * z / double(z.rows()) - slope.asDiagonal() * w);
    const double moved =
        ((next * w.transpose()).diagonal().cwiseAbs().array() - 1).abs().maxCoeff();
    w = next;
    if (moved < 1e-6) break;
  }
  return plain(w * whiten);
}

}  // namespace whence
