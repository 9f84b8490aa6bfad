#include "whence/evidence/link_strength.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "whence/math/ranks.hpp"

namespace whence {
namespace {

using Feature = std::vector<double>;

/// Appends a coordinate, about its mean in this environment.
void append_centred(Feature& feature, std::vector<double> values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
  for (const double value : values) feature.push_back(value - mean);
}

std::vector<Feature> features_of(const Dataset& data, std::size_t v,
                                 std::span<const std::size_t> environments) {
  const Variable& variable = data.variables[v];
  const bool categorical = variable.kind == Variable::Kind::categorical;
  const auto width = std::size_t(categorical ? variable.levels : variable.dimension);
  std::vector<Feature> features(width);
  for (const std::size_t e : environments) {
    const Environment& rows = data.environments[e];
    for (std::size_t k = 0; k < width; ++k) {
      std::vector<double> values;
      for (std::size_t row = rows.begin; row < rows.end; ++row)
        values.push_back(categorical ? double(data.columns[v].levels[row] == std::int32_t(k))
                                     : data.columns[v].values[row * width + k]);
      append_centred(features[k], categorical ? values : unit_ranks(values));
    }
  }
  return features;
}

double product(const Feature& a, const Feature& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

double link_strength(const Dataset& data, std::size_t u, std::size_t v,
                     std::span<const std::size_t> environments) {
  double strongest = 0;
  const std::vector<Feature> others = features_of(data, v, environments);
  for (const Feature& one : features_of(data, u, environments))
    for (const Feature& other : others) {
      const double size = product(one, one) * product(other, other), both = product(one, other);
      if (size > 0) strongest = std::max(strongest, both * both / size);
    }
  return std::min(strongest, 1.0);
}

}  // namespace whence
