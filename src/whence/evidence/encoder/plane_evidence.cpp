#include "whence/evidence/encoder/plane_evidence.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "whence/math/random.hpp"
#include "whence/math/smooth_basis.hpp"

namespace whence {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Size = Eigen::Index;

/// From a number to its normal score, through a fine histogram of all numbers.
class ScoreMap {
 public:
  ScoreMap(double low, double high) : low_(low), scale_(double(bins) / (high - low)) {}

  void add(double u) { counts_[cell(place(u))] += 1; }

  void finish() {
    double all = 0, below = 0;
    for (double n : counts_) all += n;
    for (std::size_t k = 0; k <= bins; ++k) {
      // Where scores lie on the grid, so that a lookup needs no more arithmetic.
      const double score = normal_quantile((below + 0.5) / (all + 1));
      at_[k] = (std::clamp(score, -score_limit, score_limit) + score_limit) *
               (double(score_cells - 1) / (2 * score_limit));
      if (k < bins) below += counts_[k];
    }
  }

  /// Counts the score of u, shared between the two nearest cells of the grid.
  void count(double u, ScoreCounts& grid) const {
    const double p = place(u);
    const std::size_t k = cell(p);
    const double on_grid = at_[k] + (p - double(k)) * (at_[k + 1] - at_[k]);
    const std::size_t c = std::min(std::size_t(on_grid), score_cells - 2);
    const double share = on_grid - double(c);
    grid[c] += 1 - share;
    grid[c + 1] += share;
  }

 private:
  static constexpr std::size_t bins = 2048;
  double place(double u) const { return std::clamp((u - low_) * scale_, 0.0, double(bins) - 1e-6); }
  static std::size_t cell(double place) { return std::size_t(place); }

  double low_, scale_;
  std::array<double, bins> counts_{};
  std::array<double, bins + 1> at_{};
};

/// Nine tenths of all numbers, and three times as far again on both sides.
template <class Get>
std::pair<double, double> middle_and_reach(std::span<const PlanePoints> points, const Get& get) {
  std::vector<double> all;
  for (const PlanePoints& p : points) all.insert(all.end(), get(p).begin(), get(p).end());
  const auto quantile = [&](double q) {
    const auto at = all.begin() + std::ptrdiff_t(q * double(all.size() - 1));
    std::nth_element(all.begin(), at, all.end());
    return *at;
  };
  const double low = quantile(0.05), high = quantile(0.95);
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  const double width = high > low ? high - low : *most - *least;
  return {(low + high) / 2, 3.5 * width};
}

}  // namespace

PlaneEvidence::PlaneEvidence(std::span<const PlanePoints> environments) : points_(environments) {
  const auto [mx, rx] = middle_and_reach(
      points_, [](const auto& p) -> auto& { return p.x; });
  const auto [my, ry] = middle_and_reach(
      points_, [](const auto& p) -> auto& { return p.y; });
  range_x_ = {mx, rx};
  range_y_ = {my, ry};
}

std::vector<ScoreCounts> PlaneEvidence::counts(double angle) const {
  const double c = std::cos(angle), s = std::sin(angle);
  const double middle = c * range_x_.middle + s * range_y_.middle;
  const double reach = std::abs(c) * range_x_.reach + std::abs(s) * range_y_.reach;
  ScoreMap map(middle - reach, middle + reach);
  for (const PlanePoints& p : points_)
    for (std::size_t i = 0; i < p.x.size(); ++i) map.add(c * p.x[i] + s * p.y[i]);
  map.finish();
  std::vector<ScoreCounts> grids(points_.size());
  for (std::size_t e = 0; e < points_.size(); ++e) {
    grids[e].fill(0);
    const PlanePoints& p = points_[e];
    for (std::size_t i = 0; i < p.x.size(); ++i) map.count(c * p.x[i] + s * p.y[i], grids[e]);
  }
  return grids;
}

std::vector<double> PlaneEvidence::along(double angle) const {
  const std::vector<ScoreCounts> grids = counts(angle);
  std::vector<double> evidence(grids.size() - 1);
  change_evidence(grids, evidence);
  return evidence;
}

// ---- the plane as a whole -----------------------------------------------------------------------

