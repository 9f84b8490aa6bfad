#include "whence/discover/graph/outlying_rows.hpp"

#include <algorithm>
#include <cmath>

#include "whence/evidence/labels/coded_columns.hpp"

namespace whence {

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

Dataset without_rows(const Dataset& data, const std::vector<std::size_t>& rows) {
  Dataset fewer;
  fewer.variables = data.variables;
  fewer.columns.resize(data.columns.size());
  std::size_t next = 0;
  for (const Environment& environment : data.environments) {
    Environment kept{environment.name, fewer.rows(), 0};
    for (std::size_t r = environment.begin; r < environment.end; ++r) {
      while (next < rows.size() && rows[next] < r) ++next;
      if (next < rows.size() && rows[next] == r) continue;
      for (std::size_t v = 0; v < data.variables.size(); ++v) {
        const auto d = std::size_t(data.variables[v].dimension);
        if (data.variables[v].kind == Variable::Kind::categorical)
          fewer.columns[v].levels.push_back(data.columns[v].levels[r]);
        else
          for (std::size_t k = 0; k < d; ++k)
            fewer.columns[v].values.push_back(data.columns[v].values[r * d + k]);
      }
    }
    kept.end = fewer.rows();
    fewer.environments.push_back(std::move(kept));
  }
  return fewer;
}

}  // namespace whence
