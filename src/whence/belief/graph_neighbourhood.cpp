#include "whence/belief/graph_neighbourhood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "whence/belief/pair_weights.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

namespace {

constexpr std::size_t scored_per_variable = 16;  // new causes; neighbours in the graph besides
constexpr double impossible = -1e6;              // nats, as good as minus infinity

/// What toggling single edges of a graph would gain.
class Toggles {
 public:
  Toggles(const FamilyTable& table, const GraphDraw& graph, const EachOf& each_of)
      : table_(table), dag_(graph.dag), regime_(graph.regime), gains_(table.variables()) {
    each_of(gains_.size(), [&](std::size_t v) { gains_[v] = gains_of(v); });
  }
  /// Where the other direction is in the graph: once that is deleted.
  double gain(std::size_t cause, std::size_t effect) const { return gains_[effect][cause]; }
  /// Of an edge that the graph lacks, against all other new causes of its effect, or none.
  std::vector<double> against_rivals(std::size_t effect) const;

 private:
  bool possible(std::size_t cause, std::size_t effect) const {
    if (table_.knowledge().of(table_.variables(), cause, effect) != EdgeKnowledge::Word::open)
      return false;  // as it is known, so it is in the graph
    if (dag_.edge(cause, effect)) return true;
    if (dag_.edge(effect, cause)) return !dag_.turning_closes_cycle(effect, cause);
    return !dag_.closes_cycle(cause, effect);
  }
  double estimate(std::size_t cause, std::size_t effect) const {
    return table_.estimated_gain(regime_, effect, dag_.parents(effect), cause);
  }
  bool hopeless(std::size_t cause, std::size_t effect) const {
    const double limit = table_.scorer().estimate_quality().hopeless;
    if (!dag_.adjacent(cause, effect)) return estimate(cause, effect) < limit;
    // Deleting the edge may be the first half of turning it.
    const double there = estimate(cause, effect), back = estimate(effect, cause);
    return FamilyTable::at_best(there) + FamilyTable::at_best(back) < limit &&
           (dag_.edge(cause, effect) ? there : back) < limit;
  }
  std::vector<double> gains_of(std::size_t effect) const;

  const FamilyTable& table_;
  const Dag& dag_;
  std::size_t regime_;
  std::vector<std::vector<double>> gains_;  // [effect][cause]
};

std::vector<double> Toggles::gains_of(std::size_t effect) const {
  std::vector<double> gains(table_.variables(), impossible);
  std::vector<std::size_t> doubtful, additions;
  for (std::size_t v = 0; v < gains.size(); ++v) {
    if (v == effect || !possible(v, effect) || hopeless(v, effect)) continue;
    const double estimated = estimate(v, effect);
    if (!std::isnan(estimated)) gains[v] = estimated;
    const bool must = dag_.adjacent(v, effect) || std::isnan(estimated);
    (must ? doubtful : additions).push_back(v);
  }
  std::stable_sort(additions.begin(), additions.end(),
                   [&](std::size_t a, std::size_t b) { return gains[a] > gains[b]; });
  if (additions.size() > scored_per_variable) additions.resize(scored_per_variable);
  doubtful.insert(doubtful.end(), additions.begin(), additions.end());
  const VariableSet& parents = dag_.parents(effect);
  const double present = table_.score(regime_, effect, parents);
  for (std::size_t v : doubtful)
    gains[v] = std::max(impossible, table_.score(regime_, effect, parents.flipped(v)) - present);
  return gains;
}

std::vector<double> Toggles::against_rivals(std::size_t effect) const {
  const std::size_t m = table_.variables();
  std::vector<double> additions = gains_[effect];
  for (std::size_t v = 0; v < m; ++v)
    if (v == effect || dag_.adjacent(v, effect)) additions[v] = impossible;
  std::vector<double> after(m + 1, -std::numeric_limits<double>::infinity());
  for (std::size_t v = m; v-- > 0;) after[v] = log_add_exp(after[v + 1], additions[v]);
  double before = 0;  // to take none is one way
  std::vector<double> against(m);
  for (std::size_t v = 0; v < m; ++v) {
    against[v] = additions[v] - log_add_exp(before, after[v + 1]);
    before = log_add_exp(before, additions[v]);
  }
  return against;
}

/// An edge of the graph: as it is, deleted, or turned round.
void weigh_edge(const Toggles& toggles, std::size_t cause, std::size_t effect, EdgeMatrix& out) {
  const double apart = toggles.gain(cause, effect);
  const double turned = apart + toggles.gain(effect, cause);
  const PairWeights logs = normalised({0, turned, apart});
  out.at(cause, effect) = std::exp(logs[Between::forward]);
  out.at(effect, cause) = std::exp(logs[Between::backward]);
}

EdgeMatrix pair_probabilities(const FamilyTable& table, const GraphDraw& graph,
                              const EachOf& each_of) {
  const std::size_t m = table.variables();
  const Toggles toggles(table, graph, each_of);
  std::vector<std::vector<double>> against;  // [effect][cause]
  for (std::size_t v = 0; v < m; ++v) against.push_back(toggles.against_rivals(v));
  EdgeMatrix present(m);
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = a + 1; b < m; ++b) {
      if (graph.dag.edge(a, b)) {
        weigh_edge(toggles, a, b, present);
      } else if (graph.dag.edge(b, a)) {
        weigh_edge(toggles, b, a, present);
      } else {
        // Rivals say whether there is an edge; they would say something of its direction too, but
        // only because their own other ends stay as they are.
        const double joined = sigmoid(log_add_exp(against[b][a], against[a][b]));
        const double forward = sigmoid(toggles.gain(a, b) - toggles.gain(b, a));
        present.at(a, b) = joined * forward;
        present.at(b, a) = joined * (1 - forward);
      }
    }
  return present;
}

}  // namespace

EdgeMatrix neighbourhood_probabilities(const FamilyTable& table, const GraphDraw& graph,
                                       Stream stream, const EachOf& each_of) {
  constexpr int rounds = 64;  // of drawing what changed, and members of the class that leaves
  const EdgeMatrix pairs = pair_probabilities(table, graph, each_of);
  EdgeMatrix mean(table.variables());
  for (int k = 0; k < rounds; ++k) {
    EdgeMatrix shared = pairs;
    share_out_directions(table, graph, stream, shared);
    for (std::size_t i = 0; i < mean.values.size(); ++i)
      mean.values[i] += shared.values[i] / rounds;
  }
  return mean;
}

}  // namespace whence
