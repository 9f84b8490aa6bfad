#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "whence/report/graph_report.hpp"
#include "whence/report/remark_words.hpp"
#include "whence/report/result_parts.hpp"
#include "whence/version.hpp"

namespace whence {
namespace {

/// Support by environment; nothing where it was not worked out.
Json support_json(const GraphResult& result, const EdgeFinding& edge) {
  Json support = Json::object();
  for (std::size_t e = 0; e < edge.support.size(); ++e)
    support.set(result.environments[e].name, edge.support[e]);
  return support;
}

Json range_json(const std::array<double, 2>& range) {
  return Json::object({{"low", bounded(range[0])}, {"high", bounded(range[1])}});
}

/// From and to are levels where the cause is categorical; the unit is that of the effect's column,
/// or a probability.
Json effect_json(const GraphResult& result, const EdgeFinding& edge) {
  const EffectSize& effect = *edge.effect;
  const auto place = [](double value, const std::string& level) {
    return level.empty() ? Json(value) : Json(level);
  };
  const std::string& name = result.variables[edge.to];
  return Json::object(
      {{"from", place(effect.start, effect.start_level)},
       {"to", place(effect.end, effect.end_level)},
       {"change", effect.change},
       {"low", effect.low},
       {"high", effect.high},
       {"unit", effect.level.empty() ? name : "probability of " + name + " = " + effect.level},
       {"level", effect.level.empty() ? Json() : Json(effect.level)},
       {"turns", effect.turns},
       {"rows", effect.rows}});
}

/// Nothing where no two chains can be compared; an enumeration has no such error.
Json chain_error_json(const GraphResult& result, const EdgeFinding& edge) {
  if (result.search.exact) return Json(0.0);
  if (result.edge_errors.variables == 0) return {};
  return Json(result.edge_errors.at(edge.from, edge.to));
}

Json or_null(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

Json edge_json(const GraphResult& result, const EdgeFinding& edge) {
  const bool explained = !edge.support.empty();
  return Json::object(
      {{"from", result.variables[edge.from]},
       {"to", result.variables[edge.to]},
       {"probability", bounded(edge.probability)},
       {"adjacent_probability", bounded(edge.adjacent_probability)},
       {"chain_error", chain_error_json(result, edge)},
       {"in_shifts_only",
        result.shift_only.variables == 0 ? 0.0 : result.shift_only.at(edge.from, edge.to)},
       {"effect", edge.effect ? effect_json(result, edge) : Json()},
       {"shift_log_odds", explained ? Json(edge.shift_log_odds) : Json()},
       {"leave_one_out", explained ? range_json(edge.leave_one_out) : Json()},
       {"support", explained ? support_json(result, edge) : Json()}});
}

/// The findings, then whatever else is not impossible, so that the whole posterior can be judged.
Json edges_json(const GraphResult& result) {
  Json edges = Json::list();
  const std::size_t m = result.variables.size();
  std::vector<bool> told(m * m, false);
  for (const EdgeFinding& edge : result.findings) {
    edges.items.push_back(edge_json(result, edge));
    told[edge.from * m + edge.to] = true;
  }
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      const double p = result.edges.at(i, j);
      if (i == j || told[i * m + j] || p <= 0) continue;
      EdgeFinding edge;
      edge.from = i;
      edge.to = j;
      edge.probability = p;
      edge.adjacent_probability = p + result.edges.at(j, i);
      edges.items.push_back(edge_json(result, edge));
    }
  return edges;
}

Json pairs_json(const Graph& graph, const std::vector<std::string>& names) {
  Json list = Json::list();
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = 0; j < names.size(); ++j)
      if (graph.edge(VariableId(i), VariableId(j)))
        list.items.push_back(Json::list(std::vector<std::string>{names[i], names[j]}));
  return list;
}

Json class_json(const GraphResult& result) {
  Json undirected = Json::list();
  for (const auto& [a, b] : result.essential.undirected)
    undirected.items.push_back(
        Json::list(std::vector<std::string>{result.variables[a], result.variables[b]}));
  const bool known = result.essential.directed.variables() == result.variables.size();
  return Json::object(
      {{"directed", known ? pairs_json(result.essential.directed, result.variables) : Json::list()},
       {"undirected", std::move(undirected)}});
}

Json environment_json(const GraphResult& result, const GraphEnvironment& e) {
  Json changed = Json::object();
  for (std::size_t v = 0; v < e.changed.size(); ++v)
    changed.set(result.variables[v], bounded(e.changed[v]));
  return Json::object({{"name", e.name},
                       {"rows", e.rows},
                       {"baseline", e.baseline},
                       {"changed", std::move(changed)},
                       {"all_changed", bounded(e.all_changed)},
                       {"none_changed", bounded(e.none_changed)},
                       {"chain_error", result.search.exact ? Json(0.0) : or_null(e.chain_error)},
                       {"drift", e.drift}});
}

/// Equal graphs once, with how often they were drawn; most frequent first.
Json draws_json(const GraphResult& result) {
  using Edges = std::vector<std::pair<std::size_t, std::size_t>>;
  std::map<Edges, std::size_t> counts;
  for (const Graph& graph : result.draws) {
    Edges edges;
    for (std::size_t i = 0; i < graph.variables(); ++i)
      for (std::size_t j = 0; j < graph.variables(); ++j)
        if (graph.edge(VariableId(i), VariableId(j))) edges.emplace_back(i, j);
    ++counts[std::move(edges)];
  }
  std::vector<std::pair<Edges, std::size_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  Json list = Json::list();
  for (const auto& [edges, count] : sorted) {
    Json pairs = Json::list();
    for (const auto& [from, to] : edges)
      pairs.items.push_back(Json::list(std::vector<double>{double(from), double(to)}));
    list.items.push_back(Json::object({{"count", count}, {"edges", std::move(pairs)}}));
  }
  return list;
}

/// Pairs that depend on each other without either being the cause, most probable first.
Json hidden_json(const GraphResult& result) {
  Json list = Json::list();
  if (result.hidden.variables == 0) return list;
  std::vector<std::tuple<double, std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < result.variables.size(); ++a)
    for (std::size_t b = a + 1; b < result.variables.size(); ++b)
      if (result.hidden.at(a, b) > 0.01) pairs.emplace_back(-result.hidden.at(a, b), a, b);
  std::sort(pairs.begin(), pairs.end());
  for (const auto& [p, a, b] : pairs)
    list.items.push_back(Json::object(
        {{"a", result.variables[a]}, {"b", result.variables[b]}, {"probability", bounded(-p)}}));
  return list;
}

