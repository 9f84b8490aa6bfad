#include "whence/judge/summary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "whence/math/special.hpp"

namespace whence {

double quantile(std::vector<double> values, double q) {
  const double place = q * double(values.size() - 1);
  const auto below = std::size_t(place);
  const auto nth = values.begin() + std::ptrdiff_t(below);
  std::nth_element(values.begin(), nth, values.end());
  const double low = *nth;
  if (place == double(below)) return low;
  const double high = *std::min_element(nth + 1, values.end());
  return low + (place - double(below)) * (high - low);
}

Curve summarise(std::string id, std::string label, std::vector<double> x,
                std::span<const std::vector<double>> runs) {
  Curve curve{std::move(id), std::move(label), std::move(x), {}, {}, {}};
  std::vector<double> values(runs.size());
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    for (std::size_t r = 0; r < runs.size(); ++r) values[r] = runs[r][i];
    curve.median.push_back(quantile(values, 0.5));
    curve.q25.push_back(quantile(values, 0.25));
    curve.q75.push_back(quantile(values, 0.75));
  }
  return curve;
}

int first_above(const Curve& curve, double level) {
  for (std::size_t i = 0; i < curve.x.size(); ++i)
    if (curve.median[i] > level) return int(curve.x[i]);
  return 0;
}

std::vector<double> counting(std::size_t n) {
  std::vector<double> x(n);
  std::iota(x.begin(), x.end(), 1.0);
  return x;
}

double same_rate_probability(int a, int n, int b, int m) {
  const auto log_choose = [](int total, int chosen) {
    return log_gamma(total + 1) - log_gamma(chosen + 1) - log_gamma(total - chosen + 1);
  };
  // Given a + b in all, the first count has a hypergeometric law.
  const int both = a + b;
  const auto log_weight = [&](int k) { return log_choose(n, k) + log_choose(m, both - k); };
  const double seen = log_weight(a), all = log_choose(n + m, both);
  double sum = 0;
  for (int k = std::max(0, both - m); k <= std::min(n, both); ++k)
    if (log_weight(k) <= seen + 1e-9) sum += portable_exp(log_weight(k) - all);
  return std::min(sum, 1.0);
}

void add_effective_samples(const std::string& id, const std::string& what,
                           std::span<const std::vector<double>> episodes, Report& report) {
  if (episodes.empty()) return;
  for (std::size_t node = 0; node < episodes[0].size(); ++node) {
    std::vector<double> effective;
    for (const std::vector<double>& nodes : episodes) effective.push_back(nodes[node]);
    const double middle = median(std::move(effective));
    const std::string name(1, char('A' + node));
    report.numbers.push_back({id + "/" + name, middle});
    if (middle < 1.5)
      report.warnings.push_back(fmt::format(
          "{}: half of the estimates of {}'s parents rest on fewer than 1.5 of the sampled graphs",
          what, name));
  }
}

std::string show(double value, int digits) {
  if (value != 0 && (std::abs(value) < 1e-3 || std::abs(value) >= 1e6))
    return fmt::format("{:.{}e}", value, std::max(digits - 2, 1));
  return fmt::format("{:.{}f}", value, digits);
}

}  // namespace whence
