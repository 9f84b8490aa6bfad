#include "whence/discover/label_graph.hpp"

#include <algorithm>
#include <cmath>

#include "whence/backends/threads.hpp"
#include "whence/discover/label_search.hpp"
#include "whence/discover/label_support.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

namespace {

constexpr std::size_t joint_rows = 1000, random_waves = 64;

std::size_t reference_of(const Dataset& data, const GraphOptions& options) {
  if (options.baseline) return *options.baseline;
  std::size_t largest = 0;
  for (std::size_t e = 1; e < data.environments.size(); ++e)
    if (data.environments[e].rows() > data.environments[largest].rows()) largest = e;
  return largest;
}

/// Posterior weights of an environment's drift, given a graph.
std::vector<double> drift_weights(const LabelScore& score, const LabelGraph& graph, std::size_t e) {
  const auto m = double(score.variables());
  constexpr double usual_drift = 0.3;
  std::vector<double> log_weight;
  for (std::size_t t = 0; t < drift_scales.size(); ++t) {
    double sum =
        t > 0 ? -2 * std::log(m) - 0.5 * std::pow(drift_scales[t] / usual_drift, 2) : 0;
    for (std::size_t v = 0; v < score.variables(); ++v) {
      const double odds = score.shift()
                              .drifted(v, graph.families[v].causes, e)
                              .log_odds[score.drift_of(t, v)];
      sum += log_add_exp(std::log1p(-1 / m) - odds, -std::log(m));
    }
    log_weight.push_back(sum);
  }
  const double total = log_sum_exp(log_weight);
  for (double& w : log_weight) w = std::exp(w - total);
  return log_weight;
}

/// No direction is surer than shifts make it; what shows in shifts alone is never sure.
void limit_directions(const LabelScore& score, const LabelGraph& best, GraphResult& result) {
  constexpr double in_shifts_alone = 0.9;
  const std::size_t m = result.variables.size();
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = 0; b < m; ++b) {
      double& p = result.edges.at(a, b);
      if (a == b || p < 0.5) continue;
      p -= (1 - in_shifts_alone) * result.shift_only.at(a, b);
      p = std::min(p, highest_probability(label_support(score, best, a, b)));
    }
}

}  // namespace

GraphResult find_graph_by_labels(const Dataset& data, const GraphOptions& options,
                                 const Progress& progress) {
  const std::size_t reference = reference_of(data, options), m = data.variables.size();
  const CodedColumns columns(data, reference);
  const ShiftEvidence shift(columns, data, reference, options.seed);
  const JointEvidence joint(columns, data, reference, options.seed, joint_rows, random_waves);
  LabelScore score(joint, shift);
  LabelSearchOptions how;
  how.seed = options.seed;
  how.threads = options.threads;
  how.knowledge = &options.knowledge;
  how.stop = options.stop;
  LabelSearch search(score, how);
  search.run(progress);
  const std::vector<LabelGraph> draws = search.draw(progress);

  GraphResult result;
  result.model = GraphModel::labels;
  for (const Variable& variable : data.variables) result.variables.push_back(variable.name);
  result.edges = EdgeMatrix(m);
  result.hidden = EdgeMatrix(m);
  result.shift_only = EdgeMatrix(m);
  const double each = 1 / double(draws.size());
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
  limit_directions(score, search.best(), result);
  std::size_t shifted = 0;
  for (std::size_t e = 0; e < data.environments.size(); ++e) {
    GraphEnvironment environment;
    environment.name = data.environments[e].name;
    environment.rows = data.environments[e].rows();
    environment.baseline = e == reference;
    environment.changed.assign(m, 0.0);
    if (e != reference) {
      const std::vector<double> weight = drift_weights(score, search.best(), shifted);
      for (std::size_t v = 0; v < m; ++v)
        for (const LabelGraph& graph : draws)
          for (std::size_t t = 0; t < weight.size(); ++t) {
            if (weight[t] < 1e-4) continue;
            const double odds = shift.drifted(v, graph.families[v].causes, shifted)
                                    .log_odds[score.drift_of(t, v)];
            environment.changed[v] +=
                each * weight[t] * sigmoid(odds - std::log(std::max(1.0, double(m) - 1)));
          }
      environment.all_changed = score.regime().counts[shifted] ? 0 : 1;
      ++shifted;
    }
    result.environments.push_back(std::move(environment));
  }
  result.best_score = search.best_score();
  return result;
}

}  // namespace whence
