#include "whence/evidence/labels/shift_evidence.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "whence/evidence/labels/drawn_rows.hpp"
#include "whence/evidence/labels/second_order.hpp"
#include "whence/math/logspace.hpp"
#include "whence/math/random.hpp"

namespace whence {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr std::size_t regression_waves = 24;

/// The first columns of x, of the first `rows` rows.
FeatureColumns first_rows(const FeatureColumns& x, std::size_t rows, std::size_t columns) {
  FeatureColumns part(rows, columns);
  for (std::size_t j = 0; j < columns; ++j) std::copy_n(x.column(j), rows, part.column(j));
  return part;
}

/// By how much a prediction for each row is less sure than usual, at least 1: the leverage of its
/// features against their mean leverage in the fitted rows. A fit says nothing of where it has not
/// been.
std::vector<double> strangeness(const FeatureColumns& x, std::size_t features,
                                const Eigen::LLT<Matrix>& factor, std::size_t fitted) {
  Matrix rows(Eigen::Index(features), Eigen::Index(x.rows()));
  for (std::size_t j = 0; j < features; ++j)
    for (std::size_t r = 0; r < x.rows(); ++r)
      rows(Eigen::Index(j), Eigen::Index(r)) = x.column(j)[r];
  factor.matrixL().solveInPlace(rows);
  const Vector leverage = rows.colwise().squaredNorm().transpose();
  const double usual = leverage.head(Eigen::Index(fitted)).mean();
  constexpr double tolerated = 4;
  std::vector<double> list(x.rows(), 1.0);
  for (std::size_t r = fitted; r < x.rows(); ++r)
    list[r] = std::sqrt(1 + std::max(0.0, leverage[Eigen::Index(r)] / usual - tolerated));
  return list;
}

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
    const double freedom = ridge.factor.solve(gram).trace();
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

ShiftEvidence::ShiftEvidence(const CodedColumns& columns, const Dataset& data, std::size_t baseline,
                             std::uint64_t seed, const ShiftRows& most)
    : columns_(columns), features_(columns, regression_waves, seed), codes_(0, 0) {
  std::vector<std::size_t> rows =
      draw_rows(data.environments[baseline], most.fitted, Stream(seed, Purpose::search, {1, 0, 0}));
  fitted_ = rows.size();
  const std::size_t compared = std::min(most.of_baseline, fitted_);
  const std::size_t others = data.environments.size() - 1;
  for (std::size_t e = 0; e < data.environments.size(); ++e) {
    if (e == baseline) continue;
    const std::vector<std::size_t> own =
        draw_rows(data.environments[e], most.of_environment,
                  Stream(seed, Purpose::search, {2, std::uint32_t(e), 0}));
    // Windows of the baseline are spread out, so that one odd stretch does not meet all.
    const std::size_t from = others > 1 ? windows_.size() * (fitted_ - compared) / (others - 1) : 0;
    windows_.push_back({rows.size(), rows.size() + own.size(), from, from + compared});
    rows.insert(rows.end(), own.begin(), own.end());
    const std::size_t n = own.size() + compared;
    AlignedFloats labels((n + 7) / 8 * 8);
    std::fill_n(labels.begin(), own.size(), 1.0F);
    labels_.push_back(std::move(labels));
  }
  codes_ = gather_rows(columns, rows);
}

std::vector<float> ShiftEvidence::in_window(std::size_t e, const float* column) const {
  const Window& w = windows_[e];
  std::vector<float> values(column + w.begin, column + w.end);
  values.insert(values.end(), column + w.reference, column + w.reference_end);
  return values;
}

namespace {

/// Coordinates of a set of variables in one environment's window.
template <class InWindow>
std::vector<std::vector<float>> window_columns(const std::vector<Coordinate>& list,
                                               const InWindow& in_window) {
  std::vector<std::vector<float>> columns;
  for (const Coordinate& c : list) columns.push_back(in_window(c.column));
  return columns;
}

/// The same coordinates, numbered as the columns of a window.
std::vector<Coordinate> renumbered(std::vector<Coordinate> list) {
  for (std::size_t k = 0; k < list.size(); ++k) list[k].column = k;
  return list;
}

}  // namespace

const LogisticFit& ShiftEvidence::fit(const VariableSet& set, std::size_t e) const {
  return fit_cache_.get({set, e}, [&] {
    const std::vector<Coordinate> list = coordinates_of(columns_, set);
    const auto columns =
        window_columns(list, [&](std::size_t c) { return in_window(e, codes_.column(c)); });
    const Window& w = windows_[e];
    const std::size_t n = w.end - w.begin + w.reference_end - w.reference;
    return fit_logistic(
        second_order(renumbered(list), n, [&](std::size_t k) { return columns[k].data(); }),
        labels_[e]);
  });
}

namespace {

/// How far an environment's rows are off the baseline's regression on average, and how far that
/// regression itself may be off there: by what it has not seen, and by a share of what it predicts.
Displacement displacement_of(const FeatureColumns& x, const Ridge& ridge, const float* predicted,
                             const std::vector<float>& left, double usual_prediction, double usual,
                             std::size_t begin, std::size_t end) {
  constexpr double share_off = 0.3, misfit = 0.1;
  const double each = 1 / double(end - begin);
  Vector features(Eigen::Index(x.columns()));
  for (std::size_t j = 0; j < x.columns(); ++j) {
    double sum = 0;
    for (std::size_t r = begin; r < end; ++r) sum += x.column(j)[r];
    features[Eigen::Index(j)] = sum * each;
  }
  Displacement found;
  double prediction = 0;
  for (std::size_t r = begin; r < end; ++r) {
    found.offset += each * left[r];
    prediction += each * predicted[r];
  }
  const double moved = share_off * (prediction - usual_prediction) / usual;
  found.variance =
      each + misfit * misfit + moved * moved + ridge.factor.matrixL().solve(features).squaredNorm();
  return found;
}

}  // namespace

/// What the parents leave unexplained of each of the child's coordinates, in units of its usual
/// size where the parents are as they are: a flexible regression on the baseline.
ShiftEvidence::Remainders ShiftEvidence::remainders(std::size_t child,
                                                    const VariableSet& parents) const {
  const std::vector<float> precision = features_.precisions(parents);
  const std::size_t q = precision.size(), n = codes_.rows();
  FeatureColumns x(n, q);
  features_.fill(parents, codes_, x);
  const FeatureColumns known = first_rows(x, fitted_, q);
  Matrix gram(q, q);
  gram_matrix(known, nullptr, {gram.data(), q * q});
  const std::vector<Ridge> ridges = ridges_of(gram, precision, fitted_);
  const std::size_t second = second_order_count(coordinates_of(columns_, parents));
  const FeatureColumns known_second = first_rows(known, fitted_, second);
  Matrix scale_gram(second, second);
  gram_matrix(known_second, nullptr, {scale_gram.data(), second * second});
  scale_gram.diagonal().array() += 1;
  const Eigen::LLT<Matrix> scale_factor(scale_gram);
  const std::vector<double> strange = strangeness(x, second, scale_factor, fitted_);

  const CodedVariable& variable = columns_.variable(child);
  Remainders result;
  for (std::size_t k = 0; k < variable.count; ++k) {
    const float* y = codes_.column(variable.first + k);
    FeatureColumns target(fitted_, 1);
    std::copy_n(y, fitted_, target.column(0));
    Vector cross(q);
    project(known, {target.column(0), target.stride()}, {cross.data(), q});
    double squares = 0;
    for (std::size_t r = 0; r < fitted_; ++r) squares += double(y[r]) * double(y[r]);
    const Ridge* best = nullptr;
    for (const Ridge& ridge : ridges)
      if (best == nullptr ||
          ridge.log_evidence(cross, squares) > best->log_evidence(cross, squares))
        best = &ridge;
    const Vector w = best->factor.solve(cross);
    const double enlarged = best->enlarged;
    AlignedFloats mean(x.stride());
    add_scores(x, {w.data(), q}, 1, mean);
    std::vector<float> left(n);
    for (std::size_t r = 0; r < n; ++r)
      left[r] = float(double(y[r] - mean[r]) * (r < fitted_ ? enlarged : 1));
    // The size of the remainder, as a function of the parents.
    double usual = 0;
    for (std::size_t r = 0; r < fitted_; ++r) {
      target.column(0)[r] = std::abs(left[r]);
      usual += std::abs(left[r]) / double(fitted_);
    }
    usual = std::max(usual, 1e-3);
    Vector size_cross(second);
    project(known_second, {target.column(0), target.stride()}, {size_cross.data(), second});
    Vector size_weight = Vector::Zero(Eigen::Index(q));
    size_weight.head(Eigen::Index(second)) = scale_factor.solve(size_cross);
    AlignedFloats size(x.stride());
    add_scores(x, {size_weight.data(), q}, 1, size);
    constexpr double mean_size = 0.7979;  // of a standard normal variable
    for (std::size_t r = 0; r < n; ++r) {
      const double scale = std::clamp(double(size[r]), 0.3 * usual, 4 * usual) / mean_size;
      left[r] = bounded_code(left[r] / scale);
    }
    double usual_prediction = 0;
    for (std::size_t r = 0; r < fitted_; ++r) usual_prediction += mean[r] / double(fitted_);
    std::vector<Displacement> displaced;
    for (const Window& window : windows_)
      displaced.push_back(displacement_of(x, *best, mean.data(), left, usual_prediction,
                                          usual / mean_size, window.begin, window.end));
    for (std::size_t r = 0; r < n; ++r) left[r] = float(left[r] / strange[r]);
    result.columns.push_back(std::move(left));
    result.displaced.push_back(std::move(displaced));
  }
  return result;
}

const std::vector<float>& ShiftEvidence::changes(std::size_t child,
                                                 const VariableSet& parents) const {
  return change_cache_.get({parents, child}, [&] {
    const Remainders remainder = remainders(child, parents);
    std::vector<float> list;
    for (std::size_t e = 0; e < environments(); ++e)
      list.push_back(compare(child, parents, e, remainder, false).log_odds[0]);
    return list;
  });
}

const std::vector<DriftedChange>& ShiftEvidence::drifts(std::size_t child,
                                                        const VariableSet& parents) const {
  return drift_cache_.get({parents, child}, [&] {
    const Remainders remainder = remainders(child, parents);
    std::vector<DriftedChange> list;
    for (std::size_t e = 0; e < environments(); ++e)
      list.push_back(compare(child, parents, e, remainder, true));
    return list;
  });
}

namespace {

/// What is left of `still_changed` once a drift that was estimated as `moved`, with `variance`, has
/// been taken out: its density under no drift against drift of scale tau.
double with_drift(double still_changed, double moved, double variance, double tau) {
  const double t2 = tau * tau;
  return still_changed + 0.5 * moved * moved / (t2 + variance) + 0.5 * std::log1p(t2 / variance);
}

/// How a remainder may have drifted: its offset, a slope for each coordinate of the parents, and
/// its scale, estimated in one environment; and what is left without each.
struct Drift {
  double offset = 0, offset_variance = 1;
  Vector moved, variances;  // along independent axes
  double log_scale = 0;
  std::vector<float> without_offset, without_all;  // the environment's rows
};

Drift estimate_drift(const std::vector<float>& z, std::size_t n, double reference,
                     const std::vector<std::vector<float>>& parents) {
  Drift drift;
  const auto rows = Eigen::Index(n);
  const Vector own = Eigen::Map<const Eigen::VectorXf>(z.data(), rows).cast<double>();
  drift.offset = own.sum() / (double(n) + 0.1);
  const double spread = std::max(1e-3, std::sqrt((own.array() - drift.offset).square().mean()));
  drift.offset_variance = std::min(spread * spread, 9.0) / double(n) + 1 / reference;
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
  drift.moved = axes.eigenvectors().transpose() * moved;
  drift.variances = axes.eigenvalues().cwiseMax(1e-9);
  for (Eigen::Index r = 0; r < rows; ++r) {
    drift.without_offset.push_back(float(own[r] - drift.offset));
    drift.without_all.push_back(float(left[r] / scale));
  }
  return drift;
}

}  // namespace

DriftedChange ShiftEvidence::compare(std::size_t child, const VariableSet& parents, std::size_t e,
                                     const Remainders& remainder, bool drift_too) const {
  const Window& window = windows_[e];
  const std::size_t own = window.end - window.begin;
  const std::size_t n = own + window.reference_end - window.reference;
  const LogisticFit& base = fit(parents, e);
  const std::vector<Coordinate> list = coordinates_of(columns_, parents);
  const auto given =
      window_columns(list, [&](std::size_t c) { return in_window(e, codes_.column(c)); });
  const bool real = columns_.variable(child).real;
  std::vector<std::vector<float>> z;
  for (const std::vector<float>& column : remainder.columns)
    z.push_back(in_window(e, column.data()));

  // Features of the parents, then of the remainder: itself, its square, its products with them.
  const std::size_t old = second_order_count(list);
  const std::size_t each = 1 + (real ? 1 : 0) + list.size();
  FeatureColumns x(n, old + each * z.size());
  fill_second_order(
      renumbered(list), [&](std::size_t k) { return given[k].data(); }, x);
  const auto gain = [&] {
    std::size_t at = old;
    for (const std::vector<float>& column : z) {
      std::copy(column.begin(), column.end(), x.column(at++));
      if (real) {
        float* to = x.column(at++);
        for (std::size_t r = 0; r < n; ++r) to[r] = column[r] * column[r] - 1;
      }
      for (const std::vector<float>& parent : given) {
        float* to = x.column(at++);
        for (std::size_t r = 0; r < n; ++r) to[r] = column[r] * parent[r];
      }
    }
    return gain_of_more(x, base, labels_[e]);
  };
  // Parents that give the environment away leave nothing to guess: then the child must be where
  // the baseline's regression expects it.
  const double weight = std::clamp((given_away(parents, e) - 0.5) / 0.3, 0.0, 1.0);
  const auto displaced = [&](double tau) {
    double most = 0;
    for (const auto& by_environment : remainder.displaced)
      most = std::max(most, by_environment[e].log_odds(tau));
    return weight * most;
  };
  const double plain = std::max(gain(), displaced(0));
  DriftedChange result;
  result.log_odds.fill(float(plain));
  if (plain <= 0 || !drift_too) return result;
  if (!real || z.size() != 1) {
    // Of levels only the size of the change is known: n d^2 v / 2 nats for a drift d of the logits.
    constexpr double logit_variance = 0.2;
    const double s = 1 / (double(own) * logit_variance);
    for (std::size_t t = 1; t < drift_scales.size(); ++t)
      result.log_odds[t] =
          float(std::min(plain, with_drift(0, std::sqrt(2 * plain * s), s, drift_scales[t])));
    return result;
  }
  const auto reference = double(fitted_);
  const Drift drift = estimate_drift(z[0], own, reference, given);
  std::copy(drift.without_offset.begin(), drift.without_offset.end(), z[0].begin());
  const double after_offset = gain();
  std::copy(drift.without_all.begin(), drift.without_all.end(), z[0].begin());
  const double after_all = gain();
  for (std::size_t t = 1; t < drift_scales.size(); ++t) {
    const double tau = drift_scales[t];
    const double by_offset = with_drift(after_offset, drift.offset, drift.offset_variance, tau);
    double by_all =
        with_drift(after_all, drift.log_scale, 0.5 / double(own) + 0.5 / reference, tau);
    for (Eigen::Index a = 0; a < drift.moved.size(); ++a)
      by_all += with_drift(0, drift.moved[a], drift.variances[a], tau);
    // Either way of drifting with probability one half: the smaller evidence for a change counts.
    const double either = std::log(2.0) - log_add_exp(-by_offset, -by_all);
    result.log_odds[t] = float(std::min(plain, std::max(either, displaced(tau))));
  }
  return result;
}

}  // namespace whence
