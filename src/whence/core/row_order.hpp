// An order of rows that depends on what they hold alone.
#pragma once

#include <cstddef>
#include <span>

#include "whence/core/dataset.hpp"

namespace whence {

/// -1, 0 or 1, by one variable.
inline int compare_rows_by(const Dataset& data, std::size_t variable, std::size_t a,
                           std::size_t b) {
  const Column& column = data.columns[variable];
  if (data.variables[variable].kind == Variable::Kind::categorical)
    return column.levels[a] == column.levels[b] ? 0 : column.levels[a] < column.levels[b] ? -1 : 1;
  const auto d = std::size_t(data.variables[variable].dimension);
  for (std::size_t k = 0; k < d; ++k) {
    const double x = column.values[a * d + k], y = column.values[b * d + k];
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

/// -1, 0 or 1, by these variables in turn.
inline int compare_rows(const Dataset& data, std::span<const std::size_t> variables, std::size_t a,
                        std::size_t b) {
  for (const std::size_t v : variables)
    if (const int way = compare_rows_by(data, v, a, b); way != 0) return way;
  return 0;
}

}  // namespace whence
