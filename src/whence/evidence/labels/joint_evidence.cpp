#include "whence/evidence/labels/joint_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>

#include "whence/evidence/labels/drawn_rows.hpp"
#include "whence/evidence/labels/logistic_evidence.hpp"
#include "whence/evidence/labels/new_evidence.hpp"
#include "whence/evidence/labels/noise_shape.hpp"
#include "whence/evidence/labels/second_order.hpp"
#include "whence/math/special.hpp"

namespace whence {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double noise_shape = 1.5, noise_rate = 0.02;

/// Monotone maps of a real column that may make its mechanism simpler.
enum class Map { identity, logarithm, root };

/// The column under a map, standardised robustly and bounded; the log of the map's slope.
std::vector<float> mapped(const std::vector<double>& x, Map map, const RobustScale& scale,
                          std::size_t stride, double& log_jacobian) {
  const double offset = 0.1 * scale.spread - *std::min_element(x.begin(), x.end());
  std::vector<double> y(x.size());
  log_jacobian = 0;
  for (std::size_t r = 0; r < x.size(); ++r) {
    const double shifted = x[r] + offset;
    y[r] = map == Map::identity    ? x[r]
           : map == Map::logarithm ? std::log(shifted)
                                   : std::sqrt(shifted);
    if (map == Map::logarithm) log_jacobian -= std::log(shifted);
    if (map == Map::root) log_jacobian -= std::log(2.0) + 0.5 * std::log(shifted);
  }
  const RobustScale own = robust_scale(y);
  std::vector<float> result(stride);
  double mean = 0;
  for (std::size_t r = 0; r < y.size(); ++r) {
    result[r] = bounded_code((y[r] - own.centre) / own.spread);
    mean += result[r];
  }
  mean /= double(y.size());
  double squares = 0;
  for (std::size_t r = 0; r < y.size(); ++r) squares += std::pow(result[r] - mean, 2);
  const double spread = std::max(1e-6, std::sqrt(squares / double(y.size())));
  for (std::size_t r = 0; r < y.size(); ++r) result[r] = float((result[r] - mean) / spread);
  log_jacobian -= double(y.size()) * std::log(own.spread * spread);
  return result;
}

/// Values on a coarse grid are spread over their cells: a density of whole numbers has no limit.
void spread_over_grid(std::vector<double>& x, Stream stream) {
  std::vector<double> sorted = x;
  std::sort(sorted.begin(), sorted.end());
  double gap = INFINITY;
  std::size_t distinct = 1;
  for (std::size_t r = 1; r < sorted.size(); ++r)
    if (sorted[r] > sorted[r - 1]) {
      gap = std::min(gap, sorted[r] - sorted[r - 1]);
      ++distinct;
    }
  constexpr std::size_t coarse = 4;  // rows per value
  if (distinct < 2 || distinct * coarse > x.size()) return;
  for (double& value : x) value += gap * (stream.uniform() - 0.5);
}

}  // namespace

JointEvidence::JointEvidence(const CodedColumns& columns, const Dataset& data, std::size_t baseline,
                             std::uint64_t seed, std::size_t most_rows, std::size_t waves)
    : columns_(columns),
      features_(columns, waves, seed),
      level_features_(columns, 0, seed),
      codes_(0, 0),
      levels_(data.variables.size()) {
  const std::vector<std::size_t> rows =
      draw_rows(data.environments[baseline], most_rows, Stream(seed, Purpose::search, {4, 0, 0}));
  codes_ = gather_rows(columns, rows);
  for (std::size_t v = 0; v < data.variables.size(); ++v) {
    if (columns.variable(v).real)
      add_targets(data, v, rows, seed);
    else
      for (std::size_t r : rows) levels_[v].push_back(columns.levels(v)[r]);
  }
  choose_maps();
  const std::size_t q = codes_.columns();
  covariance_.resize(q * q);
  gram_matrix(codes_, nullptr, covariance_);
  std::vector<double> mean(q);
  for (std::size_t c = 0; c < q; ++c)
    mean[c] = std::accumulate(codes_.column(c), codes_.column(c) + codes_.rows(), 0.0) /
              double(codes_.rows());
  for (std::size_t a = 0; a < q; ++a)
    for (std::size_t b = 0; b < q; ++b)
      covariance_[a * q + b] = covariance_[a * q + b] / double(codes_.rows()) - mean[a] * mean[b];
}

