#include "whence/evidence/encoder/score_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Dense>

#include "whence/math/smooth_basis.hpp"

namespace whence {

namespace {

constexpr int cells = int(score_cells), functions = int(score_functions);
using CellVector = Eigen::Matrix<double, cells, 1>;
using Weights = Eigen::Matrix<double, functions, 1>;
using Square = Eigen::Matrix<double, functions, functions>;
using Basis = Eigen::Matrix<double, cells, functions>;

Eigen::Map<const CellVector> seen(const ScoreCounts& counts) {
  return Eigen::Map<const CellVector>(counts.data());
}
Eigen::Map<const Weights> seen(const ScoreWeights& weights) {
  return Eigen::Map<const Weights>(weights.data());
}
Eigen::Map<Weights> seen(ScoreWeights& weights) { return Eigen::Map<Weights>(weights.data()); }

Basis make_basis() {
  std::vector<double> places, weights;
  for (int k = 0; k < cells; ++k) {
    places.push_back(score_limit * (2.0 * k / (cells - 1) - 1));
    weights.push_back(std::exp(-0.5 * places.back() * places.back()));
  }
  const Matrix functions_at = smooth_basis(places, weights, score_functions);
  return Eigen::Map<const Eigen::Matrix<double, cells, functions, Eigen::RowMajor>>(
      functions_at.values.data());
}

const Basis& basis_matrix() {
  static const Basis basis = make_basis();
  return basis;
}

/// The constant, the functions, and the products of any two of them: sums of these over cells are
/// all that a step needs. [cell][1 + functions + pairs]
constexpr int pairs = functions * (functions + 1) / 2;
using Moments = Eigen::Matrix<double, cells, 1 + functions + pairs>;

Moments make_moments() {
  const Basis& f = basis_matrix();
  Moments all;
  all.col(0).setOnes();
  all.middleCols<functions>(1) = f;
  int column = 1 + functions;
  for (int j = 0; j < functions; ++j)
    for (int i = j; i < functions; ++i) all.col(column++) = f.col(i).cwiseProduct(f.col(j));
  return all;
}

/// Sums of the functions and of their products over cells that have weights.
struct WeightedSums {
  double total = 0;
  Weights first;
  Square second;

  void take(const CellVector& weight) {
    static const Moments moments = make_moments();
    const Eigen::Matrix<double, 1 + functions + pairs, 1> sums = moments.transpose() * weight;
    total = sums[0];
    first = sums.segment<functions>(1);
    int at = 1 + functions;
    for (int j = 0; j < functions; ++j)
      for (int i = j; i < functions; ++i) second(i, j) = second(j, i) = sums[at++];
  }
};

/// log(1 + e^x) without overflow.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

/// The mode of a logistic model of labels on the grid, found by Newton's steps.
class LabelFit {
 public:
  LabelFit(const ScoreCounts& environment, const ScoreCounts& reference, const Weights& variances)
      : ours_(seen(environment)),
        all_(seen(environment) + seen(reference)),
        variances_(variances),
        precisions_(variances.cwiseInverse()),
        rows_(ours_.sum()),
        others_(all_.sum() - rows_),
        offset_(std::log(rows_ / others_)) {}

  void start(double intercept, const Weights& coefficients) {
    intercept_ = intercept;
    coefficients_ = coefficients;
    value_ = evaluate(intercept_, coefficients_, probability_);
  }

  void climb(int steps, double enough) {
    for (int step = 0; step < steps; ++step) {
      const double promised = newton_step();
      if (promised < enough) return;
    }
  }

  ScoreFit result() {
    curvature();
    // The intercept is at its best value for every set of coefficients: its share is taken out.
    const Weights& cross = sums_.first;
    const Square own = sums_.second - cross * cross.transpose() / (sums_.total + 1e-9);
    const Weights scale = variances_.cwiseSqrt();
    Square whitened = scale.asDiagonal() * own * scale.asDiagonal();
    whitened.diagonal().array() += 1;
    const Eigen::LLT<Square> factor(whitened);
    double log_det = 0;
    for (int j = 0; j < functions; ++j) log_det += 2 * std::log(factor.matrixLLT()(j, j));
    const double nothing = rows_ * offset_ - (rows_ + others_) * softplus(offset_);
    ScoreFit fit;
    fit.log_evidence = value_ - nothing - 0.5 * log_det;
    fit.intercept = intercept_;
    seen(fit.coefficients) = coefficients_;
    const Square inverse = factor.solve(Square::Identity());
    seen(fit.spread) = inverse.diagonal().cwiseProduct(variances_);
    return fit;
  }

