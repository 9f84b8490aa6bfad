#include "whence/evidence/labels/flexible_features.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "whence/evidence/labels/second_order.hpp"
#include "whence/math/random.hpp"

namespace whence {

namespace {

constexpr float linear_precision = 0.1F;
/// Waves of one coordinate, a sine and a cosine each, in periods per unit: for sums of curves.
constexpr float own_frequencies[] = {0.125F, 0.25F, 0.4F};
constexpr std::size_t own_waves = 2 * std::size(own_frequencies);

}  // namespace

std::vector<float> FlexibleFeatures::precisions(const VariableSet& given) const {
  std::vector<float> list = {0.01F};  // the constant
  const std::vector<Coordinate> coordinates = coordinates_of(columns_, given);
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    list.push_back(-linear_precision);
    if (coordinates[i].real) list.push_back(4 * linear_precision);
    for (std::size_t j = 0; j < i; ++j)
      if (makes_product(coordinates[i], coordinates[j])) list.push_back(4 * linear_precision);
  }
  for (const Coordinate& c : coordinates) {
    if (!c.real) continue;
    list.push_back(9 * linear_precision);
    list.insert(list.end(), own_waves, 10 * linear_precision);
  }
  if (!coordinates.empty())
    list.insert(list.end(), waves_, 0.5F * linear_precision * float(waves_));
  return list;
}

RandomWaves FlexibleFeatures::waves(const VariableSet& given) const {
  const std::vector<Coordinate> list = coordinates_of(columns_, given);
  RandomWaves drawn;
  if (list.empty()) return drawn;
  Stream stream(seed_, Purpose::search,
                {6, std::uint32_t(given.hash()), std::uint32_t(given.hash() >> 32)});
  constexpr double lengths[] = {0.7, 1.4, 2.8};
  constexpr double indicator_weight = 1.4;
  for (std::size_t h = 0; h < waves_; ++h) {
    const double length = lengths[h % 3] * std::sqrt(double(given.size())) * std::numbers::pi;
    std::vector<float>& weight = drawn.weights.emplace_back();
    for (const Coordinate& c : list)
      weight.push_back(float(sample_normal(stream) / length * (c.real ? 1 : indicator_weight)));
    drawn.phases.push_back(float(2 * stream.uniform()));
  }
  return drawn;
}

void FlexibleFeatures::fill(const VariableSet& given, const RandomWaves& waves,
                            const FeatureColumns& codes, FeatureColumns& x) const {
  const std::vector<Coordinate> list = coordinates_of(columns_, given);
  fill_second_order(
      list, [&](std::size_t c) { return codes.column(c); }, x);
  std::size_t at = second_order_count(list);
  for (const Coordinate& c : list) {
    if (!c.real) continue;
    const float* u = codes.column(c.column);
    float* to = x.column(at++);
    for (std::size_t r = 0; r < codes.rows(); ++r) to[r] = u[r] * (u[r] * u[r] - 3) / 2.5F;
    for (float frequency : own_frequencies)
      for (float phase : {0.0F, 0.5F}) {
        const float weight = 2 * frequency;
        to = x.column(at++);
        fill_wave({&u, 1}, {&weight, 1}, phase, codes.stride(), to);
        std::fill(to + codes.rows(), to + codes.stride(), 0.0F);
      }
  }
  std::vector<const float*> columns;
  for (const Coordinate& c : list) columns.push_back(codes.column(c.column));
  for (std::size_t h = 0; h < waves.phases.size(); ++h) {
    float* to = x.column(at++);
    fill_wave(columns, waves.weights[h], waves.phases[h], codes.stride(), to);
    std::fill(to + codes.rows(), to + codes.stride(), 0.0F);
  }
}

}  // namespace whence
