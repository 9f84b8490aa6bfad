#include "whence/evidence/labels/noise_shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "whence/evidence/labels/noise_shape.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "whence/math/random.hpp"
#include "whence/math/special.hpp"

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using FloatTag = hn::CappedTag<float, 8>;
using Floats = hn::Vec<FloatTag>;
constexpr std::size_t lanes = 8;

/// counts[k] = how many values are at least borders[k].
void CountAtLeast(std::span<const float> values, std::span<const float> borders,
                  std::span<double> counts) {
  const FloatTag d;
  const std::size_t width = hn::Lanes(d), whole = values.size() / width * width;
  constexpr std::size_t together = 5;  // counters that stay in registers
  const Floats one = hn::Set(d, 1.0F);
  for (std::size_t first = 0; first < borders.size(); first += together) {
    const std::size_t used = std::min(together, borders.size() - first);
    Floats border[together], count[together];
    for (std::size_t k = 0; k < together; ++k) {
      border[k] = hn::Set(d, borders[first + std::min(k, used - 1)]);
      count[k] = hn::Zero(d);
    }
    for (std::size_t r = 0; r < whole; r += width) {
      const Floats value = hn::LoadU(d, values.data() + r);
      for (std::size_t k = 0; k < together; ++k)
        count[k] = hn::Add(count[k], hn::IfThenElseZero(hn::Ge(value, border[k]), one));
    }
    for (std::size_t k = 0; k < used; ++k) {
      counts[first + k] = hn::GetLane(hn::SumOfLanes(d, count[k]));  // whole numbers: exact
      for (std::size_t r = whole; r < values.size(); ++r)
        counts[first + k] += values[r] >= borders[first + k] ? 1 : 0;
    }
  }
}

/// The sum of `summed` where `values` are at least a border: over eight lanes in a fixed order.
double SumAtLeast(std::span<const float> values, float border, std::span<const float> summed) {
  const FloatTag d;
  const std::size_t width = hn::Lanes(d), whole = values.size() / lanes * lanes;
  const Floats limit = hn::Set(d, border);
  HWY_ALIGN float partial[lanes];
  for (std::size_t part = 0; part < lanes; part += width) {
    Floats sum = hn::Zero(d);
    for (std::size_t r = part; r < whole; r += lanes)
      sum = hn::Add(sum, hn::IfThenElseZero(hn::Ge(hn::LoadU(d, values.data() + r), limit),
                                            hn::LoadU(d, summed.data() + r)));
    hn::StoreU(sum, d, partial + part);
  }
  for (std::size_t r = whole; r < values.size(); ++r)
    if (values[r] >= border) partial[0] += summed[r];
  double all = 0;
  for (const float sum : partial) all += sum;
  return all;
}

/// scaled = residual * factor[k], where k borders are not above the row's fit.
void ScaleByPart(std::span<const float> residual, std::span<const float> fit,
                 std::span<const float> borders, std::span<const float> factor,
                 std::span<float> scaled) {
  const FloatTag d;
  const std::size_t width = hn::Lanes(d), whole = residual.size() / width * width;
  for (std::size_t r = 0; r < whole; r += width) {
    const Floats at = hn::LoadU(d, fit.data() + r);
    Floats used = hn::Set(d, factor[0]);
    for (std::size_t k = 0; k < borders.size(); ++k)
      used = hn::IfThenElse(hn::Ge(at, hn::Set(d, borders[k])), hn::Set(d, factor[k + 1]), used);
    hn::StoreU(hn::Mul(hn::LoadU(d, residual.data() + r), used), d, scaled.data() + r);
  }
  for (std::size_t r = whole; r < residual.size(); ++r) {
    float used = factor[0];
    for (std::size_t k = 0; k < borders.size(); ++k)
      used = fit[r] >= borders[k] ? factor[k + 1] : used;
    scaled[r] = residual[r] * used;
  }
}

}  // namespace
}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whence {

namespace {

HWY_EXPORT(CountAtLeast);
HWY_EXPORT(SumAtLeast);
HWY_EXPORT(ScaleByPart);

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
  for (std::size_t r = 0; r < n; ++r) scaled[r] = residual[r] * residual[r];
  std::array<double, fifths + 1> rows_from{}, squares_from{};  // the k-th border on
  rows_from[0] = double(n);
  HWY_DYNAMIC_DISPATCH(CountAtLeast)(fit, borders, std::span(rows_from).subspan(1, fifths - 1));
  squares_from[0] = HWY_DYNAMIC_DISPATCH(SumAtLeast)(fit, -INFINITY, scaled);
  for (std::size_t k = 1; k < fifths; ++k)
    squares_from[k] = HWY_DYNAMIC_DISPATCH(SumAtLeast)(fit, borders[k - 1], scaled);
  std::array<double, fifths> own{};
  constexpr double prior_rows = 2;  // of the common variance, in each fifth
  double gain = -0.5 * double(fifths - 1) * std::log(double(n));
  for (std::size_t k = 0; k < fifths; ++k) {
    const double squares = std::max(0.0, squares_from[k] - squares_from[k + 1]);
    const double count = rows_from[k] - rows_from[k + 1];
    own[k] = (squares + prior_rows * variance) / (count + prior_rows);
    gain += -0.5 * count * std::log(own[k] / variance) - 0.5 * squares / own[k] +
            0.5 * squares / variance;
  }
  if (gain <= 0) own.fill(variance);
  std::array<float, fifths> factor{};
  for (std::size_t k = 0; k < fifths; ++k) factor[k] = float(1 / std::sqrt(own[k]));
  HWY_DYNAMIC_DISPATCH(ScaleByPart)(residual, fit, borders, factor, scaled);
  return std::max(gain, 0.0);
}

/// A Dirichlet(1) histogram over bins that a normal law fills alike, against that law.
double histogram_gain(std::span<const float> scaled) {
  const auto& border = normal_borders();
  const double n = double(scaled.size());
  double gain = log_gamma(double(bins)) - log_gamma(double(bins) + n) + n * std::log(double(bins));
  std::array<double, bins + 1> from{n};  // how many lie above the k-th border
  HWY_DYNAMIC_DISPATCH(CountAtLeast)(scaled, border, std::span(from).subspan(1, bins - 1));
  for (std::size_t k = 0; k < bins; ++k) gain += log_gamma(1 + from[k] - from[k + 1]);
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
#endif
