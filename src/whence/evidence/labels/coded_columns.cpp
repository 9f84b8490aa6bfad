#include "whence/evidence/labels/coded_columns.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace whence {

namespace {

double quantile(std::vector<double>& values, double share) {
  const auto at = std::min(values.size() - 1, std::size_t(share * double(values.size())));
  std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(at), values.end());
  return values[at];
}

double standard_deviation(const std::vector<double>& values) {
  const double n = double(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double sum = 0;
  for (double x : values) sum += (x - mean) * (x - mean);
  return std::sqrt(sum / n);
}

/// How many levels of a categorical column are told apart: fewer where many columns have many, as
/// regressions take the products of all their indicators.
std::size_t most_levels(const Dataset& data) {
  constexpr std::size_t usual = 9, fewest = 4, indicators = 40;
  for (std::size_t most = usual; most > fewest; --most) {
    std::size_t needed = 0;
    for (const Variable& v : data.variables)
      if (v.kind == Variable::Kind::categorical)
        needed += std::min(most, std::max<std::size_t>(1, std::size_t(v.levels))) - 1;
    if (needed <= indicators) return most;
  }
  return fewest;
}

}  // namespace

RobustScale robust_scale(std::vector<double> values) {
  if (values.empty()) return {};
  RobustScale scale;
  scale.centre = quantile(values, 0.5);
  constexpr double normal_quartiles = 1.349;  // their distance for a standard normal law
  scale.spread = (quantile(values, 0.75) - quantile(values, 0.25)) / normal_quartiles;
  if (!(scale.spread > 0)) scale.spread = standard_deviation(values);
  if (!(scale.spread > 0)) scale.spread = 1;
  return scale;
}

float bounded_code(double z) {
  const double size = std::abs(z);
  if (size <= linear_range) return float(z);
  const double slower = linear_range * (1 + std::log(size / linear_range));
  return float(std::copysign(std::min(slower, largest_code), z));
}

CodedColumns::CodedColumns(const Dataset& data, std::size_t baseline)
    : most_levels_(most_levels(data)), levels_(data.variables.size()) {
  for (std::size_t v = 0; v < data.variables.size(); ++v)
    if (data.variables[v].kind == Variable::Kind::categorical)
      add_categorical(data, v, baseline);
    else
      add_real(data, v, baseline);
}

void CodedColumns::add_real(const Dataset& data, std::size_t v, std::size_t baseline) {
  const auto d = std::size_t(data.variables[v].dimension);
  const std::vector<double>& values = data.columns[v].values;
  const Environment& reference = data.environments[baseline];
  variables_.push_back({true, codes_.size(), d});
  for (std::size_t k = 0; k < d; ++k) {
    std::vector<double> known;
    for (std::size_t r = reference.begin; r < reference.end; ++r)
      known.push_back(values[r * d + k]);
    const RobustScale scale = robust_scale(std::move(known));
    std::vector<float> code(data.rows());
    for (std::size_t r = 0; r < code.size(); ++r)
      code[r] = bounded_code((values[r * d + k] - scale.centre) / scale.spread);
    codes_.push_back(std::move(code));
  }
}

/// Levels by how many rows they have; those beyond the most that are told apart share the last one.
void CodedColumns::add_categorical(const Dataset& data, std::size_t v, std::size_t baseline) {
  const auto levels = std::size_t(data.variables[v].levels);
  const std::vector<std::int32_t>& column = data.columns[v].levels;
  const Environment& reference = data.environments[baseline];
  std::vector<std::size_t> in_reference(levels), anywhere(levels), order(levels);
  for (std::size_t r = 0; r < column.size(); ++r) {
    ++anywhere[std::size_t(column[r])];
    if (r >= reference.begin && r < reference.end) ++in_reference[std::size_t(column[r])];
  }
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return in_reference[a] != in_reference[b] ? in_reference[a] > in_reference[b]
                                              : anywhere[a] > anywhere[b];
  });
  const std::size_t seen =
      levels - std::size_t(std::count(anywhere.begin(), anywhere.end(), std::size_t(0)));
  const std::size_t kept = std::max<std::size_t>(2, std::min(seen, most_levels_));
  std::vector<int> code_of(levels);
  for (std::size_t k = 0; k < levels; ++k) code_of[order[k]] = int(std::min(k, kept - 1));
  std::vector<int>& codes = levels_[v];
  codes.resize(column.size());
  for (std::size_t r = 0; r < column.size(); ++r) codes[r] = code_of[std::size_t(column[r])];
  variables_.push_back({false, codes_.size(), kept - 1});
  for (std::size_t k = 1; k < kept; ++k) {
    std::vector<float> indicator(column.size());
    for (std::size_t r = 0; r < column.size(); ++r) indicator[r] = codes[r] == int(k) ? 1.0F : 0.0F;
    codes_.push_back(std::move(indicator));
  }
}

}  // namespace whence
