#include "whence/math/smooth_basis.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Dense>

namespace whence {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Size = Eigen::Index;

/// Where the weights have been used up to 2 %, ..., 98 %.
std::vector<double> even_knots(std::span<const double> places, const VectorXd& share,
                               std::size_t knots) {
  const double width = places[1] - places[0];
  std::vector<double> at;
  for (std::size_t k = 0; k < knots; ++k) {
    const double wanted = 0.02 + 0.96 * double(k) / double(knots - 1);
    double below = 0;
    std::size_t i = 0;
    while (i + 1 < places.size() && below + share[Size(i)] < wanted) below += share[Size(i++)];
    const double within = share[Size(i)] > 0 ? (wanted - below) / share[Size(i)] : 0.5;
    double knot = places[i] + (within - 0.5) * width;
    if (!at.empty()) knot = std::max(knot, at.back() + 0.2 * width);  // knots keep apart
    at.push_back(knot);
  }
  return at;
}

/// A straight line, and splines that are straight beyond the outermost knots.
MatrixXd natural_splines(std::span<const double> places, std::span<const double> knots) {
  const auto cube = [](double t) { return t > 0 ? t * t * t : 0.0; };
  const auto bend = [&](double x, std::size_t k) {
    return (cube(x - knots[k]) - cube(x - knots.back())) / (knots.back() - knots[k]);
  };
  const std::size_t last = knots.size() - 2;
  MatrixXd splines(Size(places.size()), Size(knots.size() - 1));
  for (std::size_t i = 0; i < places.size(); ++i) {
    splines(Size(i), 0) = places[i];
    for (std::size_t k = 0; k < last; ++k)
      splines(Size(i), Size(k + 1)) = bend(places[i], k) - bend(places[i], last);
  }
  return splines;
}

}  // namespace

Matrix smooth_basis(std::span<const double> places, std::span<const double> weights,
                    std::size_t functions) {
  const auto n = Size(places.size());
  VectorXd share = Eigen::Map<const VectorXd>(weights.data(), n);
  share /= share.sum();
  MatrixXd splines = natural_splines(places, even_knots(places, share, functions + 1));
  for (Size j = 0; j < splines.cols(); ++j) {
    splines.col(j).array() -= splines.col(j).dot(share);
    splines.col(j) /= std::sqrt(splines.col(j).cwiseAbs2().dot(share) + 1e-12);
  }
  MatrixXd size = splines.transpose() * share.asDiagonal() * splines;
  size.diagonal().array() += 1e-8;
  const MatrixXd second =
      splines.topRows(n - 2) - 2 * splines.middleRows(1, n - 2) + splines.bottomRows(n - 2);
  const MatrixXd bending = second.transpose() * second;
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(bending, size);
  const MatrixXd ordered = splines * solver.eigenvectors();
  Matrix basis(places.size(), functions);
  for (std::size_t j = 0; j < functions; ++j) {
    const double sign = ordered(n - 1, Size(j)) < 0 ? -1 : 1;
    for (std::size_t i = 0; i < places.size(); ++i) basis(i, j) = sign * ordered(Size(i), Size(j));
  }
  return basis;
}

}  // namespace whence
