#include "whence/report/check_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "whence/core/text.hpp"
#include "whence/io/table/data_plan.hpp"
#include "whence/report/result_parts.hpp"

namespace whence {
namespace {

/// Whether one change explains what is seen: the first law of this order moved, or the second did.
bool single_change(double first, double second) {
  return (first > clear_evidence && second <= 0) || (first <= 0 && second > clear_evidence);
}

std::string nats(double value) { return fmt::format("{:+.1f}", value); }

Table columns_table(const std::vector<ColumnCheck>& checks) {
  Table columns{"columns", "Columns", {"column", "type", "different values", "tied"}, {}};
  for (const ColumnCheck& c : checks)
    columns.rows.push_back({c.name,
                            c.categorical     ? fmt::format("categorical, {} levels", c.levels)
                            : c.dimension > 1 ? fmt::format("real, {} numbers", c.dimension)
                                              : "real",
                            std::to_string(c.distinct),
                            c.categorical ? "–" : fmt::format("{:.1f} %", 100 * c.tied)});
  return columns;
}

Json columns_json(const std::vector<ColumnCheck>& checks) {
  Json columns = Json::list();
  for (const ColumnCheck& c : checks)
    columns.items.push_back(Json::object({{"name", c.name},
                                          {"kind", c.categorical ? "categorical" : "real"},
                                          {"levels", c.categorical ? Json(c.levels) : Json()},
                                          {"dimension", c.dimension},
                                          {"distinct", c.distinct},
                                          {"tied", c.tied},
                                          {"whole_numbers", c.whole_numbers}}));
  return columns;
}

/// Variables that differ clearly in an environment, the clearest first.
std::vector<std::size_t> shifted_in(const EnvironmentCheck& e) {
  std::vector<std::size_t> shifted;
  for (std::size_t v = 0; v < e.evidence.size(); ++v)
    if (e.evidence[v] > clear_evidence) shifted.push_back(v);
  std::stable_sort(shifted.begin(), shifted.end(),
                   [&](std::size_t a, std::size_t b) { return e.evidence[a] > e.evidence[b]; });
  return shifted;
}

std::string where_it_shows(const TableCheck& check, const EnvironmentCheck& e) {
  std::vector<std::string> words;
  for (const std::size_t v : shifted_in(e))
    words.push_back(fmt::format("{} ({:.0f})", check.columns[v].name, e.evidence[v]));
  return words.empty() ? "nowhere clearly" : some_of(words, 5);
}

/// What the environments allow to decide, and what would settle the rest.
void add_decisions(const TableCheck& check, std::vector<std::string>& remarks) {
  const std::size_t variables = check.columns.size();
  std::vector<std::string> quiet, all, never;
  std::vector<bool> moved(variables, false);
  std::size_t useful = 0;
  for (const EnvironmentCheck& e : check.environments) {
    if (e.baseline) continue;
    const auto shifted = shifted_in(e);
    for (const std::size_t v : shifted) moved[v] = true;
    if (shifted.empty())
      quiet.push_back(e.name);
    else if (shifted.size() == variables)
      all.push_back(e.name);
    else
      ++useful;
  }
  for (std::size_t v = 0; v < variables; ++v)
    if (!moved[v]) never.push_back(check.columns[v].name);
  if (useful == 0)
    remarks.push_back(
        "No environment changes some variables and leaves others as they are: these "
        "data can show links, and hardly any direction.");
  else
    remarks.push_back(
        fmt::format("{} of {} environments change some variables and leave others as "
                    "they are, which is what tells directions.",
                    useful, useful + quiet.size() + all.size()));
  if (!quiet.empty())
    remarks.push_back("Nothing differs clearly in " + some_of(quiet) +
                      ": these say how variables go "
                      "together, and nothing about directions.");
  if (!all.empty())
    remarks.push_back(
        "Every variable differs in " + some_of(all) +
        ": a change at the root of everything looks like that, and so do many changes "
        "at once.");
  if (!never.empty() && never.size() < variables)
    remarks.push_back("Never seen to change: " + some_of(never) +
                      ". Nothing upstream of them changed either. Directions among them need an "
                      "environment in which one of them changes.");
}

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
  const Table columns = columns_table(check.columns);
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
  Json columns = columns_json(check.columns), environments = Json::list();
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

std::vector<std::string> check_remarks(const TableCheck& check) {
  std::vector<std::string> remarks;
  std::vector<std::string> whole, tied;
  constexpr std::size_t rows_per_value = 5;  // with fewer, no codes of categories
  std::size_t rows = 0;
  for (const EnvironmentCheck& environment : check.environments) rows += environment.rows;
  for (const ColumnCheck& column : check.columns) {
    if (column.whole_numbers && rows_per_value * column.distinct <= rows)
      whole.push_back(column.name);
    else if (column.tied > 0.1)
      tied.push_back(column.name);
  }
  if (!whole.empty())
    remarks.push_back("Whole numbers, read as real: " + some_of(whole) +
                      "; if they stand for "
                      "categories, use " +
                      types_option(whole[0], "categorical") + ".");
  if (!tied.empty())
    remarks.push_back("Rounded, or not continuous (values that come again): " + some_of(tied) +
                      ".");
  std::vector<std::string> bent;
  for (std::size_t v = 0; v < check.lines.size(); ++v)
    if (check.lines[v].not_linear)
      bent.push_back(
          fmt::format("{} ({:.2f} nats a row)", check.columns[v].name, check.lines[v].gain));
  if (!bent.empty())
    remarks.push_back("Straight lines do not fit: " + some_of(bent) +
                      "; discover answers by evidence from labels then.");
  add_decisions(check, remarks);
  std::vector<std::string> apart;
  for (const EnvironmentCheck& e : check.environments) {
    std::vector<std::string> names;
    for (const std::size_t v : e.apart) names.push_back(check.columns[v].name);
    if (!names.empty()) apart.push_back(fmt::format("{} ({})", e.name, some_of(names, 3)));
  }
  if (!apart.empty())
    remarks.push_back("Some values are never met elsewhere: " + some_of(apart, 20) +
                      ". How other variables answer to them there cannot be compared.");
  const auto few = std::count_if(check.environments.begin(), check.environments.end(),
                                 [](const EnvironmentCheck& e) { return e.effective_rows < 20; });
  if (few > 0)
    remarks.push_back(
        fmt::format("{} environments are worth fewer than 20 rows: each says little.", few));
  return remarks;
}

std::vector<Table> check_tables(const TableCheck& check) {
  Table environments{
      "environments",
      "How strong each shift is and where it shows: evidence of a difference, in nats",
      {"environment", "rows", "worth", "visible from (sd)", "differs in"},
      {}};
  for (const EnvironmentCheck& e : check.environments)
    environments.rows.push_back({e.name, std::to_string(e.rows),
                                 fmt::format("{:.0f}", e.effective_rows),
                                 e.baseline ? "–" : fmt::format("{:.2f}", e.visible),
                                 e.baseline ? "the baseline" : where_it_shows(check, e)});
  return {columns_table(check.columns), environments};
}

Json check_json(const TableCheck& check) {
  Json environments = Json::list();
  for (const EnvironmentCheck& e : check.environments) {
    Json evidence = Json::object(), apart = Json::list();
    for (std::size_t v = 0; v < check.columns.size(); ++v)
      evidence.set(check.columns[v].name, e.baseline ? Json() : Json(e.evidence[v]));
    for (const std::size_t v : e.apart) apart.items.push_back(check.columns[v].name);
    environments.items.push_back(Json::object({{"name", e.name},
                                               {"rows", e.rows},
                                               {"effective_rows", e.effective_rows},
                                               {"baseline", e.baseline},
                                               {"marginal_evidence", std::move(evidence)},
                                               {"no_overlap", std::move(apart)},
                                               {"visible_shift", e.visible}}));
  }
  Json lines = Json::list();
  for (std::size_t v = 0; v < check.lines.size(); ++v)
    if (check.lines[v].checked)
      lines.items.push_back(Json::object({{"variable", check.columns[v].name},
                                          {"gain", check.lines[v].gain},
                                          {"standard_error", check.lines[v].standard_error},
                                          {"not_linear", check.lines[v].not_linear}}));
  return Json::object({{"columns", columns_json(check.columns)},
                       {"environments", std::move(environments)},
                       {"lines", std::move(lines)},
                       {"remarks", Json::list(check_remarks(check))},
                       {"format", 1}});
}

}  // namespace whence
