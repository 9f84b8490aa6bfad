#include "whence/discover/summary.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

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

std::string show(double value, int digits) {
  if (value != 0 && (std::abs(value) < 1e-3 || std::abs(value) >= 1e6))
    return fmt::format("{:.{}e}", value, std::max(digits - 2, 1));
  return fmt::format("{:.{}f}", value, digits);
}

}  // namespace whence
