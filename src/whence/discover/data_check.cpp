#include "whence/discover/data_check.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "whence/adapt/label_evidence.hpp"
#include "whence/backends/threads.hpp"
#include "whence/core/error.hpp"
#include "whence/io/data_plan.hpp"

namespace whence {
namespace {

ColumnCheck check_column(const Variable& variable, const Column& column) {
  ColumnCheck check;
  check.name = variable.name;
  check.categorical = variable.kind == Variable::Kind::categorical;
  check.levels = variable.levels;
  check.dimension = variable.dimension;
  if (check.categorical) {
    std::vector<bool> seen(std::size_t(variable.levels), false);
    for (const auto level : column.levels) seen[std::size_t(level)] = true;
    check.distinct = std::size_t(std::count(seen.begin(), seen.end(), true));
    return check;
  }
  check.whole_numbers = std::all_of(column.values.begin(), column.values.end(),
                                    [](double x) { return x == std::floor(x); });
  std::vector<double> sorted = column.values;
  std::sort(sorted.begin(), sorted.end());
  std::size_t tied = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    const std::size_t begin = i;
    while (i < sorted.size() && sorted[i] == sorted[begin]) ++i;
    ++check.distinct;
    if (i - begin > 1) tied += i - begin;
  }
  check.tied = sorted.empty() ? 0 : double(tied) / double(sorted.size());
  return check;
}

/// A difference of d standard deviations is worth n d^2 / 2 nats with n = 1 / (1/a + 1/b), and one
/// more parameter costs half a logarithm: where that reaches clear evidence.
double smallest_visible(std::size_t rows, std::size_t others) {
  const double a = double(rows), b = double(others), n = a * b / (a + b);
  return std::sqrt(2 * (clear_evidence + 0.5 * std::log(std::max(n, 1.0))) / n);
}

ShiftCheck check_environment(const Dataset& data, std::size_t e,
                             std::optional<std::size_t> baseline) {
  ShiftCheck check;
  check.name = data.environments[e].name;
  check.rows = data.environments[e].rows();
  check.baseline = baseline == e;
  if (check.baseline) return check;
  std::vector<std::size_t> reference;
  std::size_t others = 0;
  for (std::size_t other = 0; other < data.environments.size(); ++other) {
    if (baseline ? *baseline != other : other == e) continue;
    reference.push_back(other);
    others += data.environments[other].rows();
  }
  const LabelEvidence evidence = label_evidence(data, e, reference);
  check.first = evidence.u;
  check.second = evidence.v;
  check.second_given_first = evidence.both - evidence.u;
  check.first_given_second = evidence.both - evidence.v;
  check.visible = smallest_visible(check.rows, others);
  return check;
}

/// Whether one change explains what is seen: the first law of this order moved, or the second did.
bool single_change(double first, double second) {
  return (first > clear_evidence && second <= 0) || (first <= 0 && second > clear_evidence);
}

std::vector<std::string> remarks_of(const DataCheck& check) {
  std::vector<std::string> remarks;
  for (const ColumnCheck& column : check.columns) {
    if (column.whole_numbers)
      remarks.push_back(fmt::format(
          "{} holds whole numbers only and is read as real; if they stand for categories, use "
          "{}.",
          column.name, types_option(column.name, "categorical")));
    if (column.tied > 0.1)
      remarks.push_back(fmt::format(
          "{:.0f} % of the values of {} occur more than once: it is rounded, or not continuous.",
          100 * column.tied, column.name));
  }
  std::size_t shifted = 0, useful = 0, all = 0, few = 0;
  for (const ShiftCheck& e : check.environments) {
    if (e.baseline) continue;
    ++all;
    const bool any = std::max(e.first, e.second) > clear_evidence ||
                     std::max(e.second_given_first, e.first_given_second) > clear_evidence;
    shifted += any;
    // A single change under one order of causes and not under the other is what tells them apart.
    useful += single_change(e.first, e.second_given_first) !=
              single_change(e.second, e.first_given_second);
    few += e.rows < 20;
  }
  const auto& x = check.columns[0].name;
  const auto& y = check.columns[1].name;
  if (shifted == 0)
    remarks.push_back(
        "No environment differs clearly from the rest: these data cannot tell a direction.");
  else
    remarks.push_back(fmt::format(
        "{} of {} environments differ clearly; in {} of them one mechanism seems to have changed "
        "alone, which is what tells a direction.",
        shifted, all, useful));
  if (check.dependence < -clear_evidence)
    remarks.push_back(
        fmt::format("{} and {} hardly depend on each other: expect \"no link\".", x, y));
  else if (check.dependence < clear_evidence)
    remarks.push_back(fmt::format("Whether {} and {} depend on each other at all is open.", x, y));
  if (few > 0)
    remarks.push_back(
        fmt::format("{} environments have fewer than 20 rows: each says little.", few));
  return remarks;
}

std::string nats(double value) { return fmt::format("{:+.1f}", value); }

}  // namespace

