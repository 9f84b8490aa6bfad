#include "whence/io/table/data_plan.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <unordered_map>

#include "whence/core/error.hpp"
#include "whence/core/quoting.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/data_place.hpp"
#include "whence/io/table/column_names.hpp"

namespace whence {
namespace {

[[noreturn]] void fail_usage(const char* id, const std::string& problem,
                             const std::string& hint = {}) {
  throw Error(ExitCode::usage, id, "", problem, hint);
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "a, b, c", as many as fit into a message.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 20;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(names.size(), shown); ++i)
    words.push_back(excerpt(names[i], 40));
  if (names.size() > shown) words.push_back("... (" + std::to_string(names.size()) + ")");
  return joined(words);
}

/// For a piece of a name that a comma cut through: how to keep the name together.
std::string advice_on_commas(const std::string& name, const std::vector<std::string>& names) {
  for (const std::string& whole : names)
    if (whole.starts_with(name + ","))
      return "a name with a comma stands in double quotes: '" + excerpt(list_name(whole)) + "';";
  return {};
}

[[noreturn]] void fail_unknown(const std::string& name, const std::vector<std::string>& names) {
  const std::string comma = advice_on_commas(name, names);
  const std::string guess = comma.empty() ? did_you_mean(name, names) : comma;
  fail_usage("E-USAGE-COLUMN", "there is no column " + in_quotes(name),
             printable(guess) + (guess.empty() ? "" : " ") + "the columns are " + listed(names));
}

/// A name that is a column, or an array that stands for its columns.
std::vector<std::string> columns_named(const std::string& name,
                                       const std::vector<std::string>& names,
                                       const std::vector<RawGroup>& groups) {
  if (contains(names, name)) return {name};
  for (const RawGroup& group : groups) {
    if (group.name != name) continue;
    std::vector<std::string> columns;
    for (const std::size_t i : group.columns) columns.push_back(names[i]);
    return columns;
  }
  std::vector<std::string> candidates = names;
  for (const RawGroup& group : groups) candidates.push_back(group.name);
  fail_unknown(name, candidates);
}

PlannedVariable parse_variable(const std::string& text, const std::vector<std::string>& names,
                               const std::vector<RawGroup>& groups) {
  const std::size_t equals = text.find('=');
  if (contains(names, text) || equals == std::string::npos)
    return {text, columns_named(text, names, groups), {}};
  PlannedVariable variable{text.substr(0, equals), {}, {}};
  if (variable.name.empty() || variable.name.size() > max_name_bytes)
    fail_usage("E-USAGE-COLUMN", "a vector needs a name: " + in_quotes(text), "--columns v=a+b,y");
  for (const std::string& part : split_outside_quotes(text.substr(equals + 1), '+'))
    for (std::string& column : columns_named(unquoted(part), names, groups))
      variable.columns.push_back(std::move(column));
  return variable;
}

ColumnType parse_type(const std::string& text) {
  using Kind = ColumnType::Kind;
  if (text == "real") return {Kind::real, 0};
  if (text == "labels") return {Kind::labels, 0};
  if (text == "categorical") return {Kind::categorical, 0};
  constexpr std::string_view prefix = "categorical:";
  if (text.starts_with(prefix)) {
    int levels = 0;
    const char *begin = text.data() + prefix.size(), *end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(begin, end, levels);
    if (error == std::errc() && stop == end && levels >= 2) return {Kind::categorical, levels};
  }
  fail_usage("E-USAGE-TYPES", "unknown type " + in_quotes(text),
             "real, categorical, categorical:5 or labels");
}

}  // namespace

std::vector<std::string> parse_columns(std::string_view text) {
  std::vector<std::string> parts = split_outside_quotes(text, ',');
  for (std::string& part : parts) part = unquoted(part);
  if (contains(parts, ""))
    fail_usage("E-USAGE-COLUMN", "an empty name in --columns", "--columns x,y");
  return parts;
}

