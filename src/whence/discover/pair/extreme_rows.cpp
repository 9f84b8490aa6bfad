#include "whence/discover/pair/extreme_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "whence/core/row_order.hpp"
#include "whence/evidence/labels/coded_columns.hpp"

namespace whence {
namespace {

using Numbers = std::vector<double>;

/// Robust standard deviations from the middle of the environment, one list for each coordinate.
std::vector<Numbers> standardised(const Dataset& data, const Environment& e) {
  std::vector<Numbers> lists;
  for (std::size_t v = 0; v < data.variables.size(); ++v) {
    if (data.variables[v].kind != Variable::Kind::real) continue;
    const auto d = std::size_t(data.variables[v].dimension);
    for (std::size_t k = 0; k < d; ++k) {
      Numbers z;
      for (std::size_t row = e.begin; row < e.end; ++row)
        z.push_back(data.columns[v].values[row * d + k]);
      const RobustScale scale = robust_scale(z);
      for (double& x : z) x = (x - scale.centre) / scale.spread;
      lists.push_back(std::move(z));
    }
  }
  return lists;
}

/// Squared distances of two numbers that may depend on each other, by the rows that lie near.
Numbers joint_distances(const Numbers& x, const Numbers& y) {
  constexpr double near = 3;
  double n = 0, xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::abs(x[i]) > near || std::abs(y[i]) > near) continue;
    n += 1, xx += x[i] * x[i], xy += x[i] * y[i], yy += y[i] * y[i];
  }
  const double determinant = xx * yy - xy * xy;
  Numbers distances(x.size(), 0.0);
  if (!(determinant > 1e-12 * xx * yy)) return distances;  // all on one line
  for (std::size_t i = 0; i < x.size(); ++i)
    distances[i] = n * (yy * x[i] * x[i] - 2 * xy * x[i] * y[i] + xx * y[i] * y[i]) / determinant;
  return distances;
}

/// How far out each row of an environment lies.
Numbers distances_of(const Dataset& data, const Environment& e) {
  const std::vector<Numbers> lists = standardised(data, e);
  Numbers distances(e.rows(), 0.0);
  for (const Numbers& z : lists)
    for (std::size_t i = 0; i < z.size(); ++i) distances[i] = std::max(distances[i], z[i] * z[i]);
  if (lists.size() != 2) return distances;
  const Numbers joint = joint_distances(lists[0], lists[1]);
  for (std::size_t i = 0; i < joint.size(); ++i) distances[i] = std::max(distances[i], joint[i]);
  return distances;
}

/// Minus the number of rows, of all environments, with the same levels.
Numbers rarities(const Dataset& data) {
  std::vector<std::size_t> rows(data.rows());
  std::iota(rows.begin(), rows.end(), 0);
  const std::array<std::size_t, 2> both = {0, 1};
  const auto compare = [&](auto a, auto b) { return compare_rows(data, both, a, b); };
  std::sort(rows.begin(), rows.end(), [&](auto a, auto b) { return compare(a, b) < 0; });
  Numbers rarity(rows.size());
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t j = i;
    while (j < rows.size() && compare(rows[i], rows[j]) == 0) ++j;
    for (std::size_t k = i; k < j; ++k) rarity[rows[k]] = -double(j - i);
    i = j;
  }
  return rarity;
}

}  // namespace

std::vector<std::size_t> extreme_rows(const Dataset& pair) {
  constexpr std::size_t fewest_rows = 20, one_in = 100;
  const bool levels = std::all_of(pair.variables.begin(), pair.variables.end(), [](const auto& v) {
    return v.kind == Variable::Kind::categorical;
  });
  const Numbers rarity = levels ? rarities(pair) : Numbers();
  std::vector<std::size_t> extreme;
  for (const Environment& e : pair.environments) {
    if (e.rows() < fewest_rows) continue;
    const Numbers distances = levels ? Numbers(rarity.begin() + std::ptrdiff_t(e.begin),
                                               rarity.begin() + std::ptrdiff_t(e.end))
                                     : distances_of(pair, e);
    std::vector<std::size_t> order(e.rows());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return distances[a] > distances[b]; });
    order.resize(std::max<std::size_t>(1, e.rows() / one_in));
    for (const std::size_t row : order) extreme.push_back(e.begin + row);
  }
  std::sort(extreme.begin(), extreme.end());
  return extreme;
}

}  // namespace whence