DataCheck check_data(const Dataset& data, std::optional<std::size_t> baseline, int threads) {
  if (data.environments.size() < 2)
    throw Error(ExitCode::bad_data, "E-DATA-ENVIRONMENTS", "", "there is only one environment",
                "give at least one shifted data set, or a column that tells environments apart");
  DataCheck check;
  for (std::size_t v = 0; v < 2; ++v)
    check.columns.push_back(check_column(data.variables[v], data.columns[v]));
  check.environments.resize(data.environments.size());
  parallel_for(data.environments.size(), threads, [&](std::size_t e) {
    check.environments[e] = check_environment(data, e, baseline);
  });
  check.dependence = dependence_evidence(data);
  check.remarks = remarks_of(check);
  return check;
}

std::vector<Table> check_tables(const DataCheck& check) {
  Table columns{"columns", "Columns", {"column", "type", "different values", "tied"}, {}};
  for (const ColumnCheck& c : check.columns)
    columns.rows.push_back({c.name,
                            c.categorical     ? fmt::format("categorical, {} levels", c.levels)
                            : c.dimension > 1 ? fmt::format("real, {} numbers", c.dimension)
                                              : "real",
                            std::to_string(c.distinct),
                            c.categorical ? "–" : fmt::format("{:.1f} %", 100 * c.tied)});
  const auto& x = check.columns[0].name;
  const auto& y = check.columns[1].name;
  Table environments{
      "environments",
      "How strong each shift is: evidence of a difference, in nats",
      {"environment", "rows", x, y, y + " given " + x, x + " given " + y, "visible from (sd)"},
      {}};
  for (const ShiftCheck& e : check.environments) {
    std::vector<std::string> row = {e.name, std::to_string(e.rows)};
    for (const double value : {e.first, e.second, e.second_given_first, e.first_given_second})
      row.push_back(e.baseline ? "–" : nats(value));
    row.push_back(e.baseline ? "–" : fmt::format("{:.2f}", e.visible));
    environments.rows.push_back(std::move(row));
  }
  return {columns, environments};
}

Json check_json(const DataCheck& check) {
  Json columns = Json::list(), environments = Json::list();
  for (const ColumnCheck& c : check.columns)
    columns.items.push_back(Json::object({{"name", c.name},
                                          {"kind", c.categorical ? "categorical" : "real"},
                                          {"levels", c.categorical ? Json(c.levels) : Json()},
                                          {"dimension", c.dimension},
                                          {"distinct", c.distinct},
                                          {"tied", c.tied},
                                          {"whole_numbers", c.whole_numbers}}));
  const std::string x = check.columns[0].name, y = check.columns[1].name;
  for (const ShiftCheck& e : check.environments) {
    Json own = Json::object(), given = Json::object();
    own.set(x, e.first), own.set(y, e.second);
    given.set(x, e.first_given_second), given.set(y, e.second_given_first);
    environments.items.push_back(Json::object({{"name", e.name},
                                               {"rows", e.rows},
                                               {"baseline", e.baseline},
                                               {"marginal_evidence", std::move(own)},
                                               {"conditional_evidence", std::move(given)},
                                               {"visible_shift", e.visible}}));
  }
  return Json::object({{"columns", std::move(columns)},
                       {"environments", std::move(environments)},
                       {"dependence", check.dependence},
                       {"remarks", Json::list(check.remarks)},
                       {"format", 1}});
}

}  // namespace whence
