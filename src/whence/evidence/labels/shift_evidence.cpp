#include "whence/evidence/labels/shift_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>

#include "whence/evidence/labels/drawn_rows.hpp"
#include "whence/evidence/labels/new_evidence.hpp"
#include "whence/evidence/labels/remainder_drift.hpp"
#include "whence/evidence/labels/second_order.hpp"
#include "whence/math/logspace.hpp"
#include "whence/math/random.hpp"

namespace whence {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr std::size_t regression_waves = 24;
constexpr double mean_size = 0.7979;  // of a standard normal variable, without its sign
/// Nats per row: labels that are known as well as this need no more variables to guess them.
constexpr double settled = 0.03;

/// The inverse of a factor, which is lower triangular.
Matrix inverse_of(const Eigen::LLT<Matrix>& factor) {
  const Eigen::Index q = factor.matrixLLT().rows();
  Matrix inverse = Matrix::Identity(q, q);
  factor.matrixL().solveInPlace(inverse);
  return inverse;
}

/// By how much a prediction for each row is less sure than usual, at least 1: the leverage of its
/// features against their mean leverage in the fitted rows. A fit says nothing of where it has not
/// been.
struct Strangeness {
  std::vector<float> lower;  // the inverse factor, row by row
  std::size_t features = 0;
  double usual = 1;

  /// `gram` of the fitted rows' features, `precision` on its diagonal.
  Strangeness(const Matrix& gram, double precision, std::size_t rows)
      : features(std::size_t(gram.rows())) {
    const Matrix inverse = inverse_of(
        Eigen::LLT<Matrix>(gram + precision * Matrix::Identity(gram.rows(), gram.cols())));
    for (Eigen::Index j = 0; j < gram.rows(); ++j)
      for (Eigen::Index k = 0; k < gram.rows(); ++k) lower.push_back(float(inverse(j, k)));
    usual = (double(features) - precision * inverse.squaredNorm()) / double(rows);
  }

  std::vector<float> of(const FeatureColumns& x) const {
    AlignedFloats leverage(x.stride());
    squared_norms(x, features, lower, leverage);
    constexpr double tolerated = 4;
    std::vector<float> list(x.rows());
    for (std::size_t r = 0; r < x.rows(); ++r)
      list[r] = float(std::sqrt(1 + std::max(0.0, double(leverage[r]) / usual - tolerated)));
    return list;
  }
};

/// One way to shrink all that is not linear in a regression: nearly a line, or any curve. A line
/// that is enough goes on where a curve would stray.
struct Ridge {
  Eigen::LLT<Matrix> factor;
  double log_volume = 0;  // of the prior against the posterior
  double rows = 0;
  double enlarged = 1;  // residuals of fitted rows are too small by the freedom that the fit had

  double log_evidence(const Vector& cross, double squares) const {
    constexpr double smallest = 1e-3;
    const double left = squares - factor.matrixL().solve(cross).squaredNorm();
    return log_volume - 0.5 * rows * std::log(std::max(smallest, left));
  }
};

std::vector<Ridge> ridges_of(const Matrix& gram, const std::vector<float>& precision,
                             std::size_t rows) {
  std::vector<Ridge> list;
  for (double shrink : {1.0, 100.0, 10000.0}) {
    Matrix h = gram;
    Ridge ridge;
    for (std::size_t j = 0; j < precision.size(); ++j) {
      const double used =
          precision[j] < 0 || j == 0 ? std::abs(precision[j]) : double(precision[j]) * shrink;
      h(Eigen::Index(j), Eigen::Index(j)) += used;
      ridge.log_volume += 0.5 * std::log(used);
    }
    ridge.factor.compute(h);
    ridge.log_volume -= ridge.factor.matrixLLT().diagonal().array().log().sum();
    ridge.rows = double(rows);
    double freedom = double(precision.size());
    const Vector spread = inverse_of(ridge.factor).colwise().squaredNorm().transpose();
    for (std::size_t j = 0; j < precision.size(); ++j)
      freedom -= (h(Eigen::Index(j), Eigen::Index(j)) - gram(Eigen::Index(j), Eigen::Index(j))) *
                 spread[Eigen::Index(j)];
    ridge.enlarged = 1 / std::max(0.5, 1 - freedom / double(rows));
    list.push_back(std::move(ridge));
    if (precision.size() == 1) break;
  }
  return list;
}

}  // namespace