double JointEvidence::linear_gain(std::size_t i, const VariableSet& given, std::size_t more) const {
  const std::size_t q = codes_.columns();
  // Residual variance of one coordinate, with a little noise so that copies stay regular.
  const auto left = [&](std::size_t c, const VariableSet& set) {
    const std::vector<Coordinate> list = coordinates_of(columns_, set);
    const auto k = Eigen::Index(list.size());
    constexpr double noise = 1e-3;
    const double own = covariance_[c * q + c] + noise;
    if (k == 0) return own;
    Matrix between(k, k);
    Vector cross(k);
    for (Eigen::Index a = 0; a < k; ++a) {
      const std::size_t row = list[std::size_t(a)].column;
      cross[a] = covariance_[row * q + c];
      for (Eigen::Index b = 0; b < k; ++b)
        between(a, b) = covariance_[row * q + list[std::size_t(b)].column] + (a == b ? noise : 0);
    }
    return std::max(noise, own - cross.dot(Eigen::LLT<Matrix>(between).solve(cross)));
  };
  double most = 0;
  const CodedVariable& variable = columns_.variable(i);
  for (std::size_t c = variable.first; c < variable.first + variable.count; ++c)
    most = std::max(most, 0.5 * std::log(left(c, given) / left(c, given.with(more))));
  return most;
}

void JointEvidence::add_targets(const Dataset& data, std::size_t v,
                                const std::vector<std::size_t>& rows, std::uint64_t seed) {
  const auto d = std::size_t(data.variables[v].dimension);
  for (std::size_t k = 0; k < d; ++k) {
    std::vector<double> x;
    for (std::size_t r : rows) x.push_back(data.columns[v].values[r * d + k]);
    const RobustScale scale = robust_scale(x);
    spread_over_grid(x, Stream(seed, Purpose::search, {5, std::uint32_t(v), std::uint32_t(k)}));
    for (Map map : {Map::identity, Map::logarithm, Map::root}) {
      Target target{v, {}, 0};
      target.values = mapped(x, map, scale, codes_.stride(), target.log_jacobian);
      targets_.push_back(std::move(target));
    }
  }
}

/// Keeps, of each real coordinate's maps, the one that the other columns predict best.
void JointEvidence::choose_maps() {
  constexpr std::size_t maps = 3, most_given = 4;
  std::vector<std::size_t> chosen;
  for (std::size_t first = 0; first < targets_.size(); first += maps) {
    std::size_t best_map = first;
    double best = -INFINITY;
    for (std::size_t t = first; t < first + maps; ++t) {
      VariableSet given;
      const auto value = [&](const VariableSet& set) {
        return conditional_cache_.get(set, [&] { return all_conditionals(set); })[t] +
               targets_[t].log_jacobian;
      };
      double reached = value(given);
      for (std::size_t step = 0; step < most_given; ++step) {
        VariableSet better = given;
        for (std::size_t v = 0; v < columns_.variables(); ++v) {
          if (v == targets_[t].variable || given.has(v)) continue;
          const double next = value(given.with(v));
          if (next <= reached) continue;
          reached = next;
          better = given.with(v);
        }
        if (better == given) break;
        given = better;
      }
      if (reached <= best) continue;
      best = reached;
      best_map = t;
    }
    chosen.push_back(best_map);
  }
  std::vector<Target> kept;
  for (std::size_t t : chosen) kept.push_back(std::move(targets_[t]));
  targets_ = std::move(kept);
  conditional_cache_.clear();
}

/// Of every target that is not given.
std::vector<double> JointEvidence::all_conditionals(const VariableSet& given) const {
  const std::vector<float> precision = features_.precisions(given);
  FeatureColumns x(codes_.rows(), precision.size() + targets_.size());
  features_.fill(given, codes_, x);
  for (std::size_t k = 0; k < targets_.size(); ++k)
    std::copy(targets_[k].values.begin(), targets_[k].values.end(), x.column(precision.size() + k));
  const auto q = Eigen::Index(precision.size()), all = Eigen::Index(x.columns());
  Matrix gram(all, all);
  gram_matrix(x, nullptr, {gram.data(), std::size_t(all * all)});
  const auto t = Eigen::Index(targets_.size());
  const double n = double(codes_.rows()), shape = noise_shape + n / 2;
  const double constant = -n / 2 * std::log(2 * 3.14159265358979) +
                          noise_shape * std::log(noise_rate) + log_gamma(shape) -
                          log_gamma(noise_shape);
  Vector best = Vector::Constant(t, -INFINITY), variance(t);
  std::vector<Eigen::LLT<Matrix>> factors;
  std::vector<std::size_t> chosen(targets_.size(), 0);
  Matrix projected(q, t);                        // the cross products, by half of the chosen factor
  constexpr double shrinkage[] = {1, 30, 1000};  // of everything that is not linear
  const bool curved = !given.empty();
  for (double shrink : shrinkage) {
    if (!curved && shrink > 1) break;
    Matrix h = gram.topLeftCorner(q, q);
    double log_prior = 0;
    for (Eigen::Index j = 0; j < q; ++j) {
      const double p = precision[std::size_t(j)];
      const double used = p < 0 ? -p : j == 0 ? p : p * shrink;
      h(j, j) += used;
      log_prior += std::log(used);
    }
    const Eigen::LLT<Matrix>& factor = factors.emplace_back(h);
    const Matrix z = factor.matrixL().solve(gram.topRightCorner(q, t));
    const double log_posterior = 2 * factor.matrixLLT().diagonal().array().log().sum();
    for (Eigen::Index k = 0; k < t; ++k) {
      const double left = std::max(1e-3, gram(q + k, q + k) - z.col(k).squaredNorm());
      const double rate = noise_rate + left / 2;
      const double evidence = constant + 0.5 * (log_prior - log_posterior) -
                              shape * std::log(rate) - (curved ? std::log(3.0) : 0);
      if (evidence <= best[k]) continue;
      best[k] = evidence;
      variance[k] = rate / shape;
      chosen[std::size_t(k)] = factors.size() - 1;
      projected.col(k) = z.col(k);
    }
  }
  std::vector<double> result(targets_.size(), 0.0);
  FeatureColumns fit(codes_.rows(), 1);
  std::vector<float> residual(codes_.rows());
  std::vector<double> padded(std::size_t(all), 0.0);  // targets are no predictors
  for (Eigen::Index k = 0; k < t; ++k) {
    const Target& target = targets_[std::size_t(k)];
    if (given.has(target.variable)) continue;
    const Vector weights = factors[chosen[std::size_t(k)]].matrixU().solve(projected.col(k));
    std::copy_n(weights.data(), std::size_t(q), padded.begin());
    std::fill_n(fit.column(0), fit.stride(), 0.0F);
    add_scores(x, padded, 1, {fit.column(0), fit.stride()});
    for (std::size_t r = 0; r < residual.size(); ++r)
      residual[r] = target.values[r] - fit.column(0)[r];
    result[std::size_t(k)] =
        best[k] + noise_shape_gain(residual, {fit.column(0), residual.size()}, variance[k]);
  }
  return result;
}

