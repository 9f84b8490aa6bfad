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

/// Divides residuals by the scale of their fifth where that gains, else by the common one.
double scale_by_fit(std::span<const float> residual, std::span<const float> fit, double variance,
                    std::vector<float>& scaled) {
  const std::size_t n = residual.size();
  const auto borders = borders_of_fifths(fit);
  std::vector<unsigned char> fifth(n);
  std::array<double, fifths> squares{}, count{}, own{};
  for (std::size_t r = 0; r < n; ++r) {
    std::size_t k = 0;
    for (float border : borders) k += fit[r] >= border ? 1 : 0;
    fifth[r] = static_cast<unsigned char>(k);
    squares[k] += double(residual[r]) * double(residual[r]);
    count[k] += 1;
  }
  constexpr double prior_rows = 2;  // of the common variance, in each fifth
  double gain = -0.5 * double(fifths - 1) * std::log(double(n));
  for (std::size_t k = 0; k < fifths; ++k) {
    own[k] = (squares[k] + prior_rows * variance) / (count[k] + prior_rows);
    gain += -0.5 * count[k] * std::log(own[k] / variance) - 0.5 * squares[k] / own[k] +
            0.5 * squares[k] / variance;
  }
  if (gain <= 0) own.fill(variance);
  std::array<float, fifths> factor{};
  for (std::size_t k = 0; k < fifths; ++k) factor[k] = float(1 / std::sqrt(own[k]));
  for (std::size_t r = 0; r < n; ++r) scaled[r] = residual[r] * factor[fifth[r]];
  return std::max(gain, 0.0);
}

/// A Dirichlet(1) histogram over bins that a normal law fills alike, against that law.
double histogram_gain(std::span<const float> scaled) {
  std::array<int, bins> count{};
  const auto& border = normal_borders();
  static_assert(bins == 16, "four halvings find the bin");
  for (float z : scaled) {
    std::size_t k = z >= border[7] ? 8 : 0;
    k += z >= border[k + 3] ? 4 : 0;
    k += z >= border[k + 1] ? 2 : 0;
    k += z >= border[k] ? 1 : 0;
    ++count[k];
  }
  const double n = double(scaled.size());
  double gain = log_gamma(double(bins)) - log_gamma(double(bins) + n) + n * std::log(double(bins));
  for (int c : count) gain += log_gamma(1.0 + c);
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
