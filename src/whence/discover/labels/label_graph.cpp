#include "whence/discover/labels/label_graph.hpp"

#include <algorithm>
#include <cmath>

#include "whence/backends/threads.hpp"
#include "whence/discover/labels/label_search.hpp"
#include "whence/discover/labels/label_support.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

namespace {

constexpr std::size_t joint_rows = 800, random_waves = 48;

/// One way in which mechanisms may drift from run to run: by any amount up to a scale, or by that
/// scale in every second run. The first takes a mechanism that changed once for one that drifts,
/// the second one that drifts now and then for one that changed: what is sure must be so by both.
struct DriftReading {
  LabelRegime regime;
  bool at_times = false;

  std::size_t scale(std::size_t environment_drift, std::size_t v) const {
    return combined_drift(environment_drift, regime.variable_drift[v]);
  }
};

/// Posterior weights of an environment's drift, given a graph.
std::vector<double> drift_weights(const LabelScore& score, const LabelGraph& graph,
                                  const DriftReading& reading, std::size_t e) {
  const auto m = double(score.variables());
  constexpr double usual_drift = 0.3;
  std::vector<double> log_weight;
  for (std::size_t t = 0; t < drift_scales.size(); ++t) {
    double sum = t > 0 ? -2 * std::log(m) - 0.5 * std::pow(drift_scales[t] / usual_drift, 2) : 0;
    for (std::size_t v = 0; v < score.variables(); ++v) {
      const DriftedChange& seen = score.shift().drifted(v, graph.families[v].causes, e);
      const double odds = (reading.at_times ? seen.at_times : seen.log_odds)[reading.scale(t, v)];
      sum += log_add_exp(std::log1p(-1 / m) - odds, -std::log(m));
    }
    log_weight.push_back(sum);
  }
  const double total = log_sum_exp(log_weight);
  for (double& w : log_weight) w = std::exp(w - total);
  return log_weight;
}

/// Environments in which some mechanism surely changed beyond drift, but not everything: no
/// direction is surer than the change that it rests on.
std::vector<char> speaking(const LabelScore& score, const LabelGraph& graph) {
  std::vector<char> list(score.environments());
  const double clear = std::log(20 * double(score.variables()));
  for (std::size_t e = 0; e < list.size(); ++e)
    for (std::size_t v = 0; v < score.variables() && score.regime().counts[e]; ++v)
      if (score.change(v, graph.families[v].causes, e) > clear) list[e] = 1;
  return list;
}

/// How often each link was drawn.
void count_links(const std::vector<LabelGraph>& draws, GraphResult& result) {
  const std::size_t m = result.variables.size();
  const double each = 1 / double(draws.size());
  result.edges = result.hidden = result.shift_only = EdgeMatrix(m);
  for (const LabelGraph& graph : draws)
    for (std::size_t a = 0; a < m; ++a)
      for (std::size_t b = a + 1; b < m; ++b) switch (graph.link(a, b)) {
          case Link::none: break;
          case Link::shift_forward: result.shift_only.at(a, b) += each; [[fallthrough]];
          case Link::forward: result.edges.at(a, b) += each; break;
          case Link::shift_backward: result.shift_only.at(b, a) += each; [[fallthrough]];
          case Link::backward: result.edges.at(b, a) += each; break;
          case Link::hidden_forward:
          case Link::hidden_backward:
            result.hidden.at(a, b) += each;
            result.hidden.at(b, a) += each;
            break;
        }
}

/// Where everything changed in half of the environments, the others are hardly what they seem.
double most_certain(const LabelRegime& regime) {
  const auto dropped = std::count(regime.counts.begin(), regime.counts.end(), 0);
  return 2 * std::size_t(dropped) >= regime.counts.size() ? 0.9 : 1.0;
}

/// No direction is surer than shifts make it; what shows in shifts alone is never sure. Fills in
/// the support of each edge, by environment of the data.
void limit_directions(const Judgement& judgement, const LabelSearch& search, double highest,
                      std::size_t reference, GraphResult& result) {
  constexpr double in_shifts_alone = 0.9;
  const LabelGraph& best = search.best();
  std::vector<EdgeFinding> explained;
  for (const JudgedEdge& judged : judgement.edges) {
    const std::size_t a = judged.from, b = judged.to;
    const LabelSupport& support = judged.support;
    double& p = result.edges.at(a, b);
    const double seen = p;
    p = std::min(
        {p - (1 - in_shifts_alone) * result.shift_only.at(a, b), judged.limit.highest, highest});
    if (judged.limit.rest == RestOf::hidden)
      result.hidden.at(a, b) = result.hidden.at(b, a) =
          std::min(1.0, result.hidden.at(a, b) + seen - p);
    else if (judged.limit.rest == RestOf::reverse && (judged.limit.highest < 1 || highest < 1))
      result.edges.at(b, a) += seen - p;
    EdgeFinding edge;
    edge.from = a;
    edge.to = b;
    edge.shift_log_odds = support.reverse;
    edge.leave_one_out = {p, p};
    for (std::size_t e = 0; e < support.against_reverse.size(); ++e) {
      if (e == reference) edge.support.push_back(0);
      edge.support.push_back(support.against_reverse[e]);
      const double without = seen * sigmoid(support.reverse - support.against_reverse[e]);
      edge.leave_one_out[0] = std::min(edge.leave_one_out[0], without);
      edge.leave_one_out[1] =
          std::max(edge.leave_one_out[1], std::min(without, judged.limit.highest));
    }
    if (reference == support.against_reverse.size()) edge.support.push_back(0);
    explained.push_back(std::move(edge));
  }
  // Edges that were drawn but are not in the best graph were not judged.
  for (std::size_t a = 0; a < result.variables.size(); ++a)
    for (std::size_t b = 0; b < result.variables.size(); ++b)
      if (a != b && !best.families[b].causes.has(a))
        result.edges.at(a, b) = std::min(result.edges.at(a, b), in_shifts_alone);
  result.findings = edges_worth_showing(result.edges);
  for (EdgeFinding& finding : result.findings)
    for (const EdgeFinding& edge : explained)
      if (edge.from == finding.from && edge.to == finding.to) {
        finding.shift_log_odds = edge.shift_log_odds;
        finding.support = edge.support;
        finding.leave_one_out = edge.leave_one_out;
      }
}

/// Where something changed, whatever it acts on moves, and a curve or noise in what was read leaves
/// a part of that move unexplained: a second change downstream of a likely one is not sure.
void leave_to_causes(const LabelGraph& graph, double highest, std::vector<double>& changed) {
  constexpr double likely = 0.5;
  const std::vector<double> seen = changed;
  for (std::size_t v = 0; v < changed.size(); ++v)
    for (std::size_t u = 0; u < changed.size() && changed[v] > highest; ++u)
      if (u != v && seen[u] > likely && graph.reaches(u, v)) changed[v] = highest;
}

/// What surely comes after a variable.
std::vector<char> sure_effects(const EdgeMatrix& edges, std::size_t variable) {
  constexpr double sure = 0.95;
  std::vector<char> after(edges.variables);
  std::vector<std::size_t> next = {variable};
  for (std::size_t k = 0; k < next.size(); ++k)
    for (std::size_t v = 0; v < edges.variables; ++v)
      if (!after[v] && edges.at(next[k], v) > sure) {
        after[v] = 1;
        next.push_back(v);
      }
  return after;
}

/// Whether something else tells the environment better than a variable does, or changed there as
/// well, and may act on it by a link that the baseline does not show: then that may be what
/// changed, and the variable follows. It may not if it surely comes after the variable, or changed
/// elsewhere and the variable stayed.
bool may_follow(const LabelScore& score, const LabelGraph& graph, const EdgeMatrix& edges,
                const std::vector<double>& changed, std::size_t v, std::size_t e) {
  constexpr double likely = 0.5;
  const ShiftEvidence& shift = score.shift();
  const double own = shift.labels(VariableSet{}.with(v), e);
  const auto stayed_elsewhere = [&](std::size_t u) {
    for (std::size_t other = 0; other < score.environments(); ++other)
      if (other != e && score.regime().counts[other] &&
          score.change(u, graph.families[u].causes, other) > std::log(double(score.variables())) &&
          shift.moved(v, other) <= 0)
        return true;
    return false;
  };
  const std::vector<char> after = sure_effects(edges, v);
  for (std::size_t u = 0; u < changed.size(); ++u) {
    if (u == v || after[u]) continue;
    const bool likelier = changed[u] > likely || shift.labels(VariableSet{}.with(u), e) > own;
    if (likelier && !stayed_elsewhere(u)) return true;
  }
  return false;
}

/// What is kept below a limit keeps its order: the clearest change comes first.
void keep_order(const LabelScore& score, const LabelGraph& graph, std::size_t e,
                const std::vector<std::size_t>& limited, std::vector<double>& changed) {
  constexpr double room = 0.05;
  double clearest = 0;
  std::vector<double> clear;
  for (const std::size_t v : limited) {
    clear.push_back(std::max(0.0, score.change(v, graph.families[v].causes, e)));
    clearest = std::max(clearest, clear.back());
  }
  for (std::size_t k = 0; k < limited.size() && clearest > 0; ++k)
    changed[limited[k]] -= room * (1 - clear[k] / clearest);
}

/// P(each mechanism changed in one environment), over drawn graphs and scales of drift; no surer
/// than the rivals of the best graph allow.
GraphEnvironment environment_of(const LabelScore& score, const LabelGraph& best,
                                const EdgeMatrix& edges, const std::vector<LabelGraph>& draws,
                                const std::vector<RivalGraph>& rivals,
                                const std::vector<DriftReading>& readings, std::size_t e) {
  const std::size_t m = score.variables();
  const double each = 1 / double(draws.size());
  GraphEnvironment environment;
  environment.changed.assign(m, 0.0);
  std::vector<std::vector<double>> weights;
  for (const DriftReading& reading : readings)
    weights.push_back(drift_weights(score, best, reading, e));
  const double prior = std::log(std::max(1.0, double(m) - 1));
  constexpr double unsure = 0.9;  // what noise in what was read may explain
  for (std::size_t v = 0; v < m; ++v) {
    const auto changed_in = [&](const LabelGraph& graph) {
      double p = 0;
      const DriftedChange& seen = score.shift().drifted(v, graph.families[v].causes, e);
      for (std::size_t k = 0; k < readings.size(); ++k)
        for (std::size_t t = 0; t < weights[k].size(); ++t)
          if (weights[k][t] >= 1e-4)
            p += weights[k][t] * sigmoid(double(seen.log_odds[readings[k].scale(t, v)]) - prior);
      return p / double(readings.size());
    };
    double& p = environment.changed[v];
    for (const LabelGraph& graph : draws) p += each * changed_in(graph);
    const double odds = score.change(v, best.families[v].causes, e) - prior;
    p = std::min(p, std::max(unsure, sigmoid(odds)));
    if (p > unsure) {  // a handful of rows decides nothing
      const double beyond = score.shift().change_beyond_few(v, best.families[v].causes, e) - prior;
      p = std::min(p, std::max(unsure, sigmoid(beyond)));
    }
    const double drawn = p;
    for (const RivalGraph& rival : rivals)
      if (!(rival.graph.families[v].causes == best.families[v].causes))
        p = std::min(p, drawn + rival.weight * (changed_in(rival.graph) - drawn));
  }
  leave_to_causes(best, unsure, environment.changed);
  const std::vector<double> seen = environment.changed;
  for (std::size_t v = 0; v < m; ++v)
    if (seen[v] > unsure && may_follow(score, best, edges, seen, v, e))
      environment.changed[v] = unsure;
  std::vector<std::size_t> limited;
  for (std::size_t v = 0; v < m; ++v)
    if (environment.changed[v] >= unsure &&
        (environment.changed[v] == unsure || !score.regime().counts[e]))
      limited.push_back(v);
  constexpr double too_much = 0.97, single = 0.9;  // single: where everything changed, no one did
  environment.all_changed = score.regime().counts[e] ? 0.0 : too_much;
  environment.none_changed = 1;
  for (double& p : environment.changed) {
    if (!score.regime().counts[e]) p = std::min(p, single);
  }
  keep_order(score, best, e, limited, environment.changed);
  for (const double p : environment.changed) environment.none_changed *= 1 - p;
  environment.drift = drift_scales[score.regime().environment_drift[e]];
  return environment;
}

/// A mechanism that differs in nearly every environment drifts further than any scale foresees
/// (weather, ambient pressure): that it differs once more is no sign that it was what changed
/// there.
void settle_restless(GraphResult& result) {
  constexpr std::size_t fewest = 4;
  constexpr double likely = 0.5;
  const std::size_t shifted = result.environments.size() - 1;
  for (std::size_t v = 0; v < result.variables.size(); ++v) {
    const auto changed = std::count_if(
        result.environments.begin(), result.environments.end(),
        [&](const GraphEnvironment& environment) { return environment.changed[v] > likely; });
    if (std::size_t(changed) < fewest || 4 * std::size_t(changed) <= 3 * shifted) continue;
    result.drift[v] = drift_scales.back();
    for (GraphEnvironment& environment : result.environments)
      environment.changed[v] = std::min(environment.changed[v], likely);
  }
  for (GraphEnvironment& environment : result.environments) {
    environment.none_changed = 1;
    for (const double p : environment.changed) environment.none_changed *= 1 - p;
  }
}

}  // namespace

