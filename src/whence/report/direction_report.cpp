#include "whence/report/direction_report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "whence/core/text.hpp"
#include "whence/report/remark_words.hpp"
#include "whence/report/result_parts.hpp"
#include "whence/version.hpp"

namespace whence {
namespace {

/// Nothing at all where something is not possible under this model.
std::string percent_or_none(double p) { return p == 0 ? "0 %" : percent(p); }

std::string percent_range(double low, double high) {
  const std::string from = percent_or_none(low), to = percent_or_none(high);
  return from == to ? to : from + " to " + to;
}

std::string signed_nats(double value) {
  return std::abs(value) < 0.005 ? "0" : fmt::format("{:+.2f}", value);
}

Structure best_structure(const DirectionResult& result) {
  return Structure(std::max_element(result.belief.begin(), result.belief.end()) -
                   result.belief.begin());
}

/// "rain → umbrella", "umbrella → rain", "no link"
std::array<std::string, structures> structure_names(const DirectionResult& result) {
  const auto& [x, y] = result.variables;
  return {x + " → " + y, y + " → " + x, "no link"};
}

// ---- words ----------------------------------------------------------------------------------

const std::string& cause_of(const DirectionResult& r) {
  return r.variables[std::size_t(r.verdict.from)];
}
const std::string& effect_of(const DirectionResult& r) {
  return r.variables[std::size_t(r.verdict.to)];
}

std::string answer_in_words(const DirectionResult& r) {
  const auto& x = r.variables[0];
  const auto& y = r.variables[1];
  using Kind = Verdict::Kind;
  switch (r.verdict.kind) {
    case Kind::direction:
      return fmt::format("{} causes {} (belief {}).", r.variables[std::size_t(r.verdict.from)],
                         r.variables[std::size_t(r.verdict.to)],
                         in_percent(r.belief[std::size_t(r.verdict.from)]));
    case Kind::no_link:
      return fmt::format(
          "{} and {} are not linked (belief {}): a correlation of {:.2f} or more would have shown.",
          x, y, in_percent(r.belief[2]), r.visible_link);
    case Kind::no_shift:
      return fmt::format(
          "These data cannot tell: nothing seems to have shifted. Belief that {} "
          "causes {}: {}.",
          x, y, in_percent(r.belief[0]));
    case Kind::all_changed:
      return fmt::format(
          "These data cannot tell: both mechanisms seem to have changed in every "
          "shifted environment. Belief that {} causes {}: {}.",
          x, y, in_percent(r.belief[0]));
    case Kind::conflicting:
      return fmt::format(
          "The environments contradict each other. Belief that {} causes {}: {}, but "
          "at least one environment says the opposite at more than 100 to 1.",
          x, y, in_percent(r.belief[0]));
    case Kind::undecided: break;
  }
  if (r.verdict.maybe_hidden)
    return fmt::format(
        "{} does not cause {}. These data cannot tell whether {} causes {} (belief {}) or the pair "
        "is confounded, something hidden moving both ({}).",
        effect_of(r), cause_of(r), cause_of(r), effect_of(r),
        in_percent(r.belief[std::size_t(r.verdict.from)]), in_percent(r.hidden));
  if (r.hidden > decided_belief)
    return fmt::format(
        "Neither of {} and {} causes the other: the pair is confounded, something hidden moves "
        "both (belief {}).",
        x, y, in_percent(r.hidden));
  const std::string hidden =
      r.hidden > 0 ? fmt::format(", something hidden moves both {}", in_percent(r.hidden)) : "";
  return fmt::format("Undecided: {} causes {} with belief {}, the reverse {}, no link {}{}.", x, y,
                     in_percent(r.belief[0]), in_percent(r.belief[1]), in_percent(r.belief[2]),
                     hidden);
}

// ---- JSON -------------------------------------------------------------------------------------

Json verdict_json(const DirectionResult& result) {
  const bool decided = result.verdict.kind == Verdict::Kind::direction;
  const auto name = [&](int v) { return v < 0 ? Json() : Json(result.variables[std::size_t(v)]); };
  return Json::object({{"kind", name_of(result.verdict.kind)},
                       {"from", decided ? name(result.verdict.from) : Json()},
                       {"to", decided ? name(result.verdict.to) : Json()},
                       {"confounded", result.verdict.confounded}});
}

/// Sums of many exponentials may pass one by a rounding error; a probability may not.

Json environment_json(const DirectionResult& result, const EnvironmentFinding& environment) {
  Json changed = Json::object(), kind = Json::object();
  for (std::size_t v = 0; v < 2; ++v)
    changed.set(result.variables[v], bounded(environment.changed[v]));
  for (std::size_t k = 0; k < change_kinds; ++k)
    kind.set(std::string(name_of(Change(k))), bounded(environment.kind[k]));
  return Json::object({{"name", environment.name},
                       {"rows", environment.rows},
                       {"effective_rows", environment.effective_rows},
                       {"baseline", environment.baseline},
                       {"log_odds", environment.log_odds},
                       {"changed", std::move(changed)},
                       {"kind", std::move(kind)}});
}

Json leave_one_out_json(const DirectionResult& result) {
  const auto& [x, y] = result.variables;
  const auto range = [](const std::string& from, const std::string& to,
                        const std::array<double, 2>& ends) {
    return Json::object(
        {{"from", from}, {"to", to}, {"low", bounded(ends[0])}, {"high", bounded(ends[1])}});
  };
  Json list = Json::list();
  list.items = {range(x, y, result.leave_one_out), range(y, x, result.leave_one_out_mirrored)};
  return list;
}

Json provenance_json(const DirectionProvenance& provenance) {
  return Json::object({{"program", "whence"},
                       {"format", direction_format},
                       {"version", version()},
                       {"revision", revision()},
                       {"inputs", listed(provenance.inputs, input_json)},
                       {"options", provenance.options}});
}

// ---- the page ---------------------------------------------------------------------------------

Table beliefs_table(const DirectionResult& result) {
  const auto names = structure_names(result);
  Table table{"beliefs",
              "How sure, and how much that hangs on one environment or on the prior",
              {"", "belief", "leaving one out", "other priors"},
              {}};
  for (std::size_t s = 0; s < structures; ++s) {
    double low = result.belief[s], high = low;
    for (const PriorSensitivity& other : result.prior_sensitivity) {
      low = std::min(low, other.belief[s]);
      high = std::max(high, other.belief[s]);
    }
    const auto& out = s == 0 ? result.leave_one_out : result.leave_one_out_mirrored;
    table.rows.push_back({names[s], percent_or_none(result.belief[s]),
                          s < 2 ? percent_range(out[0], out[1]) : "–", percent_range(low, high)});
  }
  if (result.hidden > 0)
    table.rows.push_back({"something hidden moves both", percent_or_none(result.hidden), "–", "–"});
  return table;
}

Table changes_table(const DirectionResult& result) {
  const auto& [x, y] = result.variables;
  Table table{"changes",
              "What changed where",
              {"environment", "rows", x + " changed", y + " changed", "log-odds", "most likely"},
              {}};
  for (const EnvironmentFinding& e : result.environments) {
    const std::string what =
        e.baseline ? "the baseline" : change_in_words(result, likely_change(e));
    table.rows.push_back(
        {e.name, std::to_string(e.rows), e.baseline ? "–" : percent_or_none(e.changed[0]),
         e.baseline ? "–" : percent_or_none(e.changed[1]), signed_nats(e.log_odds), what});
  }
  return table;
}

Table kinds_table(const DirectionResult& result) {
  Table table{"kinds",
              "Kinds of change, if " +
                  structure_names(result)[std::size_t(best_structure(result))] + " is true",
              {"environment"},
              {}};
  for (std::size_t k = 0; k < change_kinds; ++k)
    table.columns.push_back(change_in_words(result, Change(k)));
  for (const EnvironmentFinding& e : result.environments) {
    std::vector<std::string> row = {e.name};
    for (const double p : e.kind) row.push_back(percent_or_none(p));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table sensitivity_table(const DirectionResult& result) {
  const auto names = structure_names(result);
  Table table{"prior-sensitivity",
              "The belief under other priors",
              {"prior", names[0], names[1], names[2]},
              {}};
  const auto add = [&](const std::string& name, const std::array<double, structures>& belief) {
    table.rows.push_back(
        {name, percent_or_none(belief[0]), percent_or_none(belief[1]), percent_or_none(belief[2])});
  };
  add("as chosen", result.belief);
  for (const PriorSensitivity& other : result.prior_sensitivity) add(other.name, other.belief);
  return table;
}

Curve exact_curve(std::string id, std::string label, std::vector<double> x, std::vector<double> y) {
  Curve curve{std::move(id), std::move(label), std::move(x), std::move(y), {}, {}};
  curve.q25 = curve.q75 = curve.median;
  return curve;
}

void draw_path(Report& report, const DirectionResult& result, std::span<const BeliefStep> path) {
  const auto names = structure_names(result);
  const std::array<const char*, structures> ids = {"belief/forward", "belief/backward",
                                                   "belief/no-link"};
  for (std::size_t s = 0; s < structures; ++s) {
    std::vector<double> x, y;
    for (const BeliefStep& step : path) {
      x.push_back(double(step.environments));
      y.push_back(step.belief[s]);
    }
    report.curves.push_back(exact_curve(ids[s], names[s], std::move(x), std::move(y)));
  }
  Figure figure{"belief",
                "The belief after each environment",
                "environments seen",
                "belief",
                {ids.begin(), ids.end()},
                "At 0 stands the prior. Each environment adds what it says; where nothing useful "
                "changed, the lines stay where they are."};
  figure.y_max = 1;
  report.figures.push_back(std::move(figure));
}

void draw_evidence(Report& report, const DirectionResult& result) {
  std::vector<double> x, y;
  for (const EnvironmentFinding& e : result.environments) {
    x.push_back(double(x.size() + 1));
    y.push_back(e.log_odds);
  }
  report.curves.push_back(exact_curve("evidence", "log-odds", std::move(x), std::move(y)));
  const auto& [first, second] = result.variables;
  Figure figure{
      "evidence",
      "What each environment says",
      "environment, in the order of the table",
      "log-odds (nats)",
      {"evidence"},
      fmt::format("Above zero: for {} → {}; below zero: for {} → {}. Environments whose points lie "
                  "far on opposite sides contradict each other.",
                  first, second, second, first)};
  figure.scatter = true;
  report.figures.push_back(std::move(figure));
}

/// The model, in the terms that decide whether to believe it.
std::vector<std::string> assumptions_of(const DirectionResult& result) {
  std::vector<std::string> list = {
      fmt::format("Model: {} ({}).", name_of(result.model), reason_in_words(result.model_reason)),
      result.hidden > 0
          ? "Rows count as independent within an environment. Something hidden may move both "
            "columns; in tables of categories it is looked for only where both change at once. A "
            "mechanism that did not change is the same in every environment."
          : "Rows count as independent within an environment, and no hidden variable moves both "
            "columns. A mechanism that did not change is the same in every environment.",
      "All evidence comes from how the environments differ; none comes from the functional form of "
      "one distribution."};
  if (result.model == DirectionModel::labels)
    list.push_back(
        "The label model compares environments by how well a row tells which one it comes from: it "
        "says whether a mechanism changed, not how.");
  return list;
}

}  // namespace

std::string in_words(const DirectionResult& r) {
  return answer_in_words(r) +
         (r.verdict.confounded && !r.verdict.maybe_hidden && r.hidden <= decided_belief
              ? " The pair looks confounded: both mechanisms seem to move together."
              : "");
}

std::string assumption_in_words(const DirectionResult& result) {
  const std::string rows = "rows are independent within an environment";
  return fmt::format(
      "\"Causes\" takes for granted that {}, that the rows of an environment were not chosen by "
      "what they hold, and that a mechanism which did not change is the same everywhere.",
      result.hidden > 0 ? rows
                        : fmt::format("nothing hidden moves both {} and {}, that {}",
                                      result.variables[0], result.variables[1], rows));
}

Change likely_change(const EnvironmentFinding& environment) {
  const auto& kind = environment.kind;
  return Change(std::max_element(kind.begin(), kind.end()) - kind.begin());
}

std::string change_in_words(const DirectionResult& result, Change change) {
  const Structure structure = best_structure(result);
  const auto& cause = result.variables[structure == Structure::backward ? 1 : 0];
  const auto& effect = result.variables[structure == Structure::backward ? 0 : 1];
  if (structure == Structure::no_link && change == Change::mechanism) return effect + " itself";
  switch (change) {
    case Change::nothing: return "nothing";
    case Change::cause: return cause + " itself";
    case Change::mechanism: return "how " + effect + " answers to " + cause;
    case Change::hard: return effect + ", cut off from " + cause;
    case Change::row: return "how " + effect + " answers to one level of " + cause;
    case Change::both: break;
  }
  return "both";
}

Json beliefs_json(const std::array<std::string, 2>& variables,
                  const std::array<double, structures>& belief) {
  const auto one = [](const std::string& from, const std::string& to, double p) {
    return Json::object({{"from", from}, {"to", to}, {"probability", bounded(p)}});
  };
  Json list = Json::list();
  list.items = {one(variables[0], variables[1], belief[0]),
                one(variables[1], variables[0], belief[1])};
  return list;
}

Json direction_json(const DirectionResult& result, const DirectionProvenance& provenance) {
  const auto sensitivity = [&](const PriorSensitivity& other) {
    return Json::object({{"name", other.name},
                         {"prior", prior_json(other.prior)},
                         {"beliefs", beliefs_json(result.variables, other.belief)},
                         {"no_link", bounded(other.belief[2])}});
  };
  return Json::object(
      {{"variables", Json::list(result.variables)},
       {"beliefs", beliefs_json(result.variables, result.belief)},
       {"no_link", bounded(result.belief[2])},
       {"hidden", bounded(result.hidden)},
       {"visible_link", result.visible_link},
       {"verdict", verdict_json(result)},
       {"summary", in_words(result)},
       {"assumption", assumption_in_words(result)},
       {"leave_one_out", leave_one_out_json(result)},
       {"environments",
        listed(result.environments, [&](const auto& e) { return environment_json(result, e); })},
       {"prior_sensitivity", listed(result.prior_sensitivity, sensitivity)},
       {"model", Json::object({{"name", name_of(result.model)},
                               {"reason", reason_in_words(result.model_reason)},
                               {"variables", listed(provenance.variables, variable_json)}})},
       {"advice", Json::list(advice_in_words(result.remarks))},
       {"warnings", Json::list(all_warnings(provenance.warnings, result.remarks))},
       {"remarks", listed(result.remarks, remark_json)},
       {"left_out", provenance.left_out},
       {"provenance", provenance_json(provenance)}});
}

std::vector<BeliefStep> belief_path(const DirectionResult& result) {
  const std::size_t n = result.environments.size();
  constexpr std::size_t few = 16, places = 10;
  // Evenly where environments are few, by a constant factor where they are many.
  const double factor = std::pow(double(n) / 2, 1.0 / double(places));
  std::vector<BeliefStep> path = {{0, result.path[0]}};
  for (std::size_t seen = 2; seen < n;) {
    path.push_back({seen, result.path[seen]});
    seen =
        n <= few ? seen + 1 : std::max(seen + 1, std::size_t(std::lround(double(seen) * factor)));
  }
  path.push_back({n, result.belief});
  return path;
}

Report direction_report(const DirectionResult& result, std::span<const BeliefStep> path) {
  Report report;
  report.experiment = "direction";
  const auto& [x, y] = result.variables;
  report.title = fmt::format("Does {} cause {}, or {} cause {}?", x, y, y, x);
  report.summary = in_words(result);
  for (const std::string& advice : advice_in_words(result.remarks)) report.summary += " " + advice;
  draw_path(report, result, path);
  draw_evidence(report, result);
  report.tables = {beliefs_table(result), changes_table(result), kinds_table(result),
                   sensitivity_table(result)};
  report.numbers = {{"belief-forward", result.belief[0]},
                    {"belief-backward", result.belief[1]},
                    {"belief-no-link", result.belief[2]},
                    {"log-odds", result.shift_log_odds}};
  report.assumptions = assumptions_of(result);
  report.warnings = warnings_in_words(result.remarks);
  return report;
}

}  // namespace whence