namespace {

constexpr int side = 24, waves = 5;  // cells along a side; functions of one coordinate
constexpr double edge = 3.2;         // of the square, in standard deviations

/// The constant and smooth functions of one coordinate. [cell][function]
MatrixXd functions_of(const VectorXd& weight) {
  std::vector<double> places;
  for (int k = 0; k < side; ++k) places.push_back(edge * (2 * (k + 0.5) / side - 1));
  const Matrix smooth = smooth_basis(places, {weight.data(), std::size_t(side)}, waves);
  MatrixXd f(side, waves + 1);
  f.col(0).setOnes();
  f.rightCols(waves) =
      Eigen::Map<const Eigen::Matrix<double, side, waves, Eigen::RowMajor>>(smooth.values.data());
  return f;
}

/// Cells of the plane that hold points, with functions of their places.
struct PlaneCells {
  std::vector<VectorXd> counts;  // [environment][cell]
  MatrixXd functions;            // [cell][function], the constant first
  VectorXd prior;                // variances of all but the constant
};

VectorXd count_cells(const PlanePoints& p, const Eigen::Matrix2d& whiten,
                     const Eigen::Vector2d& mean) {
  VectorXd cells = VectorXd::Zero(side * side);
  const auto place = [](double z) {
    return std::clamp(int((z + edge) / (2 * edge) * side), 0, side - 1);
  };
  for (std::size_t i = 0; i < p.x.size(); ++i) {
    const Eigen::Vector2d z = whiten * (Eigen::Vector2d(p.x[i], p.y[i]) - mean);
    if (!(std::abs(z[0]) < 1e6 && std::abs(z[1]) < 1e6)) continue;
    cells[place(z[0]) * side + place(z[1])] += 1;
  }
  return cells;
}

std::pair<Eigen::Vector2d, Eigen::Matrix2d> whitening(std::span<const PlanePoints> points) {
  Eigen::Vector2d mean = Eigen::Vector2d::Zero();
  double n = 0;
  for (const PlanePoints& p : points) {
    for (std::size_t i = 0; i < p.x.size(); ++i) mean += Eigen::Vector2d(p.x[i], p.y[i]);
    n += double(p.x.size());
  }
  mean /= n;
  Eigen::Matrix2d spread = Eigen::Matrix2d::Zero();
  for (const PlanePoints& p : points)
    for (std::size_t i = 0; i < p.x.size(); ++i) {
      const Eigen::Vector2d d = Eigen::Vector2d(p.x[i], p.y[i]) - mean;
      spread += d * d.transpose();
    }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> axes(spread / n);
  const Eigen::Vector2d scale = axes.eigenvalues().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  return {mean, scale.asDiagonal() * axes.eigenvectors().transpose()};
}

PlaneCells plane_cells(std::span<const PlanePoints> points) {
  const auto [mean, whiten] = whitening(points);
  std::vector<VectorXd> square;
  VectorXd pool = VectorXd::Zero(side * side);
  for (const PlanePoints& p : points) {
    square.push_back(count_cells(p, whiten, mean));
    pool += square.back();
  }
  const Eigen::Map<const Eigen::Matrix<double, side, side, Eigen::RowMajor>> grid(pool.data());
  const MatrixXd first = functions_of(grid.rowwise().sum());
  const MatrixXd second = functions_of(grid.colwise().sum().transpose());
  std::vector<int> held;
  for (int k = 0; k < side * side; ++k)
    if (pool[k] > 0) held.push_back(k);
  PlaneCells cells;
  constexpr int products = (waves + 1) * (waves + 1);
  cells.functions.resize(Size(held.size()), products);
  cells.prior.resize(products - 1);
  for (int j = 0; j <= waves; ++j)
    for (int k = 0; k <= waves; ++k) {
      const int f = j * (waves + 1) + k;
      const double a = std::max(j, 1), b = std::max(k, 1);
      if (f > 0) cells.prior[f - 1] = 1 / (a * a * b * b * (j > 0 && k > 0 ? 2 : 1));
      for (std::size_t r = 0; r < held.size(); ++r)
        cells.functions(Size(r), f) = first(held[r] / side, j) * second(held[r] % side, k);
    }
  for (const VectorXd& all : square) {
    VectorXd here(Size(held.size()));
    for (std::size_t r = 0; r < held.size(); ++r) here[Size(r)] = all[held[r]];
    cells.counts.push_back(std::move(here));
  }
  return cells;
}

struct CellFit {
  VectorXd weights;  // the constant first
  VectorXd spread;
  double log_evidence = 0;
};

/// Laplace's evidence of a logistic model over cells, as LabelFit of score_evidence.cpp.
void fit_cells(const MatrixXd& f, const VectorXd& ours, const VectorXd& reference,
               const VectorXd& variances, double enough, CellFit& fit) {
  const Size functions = f.cols() - 1;
  const VectorXd all = ours + reference;
  const double n = ours.sum(), others = reference.sum(), offset = std::log(n / others);
  VectorXd precisions(functions + 1);
  precisions << 1e-9, variances.cwiseInverse();
  VectorXd probability(f.rows());
  const auto evaluate = [&](const VectorXd& w, VectorXd& p) {
    const VectorXd score = (f * w).array() + offset;
    const VectorXd e = (-score.array().abs()).exp();
    const VectorXd softened = score.array().max(0.0) + (1 + e.array()).log();
    p = (score.array() > 0).select(1.0, e.array()) / (1 + e.array());
    return ours.dot(score) - all.dot(softened) -
           0.5 * w.tail(functions).cwiseAbs2().dot(precisions.tail(functions));
  };
  double value = evaluate(fit.weights, probability);
  MatrixXd hessian;
  const auto curvature = [&] {
    const VectorXd root = (all.array() * probability.array() * (1 - probability.array())).sqrt();
    const MatrixXd weighted = root.asDiagonal() * f;
    hessian = MatrixXd::Zero(functions + 1, functions + 1);
    hessian.selfadjointView<Eigen::Lower>().rankUpdate(weighted.transpose());
  };
  curvature();
  for (int step = 0; step < 20; ++step) {
    MatrixXd whole = hessian;
    whole.diagonal() += precisions;
    const VectorXd slope = f.transpose() * (ours - all.cwiseProduct(probability)) -
                           fit.weights.cwiseProduct(precisions);
    const VectorXd move = whole.selfadjointView<Eigen::Lower>().llt().solve(slope);
    if (slope.dot(move) < enough) break;
    double rate = 1;
    VectorXd tried(f.rows());
    for (int halving = 0; halving < 12; ++halving, rate /= 2) {
      const double next = evaluate(fit.weights + rate * move, tried);
      if (next < value - 1e-9) continue;
      fit.weights += rate * move;
      value = next;
      probability = tried;
      break;
    }
    curvature();
  }
  const VectorXd cross = hessian.col(0).tail(functions);
  MatrixXd own = hessian.bottomRightCorner(functions, functions);
  own.template triangularView<Eigen::StrictlyUpper>() = own.transpose();
  own -= cross * cross.transpose() / (hessian(0, 0) + 1e-9);
  const VectorXd scale = variances.cwiseSqrt();
  MatrixXd whitened = scale.asDiagonal() * own * scale.asDiagonal();
  whitened.diagonal().array() += 1;
  const Eigen::LLT<MatrixXd> factor(whitened);
  const double nothing = n * offset - (n + others) * std::log1p(std::exp(offset));
  fit.log_evidence = value - nothing - factor.matrixLLT().diagonal().array().log().sum();
  fit.spread =
      factor.solve(MatrixXd::Identity(functions, functions)).diagonal().cwiseProduct(variances);
}

}  // namespace