std::map<std::string, ColumnType> parse_types(std::string_view text) {
  std::map<std::string, ColumnType> types;
  for (const std::string& part : split_outside_quotes(text, ',')) {
    const std::size_t equals = rfind_outside_quotes(part, '=');
    if (equals == std::string::npos || equals == 0)
      fail_usage("E-USAGE-TYPES", "expected name=type, found " + in_quotes(part),
                 "--types x=real,y=categorical");
    const std::string name = unquoted(part.substr(0, equals));
    if (!types.emplace(name, parse_type(part.substr(equals + 1))).second)
      fail_usage("E-USAGE-TYPES", in_quotes(name) + " is given two types");
  }
  return types;
}

std::string types_option(std::string_view name, std::string_view type) {
  return "--types " + shell_word(list_name(excerpt(name)) + "=" + std::string(type));
}

std::vector<ColumnRole> DataPlan::choose(const std::string& file,
                                         const std::vector<std::string>& names,
                                         const std::vector<RawGroup>& groups) {
  if (!decided_) decide(file, names, groups);
  std::vector<ColumnRole> roles(names.size(), ColumnRole::skip);
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < names.size(); ++i) index.emplace(names[i], i);
  const auto set = [&](const std::string& column, ColumnRole role) {
    const auto at = index.find(column);
    if (at == index.end())
      throw Error(ExitCode::bad_data, "E-DATA-COLUMNS", file,
                  "the file has no column " + in_quotes(column),
                  "columns are matched by name; this file has " + listed(names));
    roles[at->second] = role;
  };
  for (const PlannedVariable& variable : variables_) {
    const bool real = variable.columns.size() > 1 ||
                      (variable.type && variable.type->kind == ColumnType::Kind::real);
    const ColumnRole role = real            ? ColumnRole::number
                            : variable.type ? ColumnRole::text
                                            : ColumnRole::automatic;
    for (const std::string& column : variable.columns) set(column, role);
  }
  if (!environment_column_.empty()) set(environment_column_, ColumnRole::text);
  return roles;
}

void DataPlan::decide(const std::string& file, const std::vector<std::string>& names,
                      const std::vector<RawGroup>& groups) {
  if (!environment_column_.empty() && !contains(names, environment_column_))
    fail_unknown(environment_column_, names);
  check_excluded(names, groups);
  if (options_.columns.empty())
    take_all(names, groups);
  else
    for (const std::string& text : options_.columns)
      variables_.push_back(parse_variable(text, names, groups));
  check_number(file, names);
  check_uses();
  set_types(names);
  decided_ = true;
}

void DataPlan::take_all(const std::vector<std::string>& names,
                        const std::vector<RawGroup>& groups) {
  std::vector<const RawGroup*> group_of(names.size(), nullptr);
  for (const RawGroup& group : groups)
    for (const std::size_t i : group.columns) group_of[i] = &group;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == environment_column_ || contains(options_.exclude, names[i])) continue;
    if (group_of[i] != nullptr && contains(options_.exclude, group_of[i]->name)) continue;
    if (group_of[i] == nullptr)
      variables_.push_back({names[i], {names[i]}, {}});
    else if (group_of[i]->columns.front() == i)
      variables_.push_back(
          {group_of[i]->name, columns_named(group_of[i]->name, names, groups), {}});
  }
}

void DataPlan::check_number(const std::string& file, const std::vector<std::string>& names) const {
  const std::size_t found = variables_.size();
  if (found > options_.most_variables)
    throw Error(ExitCode::resource, "E-LIMIT-VARIABLES", file,
                std::to_string(found) + " variables are more than the " +
                    std::to_string(options_.most_variables) + " that can be searched",
                "choose some with --columns, or leave some out with --exclude");
  if (found == 0 && !options_.exclude.empty())
    fail_usage("E-USAGE-COLUMNS", "every column of " + file + " is excluded",
               "leave some of --exclude out");
  // Which columns hold no variable shows when they are read; of very many, too many are left.
  constexpr std::size_t worth_reading = 64;
  if (options_.leave_out && options_.columns.empty() && options_.variables &&
      found > *options_.variables && found <= worth_reading)
    return;
  if (!options_.variables || found == *options_.variables) {
    if (found == 0) fail_usage("E-USAGE-COLUMNS", file + " has no column besides the environment");
    return;
  }
  const std::string wanted = std::to_string(*options_.variables);
  if (!options_.columns.empty())
    fail_usage("E-USAGE-COLUMNS",
               std::to_string(found) + " variables are named, this needs " + wanted,
               "--columns with " + wanted + " of " + listed(names));
  fail_usage("E-USAGE-COLUMNS",
             file + " has " + std::to_string(found) + " variables, this needs " + wanted + ": " +
                 listed(names),
             "name them: --columns x,y");
}

