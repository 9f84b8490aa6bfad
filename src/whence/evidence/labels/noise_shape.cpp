#include "whence/evidence/labels/noise_shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "whence/math/random.hpp"
#include "whence/math/special.hpp"

namespace whence {

namespace {

constexpr std::size_t fifths = 5;
constexpr std::size_t bins = 16;

/// Borders between equally probable bins of a standard normal law.
const std::array<float, bins - 1>& normal_borders() {
  static const auto borders = [] {
    std::array<float, bins - 1> list{};
    for (std::size_t k = 1; k < bins; ++k)
      list[k - 1] = float(normal_quantile(double(k) / double(bins)));
    return list;
  }();
  return borders;
}

std::array<float, fifths - 1> borders_of_fifths(std::span<const float> fit) {
  std::vector<float> sorted(fit.begin(), fit.end());
  std::array<float, fifths - 1> borders{};
  auto from = sorted.begin();
  for (std::size_t k = 1; k < fifths; ++k) {
    const auto at = sorted.begin() + std::ptrdiff_t(sorted.size() * k / fifths);
    std::nth_element(from, at, sorted.end());
    borders[k - 1] = *at;
    from = at;
  }
  return borders;
}

// Loops over eight lanes of rows at a time, which compilers turn into vectors.
constexpr std::size_t lanes = 8;

/// How many values are not below a border, and the sum of `summed` over them.
struct Above {
  double count = 0, sum = 0;
};
Above above(std::span<const float> values, float border, std::span<const float> summed) {
  std::array<float, lanes> count{}, sum{};
  const std::size_t whole = values.size() / lanes * lanes;
  for (std::size_t r = 0; r < whole; r += lanes)
    for (std::size_t k = 0; k < lanes; ++k) {
      count[k] += values[r + k] >= border ? 1.0F : 0.0F;
      sum[k] += values[r + k] >= border ? summed[r + k] : 0.0F;
    }
  for (std::size_t r = whole; r < values.size(); ++r)
    if (values[r] >= border) count[0] += 1, sum[0] += summed[r];
  Above all;
  for (std::size_t k = 0; k < lanes; ++k) all.count += count[k], all.sum += sum[k];
  return all;
}

/// Divides residuals by the scale of their fifth where that gains, else by the common one.
double scale_by_fit(std::span<const float> residual, std::span<const float> fit, double variance,
                    std::vector<float>& scaled) {
  const std::size_t n = residual.size();
  const auto borders = borders_of_fifths(fit);
  for (std::size_t r = 0; r < n; ++r) scaled[r] = residual[r] * residual[r];
  std::array<Above, fifths + 1> from;  // the k-th border on
  from[0] = above(fit, -INFINITY, scaled);
  for (std::size_t k = 1; k < fifths; ++k) from[k] = above(fit, borders[k - 1], scaled);
  std::array<double, fifths> own{};
  constexpr double prior_rows = 2;  // of the common variance, in each fifth
  double gain = -0.5 * double(fifths - 1) * std::log(double(n));
  for (std::size_t k = 0; k < fifths; ++k) {
    const double squares = std::max(0.0, from[k].sum - from[k + 1].sum);
    const double count = from[k].count - from[k + 1].count;
    own[k] = (squares + prior_rows * variance) / (count + prior_rows);
    gain += -0.5 * count * std::log(own[k] / variance) - 0.5 * squares / own[k] +
            0.5 * squares / variance;
  }
  if (gain <= 0) own.fill(variance);
  std::array<float, fifths> factor{};
  for (std::size_t k = 0; k < fifths; ++k) factor[k] = float(1 / std::sqrt(own[k]));
  for (std::size_t r = 0; r < n; ++r) {
    float used = factor[0];
    for (std::size_t k = 1; k < fifths; ++k) used = fit[r] >= borders[k - 1] ? factor[k] : used;
    scaled[r] = residual[r] * used;
  }
  return std::max(gain, 0.0);
}

/// A Dirichlet(1) histogram over bins that a normal law fills alike, against that law.
double histogram_gain(std::span<const float> scaled) {
  const auto& border = normal_borders();
  const double n = double(scaled.size());
  double gain = log_gamma(double(bins)) - log_gamma(double(bins) + n) + n * std::log(double(bins));
  double above_last = n;
  for (std::size_t k = 0; k < bins; ++k) {
    const double next = k + 1 < bins ? above(scaled, border[k], scaled).count : 0;
    gain += log_gamma(1 + above_last - next);
    above_last = next;
  }
  return std::max(gain, 0.0);
}

}  // namespace

double noise_shape_gain(std::span<const float> residual, std::span<const float> fit,
                        double variance) {
  std::vector<float> scaled(residual.size());
  const double by_scale = scale_by_fit(residual, fit, variance, scaled);
  return by_scale + histogram_gain(scaled);
}

}  // namespace whence
