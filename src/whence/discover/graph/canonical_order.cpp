#include "whence/discover/graph/canonical_order.hpp"

#include <algorithm>
#include <numeric>

namespace whence {

namespace {

std::vector<std::size_t> counted(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t(0));
  return order;
}

/// The rows of one environment, smallest first, column by column.
std::vector<std::size_t> sorted_rows(const Dataset& data, const Environment& environment,
                                     const std::vector<std::size_t>& variables) {
  std::vector<std::size_t> rows = counted(environment.rows());
  for (std::size_t& row : rows) row += environment.begin;
  std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    for (std::size_t v : variables) {
      const Column& column = data.columns[v];
      if (!column.levels.empty() && column.levels[a] != column.levels[b])
        return column.levels[a] < column.levels[b];
      const std::size_t d = std::size_t(data.variables[v].dimension);
      for (std::size_t k = 0; k < d && !column.values.empty(); ++k)
        if (column.values[a * d + k] != column.values[b * d + k])
          return column.values[a * d + k] < column.values[b * d + k];
    }
    return false;
  });
  return rows;
}

/// Some of `values`, `width` numbers for each row.
template <class T>
std::vector<T> chosen(const std::vector<T>& values, const std::vector<std::size_t>& rows,
                      std::size_t width) {
  std::vector<T> out;
  if (values.empty()) return out;
  out.reserve(rows.size() * width);
  for (const std::size_t row : rows)
    for (std::size_t k = 0; k < width; ++k) out.push_back(values[row * width + k]);
  return out;
}

}  // namespace

CanonicalOrder in_canonical_order(Dataset data, std::optional<std::size_t> baseline) {
  CanonicalOrder result;
  result.variables = counted(data.variables.size());
  std::stable_sort(result.variables.begin(), result.variables.end(),
                   [&](auto a, auto b) { return data.variables[a].name < data.variables[b].name; });
  result.environments = counted(data.environments.size());
  std::stable_sort(result.environments.begin(), result.environments.end(), [&](auto a, auto b) {
    if ((a == baseline) != (b == baseline)) return a == baseline;
    return data.environments[a].name < data.environments[b].name;
  });
  std::vector<std::size_t> rows;
  rows.reserve(data.rows());
  for (std::size_t e : result.environments) {
    const Environment& from = data.environments[e];
    result.data.environments.push_back({from.name, rows.size(), rows.size() + from.rows()});
    const std::vector<std::size_t> own = sorted_rows(data, from, result.variables);
    rows.insert(rows.end(), own.begin(), own.end());
  }
  for (std::size_t v : result.variables) {
    const Column source = std::move(data.columns[v]);
    const auto width = std::size_t(data.variables[v].dimension);
    result.data.variables.push_back(std::move(data.variables[v]));
    result.data.columns.push_back(
        {chosen(source.levels, rows, 1), chosen(source.values, rows, width)});
  }
  return result;
}

}  // namespace whence
