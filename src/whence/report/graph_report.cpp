#include "whence/report/graph_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "whence/core/text.hpp"
#include "whence/report/result_parts.hpp"
#include "whence/version.hpp"

namespace whence {
namespace {

constexpr double decided = 0.95, likely = 0.5, least_drawn = 0.05;

/// Both ends of a range, shortly: "61.2–100 %".
std::string percent_range(const std::array<double, 2>& range) {
  const auto end = [](double p) {
    return p < 0.001 ? "0" : p > 0.999 ? "100" : fmt::format("{:.1f}", 100 * p);
  };
  const std::string low = end(range[0]), high = end(range[1]);
  return (low == high ? low : low + "–" + high) + " %";
}

double bounded(double p) { return std::clamp(p, 0.0, 1.0); }

std::string plural(std::size_t n, const char* word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

bool has_posterior(const GraphResult& result) { return result.engine == GraphEngine::posterior; }

// ---- JSON ----

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

Json edge_json(const GraphResult& result, const EdgeFinding& edge) {
  const bool explained = !edge.support.empty();
  return Json::object(
      {{"from", result.variables[edge.from]},
       {"to", result.variables[edge.to]},
       {"probability", bounded(edge.probability)},
       {"adjacent_probability", bounded(edge.adjacent_probability)},
       {"in_shifts_only",
        result.shift_only.variables == 0 ? 0.0 : result.shift_only.at(edge.from, edge.to)},
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
  if (!has_posterior(result)) return {};
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
  const bool told = !e.changed.empty();
  Json changed = told ? Json::object() : Json();
  for (std::size_t v = 0; v < e.changed.size(); ++v)
    changed.set(result.variables[v], bounded(e.changed[v]));
  return Json::object({{"name", e.name},
                       {"rows", e.rows},
                       {"baseline", e.baseline},
                       {"changed", std::move(changed)},
                       {"all_changed", told ? Json(bounded(e.all_changed)) : Json()},
                       {"none_changed", told ? Json(bounded(e.none_changed)) : Json()},
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
  Json json =
      Json::object({{"exact", search.exact},
                    {"restarts", search.scores.size()},
                    {"scores", Json::list(search.scores)},
                    {"best_score", has_posterior(result) ? Json(result.best_score) : Json()},
                    {"chain_spread", has_posterior(result) ? Json(search.chain_spread) : Json()},
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

// ---- words ----

bool is_open(const EdgeFinding& edge) {
  return edge.adjacent_probability > likely &&
         edge.probability < decided * edge.adjacent_probability;
}

/// Sure of a direction that no shift clearly (20 to 1) supports: it follows from which variables
/// are independent of which, from other edges, or from what was given.
bool without_a_shift(const EdgeFinding& edge) {
  constexpr double clear_evidence = 3;  // nats
  return edge.probability > decided && !edge.support.empty() &&
         edge.shift_log_odds < clear_evidence;
}

/// The shifted environment that says most for the direction; what the baseline says is said by
/// comparison with them.
std::string best_support(const GraphResult& result, const EdgeFinding& edge) {
  if (without_a_shift(edge)) return "no shift";
  std::size_t best = edge.support.size();
  for (std::size_t e = 0; e < edge.support.size(); ++e)
    if (!result.environments[e].baseline &&
        (best == edge.support.size() || edge.support[e] > edge.support[best]))
      best = e;
  if (best == edge.support.size() || edge.support[best] < 0.05) return "–";
  return fmt::format("{} ({:+.1f})", result.environments[best].name, edge.support[best]);
}

Table edges_table(const GraphResult& result) {
  Table table{"edges",
              "Edges, and the range of each probability when any one environment is left out",
              {"cause", "effect", "probability", "joined", "one left out", "support (nats)"},
              {}};
  for (const EdgeFinding& edge : result.findings) {
    if (edge.probability < least_drawn) continue;
    table.rows.push_back({result.variables[edge.from], result.variables[edge.to],
                          percent(edge.probability), percent(edge.adjacent_probability),
                          edge.support.empty() ? "–" : percent_range(edge.leave_one_out),
                          best_support(result, edge)});
  }
  return table;
}

/// What the paper's learner says: no more than a belief per edge.
Table beliefs_table(const GraphResult& result) {
  Table table{"edges", "Beliefs σ(γ) in edges", {"cause", "effect", "belief", "joined"}, {}};
  for (const EdgeFinding& edge : result.findings)
    if (edge.probability >= least_drawn)
      table.rows.push_back({result.variables[edge.from], result.variables[edge.to],
                            percent(edge.probability), percent(edge.adjacent_probability)});
  return table;
}

/// What is more likely than not; where something changed but nobody can say what, the likeliest.
std::string changed_names(const GraphResult& result, const GraphEnvironment& e) {
  if (e.all_changed > likely) return "everything";
  if (e.none_changed > likely) return "nothing";
  constexpr std::size_t most_guesses = 3;
  std::vector<std::size_t> order(result.variables.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return e.changed[a] > e.changed[b]; });
  const bool told = !order.empty() && e.changed[order[0]] > likely;
  std::vector<std::string> names;
  for (std::size_t v : order)
    if (e.changed[v] > (told ? likely : least_drawn) && (told || names.size() < most_guesses))
      names.push_back(result.variables[v] + " (" + percent(e.changed[v]) + ")");
  return (told ? "" : "perhaps ") + (names.empty() ? "something" : joined(names));
}

Table changes_table(const GraphResult& result) {
  Table table{"changes",
              "What changed where",
              {"environment", "rows", "most likely changed", "everything", "nothing"},
              {}};
  for (const GraphEnvironment& e : result.environments)
    table.rows.push_back(
        {e.name, std::to_string(e.rows), e.baseline ? "the baseline" : changed_names(result, e),
         e.baseline ? "–" : percent(e.all_changed), e.baseline ? "–" : percent(e.none_changed)});
  return table;
}

/// "3 edges among 4 variables: 2 more than 95 % sure, 1 less sure"
std::string edges_in_words(const GraphResult& result) {
  std::size_t sure = 0, unsure = 0, open = 0, unshifted = 0;
  for (const EdgeFinding& edge : result.findings) {
    if (!result.graph.edge(VariableId(edge.from), VariableId(edge.to))) continue;
    ++(edge.probability > decided ? sure : is_open(edge) ? open : unsure);
    unshifted += without_a_shift(edge);
  }
  std::string text =
      fmt::format("{} among {}: {} more than 95 % sure", plural(sure + unsure + open, "edge"),
                  plural(result.variables.size(), "variable"), sure);
  if (unshifted > 0)
    text += fmt::format(" ({} without a shift that supports the direction)",
                        unshifted == sure ? "all" : std::to_string(unshifted));
  if (unsure > 0) text += fmt::format(", {} less sure", unsure);
  if (open > 0) text += fmt::format(", {} whose direction stays open", open);
  return text;
}

/// In how many environments something changed; where that tells no direction, so much.
std::string changes_in_words(const GraphResult& result) {
  std::size_t shifted = 0, changed = 0, perhaps = 0, all = 0;
  for (const GraphEnvironment& e : result.environments) {
    if (e.baseline) continue;
    ++shifted;
    changed += e.none_changed < 1 - decided;
    perhaps += e.none_changed >= 1 - decided && e.none_changed < decided;
    all += e.all_changed > decided;
  }
  const bool has_baseline = shifted < result.environments.size();
  const std::string of = plural(shifted, has_baseline ? "shifted environment" : "environment");
  if (shifted > 0 && changed + perhaps == 0)
    return fmt::format(
        "Nothing seems to have changed in {}{}: by how they differ these data cannot tell a cause "
        "from its effect.",
        shifted == 1 ? "" : "any of ", of);
  std::string text = fmt::format("Something changed in {} of {}", changed, of);
  if (perhaps > 0) text += fmt::format(", perhaps in {} more", perhaps);
  if (shifted > 0 && all == shifted)
    text +=
        ", and it was everything: by how they differ these data cannot tell a cause from its "
        "effect";
  return text + ".";
}

std::vector<std::string> assumptions_of(const GraphResult& result) {
  if (!has_posterior(result))
    return {"There are no hidden common causes and no cycles; all variables are categorical.",
            "What shifts is the own law of causes: where the mechanism of an effect shifts, the "
            "criterion can point the wrong way.",
            "One network per variable and set of parents, trained on the baseline; γ descends the "
            "regret of adapting to episodes of the shifted environments."};
  std::vector<std::string> list = {"There are no hidden common causes and no cycles.",
                                   "Mechanisms change independently; where nothing changed, data "
                                   "do not tell the direction of an "
                                   "edge beyond the equivalence class."};
  list.push_back(
      "A direction that no shift supports follows from which variables are independent of which, "
      "from other edges, or from what was given; a hidden common cause would upset it.");
  if (result.model == GraphModel::labels)
    list[0] = "There are no cycles; a common cause that is hidden acts on two variables at most.";
  list.push_back(result.model == GraphModel::categorical ? "All variables are categorical."
                 : result.model == GraphModel::linear
                     ? "Effects are linear in their causes."
                     : "Mechanisms may have any form that a smooth regression can follow.");
  return list;
}

}  // namespace

Json graph_result_json(const GraphResult& result, const GraphProvenance& provenance) {
  return Json::object(
      {{"variables", Json::list(result.variables)},
       {"engine", name_of(result.engine)},
       {"summary", in_words(result)},
       {"edges", edges_json(result)},
       {"graph", pairs_json(result.graph, result.variables)},
       {"equivalence_class", class_json(result)},
       {"environments",
        listed(result.environments,
               [&](const GraphEnvironment& e) { return environment_json(result, e); })},
       {"quiet", has_posterior(result) ? Json(bounded(result.quiet)) : Json()},
       {"hidden", hidden_json(result)},
       {"drift", drift_json(result)},
       {"model", Json::object({{"name", name_of(result.model)},
                               {"reason", result.model_reason},
                               {"checks", checks_json(result)},
                               {"scale", has_posterior(result) ? Json(result.scale) : Json()},
                               {"variables", listed(provenance.variables, variable_json)}})},
       {"search", search_json(result)},
       {"draws", draws_json(result)},
       {"advice", Json::list(result.advice)},
       {"warnings", Json::list(result.warnings)},
       {"left_out", provenance.left_out},
       {"provenance", Json::object({{"program", "whence"},
                                    {"format", graph_result_format},
                                    {"version", version()},
                                    {"revision", revision()},
                                    {"inputs", listed(provenance.inputs, input_json)},
                                    {"options", provenance.options}})}});
}

NamedGraph named_graph(const GraphResult& result) {
  NamedGraph graph{result.variables, result.graph, result.edges.values};
  for (std::size_t v = 0; v < result.variables.size(); ++v)
    graph.probabilities[v * result.variables.size() + v] = 0;
  for (double& p : graph.probabilities) p = bounded(p);
  return graph;
}

std::string in_words(const GraphResult& result) {
  const char* hurried = result.search.stopped.empty() || result.search.one_graph
                            ? ""
                            : " The search was stopped early: what it found is stated too surely.";
  if (!has_posterior(result))
    return edges_in_words(result) + ", by the paper's criterion." + hurried;
  return edges_in_words(result) + ". " + changes_in_words(result) + hurried;
}

GraphView graph_view(const GraphResult& result) {
  GraphView view;
  view.variables = result.variables;
  for (const EdgeFinding& edge : result.findings) {
    const bool in_graph = result.graph.edge(VariableId(edge.from), VariableId(edge.to));
    if (edge.probability < least_drawn && !in_graph) continue;
    view.edges.push_back({edge.from, edge.to, bounded(edge.probability),
                          bounded(edge.adjacent_probability), in_graph, is_open(edge),
                          edge.support.empty() ? std::array{0.0, 1.0} : edge.leave_one_out,
                          edge.support});
  }
  for (const GraphEnvironment& e : result.environments) {
    if (e.changed.empty()) continue;  // nothing is known of it
    GraphView::Environment one{
        e.name, e.rows, e.baseline, e.changed, bounded(e.all_changed), bounded(e.none_changed)};
    for (double& p : one.changed) p = bounded(p);
    view.environments.push_back(std::move(one));
  }
  view.advice = result.advice;
  return view;
}

Report graph_report(const GraphResult& result) {
  Report report;
  report.experiment = "discover";
  report.title =
      fmt::format("What causes what among {}", plural(result.variables.size(), "variable"));
  report.summary = in_words(result);
  report.tables = has_posterior(result) ? std::vector{edges_table(result), changes_table(result)}
                                        : std::vector{beliefs_table(result)};
  report.assumptions = assumptions_of(result);
  report.warnings = result.warnings;
  for (std::size_t k = 0; k < result.search.scores.size(); ++k)
    report.numbers.push_back(
        {fmt::format("score of the best graph from start {}", k + 1), result.search.scores[k]});
  if (has_posterior(result))
    report.numbers.push_back(
        {"largest difference of an edge between chains", result.search.chain_spread});
  report.numbers.push_back({"families scored", double(result.search.families_scored)});
  return report;
}

std::vector<Table> probability_tables(const GraphResult& result) {
  const std::size_t m = result.variables.size();
  Table edges{"edge-probabilities", "", {"cause", "effect", "probability", "joined"}, {}};
  for (std::size_t from = 0; from < m; ++from)
    for (std::size_t to = 0; to < m; ++to) {
      if (from == to) continue;
      const double forward = result.edges.at(from, to), backward = result.edges.at(to, from);
      if (result.search.left_out && forward + backward == 0) continue;  // a million such pairs
      edges.rows.push_back({result.variables[from], result.variables[to],
                            fmt::format("{}", forward), fmt::format("{}", forward + backward)});
    }
  if (!has_posterior(result)) return {edges};
  Table changes{
      "change-probabilities", "", {"environment", "rows", "all_changed", "none_changed"}, {}};
  changes.columns.insert(changes.columns.end(), result.variables.begin(), result.variables.end());
  for (const GraphEnvironment& e : result.environments) {
    changes.rows.push_back({e.name, std::to_string(e.rows), fmt::format("{}", e.all_changed),
                            fmt::format("{}", e.none_changed)});
    for (const double p : e.changed) changes.rows.back().push_back(fmt::format("{}", p));
  }
  return {edges, changes};
}

}  // namespace whence