 private:
  double evaluate(double intercept, const Weights& w, CellVector& probability) const {
    const CellVector score = (basis_matrix() * w).array() + (offset_ + intercept);
    const CellVector e = (-score.array().abs()).exp();
    const CellVector softened = score.array().max(0.0) + (1 + e.array()).log();
    probability = (score.array() > 0).select(1.0, e.array()) / (1 + e.array());
    return ours_.dot(score) - all_.dot(softened) - 0.5 * w.cwiseAbs2().dot(precisions_);
  }

  void curvature() { sums_.take(all_.array() * probability_.array() * (1 - probability_.array())); }

  /// Twice what a full step promises to gain; the step is halved until it climbs.
  double newton_step() {
    curvature();
    const CellVector residual = ours_ - all_.cwiseProduct(probability_);
    const double slope0 = residual.sum();
    const Weights slope =
        basis_matrix().transpose() * residual - coefficients_.cwiseProduct(precisions_);
    const Weights& cross = sums_.first;
    const double pivot = sums_.total + 1e-9;
    Square reduced = sums_.second - cross * cross.transpose() / pivot;
    reduced.diagonal() += precisions_;
    const Weights step = reduced.llt().solve(slope - cross * (slope0 / pivot));
    const double step0 = (slope0 - cross.dot(step)) / pivot;
    const double promised = slope.dot(step) + slope0 * step0;
    double rate = 1;
    for (int halving = 0; halving < 12; ++halving, rate /= 2) {
      CellVector probability;
      const Weights w = coefficients_ + rate * step;
      const double value = evaluate(intercept_ + rate * step0, w, probability);
      if (value < value_ - 1e-9) continue;
      intercept_ += rate * step0;
      coefficients_ = w;
      probability_ = probability;
      value_ = value;
      return promised;
    }
    return 0;
  }

  const CellVector ours_, all_;
  const Weights variances_, precisions_;
  double rows_, others_, offset_;
  double intercept_ = 0, value_ = 0;
  Weights coefficients_;
  CellVector probability_;
  WeightedSums sums_;
};

constexpr double pseudo_environments = 1;  // how much the smooth prior counts beside the data

ScoreFit fitted(const ScoreCounts& environment, const ScoreCounts& reference,
                const Weights& variances, const ScoreFit& start, double enough) {
  LabelFit fit(environment, reference, variances);
  fit.start(start.intercept, seen(start.coefficients));
  fit.climb(30, enough);
  return fit.result();
}

}  // namespace

const ScoreBasis& score_basis() {
  static const ScoreBasis basis = [] {
    ScoreBasis rows{};
    for (int k = 0; k < cells; ++k)
      for (int j = 0; j < functions; ++j)
        rows[std::size_t(k)][std::size_t(j)] = basis_matrix()(k, j);
    return rows;
  }();
  return basis;
}

ScoreWeights smooth_prior() {
  ScoreWeights variances{};
  for (std::size_t j = 0; j < score_functions; ++j)
    variances[j] = 1.0 / (double(j + 1) * double(j + 1));
  return variances;
}

ScoreFit fit_scores(const ScoreCounts& environment, const ScoreCounts& reference,
                    const ScoreWeights& variances, const ScoreFit& start) {
  return fitted(environment, reference, seen(variances), start, 1e-9);
}

void change_evidence(std::span<const ScoreCounts> counts, std::span<double> evidence) {
  const ScoreWeights prior = smooth_prior();
  Weights variances = seen(prior);
  std::vector<ScoreFit> fits(evidence.size());
  constexpr int rounds = 3;
  for (int round = 0; round < rounds; ++round) {
    Weights squares = Weights::Zero();
    for (std::size_t e = 0; e < evidence.size(); ++e) {
      fits[e] =
          fitted(counts[e + 1], counts[0], variances, fits[e], round + 1 < rounds ? 1e-2 : 1e-4);
      squares += seen(fits[e].coefficients).cwiseAbs2() + seen(fits[e].spread);
    }
    variances = (pseudo_environments * seen(prior) + squares) /
                (pseudo_environments + double(evidence.size()));
  }
  for (std::size_t e = 0; e < evidence.size(); ++e) evidence[e] = fits[e].log_evidence;
}

// ---- one model for all labels -------------------------------------------------------------------

namespace {

/// One environment as a smooth tilt of the common law.
struct Tilt {
  CellVector counts;
  double rows = 0;
  Weights coefficients = Weights::Zero();
  CellVector law;  // the common law, tilted
  double log_norm = 0, value = 0;

