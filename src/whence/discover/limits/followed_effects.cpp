#include "whence/discover/limits/followed_effects.hpp"

#include <algorithm>
#include <cmath>

#include "whence/discover/limits/followed_tables.hpp"
#include "whence/discover/limits/selection_doubt.hpp"
#include "whence/math/dense.hpp"

namespace whence {

namespace {

constexpr std::size_t most_fitted = 20'000;  // that a line is fitted to, evenly spread
constexpr double usual_drift = 0.1;          // residual standard deviations, from run to run
constexpr double too_far = 0.5;              // of the way that the causes take the effect

/// How far rows are off a line: their mean with its variance, and their variance, as the logarithm
/// of its ratio to the usual one, with the variance of that.
struct OffLine {
  double mean = 0, mean_error = 1, spread = 0, spread_error = 1;

  /// The log-likelihood that nothing changed, up to a constant.
  double unchanged(double freedom) const {
    const auto term = [&](double square) {
      return -0.5 * (freedom + 1) * std::log1p(square / freedom);
    };
    return term(mean * mean / mean_error) + term(spread * spread / spread_error);
  }
};

/// Mean, variance and kurtosis (3 at least) of numbers.
struct Moments {
  double mean = 0, variance = 0, kurtosis = 3;

  explicit Moments(const std::vector<double>& x) {
    const double n = double(x.size());
    double fourth = 0;
    for (const double value : x) mean += value / n;
    for (const double value : x) {
      const double square = (value - mean) * (value - mean);
      variance += square / n;
      fourth += square * square / n;
    }
    if (variance > 0) kurtosis = std::max(3.0, fourth / (variance * variance));
  }
};

/// Two lines for an effect: on all of its causes, and on all but one of them.
class TwoLines {
 public:
  /// The cause in question comes last.
  TwoLines(const Dataset& data, std::vector<std::size_t> causes, std::size_t effect,
           const std::vector<std::size_t>& environments)
      : data_(data), causes_(std::move(causes)), effect_(effect) {
    const std::vector<std::size_t> rows = rows_of(environments);
    n_ = double(rows.size());
    find_units(rows);
    const std::size_t columns = causes_.size() + 2;
    constexpr double ridge = 1e-4;  // columns may be constant here, or copies
    Matrix all(rows.size() + columns - 1, columns);
    for (std::size_t r = 0; r < rows.size(); ++r) fill(rows[r], &all(r, 0));
    for (std::size_t c = 0; c + 1 < columns; ++c) all(rows.size() + c, c) = ridge * std::sqrt(n_);
    factor_ = factor_of_gram(std::move(all));
    for (const std::size_t used : {causes_.size() + 1, causes_.size()}) {
      Line& line = used > causes_.size() ? whole_ : without_;
      fit(used, line);
      std::vector<double> left;
      for (const std::size_t row : rows) left.push_back(residual(line, row));
      const Moments moments(left);
      line.variance = moments.variance * n_ / std::max(1.0, n_ - double(used));
      line.kurtosis = moments.kurtosis;
    }
  }

  OffLine off_whole(std::size_t e) const { return off(whole_, e); }
  OffLine off_without(std::size_t e) const { return off(without_, e); }

 private:
  struct Line {
    std::vector<double> weights;
    double variance = 0, kurtosis = 3;
  };

