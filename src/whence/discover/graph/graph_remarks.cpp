#include "whence/discover/graph/graph_remarks.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "whence/belief/chain_error.hpp"

namespace whence {
namespace {

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

/// What the answer by labels rests on, and what stands beside it.
void warn_of_labels(GraphResult& result, const GraphOptions& options) {
  constexpr double likely = 0.5;
  const std::vector<std::string>& names = result.variables;
  auto& remarks = result.remarks;
  if (!options.baseline)
    for (const GraphEnvironment& environment : result.environments)
      if (environment.baseline)
        remarks.push_back({RemarkCode::baseline_assumed, {}, {environment.name}, {}});
  for (std::size_t a = 0; a < names.size(); ++a) {
    for (std::size_t b = a + 1; b < names.size(); ++b)
      if (result.hidden.at(a, b) > likely)
        remarks.push_back(
            {RemarkCode::hidden_pair, {names[a], names[b]}, {}, {result.hidden.at(a, b)}});
    if (result.drift[a] > 0)
      remarks.push_back({RemarkCode::drifting_mechanism, {names[a]}, {}, {result.drift[a]}});
  }
  for (const GraphEnvironment& environment : result.environments)
    if (environment.drift > 0 && environment.all_changed < likely)
      remarks.push_back(
          {RemarkCode::drifting_environment, {}, {environment.name}, {environment.drift}});
}

double distance_to_second(std::vector<double> scores) {
  std::sort(scores.begin(), scores.end(), std::greater<>());
  return scores[0] - scores[1];
}

void warn_of_chains(GraphResult& result) {
  const SearchRecord& search = result.search;
  if (search.chain_error.value_or(0) <= good_chain_error) return;
  result.remarks.push_back(
      {RemarkCode::chains_disagree,
       {result.variables[search.spread_from], result.variables[search.spread_to]},
       {},
       {*search.chain_error}});
}

void warn_of_search(GraphResult& result) {
  const SearchRecord& search = result.search;
  if (!search.exact && search.scores.size() > 1) {
    const double best = *std::max_element(search.scores.begin(), search.scores.end());
    const auto reached = std::count_if(search.scores.begin(), search.scores.end(),
                                       [&](double score) { return score > best - 1; });
    if (reached < 2)
      result.remarks.push_back({RemarkCode::lone_search,
                                {},
                                {},
                                {double(search.scores.size()), distance_to_second(search.scores)}});
  }
  if (search.one_graph) result.remarks.push_back({RemarkCode::one_graph_only, {}, {}, {}});
  warn_of_chains(result);
  if (result.cycle_broken) result.remarks.push_back({RemarkCode::cycle_broken, {}, {}, {}});
}

/// The smallest correlation, given all other columns, with which a link would have been found: its
/// gain covers its prior, its parameter and three nats; by labels a row counts for less.
double visible_link(const GraphResult& result, std::size_t all_rows) {
  constexpr double clear = 3, most_of_labels = 250, least_of_labels = 0.01;
  double rows = double(all_rows), per_row = 0;
  if (result.model == GraphModel::labels) {
    for (const GraphEnvironment& e : result.environments)
      if (e.baseline) rows = std::min(double(e.rows), most_of_labels);
    per_row = least_of_labels;
  }
  const double price = clear + 0.5 * std::log(std::max(rows, 2.0)) +
                       std::log(double(std::max<std::size_t>(result.variables.size(), 2) - 1));
  return std::sqrt(-std::expm1(-2 * (price / std::max(rows, 1.0) + per_row)));
}

void warn_of_data(GraphResult& result, const std::vector<Remark>& copies) {
  auto& remarks = result.remarks;
  const std::size_t m = result.variables.size();
  std::size_t rows = 0;
  for (const GraphEnvironment& environment : result.environments) rows += environment.rows;
  if (result.environments.size() < 2) remarks.push_back({RemarkCode::one_environment, {}, {}, {}});
  if (rows < m) remarks.push_back({RemarkCode::few_rows, {}, {}, {double(m), double(rows)}});
  constexpr double weak = 0.3;
  if (const double size = visible_link(result, rows); size > weak)
    remarks.push_back({RemarkCode::weak_links_unseen, {}, {}, {size}});
  remarks.insert(remarks.end(), copies.begin(), copies.end());
  const auto all = std::count_if(result.environments.begin(), result.environments.end(),
                                 [](const auto& e) { return e.all_changed > 0.5; });
  const auto shifted = std::count_if(result.environments.begin(), result.environments.end(),
                                     [](const auto& e) { return !e.baseline; });
  if (all > 0)
    remarks.push_back({RemarkCode::everything_changed, {}, {}, {double(all), double(shifted)}});
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

/// Whether it was said why the direction is not sure.
bool is_explained(const GraphResult& result, const EdgeFinding& edge) {
  const std::vector<std::string> pair = {result.variables[edge.from], result.variables[edge.to]};
  return std::any_of(result.remarks.begin(), result.remarks.end(), [&](const Remark& remark) {
    return (remark.code == RemarkCode::maybe_selected || remark.code == RemarkCode::turns_round) &&
           remark.variables == pair;
  });
}

}  // namespace

void advise(GraphResult& result) {
  constexpr double linked = 0.5, decided = 0.95;
  for (const EdgeFinding& edge : result.findings) {
    const double backward = result.edges.at(edge.to, edge.from);
    if (edge.adjacent_probability < linked || edge.probability < backward) continue;
    if (edge.probability == backward && edge.from > edge.to) continue;
    if (edge.probability > decided * edge.adjacent_probability) continue;
    if (is_explained(result, edge)) continue;
    result.remarks.push_back({RemarkCode::direction_open,
                              {result.variables[edge.from], result.variables[edge.to]},
                              {},
                              {}});
  }
}

std::vector<Remark> copied_columns(const Dataset& data) {
  std::vector<Remark> remarks;
  for (std::size_t v = 0; v < data.variables.size(); ++v)
    for (std::size_t u = 0; u < v; ++u)
      if (data.columns[u].values == data.columns[v].values &&
          data.columns[u].levels == data.columns[v].levels)
        remarks.push_back(
            {RemarkCode::copies, {data.variables[u].name, data.variables[v].name}, {}, {}});
  return remarks;
}

std::vector<Remark> full_families(const FamilyScorer& scorer, const Dag& dag,
                                  const std::vector<std::string>& names,
                                  const EdgeKnowledge& knowledge) {
  std::vector<Remark> list;
  const std::size_t most = scorer.max_parents();
  for (std::size_t v = 0; v < names.size(); ++v)
    if (dag.parents(v).size() == most && may_have_more(knowledge, dag, v))
      list.push_back({RemarkCode::full_family, {names[v]}, {}, {double(most)}});
  return list;
}

/// A hidden cause of two variables is not in the model: it joins them by an edge. But then the
/// effect does not follow when the cause is changed: its mechanism seems to change with the
/// cause's, every time. Where few mechanisms change, that rarely happens by chance; where a user
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
      Remark remark{
          RemarkCode::maybe_confounded, {result.variables[from], result.variables[to]}, {}, {}};
      for (std::size_t e : where) remark.environments.push_back(result.environments[e].name);
      result.remarks.push_back(std::move(remark));
    }
  }
}

void remark_on_exact(GraphResult& result, const std::vector<Remark>& copies) {
  warn_of_search(result);
  warn_of_data(result, copies);
}

void remark_on_labels(GraphResult& result, const std::vector<Remark>& copies,
                      const GraphOptions& options) {
  warn_of_labels(result, options);
  warn_of_search(result);
  warn_of_data(result, copies);
}

}  // namespace whence