std::size_t combined_drift(std::size_t a, std::size_t b) {
  if (a == 0 || b == 0) return a + b;
  const double both = std::hypot(drift_scales[a], drift_scales[b]);
  std::size_t k = 0;
  while (k + 1 < drift_scales.size() && drift_scales[k] < 0.999 * both) ++k;
  return k;
}

double Displacement::log_odds(double tau) const {
  const double same = variance + tau * tau, changed = same + 1;
  return 0.5 * offset * offset * (1 / same - 1 / changed) - 0.5 * std::log(changed / same);
}

namespace {

/// One coordinate of a child, regressed on its parents.
struct Regression {
  std::vector<double> weight, size_weight;  // of the mean, and of the size of what is left over
  double usual_size = 1, usual_prediction = 0;
  Ridge ridge;
  std::vector<float> left;  // of the fitted rows, in units of its usual size there
};

/// Rows in units of their usual size where the parents are as they are, and bounded.
void scale_by_size(const FeatureColumns& x, const Regression& regression, std::span<float> left) {
  AlignedFloats size(x.stride());
  add_scores(x, regression.size_weight, 1, size);
  const double usual = regression.usual_size;
  for (std::size_t r = 0; r < left.size(); ++r) {
    const double scale = std::clamp(double(size[r]), 0.3 * usual, 4 * usual) / mean_size;
    left[r] = bounded_code(left[r] / scale);
  }
}

/// The gram matrix of the first columns.
Matrix gram_of(const FeatureColumns& x) {
  const std::size_t q = x.columns();
  Matrix gram(q, q);
  gram_matrix(x, nullptr, {gram.data(), q * q});
  return gram;
}

Regression regress_coordinate(const FeatureColumns& x, const float* y,
                              const std::vector<Ridge>& ridges,
                              const Eigen::LLT<Matrix>& size_factor) {
  const std::size_t q = x.columns(), n = x.rows();
  Regression found;
  FeatureColumns target(n, 1);
  std::copy_n(y, n, target.column(0));
  Vector cross(q);
  project(x, {target.column(0), target.stride()}, {cross.data(), q});
  double squares = 0;
  for (std::size_t r = 0; r < n; ++r) squares += double(y[r]) * double(y[r]);
  const Ridge* best = nullptr;
  double highest = 0;
  for (const Ridge& ridge : ridges) {
    const double evidence = ridge.log_evidence(cross, squares);
    if (best != nullptr && evidence <= highest) continue;
    best = &ridge;
    highest = evidence;
  }
  found.ridge = *best;
  const Vector w = best->factor.solve(cross);
  found.weight.assign(w.data(), w.data() + q);
  AlignedFloats mean(x.stride());
  add_scores(x, found.weight, 1, mean);
  found.left.resize(n);
  double usual = 0;
  for (std::size_t r = 0; r < n; ++r) {
    found.left[r] = float(double(y[r] - mean[r]) * best->enlarged);
    target.column(0)[r] = std::abs(found.left[r]);
    usual += std::abs(found.left[r]) / double(n);
    found.usual_prediction += mean[r] / double(n);
  }
  found.usual_size = std::max(usual, 1e-3);
  // The size of the remainder, as a function of the parents: of second order.
  const auto second = std::size_t(size_factor.matrixLLT().rows());
  Vector size_cross(q);
  project(x, {target.column(0), target.stride()}, {size_cross.data(), q});
  const Vector size_weight = size_factor.solve(size_cross.head(Eigen::Index(second)));
  found.size_weight.assign(q, 0.0);
  std::copy_n(size_weight.data(), second, found.size_weight.begin());
  scale_by_size(x, found, found.left);
  return found;
}

/// How much further an environment's rows are expected to lie than the baseline's, in residual
/// standard deviations: twice its standard error is taken off, and its direction is kept.
double expected_move(const Regression& regression, std::span<const float> predicted,
                     std::size_t reference) {
  const auto n = double(predicted.size());
  double sum = 0, squares = 0;
  for (const float p : predicted) {
    sum += p;
    squares += double(p) * p;
  }
  const double mean = sum / n, variance = std::max(0.0, squares / n - mean * mean);
  const double move = mean - regression.usual_prediction;
  const double error = std::sqrt(variance * (1 / n + 1 / double(reference)));
  return std::copysign(std::max(0.0, std::abs(move) - 2 * error), move) * mean_size /
         regression.usual_size;
}

/// How far an environment's rows are off the baseline's regression on average, and how far that
/// regression itself may be off there: by what it has not seen, and by a share of what it predicts.
Displacement displacement_of(const FeatureColumns& x, const Regression& regression,
                             std::span<const float> predicted, std::span<const float> left) {
  constexpr double share_off = 0.3, misfit = 0.1;
  const double each = 1 / double(x.rows());
  Vector features(Eigen::Index(x.columns()));
  for (std::size_t j = 0; j < x.columns(); ++j)
    features[Eigen::Index(j)] = std::accumulate(x.column(j), x.column(j) + x.rows(), 0.0) * each;
  Displacement found;
  double prediction = 0;
  for (std::size_t r = 0; r < x.rows(); ++r) {
    found.offset += each * left[r];
    prediction += each * predicted[r];
  }
  const double usual = regression.usual_size / mean_size;
  const double moved = share_off * (prediction - regression.usual_prediction) / usual;
  found.variance = each + misfit * misfit + moved * moved +
                   regression.ridge.factor.matrixL().solve(features).squaredNorm();
  return found;
}

}  // namespace

