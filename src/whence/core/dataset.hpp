// Variables and samples: columns of equal length, cut into environments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "whence/core/ids.hpp"

namespace whence {

/// A named column: categorical with `levels` values, or real with `dimension` numbers per row.
struct Variable {
  enum class Kind { categorical, real };
  std::string name;
  Kind kind = Kind::categorical;
  int levels = 0;
  int dimension = 1;
  std::vector<std::string> level_names = {};  // of data that was read: one per level, else empty
};

/// Categorical columns fill `levels`, real ones `values` (row-major, `dimension` numbers per row).
struct Column {
  std::vector<std::int32_t> levels;
  std::vector<double> values;
};

/// Rows [begin, end) that were observed under one distribution.
struct Environment {
  std::string name;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t rows() const { return end - begin; }
};

struct Dataset {
  std::vector<Variable> variables;
  std::vector<Column> columns;
  std::vector<Environment> environments;

  std::size_t rows() const {
    if (columns.empty()) return 0;
    const std::size_t per_row =
        variables[0].kind == Variable::Kind::categorical ? 1 : std::size_t(variables[0].dimension);
    return (columns[0].levels.size() + columns[0].values.size()) / per_row;
  }
  std::span<const std::int32_t> levels(VariableId v) const { return columns[v.value].levels; }
};

/// A run of shifted data, seen as `steps` mini-batches of `batch` rows starting at `first_row`.
struct Episode {
  std::size_t first_row = 0;
  int steps = 1;
  int batch = 1;

  std::size_t rows() const { return std::size_t(steps) * std::size_t(batch); }
};

}  // namespace whence