std::vector<double> PlaneEvidence::anywhere() const {
  const PlaneCells cells = plane_cells(points_);
  const std::size_t shifted = points_.size() - 1;
  VectorXd variances = cells.prior;
  std::vector<CellFit> fits(shifted);
  for (CellFit& fit : fits) fit.weights = VectorXd::Zero(cells.functions.cols());
  constexpr int rounds = 2;
  constexpr double pseudo_environments = 1;
  for (int round = 0; round < rounds; ++round) {
    VectorXd squares = VectorXd::Zero(variances.size());
    for (std::size_t e = 0; e < shifted; ++e) {
      fit_cells(cells.functions, cells.counts[e + 1], cells.counts[0], variances,
                round + 1 < rounds ? 0.1 : 1e-3, fits[e]);
      squares += fits[e].weights.tail(variances.size()).cwiseAbs2() + fits[e].spread;
    }
    if (round + 1 < rounds)
      variances =
          (pseudo_environments * cells.prior + squares) / (pseudo_environments + double(shifted));
  }
  std::vector<double> evidence;
  for (const CellFit& fit : fits) evidence.push_back(fit.log_evidence);
  return evidence;
}

double pooled_evidence(std::span<const ScoreCounts> counts, std::span<const PlaneChange> changes,
                       std::span<double> parts) {
  std::fill(parts.begin(), parts.end(), 0.0);
  const auto evidence_of = [&](PlaneChange change, double sign) {
    std::vector<std::size_t> numbers = {0};
    for (std::size_t e = 0; e < changes.size(); ++e)
      if (changes[e] == change) numbers.push_back(e + 1);
    std::vector<const ScoreCounts*> chosen;
    for (const std::size_t e : numbers) chosen.push_back(&counts[e]);
    std::vector<double> shares(parts.empty() ? 0 : chosen.size());
    const double evidence = difference_evidence(chosen, shares);
    for (std::size_t k = 0; k < shares.size(); ++k) parts[numbers[k]] += sign * shares[k];
    return sign * evidence;
  };
  return evidence_of(PlaneChange::cause, 1) + evidence_of(PlaneChange::effect, -1);
}

}  // namespace whence