namespace {

/// The least share of signal in the readings of each coordinate: noise of its own readings cannot
/// be told from other variables, so what these tell of it is none, unless they share it (the depth
/// of a sequencing run, the gain of an amplifier): half of it counts. Strictly between 0 and 1.
std::vector<double> told_by_others(const CodedColumns& columns, const FeatureColumns& x) {
  const auto q = Eigen::Index(x.columns()), n = Eigen::Index(x.rows());
  Matrix centred(n, q);
  for (Eigen::Index j = 0; j < q; ++j)
    centred.col(j) = Eigen::Map<const Eigen::VectorXf>(x.column(std::size_t(j)), n).cast<double>();
  centred.rowwise() -= centred.colwise().mean().eval();
  const Matrix squares = centred.transpose() * centred;
  constexpr double least = 0.02, most = 0.98;
  std::vector<double> shares(x.columns(), least);
  for (std::size_t v = 0; v < columns.variables(); ++v) {
    const CodedVariable& variable = columns.variable(v);
    std::vector<Eigen::Index> others;
    for (Eigen::Index j = 0; j < q; ++j)
      if (std::size_t(j) < variable.first || std::size_t(j) >= variable.first + variable.count)
        others.push_back(j);
    const double freedom = double(n) - 1 - double(others.size());
    if (others.empty() || freedom < 1) continue;
    Matrix h = squares(others, others);
    h.diagonal().array() += 1e-6 * double(n);
    const Eigen::LLT<Matrix> factor(h);
    for (std::size_t j = variable.first; j < variable.first + variable.count; ++j) {
      const auto k = Eigen::Index(j);
      const Vector cross = squares(others, k);
      const double left = squares(k, k) - cross.dot(factor.solve(cross));
      const double noise = left / freedom / std::max(squares(k, k) / double(n - 1), 1e-12);
      shares[j] = std::clamp(0.5 * (1 - noise), least, most);
    }
  }
  return shares;
}

}  // namespace

struct ShiftEvidence::Regressions {
  RandomWaves waves;
  std::size_t features = 0;
  Strangeness strangeness;
  std::vector<Regression> coordinates;
};

