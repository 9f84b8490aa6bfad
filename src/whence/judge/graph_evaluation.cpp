#include "whence/judge/graph_evaluation.hpp"

#include <algorithm>
#include <cmath>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/data_place.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/judge/evaluation.hpp"

namespace whence {
namespace {

[[noreturn]] void refuse_document(const std::string& place, const std::string& problem,
                                  const std::string& hint = {}) {
  throw Error(ExitCode::bad_data, "E-DATA-DOCUMENT", place, problem, hint);
}

/// For each variable of the truth its number in the result.
std::vector<std::size_t> places_in(const NamedGraph& result, const NamedGraph& truth,
                                   const std::string& truth_file) {
  std::vector<std::size_t> places;
  for (const std::string& name : truth.names) {
    const auto at = std::find(result.names.begin(), result.names.end(), name);
    if (at == result.names.end() || result.names.size() != truth.names.size())
      refuse_document(truth_file, "the truth is about other variables than the result",
                      at == result.names.end() ? in_quotes(name) + " is not in the result" : "");
    places.push_back(std::size_t(at - result.names.begin()));
  }
  return places;
}

Graph reordered(const Graph& graph, const std::vector<std::size_t>& places) {
  Graph out(places.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t j = 0; j < places.size(); ++j)
      out.set_edge(VariableId(i), VariableId(j),
                   graph.edge(VariableId(places[i]), VariableId(places[j])));
  return out;
}

EdgeMatrix probabilities_of(const NamedGraph& result, const std::vector<std::size_t>& places) {
  EdgeMatrix p(places.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t j = 0; j < places.size(); ++j)
      p.at(i, j) = result.probabilities.empty()
                       ? double(result.graph.edge(VariableId(places[i]), VariableId(places[j])))
                       : result.probability(places[i], places[j]);
  return p;
}

/// Pair by pair: the probability of anything else than the truth.
double expected_distance_of(const EdgeMatrix& p, const Graph& truth) {
  double sum = 0;
  for (std::size_t i = 0; i < p.variables; ++i)
    for (std::size_t j = i + 1; j < p.variables; ++j) {
      const double none = std::max(0.0, 1 - p.at(i, j) - p.at(j, i));
      sum += 1 - (truth.edge(VariableId(i), VariableId(j))   ? p.at(i, j)
                  : truth.edge(VariableId(j), VariableId(i)) ? p.at(j, i)
                                                             : none);
    }
  return sum;
}

// ---- draws ----

struct Draws {
  std::vector<Graph> graphs;
  std::vector<double> weights;
};

/// "draws": [{"count": n, "edges": [[from, to], ...]}], variables by number in the result.
Draws draws_of(const Json& document, const std::string& file, std::size_t variables) {
  Draws draws;
  const Json* list = document.find("draws");
  if (list == nullptr || !list->is(Json::Kind::list)) return draws;
  for (const Json& draw : list->items) {
    const Json *count = draw.find("count"), *edges = draw.find("edges");
    if (count == nullptr || edges == nullptr || !count->as_uint64())
      refuse_document(place_in(file, draw.place), "a draw has a count and edges");
    Graph graph(variables);
    for (const Json& edge : edges->items) {
      const bool pair = edge.is(Json::Kind::list) && edge.items.size() == 2;
      const auto from = pair ? edge.items[0].as_uint64() : std::nullopt;
      const auto to = pair ? edge.items[1].as_uint64() : std::nullopt;
      if (!from || !to || *from >= variables || *to >= variables || *from == *to)
        refuse_document(place_in(file, edge.place),
                        "an edge of a draw is a pair of numbers of variables");
      graph.set_edge(VariableId(*from), VariableId(*to));
    }
    if (!graph.is_acyclic()) refuse_document(place_in(file, draw.place), "a draw has a cycle");
    draws.graphs.push_back(std::move(graph));
    draws.weights.push_back(double(*count->as_uint64()));
  }
  return draws;
}

// ---- changes ----

const Json* environment_named(const Json& document, const std::string& name) {
  const Json* list = document.find("environments");
  if (list == nullptr) return nullptr;
  for (const Json& one : list->items)
    if (const Json* said = one.find("name"); said != nullptr && said->text == name) return &one;
  return nullptr;
}

/// The probability, or truth, that a variable's mechanism changed; nothing where it is not said.
std::optional<double> change_of(const Json& environment, const std::string& variable,
                                const std::string& file) {
  const Json* changed = environment.find("changed");
  const Json* value = changed == nullptr ? nullptr : changed->find(variable);
  if (value == nullptr) return std::nullopt;
  if (value->is(Json::Kind::boolean)) return value->truth ? 1 : 0;
  if (value->is(Json::Kind::null)) return std::nullopt;
  const double p = value->is(Json::Kind::number) ? value->as_double() : -1;
  if (!(p >= 0 && p <= 1))
    refuse_document(place_in(file, value->place), "this is not the probability of a change");
  return p;
}

std::optional<GraphEvaluation::Changes> changes_of(const Json& result, const Json& truth,
                                                   const std::vector<std::string>& names,
                                                   const std::string& result_file,
                                                   const std::string& truth_file) {
  const Json* list = truth.find("environments");
  if (list == nullptr) return std::nullopt;
  GraphEvaluation::Changes changes;
  Ranking ranking;
  for (const Json& one : list->items) {
    const Json* name = one.find("name");
    const Json* said = name == nullptr ? nullptr : environment_named(result, name->text);
    if (said == nullptr || is_baseline(*said)) continue;
    bool all_right = true, any = false;
    for (const std::string& variable : names) {
      const auto really = change_of(one, variable, truth_file);
      const auto p = change_of(*said, variable, result_file);
      if (!really || !p) continue;
      any = true;
      ranking.scores.push_back(*p);
      ranking.labels.push_back(*really > 0.5);
      const bool right = (*p >= 0.5) == (*really > 0.5);
      changes.right += right;
      all_right = all_right && right;
    }
    changes.environments += any;
    changes.environments_right += any && all_right;
  }
  changes.judged = ranking.scores.size();
  if (changes.judged == 0) return std::nullopt;
  changes.average_precision = average_precision(ranking);
  changes.area_under_roc = area_under_roc(ranking);
  changes.found = detections(ranking);
  return changes;
}

Json detection_json(const Detection& d) {
  return Json::object({{"right", d.right},
                       {"wrong", d.wrong},
                       {"missed", d.missed},
                       {"precision", d.precision()},
                       {"recall", d.recall()},
                       {"f1", d.f1()}});
}

template <class T>
Json maybe(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

}  // namespace

GraphEvaluation evaluate_graph(const NamedGraph& result, const Json* result_document,
                               const std::string& result_file, const NamedGraph& truth,
                               const Json* truth_document, const std::string& truth_file) {
  require_acyclic(truth, truth_file);
  if (truth.names.empty())
    refuse_document(truth_file, "the graph has no variables: nothing can be judged");
  const auto places = places_in(result, truth, truth_file);
  const Graph graph = reordered(result.graph, places);
  const EdgeMatrix p = probabilities_of(result, places);
  GraphEvaluation e;
  e.variables = truth.names.size();
  e.edges = truth.graph.edge_count();
  e.distance = structural_distance(graph, truth.graph);
  if (graph.is_acyclic()) e.intervention_distance = intervention_distance(graph, truth.graph);
  const Ranking ranking = edge_ranking(p, truth.graph);
  for (std::size_t i = 0; i < e.variables; ++i)
    for (std::size_t j = 0; j < e.variables; ++j) {
      const bool claimed = graph.edge(VariableId(i), VariableId(j));
      const bool real = truth.graph.edge(VariableId(i), VariableId(j));
      e.found.right += claimed && real;
      e.found.wrong += claimed && !real;
      e.found.missed += !claimed && real;
    }
  e.area_under_roc = area_under_roc(ranking);
  e.average_precision = average_precision(ranking);
  e.precision_recall_area = precision_recall_area(ranking);
  e.cross_entropy_bits = cross_entropy_bits(p, truth.graph, 1e-6);
  e.expected_structural = expected_distance_of(p, truth.graph);
  if (result_document == nullptr) return e;
  Draws draws = draws_of(*result_document, result_file, e.variables);
  for (Graph& g : draws.graphs) g = reordered(g, places);
  if (!draws.graphs.empty()) {
    const ExpectedDistance expected = expected_distance(draws.graphs, truth.graph, draws.weights);
    e.expected_structural = expected.structural;
    e.expected_intervention = expected.intervention;
  }
  if (truth_document != nullptr)
    e.changes = changes_of(*result_document, *truth_document, truth.names, result_file, truth_file);
  return e;
}

Json graph_evaluation_json(const GraphEvaluation& e) {
  Json changes;
  if (e.changes)
    changes = Json::object({{"judged", e.changes->judged},
                            {"right", e.changes->right},
                            {"environments", e.changes->environments},
                            {"environments_right", e.changes->environments_right},
                            {"average_precision", e.changes->average_precision},
                            {"area_under_roc", e.changes->area_under_roc},
                            {"at_one_half", detection_json(e.changes->found)}});
  return Json::object({{"variables", e.variables},
                       {"edges", e.edges},
                       {"shd", Json::object({{"total", e.distance.total()},
                                             {"missing", e.distance.missing},
                                             {"extra", e.distance.extra},
                                             {"reversed", e.distance.reversed}})},
                       {"sid", maybe(e.intervention_distance)},
                       {"graph", detection_json(e.found)},
                       {"expected_shd", e.expected_structural},
                       {"expected_sid", maybe(e.expected_intervention)},
                       {"area_under_roc", e.area_under_roc},
                       {"average_precision", e.average_precision},
                       {"precision_recall_trapezoid", e.precision_recall_area},
                       {"cross_entropy_bits", e.cross_entropy_bits},
                       {"changes", std::move(changes)},
                       {"format", 1}});
}

}  // namespace whence
