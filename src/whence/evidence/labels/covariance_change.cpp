#include "whence/evidence/labels/covariance_change.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "whence/math/ranks.hpp"

namespace whence {
namespace {

/// One number per row of the data; rows of other environments stay 0.
using Signal = std::vector<double>;
using Rows = std::vector<std::size_t>;

/// Whether a category is met, of those that are met most often: rarer ones show no covariance.
std::vector<Signal> indicators(const Dataset& data, std::size_t v) {
  constexpr std::size_t most = 10;
  std::vector<std::size_t> count(std::size_t(data.variables[v].levels), 0);
  for (const std::int32_t level : data.columns[v].levels) ++count[std::size_t(level)];
  std::vector<std::int32_t> order(count.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return count[std::size_t(a)] > count[std::size_t(b)];
  });
  order.resize(std::min(order.size(), most));
  std::vector<Signal> signals;
  for (const std::int32_t level : order) {
    Signal& signal = signals.emplace_back();
    for (const std::int32_t l : data.columns[v].levels) signal.push_back(l == level);
  }
  return signals;
}

double value_at(const Dataset& data, std::size_t v, std::size_t k, std::size_t row) {
  const auto d = std::size_t(data.variables[v].dimension);
  return data.columns[v].values[row * d + k];
}

/// The values themselves.
std::vector<Signal> plain_signals(const Dataset& data, std::size_t v) {
  if (data.variables[v].kind == Variable::Kind::categorical) return indicators(data, v);
  std::vector<Signal> signals;
  for (std::size_t k = 0; k < std::size_t(data.variables[v].dimension); ++k) {
    Signal& signal = signals.emplace_back();
    for (std::size_t r = 0; r < data.rows(); ++r) signal.push_back(value_at(data, v, k, r));
  }
  return signals;
}

/// Ranks among these rows and their squares: values that are far out say no more than others.
std::vector<Signal> rank_signals(const Dataset& data, std::size_t v, const Rows& rows) {
  if (data.variables[v].kind == Variable::Kind::categorical) return indicators(data, v);
  std::vector<Signal> signals;
  for (std::size_t k = 0; k < std::size_t(data.variables[v].dimension); ++k) {
    std::vector<double> values;
    for (const std::size_t row : rows) values.push_back(value_at(data, v, k, row));
    const std::vector<double> ranks = unit_ranks(values);
    Signal line(data.rows(), 0.0), square(data.rows(), 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double rank = 2 * ranks[i] - 1;
      line[rows[i]] = rank, square[rows[i]] = rank * rank;
    }
    signals.push_back(std::move(line));
    signals.push_back(std::move(square));
  }
  return signals;
}

/// A covariance about the means of each environment, and its sampling variance.
struct Covariance {
  double value = 0, variance = 0;
};

Covariance covariance(const Dataset& data, std::span<const std::size_t> environments,
                      std::span<const double> share, const Signal& u, const Signal& v) {
  double sum = 0, squares = 0, rows = 0, worth = 0;
  for (const std::size_t e : environments) {
    const Environment& here = data.environments[e];
    const auto n = double(here.rows());
    double mean_u = 0, mean_v = 0;
    for (std::size_t r = here.begin; r < here.end; ++r) mean_u += u[r] / n, mean_v += v[r] / n;
    for (std::size_t r = here.begin; r < here.end; ++r) {
      const double product = (u[r] - mean_u) * (v[r] - mean_v);
      sum += product, squares += product * product;
    }
    rows += n, worth += n * (share.empty() ? 1 : share[e]);
  }
  const double mean = sum / std::max(rows, 1.0);
  const double variance = std::max(0.0, squares / std::max(rows, 1.0) - mean * mean);
  return {mean, variance / std::max(worth - double(environments.size()), 1.0)};
}

Rows rows_of(const Dataset& data, std::size_t environment, std::span<const std::size_t> reference) {
  Rows rows;
  const auto add = [&](const Environment& e) {
    for (std::size_t r = e.begin; r < e.end; ++r) rows.push_back(r);
  };
  add(data.environments[environment]);
  for (const std::size_t e : reference) add(data.environments[e]);
  return rows;
}

}  // namespace

double changed_covariance(const Dataset& data, std::size_t shifted, std::size_t environment,
                          std::span<const std::size_t> reference, std::span<const double> share) {
  const auto first = rank_signals(data, 1 - shifted, rows_of(data, environment, reference));
  const auto second = plain_signals(data, shifted);
  double largest = 0;
  for (const Signal& u : first)
    for (const Signal& v : second) {
      const Covariance here = covariance(data, {&environment, 1}, share, u, v);
      const Covariance there = covariance(data, reference, share, u, v);
      const double variance = here.variance + there.variance, apart = here.value - there.value;
      if (variance > 0) largest = std::max(largest, apart * apart / variance);
    }
  // Three standard errors and the number of products come by chance.
  const double products = double(std::max<std::size_t>(1, first.size() * second.size()));
  return 0.5 * std::max(0.0, largest - 9 - 2 * std::log(products));
}

}  // namespace whence