ShiftEvidence::ShiftEvidence(const CodedColumns& columns, const Dataset& data, std::size_t baseline,
                             std::uint64_t seed, const ShiftRows& most)
    : columns_(columns), features_(columns, regression_waves, seed), baseline_(0, 0) {
  const std::vector<std::size_t> fitted =
      draw_rows(data.environments[baseline], most.fitted, Stream(seed, Purpose::search, {1, 0, 0}));
  baseline_ = gather_rows(columns, fitted);
  signal_ = told_by_others(columns, baseline_);
  const std::size_t compared = std::min(most.of_baseline, fitted.size());
  const std::size_t others = data.environments.size() - 1;
  for (std::size_t e = 0; e < data.environments.size(); ++e) {
    if (e == baseline) continue;
    std::vector<std::size_t> rows =
        draw_rows(data.environments[e], most.of_environment,
                  Stream(seed, Purpose::search, {2, std::uint32_t(e), 0}));
    FeatureColumns own = gather_rows(columns, rows);
    // Windows of the baseline are spread out, so that one odd stretch does not meet all.
    const std::size_t from =
        others > 1 ? windows_.size() * (fitted.size() - compared) / (others - 1) : 0;
    const auto first = fitted.begin() + std::ptrdiff_t(from);
    rows.insert(rows.end(), first, first + std::ptrdiff_t(compared));
    FeatureColumns both = gather_rows(columns, rows);
    AlignedFloats labels(both.stride());
    std::fill_n(labels.begin(), own.rows(), 1.0F);
    windows_.push_back({std::move(own), std::move(both), std::move(labels), from});
  }
}

ShiftEvidence::~ShiftEvidence() = default;

const LogisticFit& ShiftEvidence::fit(const VariableSet& set, std::size_t e) const {
  return fit_cache_.get({set, e}, [&] {
    const Window& window = windows_[e];
    const std::vector<Coordinate> list = coordinates_of(columns_, set);
    std::vector<double> start;
    if (!list.empty()) {
      // Features of the last variable come last: the others' coefficients are where to start.
      const LogisticFit& fewer = fit(set.without(list.back().variable), e);
      start = fewer.weights;
      start.resize(second_order_count(list));
      if (fewer.log_evidence > -settled * double(window.own.rows()))
        return LogisticFit{fewer.log_evidence, start};
    }
    return fit_logistic(second_order(list, window.both.rows(),
                                     [&](std::size_t c) { return window.both.column(c); }),
                        window.labels, {}, start);
  });
}

/// A flexible regression of each of the child's coordinates on its parents, in the baseline.
ShiftEvidence::Regressions ShiftEvidence::regress(std::size_t child,
                                                  const VariableSet& parents) const {
  const std::vector<float> precision = features_.precisions(parents);
  const std::size_t n = baseline_.rows();
  const RandomWaves waves = features_.waves(parents);
  FeatureColumns x(n, precision.size());
  features_.fill(parents, waves, baseline_, x);
  const Matrix gram = gram_of(x);
  const std::vector<Ridge> ridges = ridges_of(gram, precision, n);
  const auto second = Eigen::Index(second_order_count(coordinates_of(columns_, parents)));
  const Matrix second_gram = gram.topLeftCorner(second, second);
  const Eigen::LLT<Matrix> size_factor(second_gram + Matrix::Identity(second, second));
  Regressions result{waves, precision.size(), Strangeness(second_gram, 1, n), {}};
  const CodedVariable& variable = columns_.variable(child);
  for (std::size_t k = 0; k < variable.count; ++k)
    result.coordinates.push_back(
        regress_coordinate(x, baseline_.column(variable.first + k), ridges, size_factor));
  return result;
}

std::shared_ptr<const ShiftEvidence::Regressions> ShiftEvidence::regressions(
    std::size_t child, const VariableSet& parents) const {
  return recent_.get({parents, child}, [&] { return regress(child, parents); });
}

double ShiftEvidence::change(std::size_t child, const VariableSet& parents, std::size_t e) const {
  const std::size_t number = child * environments() + e;
  return change_cache_.get({parents, number}, [&] {
    const float value = compare(child, parents, e, Allowed::nothing).log_odds[0];
    NewEvidence::note_change(parents, number, value);
    return value;
  });
}

double ShiftEvidence::change_beyond_noise(std::size_t child, const VariableSet& parents,
                                          std::size_t e) const {
  const double plain = change(child, parents, e);
  if (plain <= 0 || parents.empty()) return plain;
  return noise_cache_.get({parents, child * environments() + e}, [&] {
    return compare(child, parents, e, Allowed::noisy_parents).log_odds[0];
  });
}

