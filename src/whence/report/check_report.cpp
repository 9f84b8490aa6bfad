#include "whence/report/check_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "whence/io/table/data_plan.hpp"

namespace whence {
namespace {

/// Whether one change explains what is seen: the first law of this order moved, or the second did.
bool single_change(double first, double second) {
  return (first > clear_evidence && second <= 0) || (first <= 0 && second > clear_evidence);
}

std::string nats(double value) { return fmt::format("{:+.1f}", value); }

}  // namespace

std::vector<std::string> check_remarks(const DataCheck& check) {
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
                       {"remarks", Json::list(check_remarks(check))},
                       {"format", 1}});
}

}  // namespace whence
