#include "whence/evidence/shift_evidence.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "whence/evidence/drawn_rows.hpp"
#include "whence/evidence/logistic_evidence.hpp"
#include "whence/evidence/second_order.hpp"
#include "whence/math/logspace.hpp"
#include "whence/math/random.hpp"

namespace whence {

ShiftEvidence::ShiftEvidence(const CodedColumns& columns, const Dataset& data,
                             std::size_t baseline, std::uint64_t seed, const ShiftRows& most)
    : columns_(columns), baseline_codes_(0, 0) {
  const Environment& reference = data.environments[baseline];
  constexpr std::size_t most_fitted = 2000;
  baseline_codes_ =
      gather_rows(columns, draw_rows(reference, most_fitted, Stream(seed, Purpose::search, {1, 0, 0})));
  for (std::size_t e = 0; e < data.environments.size(); ++e) {
    if (e == baseline) continue;
    std::vector<std::size_t> rows =
        draw_rows(data.environments[e], most.of_environment,
                  Stream(seed, Purpose::search, {2, std::uint32_t(e), 0}));
    const std::size_t ours = rows.size();
    const std::vector<std::size_t> others = draw_rows(
        reference, most.of_baseline, Stream(seed, Purpose::search, {3, std::uint32_t(e), 0}));
    rows.insert(rows.end(), others.begin(), others.end());
    FeatureColumns codes = gather_rows(columns, rows);
    AlignedFloats labels(codes.stride());
    std::fill_n(labels.begin(), ours, 1.0F);
    labelled_.push_back({std::move(codes), std::move(labels), ours});
  }
}

double ShiftEvidence::labels(const VariableSet& set, std::size_t e) const {
  return label_cache_.get({set, std::uint32_t(e), 0}, [&] { return fit_labels(set, e); });
}

double ShiftEvidence::fit_labels(const VariableSet& set, std::size_t e) const {
  const Labelled& rows = labelled_[e];
  // Where one variable alone tells nearly all rows apart, nothing can be learnt beside it.
  if (set.size() > 1) {
    double best = -INFINITY;
    set.each([&](std::size_t v) { best = std::max(best, labels(VariableSet().with(v), e)); });
    constexpr double per_row = 0.03, in_all = 8;
    if (best > -per_row * double(rows.ours) - in_all) return best;
  }
  const auto list = coordinates_of(columns_, set);
  return logistic_evidence(second_order(list, rows.codes.rows(),
                                        [&](std::size_t c) { return rows.codes.column(c); }),
                           rows.labels);
}

/// T_e(P + i) with other numbers in the child's column.
double ShiftEvidence::fit_with(const VariableSet& parents, std::size_t child,
                               const std::vector<float>& column, std::size_t e) const {
  const Labelled& rows = labelled_[e];
  const std::size_t place = columns_.variable(child).first;
  const auto list = coordinates_of(columns_, parents.with(child));
  return logistic_evidence(
      second_order(list, rows.codes.rows(),
                   [&](std::size_t c) {
                     return c == place ? column.data() : rows.codes.column(c);
                   }),
      rows.labels);
}

FeatureColumns ShiftEvidence::mean_features(const FeatureColumns& codes, std::size_t first,
                                            std::size_t rows, const VariableSet& parents) const {
  return second_order(coordinates_of(columns_, parents), rows,
                      [&](std::size_t c) { return codes.column(c) + first; });
}

const ShiftEvidence::BaselineFit& ShiftEvidence::baseline_fit(std::size_t child,
                                                              const VariableSet& parents) const {
  return fit_cache_.get({parents, 0, std::uint32_t(child)}, [&] {
    const std::size_t n = baseline_codes_.rows();
    const FeatureColumns x = mean_features(baseline_codes_, 0, n, parents);
    const auto q = Eigen::Index(x.columns());
    Eigen::MatrixXd gram(q, q);
    gram_matrix(x, nullptr, {gram.data(), std::size_t(q * q)});
    gram.diagonal().array() += 1;
    const float* y = baseline_codes_.column(columns_.variable(child).first);
    Eigen::VectorXd cross(q);
    project(x, {y, x.stride()}, {cross.data(), std::size_t(q)});
    const Eigen::VectorXd w = Eigen::LLT<Eigen::MatrixXd>(gram).solve(cross);
    AlignedFloats fit(x.stride());
    add_scores(x, {w.data(), std::size_t(q)}, 1, fit);
    double squares = 0;
    for (std::size_t r = 0; r < n; ++r) squares += double(y[r] - fit[r]) * double(y[r] - fit[r]);
    constexpr double smallest = 1e-3;
    return BaselineFit{{w.data(), w.data() + q}, std::max(smallest, std::sqrt(squares / double(n)))};
  });
}

const DriftedChange& ShiftEvidence::drifted(std::size_t child, const VariableSet& parents,
                                            std::size_t e) const {
  return drift_cache_.get({parents, std::uint32_t(e), std::uint32_t(child)}, [&] {
    const double plain = change(child, parents, e);
    if (plain > 0) return beyond_drift(child, parents, e, plain);
    DriftedChange same;
    same.log_odds.fill(float(plain));
    return same;
  });
}

namespace {

/// What is left of `still_changed` once a drift that was estimated as `moved`, with `variance`, has
/// been taken out: its density under no drift against drift of scale tau.
double with_drift(double still_changed, double moved, double variance, double tau) {
  const double t2 = tau * tau;
  return still_changed + 0.5 * moved * moved / (t2 + variance) +
         0.5 * std::log1p(t2 / variance);
}

}  // namespace

DriftedChange ShiftEvidence::beyond_drift(std::size_t child, const VariableSet& parents,
                                          std::size_t e, double plain) const {
  DriftedChange result;
  result.log_odds.fill(float(plain));
  const Labelled& rows = labelled_[e];
  const auto n = double(rows.ours), reference = double(baseline_codes_.rows());
  const CodedVariable& variable = columns_.variable(child);
  if (!variable.real || variable.count != 1) {
    // Of levels only the size of the change is known: n d^2 v / 2 nats for a drift d of the logits.
    constexpr double logit_variance = 0.2;
    const double s = 1 / (n * logit_variance);
    for (std::size_t t = 1; t < drift_scales.size(); ++t)
      result.log_odds[t] = float(
          std::min(plain, with_drift(0, std::sqrt(2 * plain * s), s, drift_scales[t])));
    return result;
  }
  const BaselineFit& fit = baseline_fit(child, parents);
  const FeatureColumns x = mean_features(rows.codes, 0, rows.ours, parents);
  AlignedFloats mean(x.stride());
  add_scores(x, fit.weights, 1, mean);
  const float* y = rows.codes.column(variable.first);
  Eigen::VectorXd z(Eigen::Index(rows.ours));
  for (std::size_t r = 0; r < rows.ours; ++r)
    z[Eigen::Index(r)] = double(y[r] - mean[r]) / fit.spread;
  const double base = labels(parents, e);
  std::vector<float> undone(y, y + rows.codes.stride());

  // Drift of the offset alone.
  const double offset = z.sum() / (n + 0.1);
  const double spread = std::max(1e-3, std::sqrt((z.array() - offset).square().mean()));
  const double offset_variance = std::min(spread * spread, 9.0) / n + 1 / reference;
  for (std::size_t r = 0; r < rows.ours; ++r) undone[r] = float(y[r] - fit.spread * offset);
  const double after_offset = fit_with(parents, child, undone, e) - base;

  // Drift of the offset, of a slope for each coordinate of the parents, and of the scale.
  const auto list = coordinates_of(columns_, parents);
  Eigen::MatrixXd slopes(z.size(), 1 + Eigen::Index(list.size()));
  slopes.col(0).setOnes();
  for (std::size_t k = 0; k < list.size(); ++k)
    for (std::size_t r = 0; r < rows.ours; ++r)
      slopes(Eigen::Index(r), Eigen::Index(k + 1)) =
          std::clamp(rows.codes.column(list[k].column)[r], -3.0F, 3.0F);
  Eigen::MatrixXd gram = slopes.transpose() * slopes;
  gram.diagonal().array() += 0.1;
  const Eigen::LLT<Eigen::MatrixXd> factor(gram);
  const Eigen::VectorXd moved = factor.solve(slopes.transpose() * z);
  const Eigen::VectorXd left = z - slopes * moved;
  const double scale = std::max(1e-3, std::sqrt((left.squaredNorm() + 1e-3) / n));
  Eigen::MatrixXd covariance =
      factor.solve(Eigen::MatrixXd::Identity(gram.rows(), gram.cols())) *
      std::min(scale * scale, 9.0);
  covariance.diagonal().array() += 1 / reference;
  for (std::size_t r = 0; r < rows.ours; ++r)
    undone[r] = float(mean[r] + fit.spread * left[Eigen::Index(r)] / scale);
  const double after_all = fit_with(parents, child, undone, e) - base;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> axes(covariance);
  const Eigen::VectorXd along = axes.eigenvectors().transpose() * moved;

  for (std::size_t t = 1; t < drift_scales.size(); ++t) {
    const double tau = drift_scales[t];
    const double by_offset = with_drift(after_offset, offset, offset_variance, tau);
    double by_all = with_drift(after_all, std::log(scale), 0.5 / n + 0.5 / reference, tau);
    for (Eigen::Index a = 0; a < along.size(); ++a)
      by_all += with_drift(0, along[a], std::max(1e-9, axes.eigenvalues()[a]), tau);
    // Either way of drifting with probability one half: the smaller evidence for a change counts.
    const double either = std::log(2.0) - log_add_exp(-by_offset, -by_all);
    result.log_odds[t] = float(std::min(plain, either));
  }
  return result;
}

}  // namespace whence