double ShiftEvidence::change_beyond_few(std::size_t child, const VariableSet& parents,
                                        std::size_t e) const {
  return compare(child, parents, e, Allowed::few_rows).log_odds[0];
}

const std::vector<DriftedChange>& ShiftEvidence::drifts(std::size_t child,
                                                        const VariableSet& parents) const {
  return drift_cache_.get({parents, child}, [&] {
    std::vector<DriftedChange> list;
    for (std::size_t e = 0; e < environments(); ++e)
      list.push_back(compare(child, parents, e, Allowed::drift));
    return list;
  });
}

/// What a regression leaves over of an environment's rows, then of the baseline's, by coordinate.
struct ShiftEvidence::Remainder {
  std::vector<std::vector<float>> z;
  std::vector<Displacement> displacements;
  double weight = 0;    // of these: how far parents give the environment away
  double expected = 0;  // how the parents move the child, in residual standard deviations
  double off = 0;       // how far it is from there on average, in the same unit
};

ShiftEvidence::Remainder ShiftEvidence::remainder(std::size_t child, const VariableSet& parents,
                                                  std::size_t e) const {
  const Window& window = windows_[e];
  const std::size_t own = window.own.rows(), n = window.both.rows();
  const std::shared_ptr<const Regressions> regression = regressions(child, parents);
  FeatureColumns own_features(own, regression->features);
  features_.fill(parents, regression->waves, window.own, own_features);
  const std::vector<float> strange = regression->strangeness.of(own_features);
  Remainder found;
  // Parents that give the environment away leave nothing to guess: then the child must be where
  // the baseline's regression expects it.
  found.weight = std::clamp((given_away(parents, e) - 0.5) / 0.3, 0.0, 1.0);
  const CodedVariable& variable = columns_.variable(child);
  for (std::size_t k = 0; k < variable.count; ++k) {
    const Regression& fitted = regression->coordinates[k];
    AlignedFloats mean(own_features.stride());
    add_scores(own_features, fitted.weight, 1, mean);
    std::vector<float>& left = found.z.emplace_back(own);
    const float* y = window.own.column(variable.first + k);
    for (std::size_t r = 0; r < own; ++r) left[r] = y[r] - mean[r];
    if (!parents.empty()) {
      found.expected = expected_move(fitted, {mean.data(), own}, baseline_.rows());
      found.off = std::accumulate(left.begin(), left.end(), 0.0) / double(own) * mean_size /
                  fitted.usual_size;
    }
    scale_by_size(own_features, fitted, left);
    if (found.weight > 0)
      found.displacements.push_back(displacement_of(own_features, fitted, mean, left));
    for (std::size_t r = 0; r < own; ++r) left[r] /= strange[r];
    const auto first = fitted.left.begin() + std::ptrdiff_t(window.reference);
    left.insert(left.end(), first, first + std::ptrdiff_t(n - own));
  }
  return found;
}

double ShiftEvidence::overshoot(std::size_t child, const VariableSet& parents,
                                std::size_t e) const {
  if (!columns_.variable(child).real) return 0;
  const Remainder found = remainder(child, parents, e);
  if (found.weight == 0 || found.z.size() != 1 || found.expected == 0) return 0;
  return std::max(0.0, found.off / found.expected);
}

/// Rows that may not decide by themselves: five, or a tenth of few.
static std::size_t handful(std::size_t rows) { return std::clamp<std::size_t>(rows / 10, 1, 5); }

