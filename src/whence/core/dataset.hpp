// Variables and samples: columns of equal length, cut into environments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

  bool is_categorical() const { return kind == Kind::categorical; }
  bool is_number() const { return kind == Kind::real && dimension == 1; }
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

/// One column of a user's table. Numbers stay numbers, texts become levels; `missing_at` says which
/// rows have no value, and what such a row holds does not matter.
class DataColumn {
 public:
  DataColumn(std::string name, std::span<const double> numbers);
  DataColumn(std::string name, std::span<const int> numbers);
  DataColumn(std::string name, std::span<const std::string> texts);
  DataColumn(std::string name, std::initializer_list<double> numbers);
  DataColumn(std::string name, std::initializer_list<const char*> texts);

  /// Codes 0, 1, ... into the names of the levels.
  static DataColumn categories(std::string name, std::span<const int> codes,
                               std::vector<std::string> level_names);
  /// A vector per row: `dimension` numbers each, row after row.
  static DataColumn vectors(std::string name, std::span<const double> numbers, int dimension);

  DataColumn& missing_at(std::vector<bool> rows);

  const std::string& name() const { return name_; }
  std::size_t rows() const;

 private:
  friend class DataBuilder;
  enum class Kind { numbers, texts, codes };
  DataColumn(std::string name, Kind kind) : name_(std::move(name)), kind_(kind) {}

  std::string name_;
  Kind kind_;
  int dimension_ = 1;
  std::vector<double> numbers_;
  std::vector<std::string> texts_;
  std::vector<int> codes_;
  std::vector<std::string> level_names_;
  std::vector<bool> missing_;
};

/// What to do with a row that lacks a value.
enum class MissingRows { refuse, drop };

/// The columns of one environment.
struct DataEnvironment {
  std::string name;
  std::vector<DataColumn> columns;
};

struct Dataset {
  std::vector<Variable> variables;
  std::vector<Column> columns;
  std::vector<Environment> environments;

  /// From a table with a label per row. Environments come in the order in which their labels first
  /// appear; levels are sorted by name. What cannot be a data set is an Error of code bad_data.
  static Dataset from_columns(const std::vector<DataColumn>& columns,
                              std::span<const std::string> environments,
                              MissingRows missing = MissingRows::refuse);
  static Dataset from_columns(const std::vector<DataColumn>& columns,
                              std::span<const int> environments,
                              MissingRows missing = MissingRows::refuse);
  /// Environment by environment: each has the same columns, in any order.
  static Dataset from_environments(const std::vector<DataEnvironment>& environments,
                                   MissingRows missing = MissingRows::refuse);

  std::size_t rows() const {
    if (columns.empty()) return 0;
    const std::size_t per_row =
        variables[0].kind == Variable::Kind::categorical ? 1 : std::size_t(variables[0].dimension);
    return (columns[0].levels.size() + columns[0].values.size()) / per_row;
  }
  std::span<const std::int32_t> levels(VariableId v) const { return columns[v.value].levels; }

  /// By name; E-DATA-NAME where there is none of it.
  std::size_t variable(std::string_view name) const;
  std::size_t environment(std::string_view name) const;
};

/// Throws an Error of code bad_data unless every column has the same number of rows, every level is
/// one of its variable's, every number is finite, names are unique, and every environment lies
/// within the rows and has some. Every engine calls this first.
void require_valid(const Dataset& data);

/// Throws E-DATA-BASELINE where the data have no such environment.
void require_environment(const Dataset& data, std::optional<std::size_t> baseline);

/// A run of shifted data, seen as `steps` mini-batches of `batch` rows starting at `first_row`.
struct Episode {
  std::size_t first_row = 0;
  int steps = 1;
  int batch = 1;

  std::size_t rows() const { return std::size_t(steps) * std::size_t(batch); }
};

}  // namespace whence