/// Level by level: whether a row has this level, among those that have none of the earlier ones.
double JointEvidence::level_evidence(std::size_t v, const VariableSet& given) const {
  const std::vector<Coordinate> list = coordinates_of(columns_, given);
  const std::vector<int>& level = levels_[v];
  double sum = 0;
  for (int k = 0; k < int(columns_.variable(v).count); ++k) {
    std::vector<std::size_t> rows;
    std::size_t ones = 0;
    for (std::size_t r = 0; r < level.size(); ++r)
      if (level[r] >= k) {
        rows.push_back(r);
        ones += level[r] == k ? 1 : 0;
      }
    if (ones == 0 || ones == rows.size()) continue;
    FeatureColumns part(rows.size(), columns_.coordinates());
    for (const Coordinate& c : list)
      for (std::size_t r = 0; r < rows.size(); ++r)
        part.column(c.column)[r] = codes_.column(c.column)[rows[r]];
    AlignedFloats labels(part.stride());
    for (std::size_t r = 0; r < rows.size(); ++r) labels[r] = level[rows[r]] == k ? 1.0F : 0.0F;
    const auto column = [&](std::size_t c) { return part.column(c); };
    const double plain = fit_logistic(second_order(list, rows.size(), column), labels).log_evidence;
    if (list.empty()) {
      sum += plain;
      continue;
    }
    // Or curves of each coordinate: the better of the two, at the price of the choice.
    FeatureColumns curves(rows.size(), level_features_.precisions(given).size());
    level_features_.fill(given, part, curves);
    const LogisticPrior narrow{1.0, 0.01, 0.01};
    sum += std::max(plain, fit_logistic(curves, labels, narrow).log_evidence) - std::log(2.0);
  }
  return sum;
}

double JointEvidence::conditional(std::size_t i, const VariableSet& given) const {
  if (!columns_.variable(i).real)
    return level_cache_.get({given, i}, [&] {
      const double value = level_evidence(i, given);
      NewEvidence::note_level(given, i, value);
      return value;
    });
  const std::vector<double>& all = conditional_cache_.get(given, [&] {
    std::vector<double> values = all_conditionals(given);
    NewEvidence::note_conditionals(given, values);
    return values;
  });
  double sum = 0;
  for (std::size_t t = 0; t < targets_.size(); ++t)
    if (targets_[t].variable == i) sum += all[t];
  return sum;
}

bool JointEvidence::learn_conditionals(const VariableSet& given,
                                       const std::vector<double>& values) const {
  if (values.size() != targets_.size()) return false;
  conditional_cache_.get(given, [&] { return values; });
  return true;
}

void JointEvidence::learn_level(const VariableSet& given, std::size_t variable,
                                double value) const {
  level_cache_.get({given, variable}, [&] { return value; });
}

double JointEvidence::joint(const VariableSet& set) const {
  if (set.empty()) return 0;
  return joint_cache_.get(set, [&] {
    double best = -INFINITY;
    set.each([&](std::size_t last) {
      const VariableSet before = set.without(last);
      best = std::max(best, joint(before) + conditional(last, before));
    });
    return best;
  });
}

}  // namespace whence