  std::vector<std::size_t> rows_of(const std::vector<std::size_t>& environments) const {
    std::size_t all = 0;
    for (const std::size_t e : environments) all += data_.environments[e].rows();
    std::vector<std::size_t> rows;
    for (const std::size_t e : environments) {
      const Environment& here = data_.environments[e];
      const std::size_t share = all <= most_fitted ? here.rows() : here.rows() * most_fitted / all;
      for (std::size_t i = 0; i < share; ++i) rows.push_back(here.begin + i * here.rows() / share);
    }
    return rows;
  }
  void find_units(const std::vector<std::size_t>& rows) {
    std::vector<double> x;
    for (std::size_t c = 0; c <= causes_.size(); ++c) {
      const auto& column = data_.columns[c < causes_.size() ? causes_[c] : effect_].values;
      x.clear();
      for (const std::size_t row : rows) x.push_back(column[row]);
      const Moments moments(x);
      middle_.push_back(moments.mean);
      unit_.push_back(moments.variance > 0 ? std::sqrt(moments.variance) : 1);
    }
  }
  /// One, the causes, the effect.
  void fill(std::size_t row, double* to) const {
    to[0] = 1;
    for (std::size_t c = 0; c <= causes_.size(); ++c) {
      const auto& column = data_.columns[c < causes_.size() ? causes_[c] : effect_].values;
      to[c + 1] = (column[row] - middle_[c]) / unit_[c];
    }
  }
  Matrix leading(std::size_t size) const {
    Matrix block(size, size);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j <= i; ++j) block(i, j) = factor_(i, j);
    return block;
  }
  void fit(std::size_t used, Line& line) const {
    Matrix weights(used, 1);
    const std::size_t last = factor_.columns - 1;
    for (std::size_t i = 0; i < used; ++i) weights(i, 0) = factor_(last, i);
    line.weights = lower_transposed_solve(leading(used), std::move(weights)).values;
  }
  double residual(const Line& line, std::size_t row) const {
    std::vector<double> values(causes_.size() + 2);
    fill(row, values.data());
    double left = values.back();
    for (std::size_t i = 0; i < line.weights.size(); ++i) left -= line.weights[i] * values[i];
    return left;
  }
  OffLine off(const Line& line, std::size_t e) const {
    const std::vector<std::size_t> rows = rows_of({e});
    const std::size_t used = line.weights.size();
    std::vector<double> left, place(used), values(causes_.size() + 2);
    for (const std::size_t row : rows) {
      left.push_back(residual(line, row));
      fill(row, values.data());
      for (std::size_t i = 0; i < used; ++i) place[i] += values[i] / double(rows.size());
    }
    const Moments moments(left);
    const double n = double(rows.size()), drift = usual_drift * usual_drift;
    const double here = moments.variance * n / std::max(1.0, n - 1);
    double leverage = 0;
    for (const double x : lower_solve(leading(used), place)) leverage += x * x;
    constexpr double least = 1e-12;  // of the usual variance
    OffLine found;
    found.mean = moments.mean;
    found.mean_error = here / n + line.variance * (leverage + drift) + 1e-300;
    found.spread = std::log((here + least) / (line.variance + least));
    found.spread_error = (moments.kurtosis - 1) / n + (line.kurtosis - 1) / n_ + 4 * drift;
    return found;
  }

  const Dataset& data_;
  std::vector<std::size_t> causes_;
  std::size_t effect_;
  double n_ = 0;
  std::vector<double> middle_, unit_;  // [cause, then effect]
  Matrix factor_;
  Line whole_, without_;
};

}  // namespace

bool FollowedEffects::changed(std::size_t variable, std::size_t e) const {
  const std::vector<double>& p = result_.environments[e].changed;
  return !p.empty() && p[variable] >= likely_change;
}

std::vector<std::size_t> FollowedEffects::usual(std::size_t cause, std::size_t effect,
                                                std::size_t e) const {
  std::vector<std::size_t> list;
  std::size_t largest = e == 0 ? 1 : 0;
  for (std::size_t other = 0; other < result_.environments.size(); ++other) {
    if (other == e) continue;
    const GraphEnvironment& here = result_.environments[other];
    if (here.all_changed < 0.5 && !changed(cause, other) && !changed(effect, other))
      list.push_back(other);
    const GraphEnvironment& best = result_.environments[largest];
    if (here.baseline > best.baseline || (here.baseline == best.baseline && here.rows > best.rows))
      largest = other;
  }
  if (list.empty()) list.push_back(largest);
  return list;
}

double FollowedEffects::against_hidden(std::size_t cause, std::size_t effect) const {
  const std::size_t m = result_.variables.size();
  std::vector<std::size_t> causes;
  for (std::size_t v = 0; v < m; ++v)
    if (v != cause && v != effect && result_.graph.edge(VariableId(v), VariableId(effect)))
      causes.push_back(v);
  causes.push_back(cause);
  double sum = 0;
  for (std::size_t e = 0; e < result_.environments.size(); ++e) {
    const GraphEnvironment& here = result_.environments[e];
    if (here.baseline || here.all_changed >= 0.5 || !changed(cause, e)) continue;
    const double rows = double(data_.environments[e].rows());
    if (rows < 3) continue;
    const double price = std::log(double(m)) + 1.5 * std::log(rows);  // of one more change
    const auto at_most_changed = [&](double caused, double hidden) {
      return std::max(caused, -price) - std::max(hidden, -price);
    };
    const std::vector<std::size_t> known = usual(cause, effect, e);
    if (result_.model == GraphModel::categorical) {
      const TwoTables tables(data_, causes, effect, known);
      sum += at_most_changed(tables.unchanged(e), tables.unchanged_without_cause(e));
      continue;
    }
    const TwoLines lines(data_, causes, effect, known);
    const OffLine caused = lines.off_whole(e), hidden = lines.off_without(e);
    const double term = at_most_changed(caused.unchanged(rows - 1), hidden.unchanged(rows - 1));
    // By what the cause alone should have moved the effect; a clear move may have gone too far.
    const double expected = hidden.mean - caused.mean;
    const bool clear = hidden.mean * hidden.mean > 4 * hidden.mean_error;
    const bool overshot = clear && hidden.mean * expected > 0 &&
                          std::abs(hidden.mean) > (1 + too_far) * std::abs(expected);
    sum += overshot ? std::min(0.0, term) : term;
  }
  return sum;
}

}  // namespace whence