void DataPlan::check_excluded(const std::vector<std::string>& names,
                              const std::vector<RawGroup>& groups) const {
  for (const std::string& name : options_.exclude) {
    columns_named(name, names, groups);
    if (name == environment_column_)
      fail_usage("E-USAGE-COLUMN",
                 "column " + in_quotes(name) + " says which environment a row is in",
                 "it cannot be excluded");
    if (contains(options_.columns, name))
      fail_usage("E-USAGE-COLUMN", "column " + in_quotes(name) + " is both wanted and excluded");
  }
}

void DataPlan::leave_out(const std::string& variable) {
  std::erase_if(variables_, [&](const PlannedVariable& v) { return v.name == variable; });
}

void DataPlan::check_number(const std::vector<LeftOut>& left_out) const {
  if (!options_.leave_out) return;
  std::vector<std::string> kept, gone;
  for (const PlannedVariable& variable : variables_) kept.push_back(variable.name);
  for (const LeftOut& column : left_out)
    gone.push_back(excerpt(column.name) + " (" + column.reason + ")");
  const std::string rest = gone.empty() ? "" : "; left out: " + joined(gone);
  if (kept.size() < 2)
    throw Error(ExitCode::bad_data, "E-DATA-COLUMNS", "",
                (kept.empty() ? "no column is left that can be used"
                              : "only one column can be used: " + in_quotes(kept[0])) +
                    rest,
                "two variables are needed at least; --types NAME=TYPE keeps a column");
  if (!options_.variables || kept.size() == *options_.variables) return;
  const std::string wanted = std::to_string(*options_.variables);
  fail_usage(
      "E-USAGE-COLUMNS",
      std::to_string(kept.size()) + " variables, this needs " + wanted + ": " + listed(kept) + rest,
      "name them: --columns x,y");
}

/// No name twice, no column in two variables, and the environment in none.
void DataPlan::check_uses() const {
  std::set<std::string> names, columns;
  for (const PlannedVariable& variable : variables_) {
    if (!names.insert(variable.name).second)
      fail_usage("E-USAGE-COLUMN", "variable " + in_quotes(variable.name) + " is named twice");
    for (const std::string& column : variable.columns) {
      if (column == environment_column_)
        fail_usage("E-USAGE-COLUMN", "column " + in_quotes(column) +
                                         " says which environment a row is in; it is no variable");
      if (!columns.insert(column).second)
        fail_usage("E-USAGE-COLUMN", "column " + in_quotes(column) + " is used twice");
    }
  }
}

void DataPlan::set_types(const std::vector<std::string>& names) {
  for (const auto& entry : options_.types) {
    const std::string& name = entry.first;
    const ColumnType type = entry.second;
    const auto found = std::find_if(variables_.begin(), variables_.end(),
                                    [&](const PlannedVariable& v) { return v.name == name; });
    if (found == variables_.end()) {
      if (contains(names, name)) continue;  // a column that is not used
      std::vector<std::string> known;
      for (const PlannedVariable& variable : variables_) known.push_back(variable.name);
      fail_unknown(name, known);
    }
    if (found->columns.size() > 1 && type.kind != ColumnType::Kind::real)
      fail_usage("E-USAGE-TYPES", "the vector " + in_quotes(name) + " cannot be categorical");
    found->type = type;
  }
}

}  // namespace whence
