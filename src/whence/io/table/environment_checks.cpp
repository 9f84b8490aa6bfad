#include "whence/io/table/environment_checks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/data_place.hpp"

namespace whence {
namespace {

/// Inside every environment the column never changes: it only says which environment a row is in.
bool tells_environments_only(const Dataset& data, std::size_t v) {
  const Variable& variable = data.variables[v];
  const auto width = variable.kind == Variable::Kind::categorical ? std::size_t(1)
                                                                  : std::size_t(variable.dimension);
  const auto steady = [&](const auto& values) {
    for (const Environment& e : data.environments)
      for (std::size_t i = e.begin * width; i < e.end * width; ++i)
        if (values[i] != values[e.begin * width + i % width]) return false;
    return true;
  };
  return data.columns[v].levels.empty() ? steady(data.columns[v].values)
                                        : steady(data.columns[v].levels);
}

/// Whole numbers, numbered anew from 0; empty for any other column.
std::vector<std::int32_t> codes_of(const Dataset& data, std::size_t v) {
  const Variable& variable = data.variables[v];
  if (variable.kind == Variable::Kind::categorical) return data.columns[v].levels;
  const std::vector<double>& values = data.columns[v].values;
  if (variable.dimension != 1 ||
      !std::all_of(values.begin(), values.end(), [](double x) { return x == std::floor(x); }))
    return {};
  std::map<double, std::int32_t> numbers;
  std::vector<std::int32_t> codes;
  for (const double x : values)
    codes.push_back(numbers.try_emplace(x, std::int32_t(numbers.size())).first->second);
  return codes;
}

/// Every row of an environment has a value of its own, and values come again in others: an entity
/// that was observed again and again. Entities are texts or whole numbers; a count whose values
/// never meet inside an environment of ten rows or more, but do across them, hardly ever happens.
std::vector<std::int32_t> entities_named_by(const Dataset& data, std::size_t v) {
  constexpr std::size_t fewest = 10;
  std::vector<std::int32_t> codes = codes_of(data, v);
  if (codes.empty()) return {};
  const bool names = data.variables[v].kind == Variable::Kind::categorical;
  const std::size_t entities = std::size_t(*std::max_element(codes.begin(), codes.end())) + 1;
  const bool rows_enough = names || codes.size() >= fewest * data.environments.size();
  const bool come_again = names || codes.size() >= 2 * entities;
  if (entities < fewest || !rows_enough || !come_again) return {};
  for (const Environment& e : data.environments) {
    std::vector<bool> seen(entities, false);
    for (std::size_t i = e.begin; i < e.end; ++i) {
      if (seen[std::size_t(codes[i])]) return {};
      seen[std::size_t(codes[i])] = true;
    }
  }
  return codes;
}

void remove_variable(std::size_t v, DataPlan& plan, std::string reason, LoadedData& out) {
  Dataset& data = out.data;
  out.columns_left_out.push_back({data.variables[v].name, std::move(reason)});
  plan.leave_out(data.variables[v].name);
  data.variables.erase(data.variables.begin() + std::ptrdiff_t(v));
  data.columns.erase(data.columns.begin() + std::ptrdiff_t(v));
}

/// Rows of one environment and one column whose category the baseline never shows.
struct Unseen {
  std::size_t environment = 0, rows = 0;
  std::int32_t first = -1;
};

std::vector<Unseen> unseen_in(const LoadedData& out, std::size_t v) {
  const Environment& baseline = out.data.environments[*out.baseline];
  const auto& levels = out.data.columns[v].levels;
  std::vector<std::uint8_t> seen(std::size_t(out.data.variables[v].levels), 0);
  for (std::size_t i = baseline.begin; i < baseline.end; ++i) seen[std::size_t(levels[i])] = 1;
  std::vector<Unseen> found;
  for (std::size_t e = 0; e < out.data.environments.size(); ++e) {
    Unseen here{e};
    for (std::size_t i = out.data.environments[e].begin; i < out.data.environments[e].end; ++i) {
      if (seen[std::size_t(levels[i])]) continue;
      if (here.rows++ == 0) here.first = levels[i];
    }
    if (here.rows > 0) found.push_back(here);
  }
  return found;
}

}  // namespace

/// Facts about a column that need all of its rows.
void look_at_environments(DataPlan& plan, LoadedData& out) {
  if (out.data.environments.size() < 2) return;
  for (std::size_t v = out.data.variables.size(); v-- > 0;) {
    const std::string name = out.data.variables[v].name;
    const auto planned = std::find_if(plan.variables().begin(), plan.variables().end(),
                                      [&](const PlannedVariable& p) { return p.name == name; });
    if (planned == plan.variables().end() || !plan.may_leave_out(*planned)) continue;
    if (std::vector<std::int32_t> entity = entities_named_by(out.data, v); !entity.empty()) {
      if (out.entity.empty()) out.entity = std::move(entity);
      remove_variable(v, plan, "it names an entity that every environment has one row of", out);
    } else if (tells_environments_only(out.data, v)) {
      remove_variable(v, plan, "it never changes inside an environment", out);
    }
  }
}

void warn_of_constant_baseline(LoadedData& out) {
  if (!out.baseline) return;
  Dataset baseline;
  baseline.environments = {out.data.environments[*out.baseline]};
  std::vector<std::string> names;
  for (std::size_t v = 0; v < out.data.variables.size(); ++v) {
    baseline.variables = {out.data.variables[v]};
    baseline.columns = {out.data.columns[v]};
    if (tells_environments_only(baseline, 0))
      names.push_back(in_quotes(out.data.variables[v].name));
  }
  if (names.empty()) return;
  out.warnings.push_back((names.size() == 1 ? "a column is" : "columns are") +
                         std::string(" constant in the baseline: ") + joined(names) +
                         "; what others do when it changes shows in other environments only");
}

namespace {

/// "61 rows of 3 environments in column "x" hold a category that the baseline lacks ("10")".
std::string one_unseen(const LoadedData& out, std::size_t v, const std::vector<Unseen>& found) {
  std::size_t rows = 0;
  for (const Unseen& here : found) rows += here.rows;
  const Environment& first = out.data.environments[found[0].environment];
  const std::string where = found.size() == 1 ? "environment " + in_quotes(first.name)
                                              : std::to_string(found.size()) + " environments";
  const Variable& variable = out.data.variables[v];
  return std::to_string(rows) + (rows == 1 ? " row" : " rows") + " of " + where + " in column " +
         in_quotes(variable.name) + " hold a category that the baseline lacks (" +
         in_quotes(variable.level_names[std::size_t(found[0].first)]) + ")";
}

/// One sentence for all columns.
std::string all_unseen(const std::vector<std::string>& columns, const std::string& first) {
  constexpr std::size_t most = 5;
  if (columns.size() == 1) return first;
  const auto shown = std::vector<std::string>(
      columns.begin(), columns.begin() + std::ptrdiff_t(std::min(most, columns.size())));
  return std::to_string(columns.size()) + " columns hold categories that the baseline lacks (" +
         joined(shown) +
         (columns.size() > most ? " and " + std::to_string(columns.size() - most) + " more" : "") +
         ")";
}

}  // namespace

/// Categories that the baseline never shows: nothing was learnt about them there.
void check_unseen(const ReadOptions& options, LoadedData& out) {
  if (!out.baseline) return;
  std::vector<std::string> columns;
  std::string first;
  for (std::size_t v = 0; v < out.data.variables.size(); ++v) {
    const Variable& variable = out.data.variables[v];
    if (variable.kind != Variable::Kind::categorical) continue;
    const std::vector<Unseen> found = unseen_in(out, v);
    if (found.empty()) continue;
    if (columns.empty()) first = one_unseen(out, v, found);
    if (options.unseen == UnseenPolicy::error)
      throw Error(ExitCode::bad_data, "E-DATA-UNSEEN", "", first, "--unseen=accept takes them");
    columns.push_back(in_quotes(variable.name) + ": " +
                      in_quotes(variable.level_names[std::size_t(found[0].first)]));
  }
  if (!columns.empty()) out.warnings.push_back(all_unseen(columns, first));
}

}  // namespace whence
