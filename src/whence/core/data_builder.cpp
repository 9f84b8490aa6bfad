// From a user's columns to a data set: rows sorted into environments, texts into levels.
#include <algorithm>
#include <map>

#include "whence/core/dataset.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"

namespace whence {

namespace {}  // namespace

/// Knows the inside of columns.
class DataBuilder {
 public:
  using Kind = DataColumn::Kind;

  static void require_length(const DataColumn& column, std::size_t rows) {
    const std::string place = excerpt(column.name_);
    if (column.kind_ == Kind::numbers &&
        column.numbers_.size() % std::size_t(column.dimension_) != 0)
      refuse_data("E-DATA-LENGTH", place,
                  std::to_string(column.numbers_.size()) +
                      " numbers are no whole number of vectors of " +
                      std::to_string(column.dimension_));
    if (column.rows() != rows)
      refuse_data("E-DATA-LENGTH", place,
                  std::to_string(column.rows()) + " rows, where " + std::to_string(rows) +
                      " were expected");
    if (!column.missing_.empty() && column.missing_.size() != rows)
      refuse_data("E-DATA-LENGTH", place,
                  "which rows are missing is said of " + std::to_string(column.missing_.size()) +
                      " rows, not of " + std::to_string(rows));
  }

  static bool missing(const DataColumn& column, std::size_t row) {
    return !column.missing_.empty() && column.missing_[row];
  }

  /// The values of these rows, in this order.
  static Column picked(const DataColumn& column, std::span<const std::size_t> rows,
                       Variable& variable) {
    variable.name = column.name_;
    switch (column.kind_) {
      case Kind::numbers: return numbers(column, rows, variable);
      case Kind::texts: return texts(column, rows, variable);
      case Kind::codes: break;
    }
    return codes(column, rows, variable);
  }

  /// `more` behind `column`: both of one kind.
  static void append(DataColumn& column, const DataColumn& more) {
    const std::string place = excerpt(column.name_);
    if (column.kind_ != more.kind_ || column.dimension_ != more.dimension_)
      refuse_data("E-DATA-KIND", place, "numbers in one environment, categories in another",
                  "one column holds one kind of values");
    if (column.level_names_ != more.level_names_)
      refuse_data("E-DATA-LEVELS", place, "the levels have other names in another environment");
    const std::size_t before = column.rows(), all = before + more.rows();
    if (!column.missing_.empty() || !more.missing_.empty()) {
      column.missing_.resize(before, false);
      column.missing_.insert(column.missing_.end(), more.missing_.begin(), more.missing_.end());
      column.missing_.resize(all, false);
    }
    const auto add = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    add(column.numbers_, more.numbers_);
    add(column.texts_, more.texts_);
    add(column.codes_, more.codes_);
  }

 private:
  static Column numbers(const DataColumn& column, std::span<const std::size_t> rows,
                        Variable& variable) {
    variable.kind = Variable::Kind::real;
    variable.dimension = column.dimension_;
    const auto d = std::size_t(column.dimension_);
    Column out;
    for (const std::size_t row : rows)
      for (std::size_t k = 0; k < d; ++k) out.values.push_back(column.numbers_[row * d + k]);
    return out;
  }

  static Column texts(const DataColumn& column, std::span<const std::size_t> rows,
                      Variable& variable) {
    std::map<std::string_view, std::int32_t> levels;
    for (const std::size_t row : rows) levels.emplace(column.texts_[row], 0);
    for (auto& [name, level] : levels) {
      level = std::int32_t(variable.level_names.size());
      variable.level_names.emplace_back(name);
    }
    variable.levels = int(levels.size());
    Column out;
    for (const std::size_t row : rows) out.levels.push_back(levels.at(column.texts_[row]));
    return out;
  }

