#include "whence/report/page/page_data.hpp"

#include <algorithm>
#include <cmath>

#include "whence/core/dag.hpp"
#include "whence/core/error.hpp"
#include "whence/io/json/json_list.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/io/json/stored_json.hpp"
#include "whence/report/result_json.hpp"

namespace whence {
namespace {

// ---- writing ------------------------------------------------------------------------------------

Json figure_json(const Figure& figure) {
  return Json::object({{"id", figure.id},
                       {"title", figure.title},
                       {"x_label", figure.x_label},
                       {"y_label", figure.y_label},
                       {"curves", Json::list(figure.curves)},
                       {"caption", figure.caption},
                       {"log_x", figure.log_x},
                       {"log_y", figure.log_y},
                       {"y_min", figure.y_min},
                       {"y_max", figure.y_max},
                       {"scatter", figure.scatter},
                       {"fit", figure.fit}});
}

Json report_json(const Report& report) {
  Json json = result_json(report);
  json.set("figures", listed(report.figures, figure_json));
  json.set("settings_json", report.settings_json);
  json.set("warnings", Json::list(report.warnings));
  return json;
}

Json edge_json(const GraphView::Edge& edge) {
  return Json::object({{"from", edge.from},
                       {"to", edge.to},
                       {"probability", edge.probability},
                       {"adjacent", edge.adjacent},
                       {"in_graph", edge.in_graph},
                       {"look", name_of(edge.look)},
                       {"effect", edge.effect},
                       {"doubt", edge.doubt},
                       {"low", edge.leave_one_out[0]},
                       {"high", edge.leave_one_out[1]},
                       {"support", Json::list(edge.support)}});
}

Json environment_json(const GraphView::Environment& e) {
  return Json::object({{"name", e.name},
                       {"rows", e.rows},
                       {"baseline", e.baseline},
                       {"changed", Json::list(e.changed)},
                       {"all_changed", e.all_changed},
                       {"none_changed", e.none_changed}});
}

Json view_json(const GraphView& view) {
  return Json::object({{"variables", Json::list(view.variables)},
                       {"edges", listed(view.edges, edge_json)},
                       {"environments", listed(view.environments, environment_json)},
                       {"advice", Json::list(view.advice)},
                       {"assumption", view.assumption}});
}

// ---- reading ------------------------------------------------------------------------------------

class Reader : public StoredJson {
 public:
  explicit Reader(const std::string& file)
      : StoredJson([file](const std::string& problem) {
          throw Error(ExitCode::bad_data, "E-DATA-DOCUMENT", file, problem,
                      "this must be the page.json of a run of whence");
        }) {}

