#include "whence/discover/graph_discovery.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "whence/backends/threads.hpp"
#include "whence/belief/graph_search.hpp"
#include "whence/core/error.hpp"
#include "whence/core/shared_work.hpp"
#include "whence/core/text.hpp"
#include "whence/discover/canonical_order.hpp"
#include "whence/discover/counted_rows.hpp"
#include "whence/discover/edge_support.hpp"
#include "whence/discover/graph_search_plan.hpp"
#include "whence/discover/label_graph.hpp"
#include "whence/discover/large_graph.hpp"
#include "whence/discover/outlying_rows.hpp"
#include "whence/discover/second_opinion.hpp"
#include "whence/discover/shared_search.hpp"

namespace whence {

namespace {

constexpr double worth_showing = 0.01;        // edges less probable than this are not listed
constexpr double worth_explaining = 0.5;      // pairs linked with more than this get their support
constexpr std::size_t most_unscreened = 256;  // variables, unless mechanisms are linear

/// Options in the canonical order of the data.
GraphOptions reordered(const GraphOptions& options, const CanonicalOrder& order) {
  GraphOptions result = options;
  const std::size_t m = order.variables.size(), environments = order.environments.size();
  if (!options.knowledge.words.empty())
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < m; ++j)
        result.knowledge.words[i * m + j] =
            options.knowledge.words[order.variables[i] * m + order.variables[j]];
  if (!options.known.empty())
    for (std::size_t v = 0; v < m; ++v)
      for (std::size_t e = 0; e < environments; ++e)
        result.known[v * environments + e] =
            options.known[order.variables[v] * environments + order.environments[e]];
  if (options.baseline) result.baseline = 0;
  return result;
}

/// An exact model needs single columns of its kind.
[[noreturn]] void refuse_model(GraphModel asked, const Variable& variable) {
  const bool vector = variable.dimension != 1;
  throw Error(ExitCode::usage, "E-USAGE-MODEL", variable.name,
              fmt::format("the model '{}' cannot take this column, which holds {}", name_of(asked),
                          vector                                         ? "vectors"
                          : variable.kind == Variable::Kind::categorical ? "categories"
                                                                         : "numbers"),
              "the model 'labels' takes columns of any kind, mixed");
}

bool fits(GraphModel model, const Variable& variable) {
  if (model == GraphModel::labels) return true;
  if (variable.dimension != 1) return false;
  return (variable.kind == Variable::Kind::categorical) == (model == GraphModel::categorical);
}

/// The environment that labels compare with.
std::size_t reference_of(const Dataset& data, const GraphOptions& options) {
  if (options.baseline) return *options.baseline;
  std::size_t largest = 0;
  for (std::size_t e = 1; e < data.environments.size(); ++e)
    if (data.environments[e].rows() > data.environments[largest].rows()) largest = e;
  return largest;
}

/// The model that suits the data in canonical order, with its reason.
GraphModel model_of(const Dataset& data, const GraphTask& options, std::string& reason,
                    std::vector<LineCheck>& checks) {
  if (options.model != GraphModel::automatic) {
    for (const Variable& variable : data.variables)
      if (!fits(options.model, variable)) refuse_model(options.model, variable);
    reason = "as asked";
    return options.model;
  }
  const auto all = [&](GraphModel model) {
    return std::all_of(data.variables.begin(), data.variables.end(),
                       [&](const Variable& variable) { return fits(model, variable); });
  };
  if (all(GraphModel::categorical)) {
    reason = "all columns are categorical";
    return GraphModel::categorical;
  }
  if (!all(GraphModel::linear)) {
    reason = "columns of several kinds";
    return GraphModel::labels;
  }
  checks = model_check(data, reference_of(data, options), options.seed, options.control.threads);
  std::vector<std::string> names;
  for (std::size_t v = 0; v < checks.size(); ++v)
    if (checks[v].not_linear) names.push_back(excerpt(data.variables[v].name));
  if (names.empty()) {
    reason = "all columns are numbers";
    return GraphModel::linear;
  }
  constexpr std::size_t most_named = 5;
  const std::size_t count = names.size();
  if (count > most_named) names.resize(most_named);
  reason = fmt::format("a line is not enough for {} of {} columns: {}{}", count,
                       data.variables.size(), joined(names), count > most_named ? ", ..." : "");
  return GraphModel::labels;
}

void check_size(const Dataset& data) {
  if (data.variables.size() < 2)
    throw Error(ExitCode::bad_data, "E-DATA-COLUMNS", "columns",
                "a graph needs two variables at least");
  if (data.variables.size() > most_variables)
    throw Error(ExitCode::resource, "E-LIMIT-VARIABLES", "columns",
                fmt::format("{} variables are more than the {} that can be searched",
                            data.variables.size(), most_variables),
                "leave some out");
}

/// Only linear families are screened before they are scored: others take too long.
void check_size(const Dataset& data, GraphModel model) {
  if (model == GraphModel::linear || data.variables.size() <= most_unscreened) return;
  throw Error(ExitCode::resource, "E-LIMIT-VARIABLES", "columns",
              fmt::format("{} variables are more than the {} that the model '{}' can search",
                          data.variables.size(), most_unscreened, name_of(model)),
              "leave some out, or, if all are numbers, --model linear");
}

/// Edges worth showing, the more probable direction of each explained.
std::vector<EdgeFinding> findings_of(const FamilyTable& table, const GraphDraw& best,
                                     const EdgeMatrix& edges, const GraphTask& options) {
  std::vector<EdgeFinding> findings = edges_worth_showing(edges);
  const auto explain = [&](std::size_t k) {
    if (options.control.stopped()) return;  // no time for reasons
    if (findings[k].adjacent_probability > worth_explaining) explain_edge(table, best, findings[k]);
  };
  if (options.control.work == nullptr) {
    parallel_for(findings.size(), options.control.threads, explain);
    return findings;
  }
  const SharedUnit unit{[&](std::size_t k, ByteWriter& bytes) {
                          explain(k);
                          bytes.put(findings[k].shift_log_odds)
                              .put_list(findings[k].support)
                              .put(findings[k].leave_one_out);
                        },
                        [&](std::size_t k, ByteReader& bytes) {
                          findings[k].shift_log_odds = bytes.get<double>();
                          findings[k].support = bytes.get_list<double>();
                          findings[k].leave_one_out = bytes.get<std::array<double, 2>>();
                        }};
  share_units(table, options, "reasons", findings.size(), unit);
  return findings;
}

std::vector<std::vector<std::size_t>> likely_targets(const GraphResult& result) {
  std::vector<std::vector<std::size_t>> targets;
  for (const GraphEnvironment& environment : result.environments) {
    targets.emplace_back();
    if (environment.all_changed > 0.5) continue;
    for (std::size_t v = 0; v < environment.changed.size(); ++v)
      if (environment.changed[v] > 0.5) targets.back().push_back(v);
  }
  return targets;
}

std::vector<GraphEnvironment> environments_of(const Dataset& data, const GraphBelief& belief,
                                              const GraphOptions& options) {
  std::vector<GraphEnvironment> list;
  const std::size_t environments = data.environments.size();
  const auto bounded = [](double p) { return std::clamp(p, 0.0, 1.0); };
  for (std::size_t e = 0; e < environments; ++e) {
    GraphEnvironment environment;
    environment.name = data.environments[e].name;
    environment.rows = data.environments[e].rows();
    environment.baseline = options.baseline == e;
    environment.all_changed = bounded(belief.all_changed[e]);
    environment.none_changed = bounded(belief.none_changed[e]);
    for (std::size_t v = 0; v < data.variables.size(); ++v)
      environment.changed.push_back(bounded(belief.changed[v * environments + e]));
    list.push_back(std::move(environment));
  }
  return list;
}

/// Which shift would settle what these could not.
void advise(GraphResult& result) {
  constexpr double linked = 0.5, decided = 0.95;
  for (const EdgeFinding& edge : result.findings) {
    const double backward = result.edges.at(edge.to, edge.from);
    if (edge.adjacent_probability < linked || edge.probability < backward) continue;
    if (edge.probability == backward && edge.from > edge.to) continue;
    if (edge.probability > decided * edge.adjacent_probability) continue;
    const std::string &a = result.variables[edge.from], &b = result.variables[edge.to];
    result.advice.push_back(
        fmt::format("{} and {} are linked, but which is the cause stays open: an environment in "
                    "which exactly one of the two changes would settle it.",
                    a, b));
  }
}

/// Environments in which a variable's mechanism changed by itself, more probably than not.
std::vector<std::size_t> changed_in(const GraphResult& result, std::size_t variable) {
  std::vector<std::size_t> list;
  for (std::size_t e = 0; e < result.environments.size(); ++e)
    if (result.environments[e].all_changed < 0.5 && result.environments[e].changed[variable] > 0.5)
      list.push_back(e);
  return list;
}

bool changes_are_few(const GraphEnvironment& environment) {
  const auto& p = environment.changed;
  const auto changed = std::count_if(p.begin(), p.end(), [](double x) { return x > 0.5; });
  return 2 * std::size_t(changed) <= p.size();
}

/// A hidden cause of two variables is not in the model: it joins them by an edge. But then the
/// effect does not follow when the cause is changed: its mechanism seems to change with the
/// cause's, every time. Where few mechanisms change, that rarely happens by chance; where somebody
/// said so it is no finding.
void suspect_hidden_causes(GraphResult& result, const GraphOptions& options) {
  const std::size_t m = result.variables.size(), environments = result.environments.size();
  const auto told = [&](std::size_t variable, std::size_t e) {
    return !options.known.empty() &&
           options.known[variable * environments + e] == KnownChange::changed;
  };
  for (std::size_t from = 0; from < m; ++from) {
    const std::vector<std::size_t> where = changed_in(result, from);
    for (std::size_t to = 0; to < m && !where.empty(); ++to) {
      if (!result.graph.edge(VariableId(from), VariableId(to))) continue;
      const std::vector<std::size_t> with = changed_in(result, to);
      if (!std::includes(with.begin(), with.end(), where.begin(), where.end())) continue;
      const bool seen = std::any_of(where.begin(), where.end(), [&](std::size_t e) {
        return changes_are_few(result.environments[e]) && !told(to, e);
      });
      if (!seen) continue;
      result.maybe_confounded.emplace_back(from, to);
      result.warnings.push_back(fmt::format(
          "{0} -> {1} may be the work of a hidden common cause: wherever {0} changed ({2}), the "
          "mechanism of {1} seems to have changed too; an environment in which {0} alone is set "
          "from outside would tell",
          result.variables[from], result.variables[to],
          where.size() == 1 ? result.environments[where[0]].name
                            : fmt::format("{} environments", where.size())));
    }
  }
}

/// What the answer by labels rests on, and what stands beside it.
void warn_of_labels(GraphResult& result, const GraphOptions& options) {
  constexpr double likely = 0.5;
  const auto say = [&](std::string text) { result.warnings.push_back(std::move(text)); };
  if (!options.baseline)
    for (const GraphEnvironment& environment : result.environments)
      if (environment.baseline)
        say(
            fmt::format("no baseline was named: {} has most rows, and the others are compared "
                        "with it",
                        excerpt(environment.name)));
  std::vector<std::string> pairs, drifting, environments;
  for (std::size_t a = 0; a < result.variables.size(); ++a) {
    for (std::size_t b = a + 1; b < result.variables.size(); ++b)
      if (result.hidden.at(a, b) > likely)
        pairs.push_back(excerpt(result.variables[a]) + " and " + excerpt(result.variables[b]));
    if (result.drift[a] > 0)
      drifting.push_back(fmt::format("{} ({:.2g})", excerpt(result.variables[a]), result.drift[a]));
  }
  for (const GraphEnvironment& environment : result.environments)
    if (environment.drift > 0 && environment.all_changed < likely)
      environments.push_back(
          fmt::format("{} ({:.2g})", excerpt(environment.name), environment.drift));
  if (!pairs.empty())
    say("dependent through something hidden, neither causing the other: " + joined(pairs));
  if (!drifting.empty())
    say("these mechanisms drift from run to run, by so many standard deviations of their noise: " +
        joined(drifting));
  if (!environments.empty())
    say("in these environments every mechanism drifted a little, by so many standard deviations "
        "of its noise: " +
        joined(environments));
}

double distance_to_second(std::vector<double> scores) {
  std::sort(scores.begin(), scores.end(), std::greater<>());
  return scores[0] - scores[1];
}

void warn(GraphResult& result, const Dataset& data) {
  const SearchRecord& search = result.search;
  const auto say = [&](std::string text) { result.warnings.push_back(std::move(text)); };
  if (!search.exact && !search.scores.empty()) {
    const double best = *std::max_element(search.scores.begin(), search.scores.end());
    const auto reached = std::count_if(search.scores.begin(), search.scores.end(),
                                       [&](double score) { return score > best - 1; });
    if (reached < 2 && search.scores.size() > 1)
      say(fmt::format(
          "only one of {} searches reached the best graph found (the others ended {:.1f} "
          "nats or more below): a better one may exist; more --restarts would tell",
          search.scores.size(), distance_to_second(search.scores)));
  }
  if (search.one_graph)
    say("the search was stopped before it could weigh whole graphs: each probability compares the "
        "best graph so far with the graphs that differ from it in that edge, and is no posterior");
  if (search.chain_spread > 0.25)
    say(fmt::format(
        "chains disagree by up to {:.2f} about the probability of an edge, most about {} -> {}: "
        "longer chains (--sweeps) would settle it",
        search.chain_spread, result.variables[search.spread_from],
        result.variables[search.spread_to]));
  if (result.cycle_broken)
    say("the edges more probable than not close a cycle: the weakest of them is left out of "
        "\"graph\"");
  if (data.environments.size() < 2)
    say("there is only one environment: nothing can have changed, so no direction is supported by "
        "a shift");
  std::size_t rows = 0;
  for (const Environment& environment : data.environments) rows += environment.rows();
  if (rows < data.variables.size())
    say(fmt::format("there are more variables ({}) than rows ({}): few edges can be seen",
                    data.variables.size(), rows));
  for (std::size_t v = 0; v < data.variables.size(); ++v)
    for (std::size_t u = 0; u < v; ++u)
      if (data.columns[u].values == data.columns[v].values &&
          data.columns[u].levels == data.columns[v].levels)
        say(
            fmt::format("{} and {} are copies of each other: which of them causes what cannot be "
                        "told; leave one out",
                        data.variables[u].name, data.variables[v].name));
  const auto all = std::count_if(result.environments.begin(), result.environments.end(),
                                 [](const auto& e) { return e.all_changed > 0.5; });
  const auto shifted = std::count_if(result.environments.begin(), result.environments.end(),
                                     [](const auto& e) { return !e.baseline; });
  if (all > 0)
    say(
        fmt::format("in {} of {} environments everything seems to have changed: they say nothing "
                    "about directions",
                    all, shifted));
}

/// Whether knowledge leaves room for one more cause of a variable.
bool may_have_more(const EdgeKnowledge& knowledge, const Dag& dag, std::size_t effect) {
  const std::size_t m = dag.variables();
  for (std::size_t v = 0; v < m; ++v)
    if (v != effect && !dag.edge(v, effect) &&
        knowledge.of(m, v, effect) != EdgeKnowledge::Word::forbidden)
      return true;
  return false;
}

/// Effects that have as many causes as a family may hold, where one more was looked for.
std::vector<std::string> warnings_of_full_families(const FamilyScorer& scorer, const Dag& dag,
                                                   const std::vector<std::string>& names,
                                                   const EdgeKnowledge& knowledge) {
  std::vector<std::string> list;
  const std::size_t most = scorer.max_parents();
  for (std::size_t v = 0; v < names.size(); ++v)
    if (dag.parents(v).size() == most && may_have_more(knowledge, dag, v))
      list.push_back(
          fmt::format("{} has {} causes, the most that this model takes: there may be "
                      "more, and what they do may pass for changes of its mechanism",
                      names[v], most));
  return list;
}

/// The more probable first; those that differ by rounding only, in the order of the variables.
void sort_findings(std::vector<EdgeFinding>& findings) {
  constexpr double told_apart = 1e9;
  std::sort(findings.begin(), findings.end(), [](const EdgeFinding& a, const EdgeFinding& b) {
    const double p = std::round(told_apart * a.probability);
    const double q = std::round(told_apart * b.probability);
    return p != q ? p > q : std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
}

/// From the canonical order back to that of the data.
GraphResult in_given_order(const GraphResult& found, const CanonicalOrder& order) {
  GraphResult result = found;
  const std::size_t m = order.variables.size(), environments = order.environments.size();
  const auto& to = order.variables;
  const auto turned = [&](const Graph& graph) {
    Graph other(m);
    graph.each_edge([&](std::size_t i, std::size_t j) {
      other.set_edge(VariableId(to[i]), VariableId(to[j]));
    });
    return other;
  };
  for (std::size_t i = 0; i < m; ++i) {
    result.variables[to[i]] = found.variables[i];
    if (!found.drift.empty()) result.drift[to[i]] = found.drift[i];
    if (!found.checks.empty()) result.checks[to[i]] = found.checks[i];
    for (std::size_t j = 0; j < m; ++j) {
      result.edges.at(to[i], to[j]) = found.edges.at(i, j);
      if (found.hidden.variables == 0) continue;
      result.hidden.at(to[i], to[j]) = found.hidden.at(i, j);
      result.shift_only.at(to[i], to[j]) = found.shift_only.at(i, j);
    }
  }
  result.search.spread_from = to[found.search.spread_from];
  result.search.spread_to = to[found.search.spread_to];
  result.graph = turned(found.graph);
  for (Graph& draw : result.draws) draw = turned(draw);
  for (EdgeFinding& edge : result.findings) {
    edge.from = to[edge.from];
    edge.to = to[edge.to];
    const std::vector<double> support = edge.support;
    for (std::size_t e = 0; e < support.size(); ++e)
      edge.support[order.environments[e]] = support[e];
  }
  sort_findings(result.findings);
  for (std::size_t e = 0; e < environments; ++e) {
    GraphEnvironment& environment = result.environments[order.environments[e]];
    environment = found.environments[e];
    for (std::size_t v = 0; v < m; ++v)
      environment.changed[to[v]] = found.environments[e].changed[v];
  }
  return result;
}

/// What a result by labels needs beyond its probabilities.
GraphResult finished(GraphResult result, const Dataset& data, const GraphOptions& options) {
  result.essential = equivalence_class(result.graph, likely_targets(result));
  advise(result);
  warn_of_labels(result, options);
  warn(result, data);
  return result;
}

}  // namespace

std::vector<EdgeFinding> edges_worth_showing(const EdgeMatrix& edges) {
  std::vector<EdgeFinding> findings;
  const std::size_t m = edges.variables;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      if (i == j || edges.at(i, j) < worth_showing) continue;
      EdgeFinding edge;
      edge.from = i;
      edge.to = j;
      edge.probability = std::min(1.0, edges.at(i, j));
      edge.adjacent_probability = std::min(1.0, edges.at(i, j) + edges.at(j, i));
      findings.push_back(std::move(edge));
    }
  sort_findings(findings);
  return findings;
}

Graph likely_graph(const EdgeMatrix& edges, bool& cycle_broken) {
  const std::size_t m = edges.variables;
  std::vector<std::pair<std::size_t, std::size_t>> order;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      if (i != j && edges.at(i, j) > 0.5) order.emplace_back(i, j);
  std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return edges.at(a.first, a.second) > edges.at(b.first, b.second);
  });
  Dag dag(m);
  for (const auto& [i, j] : order) {
    if (dag.closes_cycle(i, j)) {
      cycle_broken = true;
      continue;
    }
    dag.flip(i, j);
    dag.update();
  }
  return dag.graph();
}

