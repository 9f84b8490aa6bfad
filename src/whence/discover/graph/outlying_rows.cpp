#include "whence/discover/graph/outlying_rows.hpp"

#include <algorithm>
#include <cmath>

#include "whence/evidence/labels/coded_columns.hpp"

namespace whence {
namespace {

/// Takes out some rows of `width` numbers each, given in ascending order.
template <class T>
void erase_rows(std::vector<T>& values, const std::vector<std::size_t>& rows, std::size_t width) {
  if (values.empty()) return;
  std::size_t kept = 0, next = 0;
  for (std::size_t row = 0; row * width < values.size(); ++row) {
    if (next < rows.size() && rows[next] == row) {
      ++next;
      continue;
    }
    for (std::size_t k = 0; k < width; ++k) values[kept++] = values[row * width + k];
  }
  values.resize(kept);
}

}  // namespace

std::vector<std::size_t> outlying_rows(const Dataset& data) {
  constexpr double far = 6;  // robust standard deviations
  constexpr std::size_t fewest_rows = 50;
  std::vector<std::size_t> result;
  for (const Environment& environment : data.environments) {
    if (environment.rows() < fewest_rows) continue;
    std::vector<char> outlying(environment.rows());
    for (std::size_t v = 0; v < data.variables.size(); ++v) {
      if (data.variables[v].kind != Variable::Kind::real || data.variables[v].dimension != 1)
        continue;
      const auto first = data.columns[v].values.begin() + std::ptrdiff_t(environment.begin);
      const auto last = data.columns[v].values.begin() + std::ptrdiff_t(environment.end);
      const RobustScale scale = robust_scale(std::vector<double>(first, last));
      for (std::size_t r = 0; r < environment.rows(); ++r)
        if (std::abs(first[std::ptrdiff_t(r)] - scale.centre) > far * scale.spread) outlying[r] = 1;
    }
    const auto count = std::size_t(std::count(outlying.begin(), outlying.end(), char(1)));
    if (count > std::max<std::size_t>(1, environment.rows() / 100)) continue;
    for (std::size_t r = 0; r < environment.rows(); ++r)
      if (outlying[r]) result.push_back(environment.begin + r);
  }
  return result;
}

Dataset without_rows(Dataset data, const std::vector<std::size_t>& rows) {
  for (std::size_t v = 0; v < data.variables.size(); ++v) {
    erase_rows(data.columns[v].levels, rows, 1);
    erase_rows(data.columns[v].values, rows, std::size_t(data.variables[v].dimension));
  }
  const auto rows_before = [&](std::size_t row) {
    return std::size_t(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
  };
  for (Environment& environment : data.environments) {
    environment.begin -= rows_before(environment.begin);
    environment.end -= rows_before(environment.end);
  }
  return data;
}

}  // namespace whence