  double probability(const Json& object, const char* key) const {
    const double value = member(object, key, Json::Kind::number).as_double();
    constexpr double rounding = 1e-9;
    if (!(value >= -rounding && value <= 1 + rounding))
      refuse(std::string("\"") + key + "\" is not a probability");
    return std::clamp(value, 0.0, 1.0);
  }
  /// null stands for a number that is not finite.
  double number(const Json& object, const char* key) const {
    const Json* value = object.find(key);
    if (value && value->is(Json::Kind::null)) return NAN;
    return member(object, key, Json::Kind::number).as_double();
  }
  std::vector<double> numbers(const Json& object, const char* key) const {
    std::vector<double> out;
    for (const Json& item : list(object, key))
      out.push_back(item.is(Json::Kind::number) ? item.as_double() : NAN);
    return out;
  }
};

Curve read_curve(const Reader& r, const Json& json) {
  return {r.text(json, "id"),        r.text(json, "label"),  r.numbers(json, "x"),
          r.numbers(json, "median"), r.numbers(json, "q25"), r.numbers(json, "q75")};
}

Figure read_figure(const Reader& r, const Json& json) {
  Figure figure{r.text(json, "id"),      r.text(json, "title"),   r.text(json, "x_label"),
                r.text(json, "y_label"), r.texts(json, "curves"), r.text(json, "caption")};
  figure.log_x = r.flag(json, "log_x");
  figure.log_y = r.flag(json, "log_y");
  figure.y_min = r.number(json, "y_min");
  figure.y_max = r.number(json, "y_max");
  figure.scatter = r.flag(json, "scatter");
  figure.fit = r.text(json, "fit");
  return figure;
}

Table read_table(const Reader& r, const Json& json) {
  Table table{r.text(json, "id"), r.text(json, "title"), r.texts(json, "columns"), {}};
  for (const Json& row : r.list(json, "rows")) {
    auto& cells = table.rows.emplace_back();
    for (const Json& cell : row.items) cells.push_back(cell.text);
    if (cells.size() != table.columns.size()) r.refuse("a row of a table has not one cell each");
  }
  return table;
}

/// Pages of older runs have no kinds of claims.
ClaimKind read_kind(const Reader& r, const Json& claim) {
  if (!claim.find("kind")) return ClaimKind::aim;
  const std::string name = r.text(claim, "kind");
  for (ClaimKind kind : all_claim_kinds)
    if (name == name_of(kind)) return kind;
  r.refuse("there is no usable \"kind\"");
}

Report read_report(const Reader& r, const Json& json) {
  Report report;
  report.experiment = r.text(json, "experiment");
  report.title = r.text(json, "title");
  report.summary = r.text(json, "summary");
  report.profile = r.text(json, "profile");
  report.scale = r.text(json, "scale");
  report.seed = r.member(json, "seed", Json::Kind::number).as_uint64().value_or(0);
  report.settings_json = r.text(json, "settings_json");
  for (const Json& item : r.list(json, "curves")) report.curves.push_back(read_curve(r, item));
  for (const Json& item : r.list(json, "figures")) report.figures.push_back(read_figure(r, item));
  for (const Json& item : r.list(json, "tables")) report.tables.push_back(read_table(r, item));
  for (const Json& item : r.list(json, "claims"))
    report.claims.push_back({r.text(item, "id"), r.text(item, "paper"), r.text(item, "measured"),
                             r.flag(item, "holds"), r.text(item, "why"), read_kind(r, item)});
  for (const Json& item : r.list(json, "numbers"))
    report.numbers.push_back({r.text(item, "id"), r.number(item, "value")});
  report.assumptions = r.texts(json, "assumptions");
  report.warnings = r.texts(json, "warnings");
  return report;
}

/// A drawing goes from causes to effects: it knows neither circles nor lines that are given twice.
void require_drawable(const Reader& r, const GraphView& view) {
  Graph drawn(view.variables.size()), arrows(view.variables.size()), hidden(view.variables.size());
  for (const GraphView::Edge& e : view.edges) {
    Graph& given = e.look == EdgeLook::hidden ? hidden : arrows;
    if (given.edge(VariableId(e.from), VariableId(e.to))) r.refuse("an edge is given twice");
    given.set_edge(VariableId(e.from), VariableId(e.to));
    if (e.in_graph) drawn.set_edge(VariableId(e.from), VariableId(e.to));
  }
  if (!drawn.is_acyclic()) r.refuse("the edges of the graph go round in a circle");
}

EdgeLook read_look(const Reader& r, const Json& edge) {
  const std::string name = r.text(edge, "look");
  for (std::size_t k = 0; k < edge_looks; ++k)
    if (name == name_of(EdgeLook(k))) return EdgeLook(k);
  r.refuse("there is no usable \"look\"");
}

GraphView read_view(const Reader& r, const Json& json) {
  GraphView view;
  view.variables = r.texts(json, "variables");
  if (view.variables.size() > most_variables) r.refuse("the graph has too many variables");
  for (const Json& item : r.list(json, "edges")) {
    GraphView::Edge edge{r.count(item, "from"),
                         r.count(item, "to"),
                         r.probability(item, "probability"),
                         r.probability(item, "adjacent"),
                         r.flag(item, "in_graph"),
                         read_look(r, item),
                         {r.probability(item, "low"), r.probability(item, "high")},
                         r.numbers(item, "support"),
                         r.text(item, "effect"),
                         r.text(item, "doubt")};
    if (edge.from >= view.variables.size() || edge.to >= view.variables.size() ||
        edge.from == edge.to)
      r.refuse("an edge leads to no variable, or to its own");
    view.edges.push_back(std::move(edge));
  }
  for (const Json& item : r.list(json, "environments"))
    view.environments.push_back({r.text(item, "name"), r.count(item, "rows"),
                                 r.flag(item, "baseline"), r.numbers(item, "changed"),
                                 r.number(item, "all_changed"), r.number(item, "none_changed")});
  for (GraphView::Environment& e : view.environments) e.changed.resize(view.variables.size(), NAN);
  view.advice = r.texts(json, "advice");
  view.assumption = r.text(json, "assumption");
  require_drawable(r, view);
  return view;
}

}  // namespace

std::string page_data_text(std::span<const Report> reports, const PageInfo& info) {
  return Json::object({{"program", "whence"},
                       {"format", page_format},
                       {"title", info.title},
                       {"lead", info.lead},
                       {"version", info.version},
                       {"revision", info.revision},
                       {"command", info.command},
                       {"random", info.random},
                       {"graph", info.graph ? view_json(*info.graph) : Json()},
                       {"reports", listed(reports, report_json)}})
             .dump() +
         "\n";
}

PageData read_page_data(std::string_view text, const std::string& file) {
  Json json;
  try {
    json = read_json(text, file, {text.size() + 1});
  } catch (const Error& error) {
    throw Error(ExitCode::bad_data, "E-DATA-DOCUMENT", file, "this is not a page.json: damaged",
                "run the command again that made it");
  }
  const Reader r(file);
  if (r.count(json, "format") > std::size_t(page_format))
    throw Error(ExitCode::bad_data, "E-DATA-DOCUMENT", file, "a newer whence wrote this",
                "use whence " + r.text(json, "version") + " or newer");
  PageData data;
  for (const Json& item : r.list(json, "reports")) data.reports.push_back(read_report(r, item));
  data.info = {r.text(json, "title"),    r.text(json, "lead"),    r.text(json, "version"),
               r.text(json, "revision"), r.text(json, "command"), r.flag(json, "random")};
  const Json* graph = json.find("graph");
  if (graph && graph->is(Json::Kind::object)) data.graph = read_view(r, *graph);
  return data;
}

}  // namespace whence
