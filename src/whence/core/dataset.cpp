#include "whence/core/dataset.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"

namespace whence {

namespace {

std::string row_name(std::size_t row) { return "row " + std::to_string(row + 1); }

template <class Names>
void require_unique(const Names& list, const char* what) {
  std::set<std::string_view> seen;
  for (const auto& one : list) {
    if (one.name.empty()) refuse_data("E-DATA-NAME", "", std::string("a ") + what + " has no name");
    if (!seen.insert(one.name).second)
      refuse_data("E-DATA-NAME", excerpt(one.name),
                  std::string("two ") + what + "s have the name '" + excerpt(one.name) + "'");
  }
}

void check_levels(const Variable& variable, const Column& column, std::size_t rows) {
  const std::string place = excerpt(variable.name);
  if (!column.values.empty())
    refuse_data("E-DATA-KIND", place, "a categorical column holds levels, not numbers");
  if (column.levels.size() != rows)
    refuse_data("E-DATA-LENGTH", place,
                std::to_string(column.levels.size()) + " rows, where the first column has " +
                    std::to_string(rows));
  if (!variable.level_names.empty() && variable.level_names.size() != std::size_t(variable.levels))
    refuse_data("E-DATA-LEVELS", place,
                std::to_string(variable.level_names.size()) + " names for " +
                    std::to_string(variable.levels) + " levels");
  for (std::size_t r = 0; r < rows; ++r)
    if (column.levels[r] < 0 || column.levels[r] >= variable.levels)
      refuse_data("E-DATA-LEVELS", place,
                  row_name(r) + " holds level " + std::to_string(column.levels[r]) + " of " +
                      std::to_string(variable.levels),
                  "levels count from 0");
}

void check_numbers(const Variable& variable, const Column& column, std::size_t rows) {
  const std::string place = excerpt(variable.name);
  if (!column.levels.empty())
    refuse_data("E-DATA-KIND", place, "a real column holds numbers, not levels");
  if (variable.dimension < 1)
    refuse_data("E-DATA-KIND", place, "a vector needs a dimension above 0");
  const auto d = std::size_t(variable.dimension);
  if (column.values.size() != rows * d)
    refuse_data("E-DATA-LENGTH", place,
                std::to_string(column.values.size()) + " numbers, where " + std::to_string(rows) +
                    " rows of " + std::to_string(d) + " were expected");
  for (std::size_t i = 0; i < column.values.size(); ++i)
    if (!std::isfinite(column.values[i]))
      refuse_data("E-DATA-NONFINITE", place, row_name(i / d) + " is not a finite number",
                  "say which rows have no value, and drop them");
}

std::size_t rows_of(const Variable& variable, const Column& column) {
  if (variable.kind == Variable::Kind::categorical) return column.levels.size();
  return column.values.size() / std::size_t(std::max(1, variable.dimension));
}

void check_environments(const Dataset& data, std::size_t rows) {
  if (data.environments.empty()) refuse_data("E-DATA-ENVIRONMENTS", "", "there is no environment");
  require_unique(data.environments, "environment");
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
  for (const Environment& e : data.environments) {
    if (e.begin >= e.end || e.end > rows)
      refuse_data("E-DATA-ENVIRONMENTS", excerpt(e.name),
                  e.begin >= e.end ? "this environment has no rows"
                                   : "this environment ends behind the last row");
    pieces.emplace_back(e.begin, e.end);
  }
  std::sort(pieces.begin(), pieces.end());
  for (std::size_t k = 1; k < pieces.size(); ++k)
    if (pieces[k].first < pieces[k - 1].second)
      refuse_data("E-DATA-ENVIRONMENTS", "", "two environments share rows");
}

template <class Names>
std::size_t found(const Names& list, std::string_view name, const char* what) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) return i;
  std::vector<std::string> names;
  for (const auto& one : list) names.push_back(one.name);
  refuse_data("E-DATA-NAME", excerpt(name),
              std::string("the data have no ") + what + " of this name",
              printable(did_you_mean(name, names)));
}

}  // namespace

void require_valid(const Dataset& data) {
  if (data.variables.empty()) refuse_data("E-DATA-COLUMNS", "", "there is no column");
  if (data.variables.size() != data.columns.size())
    refuse_data("E-DATA-COLUMNS", "",
                std::to_string(data.variables.size()) + " variables, but " +
                    std::to_string(data.columns.size()) + " columns");
  require_unique(data.variables, "variable");
  const std::size_t rows = rows_of(data.variables[0], data.columns[0]);
  for (std::size_t v = 0; v < data.variables.size(); ++v)
    if (data.variables[v].kind == Variable::Kind::categorical)
      check_levels(data.variables[v], data.columns[v], rows);
    else
      check_numbers(data.variables[v], data.columns[v], rows);
  check_environments(data, rows);
}

void require_environment(const Dataset& data, std::optional<std::size_t> baseline) {
  if (baseline && *baseline >= data.environments.size())
    refuse_data("E-DATA-BASELINE", "baseline",
                "there is no environment " + std::to_string(*baseline) + ": they count from 0 to " +
                    std::to_string(data.environments.size() - 1));
}

std::size_t Dataset::variable(std::string_view name) const {
  return found(variables, name, "variable");
}

std::size_t Dataset::environment(std::string_view name) const {
  return found(environments, name, "environment");
}

}  // namespace whence