  void evaluate(const CellVector& common, const Weights& precisions, const Weights& w) {
    const CellVector tilt = basis_matrix() * w;
    const double top = tilt.maxCoeff();
    law = common.array() * (tilt.array() - top).exp();
    const double sum = law.sum();
    law /= sum;
    log_norm = std::log(sum) + top;
    value = counts.dot(tilt) - rows * log_norm - 0.5 * w.cwiseAbs2().dot(precisions);
    coefficients = w;
  }

  Square curvature() const {
    WeightedSums sums;
    sums.take(law);
    return rows * (sums.second - sums.first * sums.first.transpose());
  }

  void climb(const CellVector& common, const Weights& precisions, int steps) {
    for (int step = 0; step < steps; ++step) {
      const Weights slope = basis_matrix().transpose() * (counts - rows * law) -
                            coefficients.cwiseProduct(precisions);
      Square hessian = curvature();
      hessian.diagonal() += precisions;
      const Weights move = hessian.llt().solve(slope);
      if (slope.dot(move) < 1e-5) return;
      Tilt next = *this;
      double rate = 1;
      for (int halving = 0; halving < 8; ++halving, rate /= 2) {
        next.evaluate(common, precisions, coefficients + rate * move);
        if (next.value >= value - 1e-9) break;
      }
      *this = next;
    }
  }
};

}  // namespace

double difference_evidence(std::span<const ScoreCounts* const> counts, std::span<double> parts) {
  std::fill(parts.begin(), parts.end(), 0.0);
  if (counts.size() < 2) return 0;
  const ScoreWeights prior = smooth_prior();
  Weights variances = seen(prior);
  CellVector total = CellVector::Zero();
  std::vector<Tilt> tilts(counts.size());
  for (std::size_t e = 0; e < counts.size(); ++e) {
    tilts[e].counts = seen(*counts[e]);
    tilts[e].rows = tilts[e].counts.sum();
    total += tilts[e].counts;
  }
  const double rows = total.sum();
  CellVector common = total / rows;
  constexpr int sweeps = 7, learning_from = 1, learning_to = 3;
  std::vector<double> shares(counts.size());
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const bool last = sweep + 1 == sweeps,
               learning = sweep >= learning_from && sweep <= learning_to;
    const Weights precisions = variances.cwiseInverse(), scale = variances.cwiseSqrt();
    Weights squares = Weights::Zero();
    CellVector expected = CellVector::Zero();
    for (std::size_t e = 0; e < tilts.size(); ++e) {
      Tilt& tilt = tilts[e];
      tilt.evaluate(common, precisions, tilt.coefficients);
      tilt.climb(common, precisions, sweep == 0 ? 5 : last ? 0 : 2);
      expected +=
          tilt.rows * ((basis_matrix() * tilt.coefficients).array() - tilt.log_norm).exp().matrix();
      if (!learning && !last) continue;
      Square whitened = scale.asDiagonal() * tilt.curvature() * scale.asDiagonal();
      whitened.diagonal().array() += 1;
      const Eigen::LLT<Square> factor(whitened);
      shares[e] = tilt.value - factor.matrixLLT().diagonal().array().log().sum();
      const Square inverse = factor.solve(Square::Identity());
      squares += tilt.coefficients.cwiseAbs2() + inverse.diagonal().cwiseProduct(variances);
    }
    if (learning)
      variances = (pseudo_environments * seen(prior) + squares) /
                  (pseudo_environments + double(tilts.size()));
    if (last) break;
    // The common law that makes each cell expect what it holds.
    for (int k = 0; k < cells; ++k) common[k] = expected[k] > 0 ? total[k] / expected[k] : 0;
    common /= common.sum();
  }
  CellVector rarer = CellVector::Zero();  // log of the common law over that of all rows
  for (int k = 0; k < cells; ++k)
    if (total[k] > 1e-9) rarer[k] = std::log(common[k] * rows / total[k]);
  double evidence = 0;
  for (std::size_t e = 0; e < tilts.size(); ++e) {
    shares[e] += tilts[e].counts.dot(rarer);
    evidence += shares[e];
  }
  std::copy_n(shares.begin(), parts.size(), parts.begin());
  return evidence;
}

}  // namespace whence