  static Column codes(const DataColumn& column, std::span<const std::size_t> rows,
                      Variable& variable) {
    variable.level_names = column.level_names_;
    variable.levels = int(column.level_names_.size());
    Column out;
    for (const std::size_t row : rows) out.levels.push_back(column.codes_[row]);
    return out;
  }
};

DataColumn::DataColumn(std::string name, std::span<const double> numbers)
    : DataColumn(std::move(name), Kind::numbers) {
  numbers_.assign(numbers.begin(), numbers.end());
}

DataColumn::DataColumn(std::string name, std::span<const int> numbers)
    : DataColumn(std::move(name), Kind::numbers) {
  numbers_.assign(numbers.begin(), numbers.end());
}

DataColumn::DataColumn(std::string name, std::span<const std::string> texts)
    : DataColumn(std::move(name), Kind::texts) {
  texts_.assign(texts.begin(), texts.end());
}

DataColumn::DataColumn(std::string name, std::initializer_list<double> numbers)
    : DataColumn(std::move(name), Kind::numbers) {
  numbers_ = numbers;
}

DataColumn::DataColumn(std::string name, std::initializer_list<const char*> texts)
    : DataColumn(std::move(name), Kind::texts) {
  texts_.assign(texts.begin(), texts.end());
}

DataColumn DataColumn::categories(std::string name, std::span<const int> codes,
                                  std::vector<std::string> level_names) {
  DataColumn column(std::move(name), Kind::codes);
  column.codes_.assign(codes.begin(), codes.end());
  column.level_names_ = std::move(level_names);
  return column;
}

DataColumn DataColumn::vectors(std::string name, std::span<const double> numbers, int dimension) {
  if (dimension < 1)
    refuse_data("E-DATA-KIND", excerpt(name), "a vector needs a dimension above 0");
  DataColumn column(std::move(name), numbers);
  column.dimension_ = dimension;
  return column;
}

DataColumn& DataColumn::missing_at(std::vector<bool> rows) {
  missing_ = std::move(rows);
  return *this;
}

std::size_t DataColumn::rows() const {
  return numbers_.size() / std::size_t(dimension_) + texts_.size() + codes_.size();
}

namespace {

/// Rows that have every value; the first that does not is refused, or left out.
std::vector<bool> complete_rows(const std::vector<DataColumn>& columns, std::size_t rows,
                                MissingRows policy) {
  std::vector<bool> complete(rows, true);
  for (const DataColumn& column : columns)
    for (std::size_t r = 0; r < rows; ++r) {
      if (!DataBuilder::missing(column, r)) continue;
      if (policy == MissingRows::refuse)
        refuse_data("E-DATA-MISSING", excerpt(column.name()),
                    "row " + std::to_string(r + 1) + " has no value",
                    "drop rows that lack a value, or fill it in beforehand");
      complete[r] = false;
    }
  return complete;
}

}  // namespace

Dataset Dataset::from_columns(const std::vector<DataColumn>& columns,
                              std::span<const std::string> environments, MissingRows missing) {
  if (columns.empty()) refuse_data("E-DATA-COLUMNS", "", "there is no column");
  for (const DataColumn& column : columns) DataBuilder::require_length(column, environments.size());
  const std::vector<bool> complete = complete_rows(columns, environments.size(), missing);
  std::map<std::string_view, std::size_t> numbers;
  std::vector<std::vector<std::size_t>> rows;  // [environment], in the order of the table
  Dataset data;
  for (std::size_t r = 0; r < environments.size(); ++r) {
    const auto [at, is_new] = numbers.emplace(environments[r], rows.size());
    if (is_new) {
      rows.emplace_back();
      data.environments.push_back({environments[r]});
    }
    if (complete[r]) rows[at->second].push_back(r);
  }
  std::vector<std::size_t> order;
  for (std::size_t e = 0; e < rows.size(); ++e) {
    data.environments[e].begin = order.size();
    order.insert(order.end(), rows[e].begin(), rows[e].end());
    data.environments[e].end = order.size();
  }
  for (const DataColumn& column : columns)
    data.columns.push_back(DataBuilder::picked(column, order, data.variables.emplace_back()));
  require_valid(data);
  return data;
}

Dataset Dataset::from_columns(const std::vector<DataColumn>& columns,
                              std::span<const int> environments, MissingRows missing) {
  std::vector<std::string> names;
  for (const int number : environments) names.push_back(std::to_string(number));
  return from_columns(columns, names, missing);
}

Dataset Dataset::from_environments(const std::vector<DataEnvironment>& environments,
                                   MissingRows missing) {
  if (environments.empty()) refuse_data("E-DATA-ENVIRONMENTS", "", "there is no environment");
  std::vector<DataColumn> columns = environments[0].columns;
  std::vector<std::string> labels;
  std::map<std::string_view, int> seen;
  for (const DataEnvironment& environment : environments) {
    const std::string place = excerpt(environment.name);
    if (++seen[environment.name] > 1)
      refuse_data("E-DATA-NAME", place, "two environments have this name");
    if (environment.columns.size() != columns.size())
      refuse_data("E-DATA-COLUMNS", place,
                  std::to_string(environment.columns.size()) +
                      " columns, where the first environment has " +
                      std::to_string(columns.size()));
    const std::size_t rows = environment.columns.empty() ? 0 : environment.columns[0].rows();
    if (rows == 0) refuse_data("E-DATA-ENVIRONMENTS", place, "this environment has no rows");
    labels.insert(labels.end(), rows, environment.name);
    for (DataColumn& column : columns) {
      const auto same =
          std::find_if(environment.columns.begin(), environment.columns.end(),
                       [&](const DataColumn& other) { return other.name() == column.name(); });
      if (same == environment.columns.end())
        refuse_data("E-DATA-COLUMNS", place, "there is no column '" + excerpt(column.name()) + "'");
      DataBuilder::require_length(*same, rows);
      if (&environment != environments.data()) DataBuilder::append(column, *same);
    }
  }
  return from_columns(columns, labels, missing);
}

}  // namespace whence