std::string_view name_of(GraphEngine engine) {
  return engine == GraphEngine::posterior ? "posterior" : "meta-transfer";
}

std::string_view name_of(GraphModel model) {
  switch (model) {
    case GraphModel::automatic: return "auto";
    case GraphModel::linear: return "linear";
    case GraphModel::categorical: return "categorical";
    case GraphModel::labels: return "labels";
  }
  return "?";
}

namespace {

/// Many variables are searched in another way, and only one model knows it.
LargeGraph find_whole_or_large(const Dataset& data, const GraphTask& options) {
  if (options.model == GraphModel::linear && data.variables.size() > largest_whole_search)
    return find_large_graph(data, options);
  LargeGraph result;
  GraphDraw start;
  result.scored = choose_scores(data, options, start);
  if (options.control.progress) options.control.progress(0.2);
  result.found = find_belief(*result.scored.table, options, start);
  return result;
}

/// By the model that suits the data, from all of their rows.
GraphResult find_with_all_rows(const Dataset& data, const GraphOptions& options,
                               const Control& control, const std::string& part = {}) {
  const CanonicalOrder order = in_canonical_order(data, options.baseline);
  GraphTask how(reordered(options, order), control);
  how.part = part;
  std::string reason;
  std::vector<LineCheck> checks;
  how.model = model_of(order.data, how, reason, checks);
  check_size(data, how.model);
  const auto by_labels = [&](const std::string& why) {
    how.model = GraphModel::labels;
    how.baseline = reference_of(order.data, how);
    // This engine shares nothing: each process may end it by itself.
    if (how.control.work != nullptr && how.control.work->own_stop() != nullptr)
      how.control.stop = how.control.work->own_stop();
    GraphResult result = find_graph_by_labels(order.data, how);
    result.model_reason = why;
    result.checks = checks;
    return finished(in_given_order(result, order), data, options);
  };
  if (how.model == GraphModel::labels) return by_labels(reason);

  auto [scored, found] = find_whole_or_large(order.data, how);

  GraphResult result;
  result.model = how.model;
  result.model_reason = reason;
  result.checks = checks;
  for (const Variable& variable : order.data.variables) result.variables.push_back(variable.name);
  result.scale = scored.scale;
  result.edges = found.belief.edges;
  result.search = std::move(found.record);
  result.best_score = found.best.score;
  result.quiet = found.belief.quiet;
  result.environments = environments_of(order.data, found.belief, how);
  for (const GraphDraw& draw : found.belief.draws) result.draws.push_back(draw.dag.graph());
  result.findings = findings_of(*scored.table, found.best, result.edges, how);
  result.graph = likely_graph(result.edges, result.cycle_broken);
  result.warnings =
      warnings_of_full_families(*scored.scorer, found.best.dag, result.variables, how.knowledge);
  result = in_given_order(result, order);
  limit_unsupported(result, options.knowledge);
  suspect_hidden_causes(result, options);
  if (options.model == GraphModel::automatic && how.model == GraphModel::linear &&
      data.variables.size() <= most_unscreened && calls_for_second_opinion(result, data) &&
      !control.stopped()) {
    GraphResult other = by_labels(
        "a line is enough for each column, but changes show everywhere: hidden causes, or "
        "drift from one environment to the next");
    if (finds_drift(other) || denies_much(other, result)) return other;
    temper(result, other);
    result.graph = likely_graph(result.edges, result.cycle_broken);
    result.warnings.push_back(
        "linked mechanisms changed together: the answer was compared with the one that labels "
        "give, "
        "and what they do not confirm is not stated as sure");
  }
  result.essential = equivalence_class(result.graph, likely_targets(result));
  advise(result);
  warn(result, data);
  return result;
}

/// Two answers that contradict each other count half each. True where they do.
bool blend(double& p, double other) {
  constexpr double opposite = 0.5;
  if (std::abs(p - other) < opposite) return false;
  p = (p + other) / 2;
  return true;
}

/// Where the answer hangs on a few rows that lie far out it is not stated as sure.
void doubt_outlying_rows(GraphResult& result, const Dataset& data, const CountedRows& counted,
                         const GraphOptions& options, Control control) {
  control.progress = {};  // the answer is there: only its doubts are worked out
  const Dataset& used = counted.data ? *counted.data : data;
  const std::vector<std::size_t> rows = outlying_rows(used);
  if (rows.empty() || control.stopped()) return;
  const GraphResult without =
      find_with_all_rows(without_rows(used, rows), options, control, "without rows: ");
  bool doubted = false;
  for (std::size_t k = 0; k < result.edges.values.size(); ++k)
    doubted |= blend(result.edges.values[k], without.edges.values[k]);
  for (std::size_t e = 0; e < result.environments.size(); ++e) {
    GraphEnvironment& here = result.environments[e];
    const GraphEnvironment& other = without.environments[e];
    doubted |= blend(here.all_changed, other.all_changed);
    doubted |= blend(here.none_changed, other.none_changed);
    for (std::size_t v = 0; v < result.variables.size(); ++v)
      doubted |= blend(here.changed[v], other.changed[v]);
  }
  if (!doubted) return;
  list_findings_again(result);
  result.graph = likely_graph(result.edges, result.cycle_broken);
  result.essential = equivalence_class(result.graph, likely_targets(result));
  constexpr std::size_t most_named = 5;
  std::vector<std::string> names;
  for (const std::size_t row : rows)
    for (const Environment& e : data.environments)
      if (const std::size_t r = counted.given(row);
          r >= e.begin && r < e.end && names.size() < most_named)
        names.push_back(fmt::format("{} row {}", excerpt(e.name), r - e.begin + 1));
  result.warnings.push_back(fmt::format(
      "part of the answer hangs on {} that {} far out ({}{}): it is different without "
      "them, and is not stated as sure",
      rows.size() == 1 ? "one row" : fmt::format("{} rows", rows.size()),
      rows.size() == 1 ? "lies" : "lie", joined(names), rows.size() > most_named ? ", ..." : ""));
}

}  // namespace