DriftedChange ShiftEvidence::compare(std::size_t child, const VariableSet& parents, std::size_t e,
                                     Allowed allowed) const {
  const Window& window = windows_[e];
  const std::size_t own = window.own.rows(), n = window.both.rows();
  const LogisticFit& base = fit(parents, e);
  const std::vector<Coordinate> list = coordinates_of(columns_, parents);
  std::vector<const float*> given;
  for (const Coordinate& c : list) given.push_back(window.both.column(c.column));
  const CodedVariable& variable = columns_.variable(child);
  const bool real = variable.real;

  Remainder left_over = remainder(child, parents, e);
  std::vector<std::vector<float>>& z = left_over.z;

  // Features of the parents, then of the remainder: itself, its square, its products with them.
  const std::size_t old = second_order_count(list);
  const std::size_t each = 1 + (real ? 1 : 0) + list.size();
  FeatureColumns x(n, old + each * z.size());
  fill_second_order(
      list, [&](std::size_t c) { return window.both.column(c); }, x);
  const auto gain = [&] {
    std::size_t at = old;
    for (const std::vector<float>& column : z) {
      std::copy(column.begin(), column.end(), x.column(at++));
      if (real) {
        float* to = x.column(at++);
        for (std::size_t r = 0; r < n; ++r) to[r] = column[r] * column[r] - 1;
      }
      for (const float* parent : given) {
        float* to = x.column(at++);
        for (std::size_t r = 0; r < n; ++r) to[r] = column[r] * parent[r];
      }
    }
    return gain_of_more(x, base, window.labels, {},
                        allowed == Allowed::few_rows ? handful(own) : 0);
  };
  const auto displaced = [&](double tau) {
    double most = 0;
    for (const Displacement& displacement : left_over.displacements)
      most = std::max(most, displacement.log_odds(tau));
    return left_over.weight * most;
  };
  const double plain = std::max(gain(), displaced(0));
  DriftedChange result;
  result.log_odds.fill(float(plain));
  const auto reference = double(baseline_.rows());
  const double unmoved_variance = 1 / double(own) + 1 / reference;
  for (std::size_t t = 0; t < drift_scales.size(); ++t)
    result.at_times[t] =
        drifts_at_times(plain, with_drift(plain, 0, unmoved_variance, drift_scales[t]));
  if (plain <= 0 || allowed == Allowed::nothing || allowed == Allowed::few_rows) return result;
  const bool one_number = real && z.size() == 1;
  if (allowed == Allowed::noisy_parents) {
    const double expected = left_over.expected;
    if (!one_number || expected == 0) return result;
    const Offset offset = offset_of(z[0], own, reference);
    const double moved = std::copysign(1.0, expected) * offset.value;
    if (moved <= 0) return result;
    for (std::size_t r = 0; r < own; ++r) z[0][r] -= float(offset.value);
    double signal = 1;
    for (const Coordinate& c : list) signal = std::min(signal, signal_[c.column]);
    const double beyond =
        with_noisy_parents(gain(), moved, offset.variance, std::abs(expected), signal);
    result.log_odds.fill(float(std::min(plain, beyond)));
    return result;
  }
  if (!one_number) {
    // Of levels only the size of the change is known: n d^2 v / 2 nats for a drift d of the logits.
    constexpr double logit_variance = 0.2;
    const double s = 1 / (double(own) * logit_variance);
    for (std::size_t t = 1; t < drift_scales.size(); ++t) {
      const double odds = with_drift(0, std::sqrt(2 * plain * s), s, drift_scales[t]);
      result.at_times[t] = drifts_at_times(plain, odds);
      result.log_odds[t] = float(std::min(plain, odds));
    }
    return result;
  }
  const Drift drift = estimate_drift(z[0], own, reference, given);
  std::copy(drift.without_offset.begin(), drift.without_offset.end(), z[0].begin());
  const double after_offset = gain();
  std::copy(drift.without_all.begin(), drift.without_all.end(), z[0].begin());
  const double after_all = gain();
  for (std::size_t t = 1; t < drift_scales.size(); ++t) {
    const double tau = drift_scales[t];
    const double by_offset =
        with_drift(after_offset, drift.offset.value, drift.offset.variance, tau);
    double by_all =
        with_drift(after_all, drift.log_scale, 0.5 / double(own) + 0.5 / reference, tau);
    for (std::size_t a = 0; a < drift.moved.size(); ++a)
      by_all += with_drift(0, drift.moved[a], drift.variances[a], tau);
    // Either way of drifting with probability one half: the smaller evidence for a change counts.
    const double either = std::log(2.0) - log_add_exp(-by_offset, -by_all);
    const double odds = std::max(either, displaced(tau));
    result.at_times[t] = drifts_at_times(plain, odds);
    result.log_odds[t] = float(std::min(plain, odds));
  }
  return result;
}

}  // namespace whence