/// By variable: how far its mechanism drifts from run to run, where it does.
Json drift_json(const GraphResult& result) {
  Json list = Json::object();
  for (std::size_t v = 0; v < result.drift.size(); ++v)
    if (result.drift[v] > 0) list.set(result.variables[v], result.drift[v]);
  return list;
}

/// Six digits are finer than any picture.
Json drawn(const std::vector<double>& values) {
  Json list = Json::list();
  for (const double value : values) {
    Json number(value);
    if (number.is(Json::Kind::number)) number.text = fmt::format("{:.6g}", value);
    list.items.push_back(std::move(number));
  }
  return list;
}

Json fit_json(const std::vector<FittedPoint>& fit) {
  std::vector<double> x, y, low, high;
  for (const FittedPoint& p : fit) {
    x.push_back(p.x);
    y.push_back(p.y);
    low.push_back(p.low);
    high.push_back(p.high);
  }
  return Json::object(
      {{"x", drawn(x)}, {"y", drawn(y)}, {"low", drawn(low)}, {"high", drawn(high)}});
}

Json picture_json(const GraphResult& result, const MechanismPicture& picture) {
  const auto points = [&](const MechanismPicture::Points& group) {
    std::vector<std::string> names;
    for (std::size_t e : group.environments) names.push_back(result.environments[e].name);
    return Json::object(
        {{"environments", Json::list(names)}, {"x", drawn(group.x)}, {"y", drawn(group.y)}});
  };
  return Json::object({{"from", result.variables[picture.from]},
                       {"to", result.variables[picture.to]},
                       {"points", listed(picture.points, points)},
                       {"fit", fit_json(picture.fit)}});
}

Json checks_json(const GraphResult& result) {
  Json list = Json::list();
  for (std::size_t v = 0; v < result.checks.size(); ++v)
    if (result.checks[v].checked)
      list.items.push_back(Json::object({{"variable", result.variables[v]},
                                         {"gain", result.checks[v].gain},
                                         {"standard_error", result.checks[v].standard_error},
                                         {"not_linear", result.checks[v].not_linear}}));
  return list;
}

Json search_json(const GraphResult& result) {
  const SearchRecord& search = result.search;
  Json json = Json::object({{"exact", search.exact},
                            {"restarts", search.scores.size()},
                            {"scores", Json::list(search.scores)},
                            {"best_score", result.best_score},
                            {"chain_spread", search.chain_spread},
                            {"chain_error", search.exact ? Json(0.0) : or_null(search.chain_error)},
                            {"families_scored", search.families_scored},
                            {"stopped", search.stopped.empty() ? Json() : Json(search.stopped)},
                            {"one_graph", search.one_graph}});
  if (search.left_out)
    json.set("left_out", Json::object({{"pairs", search.left_out->pairs},
                                       {"best_gain", search.left_out->best_gain},
                                       {"gaussian", search.left_out->gaussian},
                                       {"settled", search.left_out->settled}}));
  return json;
}

}  // namespace

Json graph_result_json(const GraphResult& result, const GraphProvenance& provenance) {
  return Json::object(
      {{"variables", Json::list(result.variables)},
       {"summary", in_words(result)},
       {"assumption", assumption_in_words(result)},
       {"edges", edges_json(result)},
       {"graph", pairs_json(result.graph, result.variables)},
       {"equivalence_class", class_json(result)},
       {"environments",
        listed(result.environments,
               [&](const GraphEnvironment& e) { return environment_json(result, e); })},
       {"quiet", bounded(result.quiet)},
       {"hidden", hidden_json(result)},
       {"drift", drift_json(result)},
       {"mechanisms", listed(result.pictures,
                             [&](const MechanismPicture& p) { return picture_json(result, p); })},
       {"model", Json::object({{"name", name_of(result.model)},
                               {"reason", reason_in_words(result.model_reason)},
                               {"checks", checks_json(result)},
                               {"scale", result.scale},
                               {"variables", listed(provenance.variables, variable_json)}})},
       {"search", search_json(result)},
       {"draws", draws_json(result)},
       {"advice", Json::list(advice_in_words(result.remarks))},
       {"warnings", Json::list(all_warnings(provenance.warnings, result.remarks))},
       {"remarks", listed(result.remarks, remark_json)},
       {"left_out", provenance.left_out},
       {"provenance", Json::object({{"program", "whence"},
                                    {"format", graph_result_format},
                                    {"version", version()},
                                    {"revision", revision()},
                                    {"inputs", listed(provenance.inputs, input_json)},
                                    {"options", provenance.options}})}});
}

}  // namespace whence
