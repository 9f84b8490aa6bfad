#include "whence/discover/graph/graph_discovery.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "whence/backends/threads.hpp"
#include "whence/belief/graph_search.hpp"
#include "whence/core/error.hpp"
#include "whence/core/shared_work.hpp"
#include "whence/core/text.hpp"
#include "whence/discover/check/counted_rows.hpp"
#include "whence/discover/check/once_each.hpp"
#include "whence/discover/graph/edge_effects.hpp"
#include "whence/discover/graph/equal_columns.hpp"
#include "whence/discover/graph/given_order.hpp"
#include "whence/discover/graph/graph_remarks.hpp"
#include "whence/discover/graph/graph_search_plan.hpp"
#include "whence/discover/graph/large_graph.hpp"
#include "whence/discover/graph/outlying_rows.hpp"
#include "whence/discover/graph/shared_search.hpp"
#include "whence/discover/labels/label_graph.hpp"
#include "whence/discover/limits/direction_limits.hpp"
#include "whence/discover/limits/edge_support.hpp"
#include "whence/discover/limits/second_opinion.hpp"

namespace whence {

namespace {

constexpr double worth_showing = 0.01;    // edges less probable than this are not listed
constexpr double worth_explaining = 0.5;  // pairs linked with more than this get their support

/// An exact model needs single columns of its kind.
[[noreturn]] void refuse_model(const ModelEntry& asked, const Variable& variable) {
  const bool vector = variable.dimension != 1;
  throw Error(ExitCode::usage, "E-USAGE-MODEL", variable.name,
              fmt::format("the model '{}' cannot take this column, which holds {}", asked.name,
                          vector                                         ? "vectors"
                          : variable.kind == Variable::Kind::categorical ? "categories"
                                                                         : "numbers"),
              "the model 'labels' takes columns of any kind, mixed");
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
const ModelEntry& model_of(const Dataset& data, const GraphTask& options, Remark& reason,
                           std::vector<LineCheck>& checks) {
  const bool asked = options.own_model || options.model != GraphModel::automatic;
  if (asked) {
    const ModelEntry& model = options.own_model ? *options.own_model : entry_of(options.model);
    for (const Variable& variable : data.variables)
      if (!model.takes(variable)) refuse_model(model, variable);
    reason = {RemarkCode::model_as_asked, {}, {}, {}};
    return model;
  }
  if (takes_all(entry_of(GraphModel::categorical), data)) {
    reason = {RemarkCode::model_all_categorical, {}, {}, {}};
    return entry_of(GraphModel::categorical);
  }
  if (!takes_all(entry_of(GraphModel::linear), data)) {
    reason = {RemarkCode::model_several_kinds, {}, {}, {}};
    return entry_of(GraphModel::labels);
  }
  checks = model_check(data, reference_of(data, options), options.seed, options.control.threads);
  reason = {RemarkCode::model_not_linear, {}, {}, {double(data.variables.size())}};
  for (std::size_t v = 0; v < checks.size(); ++v)
    if (checks[v].not_linear) reason.variables.push_back(data.variables[v].name);
  if (reason.variables.empty()) {
    reason = {RemarkCode::model_all_numbers, {}, {}, {}};
    return entry_of(GraphModel::linear);
  }
  return entry_of(GraphModel::labels);
}

void choose(GraphTask& task, const ModelEntry& model) {
  task.model = model.id;
  task.entry = &model;
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
void check_size(const Dataset& data, const ModelEntry& model) {
  if (data.variables.size() <= model.most_variables) return;
  throw Error(ExitCode::resource, "E-LIMIT-VARIABLES", "columns",
              fmt::format("{} variables are more than the {} that the model '{}' can search",
                          data.variables.size(), model.most_variables, model.name),
              "leave some out, or, if all are numbers, --model linear");
}

/// Labels regress on all products of a family's coordinates: three variables at once are usual.
void check_widths(const Dataset& data) {
  constexpr std::size_t usual_family = 3;
  constexpr int most_coordinates = 64;  // 2,145 products; a fit of so many takes seconds
  std::vector<int> widths;
  for (const Variable& v : data.variables)
    widths.push_back(v.kind == Variable::Kind::real ? v.dimension : 1);
  std::sort(widths.begin(), widths.end(), std::greater<>());
  widths.resize(std::min(usual_family, widths.size() - 1));
  const int together = std::accumulate(widths.begin(), widths.end(), 0);
  if (together <= most_coordinates) return;
  throw Error(ExitCode::resource, "E-LIMIT-VARIABLES", "columns",
              fmt::format("the widest {} vectors have {} coordinates, more than the {} that the "
                          "model 'labels' can regress on",
                          widths.size(), together, most_coordinates),
              "make vectors of fewer columns");
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
                              .put(findings[k].leave_one_out)
                              .put(findings[k].turned)
                              .put(findings[k].turned_without);
                        },
                        [&](std::size_t k, ByteReader& bytes) {
                          findings[k].shift_log_odds = bytes.get<double>();
                          findings[k].support = bytes.get_list<double>();
                          findings[k].leave_one_out = bytes.get<std::array<double, 2>>();
                          findings[k].turned = bytes.get<double>();
                          findings[k].turned_without = bytes.get<std::size_t>();
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

std::vector<GraphEnvironment> environments_of(const Dataset& data, const FoundBelief& found,
                                              const GraphOptions& options) {
  const GraphBelief& belief = found.belief;
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
    for (std::size_t v = 0; v < data.variables.size() && !found.change_errors.empty(); ++v)
      environment.chain_error =
          std::max(environment.chain_error.value_or(0), found.change_errors[v * environments + e]);
    list.push_back(std::move(environment));
  }
  return list;
}

/// Columns that repeat others, found before the rows are given away.
struct ColumnTwins {
  std::vector<std::vector<std::size_t>> equal;
  std::vector<Remark> remarks;
};

/// Unless the user's knowledge distinguishes them, equal columns get equal probabilities.
void level_equal_columns(GraphResult& result, const ColumnTwins& twins,
                         const GraphOptions& options) {
  if (!options.knowledge.words.empty() || !options.known.empty()) return;
  if (!share_among_equal_columns(result, twins.equal)) return;
  list_findings_again(result);
  result.graph = likely_graph(result.edges, result.cycle_broken);
}

/// States the changes that the user knows, whatever the model found: the label model estimates them
/// all the same.
void state_known_changes(GraphResult& result, const GraphOptions& options) {
  const std::size_t environments = result.environments.size();
  for (std::size_t k = 0; k < options.known.size(); ++k)
    if (options.known[k] != KnownChange::unknown)
      result.environments[k % environments].changed[k / environments] =
          options.known[k] == KnownChange::changed ? 1 : 0;
}

/// What a result by labels needs beyond its probabilities.
GraphResult finished(GraphResult result, const ColumnTwins& twins, const GraphOptions& options) {
  state_known_changes(result, options);
  level_equal_columns(result, twins, options);
  result.essential = equivalence_class(result.graph, likely_targets(result));
  remark_on_labels(result, twins.remarks, options);
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

/// Data in canonical order. A search may take the rows; they are read again when needed later.
class OrderedData {
 public:
  OrderedData(DataSource& data, std::optional<std::size_t> baseline)
      : data_(data), baseline_(baseline), order_(in_canonical_order(data.take(), baseline)) {}

  const CanonicalOrder& order() const { return order_; }
  /// Rows are there unless they were taken.
  const Dataset& outline() const { return order_.data; }
  const Dataset& whole() {
    if (taken_) order_ = in_canonical_order(data_.take(), baseline_);
    taken_ = false;
    return order_.data;
  }
  /// What linear scores make of the rows; instead of them where they can be read again.
  std::shared_ptr<const LinearColumns> take_columns(bool with_rows) {
    if (!data_.can_read_again()) return nullptr;
    taken_ = true;
    return std::make_shared<const LinearColumns>(std::move(order_.data), with_rows);
  }

 private:
  DataSource& data_;
  std::optional<std::size_t> baseline_;
  CanonicalOrder order_;
  bool taken_ = false;
};

/// By the model that suits the data, from all of their rows.
GraphResult find_with_all_rows(DataSource& data, const GraphOptions& options,
                               const Control& control, const std::string& part = {}) {
  const ColumnTwins twins{equal_columns(data.whole()), copied_columns(data.whole())};
  OrderedData ordered(data, options.baseline);
  const CanonicalOrder& order = ordered.order();
  GraphTask how(in_canonical_order(options, order), control);
  how.part = part;
  Remark reason;
  std::vector<LineCheck> checks;
  choose(how, model_of(order.data, how, reason, checks));
  check_size(data.outline(), *how.entry);
  if (how.model == GraphModel::labels) check_widths(data.outline());
  const auto by_labels = [&](const Remark& why) {
    choose(how, entry_of(GraphModel::labels));
    how.baseline = reference_of(ordered.whole(), how);
    GraphResult result = find_graph_by_labels(order.data, how);
    result.model_reason = why;
    result.checks = checks;
    add_effects(order.data, result, control);
    return finished(in_given_order(result, order), twins, options);
  };
  if (how.model == GraphModel::labels) return by_labels(reason);

  if (how.entry == &entry_of(GraphModel::linear)) how.columns = ordered.take_columns(how.robust);
  auto [scored, found] = find_whole_or_large(order.data, how);

  GraphResult result;
  result.model = how.model;
  result.model_reason = reason;
  result.checks = checks;
  for (const Variable& variable : order.data.variables) result.variables.push_back(variable.name);
  result.scale = scored.scale;
  result.edges = found.belief.edges;
  if (!found.edge_errors.empty()) {
    result.edge_errors = EdgeMatrix(result.variables.size());
    result.edge_errors.values = found.edge_errors;
  }
  result.search = std::move(found.record);
  result.best_score = found.best.score;
  result.environments = environments_of(order.data, found, how);
  // Nothing may have changed although something could have, environment by environment.
  result.quiet = 1;
  for (const GraphEnvironment& environment : result.environments)
    result.quiet *= environment.none_changed;
  result.quiet = std::max(result.quiet, found.belief.quiet);
  for (const GraphDraw& draw : found.belief.draws) result.draws.push_back(draw.dag.graph());
  result.findings = findings_of(*scored.table, found.best, result.edges, how);
  result.graph = likely_graph(result.edges, result.cycle_broken);
  result.remarks = full_families(*scored.scorer, found.best.dag, result.variables, how.knowledge);
  scored = {};  // the room is needed for the rows
  how.columns.reset();
  // A search for doubts says nothing of sizes, and one that was stopped has no time for them.
  if (part.empty() && !control.stopped()) add_effects(ordered.whole(), result, control);
  result = in_given_order(result, order);
  level_equal_columns(result, twins, options);
  suspect_hidden_causes(result, options);
  const bool may_ask_labels =
      options.model == GraphModel::automatic && how.model == GraphModel::linear &&
      order.variables.size() <= entry_of(GraphModel::labels).most_variables && !control.stopped();
  const bool signs = may_ask_labels && calls_for_second_opinion(result, data.outline());
  const bool unchecked = may_ask_labels && lines_are_unchecked(result, order.variables.size());
  if (signs || unchecked) {
    GraphResult other = by_labels({RemarkCode::model_drifts, {}, {}, {}});
    const bool small = signs && small_changes_abound(result, data.whole());
    if (signs && ((small && finds_drift(other)) || denies_much(other, result, small))) return other;
    if (unchecked)
      join(result, other);
    else
      temper(result, other, data.whole());
    state_known_changes(result, options);
    result.graph = likely_graph(result.edges, result.cycle_broken);
    if (unchecked && !control.stopped()) add_effects(data.whole(), result, control);
    Remark compared{RemarkCode::compared_with_labels, {}, {}, {}};
    if (unchecked) compared.numbers = {double(rows_that_check)};
    result.remarks.push_back(std::move(compared));
  }
  result.essential = equivalence_class(result.graph, likely_targets(result));
  remark_on_exact(result, twins.remarks);
  return result;
}

/// Two answers that contradict each other count half each. True where they do.
bool blend(double& p, double other) {
  constexpr double opposite = 0.5;
  if (std::abs(p - other) < opposite) return false;
  p = (p + other) / 2;
  return true;
}

/// The same of an edge. Where one direction is contradicted neither is preferred.
bool blend_directions(EdgeMatrix& edges, const EdgeMatrix& other, std::size_t a, std::size_t b) {
  const bool forward = blend(edges.at(a, b), other.at(a, b));
  const bool backward = blend(edges.at(b, a), other.at(b, a));
  if (!forward && !backward) return false;
  edges.at(a, b) = edges.at(b, a) = (edges.at(a, b) + edges.at(b, a)) / 2;
  return true;
}

/// The answer without some rows.
GraphResult find_without(DataSource& data, const std::vector<std::size_t>& rows,
                         const GraphOptions& options, const Control& control) {
  Dataset fewer = without_rows(data.take(), rows);
  const auto again = [&] { return without_rows(data.take(), rows); };
  DataSource source = data.can_read_again() ? DataSource(fewer, again) : DataSource(fewer);
  return find_with_all_rows(source, options, control, "without rows: ");
}

/// Where the answer hangs on a few rows that lie far out it is not stated as sure.
void doubt_outlying_rows(GraphResult& result, DataSource& used,
                         const std::vector<std::size_t>& rows, const Dataset& data,
                         const CountedRows& counted, const GraphOptions& options, Control control) {
  control.progress = {};  // the answer is there: only its doubts are worked out
  if (rows.empty() || control.stopped()) return;
  const GraphResult without = find_without(used, rows, options, control);
  bool doubted = false;
  for (std::size_t a = 0; a < result.variables.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      doubted |= blend_directions(result.edges, without.edges, a, b);
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
  for (const std::size_t row : rows)
    for (const Environment& e : data.environments)
      if (const std::size_t r = counted.given(row); r >= e.begin && r < e.end)
        result.remarks.push_back(
            {RemarkCode::outlying_row, {}, {e.name}, {double(r - e.begin + 1)}});
}

}  // namespace

namespace {

GraphResult find_with_doubts(DataSource& source, const GraphOptions& options,
                             const Control& control) {
  const Dataset& data = source.whole();
  const CountedRows counted = counted_rows(data, options.entity);
  std::optional<DataSource> fewer;
  if (counted.data) {
    fewer.emplace(*counted.data);
    if (source.can_read_again()) source.take();  // to let go of them
  }
  DataSource& used = fewer ? *fewer : source;
  const std::vector<std::size_t> outlying = outlying_rows(used.whole());
  GraphResult result = find_with_all_rows(used, options, control);
  if (result.model == GraphModel::linear)
    doubt_outlying_rows(result, used, outlying, data, counted, options, control);
  limit_directions(result, control.stopped() ? nullptr : &used.whole(), options);
  if (has(result.remarks, RemarkCode::derived_columns)) {  // others keep their direction
    result.graph = likely_graph(result.edges, result.cycle_broken);
    result.essential = equivalence_class(result.graph, likely_targets(result));
  }
  advise(result);
  result.remarks.insert(result.remarks.begin(), counted.remarks.begin(), counted.remarks.end());
  return result;
}

/// Rows with a cell that is plainly a mistake do not count, and are named; unless they are vouched
/// for.
GraphResult find_without_mistakes(DataSource& source, const GraphOptions& options,
                                  const Control& control) {
  if (options.keep_odd_rows) return find_with_doubts(source, options, control);
  const Dataset& data = source.whole();
  const std::vector<OddCell> odd = odd_cells(data);
  if (odd.empty()) return find_with_doubts(source, options, control);
  const std::vector<std::size_t> rows = rows_of(odd);
  const std::vector<Remark> remarks = remarks_on(odd, data);
  const std::vector<Environment> given = data.environments;
  GraphOptions own = options;
  own.entity = without_entries(options.entity, rows);
  Dataset fewer = without_rows(source.take(), rows);
  const auto again = [&] { return without_rows(source.take(), rows); };
  DataSource kept = source.can_read_again() ? DataSource(fewer, again) : DataSource(fewer);
  GraphResult result = find_with_doubts(kept, own, control);
  for (std::size_t e = 0; e < given.size(); ++e) result.environments[e].rows = given[e].rows();
  result.remarks.insert(result.remarks.begin(), remarks.begin(), remarks.end());
  return result;
}

/// Options for the data with each environment once.
GraphOptions of_kept(const GraphOptions& options, const OnceEach& once, std::size_t variables) {
  GraphOptions own = options;
  if (options.baseline) own.baseline = once.told_by[*options.baseline];
  own.entity.clear();
  for (const std::size_t row : once.rows)
    if (!options.entity.empty()) own.entity.push_back(options.entity[row]);
  if (options.known.empty()) return own;
  own.known.clear();
  for (std::size_t v = 0; v < variables; ++v)
    for (const std::size_t e : once.kept)
      own.known.push_back(options.known[v * once.told_by.size() + e]);
  return own;
}

/// A copy gets what was found for the environment that it is a copy of; it supports no edge.
void tell_of_copies(GraphResult& result, const OnceEach& once, const Dataset& data) {
  const std::vector<GraphEnvironment> found = result.environments;
  result.environments.clear();
  for (std::size_t e = 0; e < data.environments.size(); ++e) {
    GraphEnvironment& environment = result.environments.emplace_back(found[once.told_by[e]]);
    environment.name = data.environments[e].name;
    if (once.is_copy(e)) environment.baseline = false;
  }
  for (EdgeFinding& edge : result.findings) {
    if (edge.support.empty()) continue;
    const std::vector<double> support = edge.support;
    edge.turned_without = once.kept[edge.turned_without];
    edge.support.assign(data.environments.size(), 0.0);
    for (std::size_t k = 0; k < support.size(); ++k) edge.support[once.kept[k]] = support[k];
  }
  result.remarks.insert(result.remarks.begin(), once.remarks.begin(), once.remarks.end());
}

}  // namespace

GraphResult find_graph(DataSource& source, const GraphOptions& options, const Control& control) {
  const Dataset& data = source.whole();
  require_valid(data);
  check_size(data);
  require_environment(data, options.baseline);
  require_entities(data, options.entity);
  require_fitting(data, options.knowledge, options.known,
                  options.baseline ? &*options.baseline : nullptr);
  const OnceEach once = once_each(data, options.baseline, options.known);
  if (!once.data) return find_without_mistakes(source, options, control);
  DataSource kept(*once.data);
  if (source.can_read_again()) source.take();  // their rows are not needed any more
  GraphResult result =
      find_without_mistakes(kept, of_kept(options, once, data.variables.size()), control);
  tell_of_copies(result, once, data);
  return result;
}

GraphResult find_graph(const Dataset& data, const GraphOptions& options, const Control& control) {
  DataSource source(data);
  return find_graph(source, options, control);
}

GraphResult find_changes(DataSource& data, const Graph& graph, GraphOptions options,
                         const Control& control) {
  const std::size_t m = data.outline().variables.size();
  if (graph.variables() != m)
    throw Error(ExitCode::bad_data, "E-GRAPH-NAME", "graph",
                fmt::format("the graph has {} variables, the data have {}", graph.variables(), m));
  options.knowledge.words.assign(m * m, EdgeKnowledge::Word::forbidden);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      if (graph.edge(VariableId(i), VariableId(j)))
        options.knowledge.words[i * m + j] = EdgeKnowledge::Word::required;
  GraphResult result = find_graph(data, options, control);
  std::erase_if(result.remarks, [](const Remark& remark) {
    return remark.code == RemarkCode::weak_links_unseen;  // links were given
  });
  return result;
}

GraphResult find_changes(const Dataset& data, const Graph& graph, GraphOptions options,
                         const Control& control) {
  DataSource source(data);
  return find_changes(source, graph, std::move(options), control);
}

double graph_score(const Dataset& data, const Graph& graph, const GraphOptions& options,
                   double scale) {
  GraphTask how(options, {});
  Remark reason;
  std::vector<LineCheck> checks;
  choose(how, model_of(data, how, reason, checks));
  const ScoredFamilies scored = score_families(data, how, scale);
  GraphClimber climber(
      *scored.table, scored.table->number_of(sparse_regime(data.environments.size())), Dag(graph));
  settle_regime(*scored.table, climber);
  return climber.score();
}

}  // namespace whence