GraphResult find_graph(const Dataset& data, const GraphOptions& options, const Control& control) {
  require_valid(data);
  check_size(data);
  require_environment(data, options.baseline);
  require_fitting(data, options.knowledge, options.known,
                  options.baseline ? &*options.baseline : nullptr);
  const CountedRows counted = counted_rows(data);
  const Dataset& used = counted.data ? *counted.data : data;
  GraphResult result = find_with_all_rows(used, options, control);
  if (result.model == GraphModel::linear)
    doubt_outlying_rows(result, data, counted, options, control);
  result.warnings.insert(result.warnings.begin(), counted.warnings.begin(), counted.warnings.end());
  return result;
}

GraphResult find_changes(const Dataset& data, const Graph& graph, GraphOptions options,
                         const Control& control) {
  const std::size_t m = data.variables.size();
  if (graph.variables() != m)
    throw Error(ExitCode::bad_data, "E-GRAPH-NAME", "graph",
                fmt::format("the graph has {} variables, the data have {}", graph.variables(), m));
  options.knowledge.words.assign(m * m, EdgeKnowledge::Word::forbidden);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      if (graph.edge(VariableId(i), VariableId(j)))
        options.knowledge.words[i * m + j] = EdgeKnowledge::Word::required;
  return find_graph(data, options, control);
}

double graph_score(const Dataset& data, const Graph& graph, const GraphOptions& options,
                   double scale) {
  GraphTask how(options, {});
  std::string reason;
  std::vector<LineCheck> checks;
  how.model = model_of(data, how, reason, checks);
  const ScoredFamilies scored = score_families(data, how, scale);
  GraphClimber climber(
      *scored.table, scored.table->number_of(sparse_regime(data.environments.size())), Dag(graph));
  settle_regime(*scored.table, climber);
  return climber.score();
}

}  // namespace whence