GraphResult find_graph_by_labels(const Dataset& data, const GraphTask& options) {
  const Progress& progress = options.control.progress;
  const std::size_t reference = *options.baseline, m = data.variables.size();
  const CodedColumns columns(data, reference);
  const ShiftEvidence shift(columns, data, reference, options.seed);
  const JointEvidence joint(columns, data, reference, options.seed, joint_rows, random_waves);
  LabelScore score(joint, shift);
  LabelSearchOptions how;
  how.seed = options.seed;
  how.threads = options.control.threads;
  how.knowledge = &options.knowledge;
  how.stop = options.control.stop;
  how.work = options.control.work;
  how.part = options.part;
  LabelSearch search(score, how);
  search.run(progress);
  const LabelDraws drawn = search.draw(progress);
  const std::vector<LabelGraph>& draws = drawn.graphs;

  GraphResult result;
  result.model = GraphModel::labels;
  for (const Variable& variable : data.variables) result.variables.push_back(variable.name);
  count_links(draws, result);
  result.edge_errors = drawn.errors;
  for (std::size_t k = 0; k < drawn.errors.values.size(); ++k) {
    SearchRecord& record = result.search;
    if (record.chain_error && drawn.errors.values[k] <= *record.chain_error) continue;
    record.chain_error = drawn.errors.values[k];
    record.spread_from = k / m, record.spread_to = k % m;
  }
  result.best_score = search.best_score();
  result.search.scores = {result.best_score};
  // What is sure must be so although causes were read with noise. The search itself takes readings
  // for what they are: with weaker evidence it would find less.
  LabelRegime regime = score.regime();
  regime.noisy_parents = true;
  score.set_regime(regime);
  const Judgement judgement = judged_edges(score, search, speaking(score, search.best()));
  limit_directions(judgement, search, most_certain(score.regime()), reference, result);
  result.graph = likely_graph(result.edges, result.cycle_broken);
  const std::vector<DriftReading> readings = {{score.regime(), false},
                                              {search.estimated_regime(search.best(), true), true}};
  result.quiet = 1;
  std::size_t shifted = 0;
  for (std::size_t e = 0; e < data.environments.size(); ++e) {
    GraphEnvironment environment;
    if (e == reference)
      environment.changed.assign(m, 0.0);
    else
      environment = environment_of(score, search.best(), result.edges, draws, judgement.rivals,
                                   readings, shifted++);
    environment.name = data.environments[e].name;
    environment.rows = data.environments[e].rows();
    environment.baseline = e == reference;
    if (environment.baseline) environment.none_changed = 1;
    result.environments.push_back(std::move(environment));
  }
  for (std::size_t drift : score.regime().variable_drift)
    result.drift.push_back(drift_scales[drift]);
  settle_restless(result);
  for (const GraphEnvironment& environment : result.environments)
    result.quiet *= environment.none_changed;
  constexpr std::size_t kept_draws = 200;
  for (std::size_t k = 0; k < draws.size();
       k += std::max<std::size_t>(1, draws.size() / kept_draws)) {
    Graph graph(m);
    for (std::size_t v = 0; v < m; ++v)
      draws[k].families[v].causes.each(
          [&](std::size_t cause) { graph.set_edge(VariableId(cause), VariableId(v)); });
    result.draws.push_back(std::move(graph));
  }
  result.search.families_scored = joint.sets() + shift.fits();
  return result;
}

}  // namespace whence
