#include "whence/judge/graph_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace whence {

namespace {

using Members = std::vector<bool>;
using Lists = std::vector<std::vector<std::uint32_t>>;

/// A graph as lists of neighbours, and the questions that adjustment asks.
struct Neighbours {
  Lists parents, children;

  explicit Neighbours(const Graph& graph)
      : parents(graph.variables()), children(graph.variables()) {
    for (std::size_t i = 0; i < graph.variables(); ++i)
      for (std::size_t j = 0; j < graph.variables(); ++j)
        if (graph.edge(VariableId(i), VariableId(j))) {
          children[i].push_back(std::uint32_t(j));
          parents[j].push_back(std::uint32_t(i));
        }
  }
};

/// Whatever can be reached along the lists, the start included.
Members reach(const Lists& next, std::span<const std::uint32_t> start) {
  Members found(next.size(), false);
  std::vector<std::uint32_t> open(start.begin(), start.end());
  while (!open.empty()) {
    const std::uint32_t v = open.back();
    open.pop_back();
    if (found[v]) continue;
    found[v] = true;
    open.insert(open.end(), next[v].begin(), next[v].end());
  }
  return found;
}

/// Where walks from `start` that are open given `given` and not directed all the way can end. A
/// walk never comes back to its start; it goes through a collider only if that is given, which
/// includes colliders with given descendants: the walk goes down to them and back.
Members reach_backdoor(const Neighbours& graph, std::uint32_t start, const Members& given) {
  enum State : std::uint8_t { causal = 1, down = 2, up = 4 };  // how the walk came to a node
  struct Step {
    std::uint32_t node;
    State state;
  };
  const std::size_t m = given.size();
  std::vector<std::uint8_t> seen(m, 0);
  std::vector<Step> open;
  const auto go = [&](const std::vector<std::uint32_t>& nodes, State state) {
    for (std::uint32_t v : nodes)
      if (v != start && !(seen[v] & state)) {
        seen[v] = std::uint8_t(seen[v] | state);
        open.push_back({v, state});
      }
  };
  go(graph.children[start], causal);
  go(graph.parents[start], up);
  while (!open.empty()) {
    const Step step = open.back();
    open.pop_back();
    if (step.state == up) {
      if (given[step.node]) continue;
      go(graph.parents[step.node], up);
      go(graph.children[step.node], down);
    } else if (given[step.node]) {
      go(graph.parents[step.node], up);
    } else {
      go(graph.children[step.node], step.state);
    }
  }
  Members ends(m, false);
  for (std::size_t v = 0; v < m; ++v) ends[v] = (seen[v] & (down | up)) != 0;
  return ends;
}

/// The variables j whose P(j | do(i)) is wrong in the truth when the given parents of i are
/// adjusted for.
std::size_t wrong_effects(const Neighbours& truth, std::uint32_t i,
                          const std::vector<std::uint32_t>& adjusted) {
  const std::size_t m = truth.parents.size();
  Members given(m, false);
  for (std::uint32_t z : adjusted) given[z] = true;
  const std::uint32_t start[] = {i};
  const Members effects = reach(truth.children, start);
  // What is adjusted for may not come after a variable on the way from i to j.
  const Members before = reach(truth.parents, adjusted);
  std::vector<std::uint32_t> on_the_way;
  for (std::uint32_t v = 0; v < m; ++v)
    if (v != i && effects[v] && before[v]) on_the_way.push_back(v);
  const Members spoilt = reach(truth.children, on_the_way);
  const Members open = reach_backdoor(truth, i, given);
  std::size_t wrong = 0;
  for (std::size_t j = 0; j < m; ++j) {
    if (j == i) continue;
    wrong += given[j] ? effects[j] : spoilt[j] || open[j];
  }
  return wrong;
}

std::size_t intervention_distance(const Graph& found, const Neighbours& truth) {
  const Neighbours claimed(found);
  std::size_t distance = 0;
  for (std::uint32_t i = 0; i < found.variables(); ++i)
    distance += wrong_effects(truth, i, claimed.parents[i]);
  return distance;
}

/// Positives and negatives seen down to each different score, from the highest.
struct StepCurve {
  std::vector<double> positives, negatives;
};
StepCurve curve_of(const Ranking& ranking) {
  std::vector<std::size_t> order(ranking.scores.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return ranking.scores[a] > ranking.scores[b]; });
  StepCurve curve;
  double positives = 0, negatives = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    (ranking.labels[order[k]] ? positives : negatives) += 1;
    if (k + 1 < order.size() && ranking.scores[order[k + 1]] == ranking.scores[order[k]]) continue;
    curve.positives.push_back(positives);
    curve.negatives.push_back(negatives);
  }
  return curve;
}

/// Sum over the steps of the curve of (recall gained) times a precision.
double recall_weighted(const Ranking& ranking,
                       const std::function<double(double before, double now)>& precision) {
  const StepCurve curve = curve_of(ranking);
  if (curve.positives.empty() || curve.positives.back() == 0)
    return std::numeric_limits<double>::quiet_NaN();
  double sum = 0, seen = 0, last = 1;  // by convention the curve starts at precision 1
  for (std::size_t k = 0; k < curve.positives.size(); ++k) {
    const double now = curve.positives[k] / (curve.positives[k] + curve.negatives[k]);
    sum += (curve.positives[k] - seen) * precision(last, now);
    seen = curve.positives[k];
    last = now;
  }
  return sum / seen;
}

double share(std::size_t part, std::size_t rest) {
  return part + rest == 0 ? 1 : double(part) / double(part + rest);
}

}  // namespace

StructuralDistance structural_distance(const Graph& found, const Graph& truth) {
  StructuralDistance distance;
  for (std::size_t i = 0; i < truth.variables(); ++i)
    for (std::size_t j = i + 1; j < truth.variables(); ++j) {
      const VariableId a(i), b(j);
      const bool joined = truth.edge(a, b) || truth.edge(b, a);
      const bool claimed = found.edge(a, b) || found.edge(b, a);
      if (joined && !claimed) ++distance.missing;
      if (claimed && !joined) ++distance.extra;
      if (joined && claimed &&
          (found.edge(a, b) != truth.edge(a, b) || found.edge(b, a) != truth.edge(b, a)))
        ++distance.reversed;
    }
  return distance;
}

std::size_t intervention_distance(const Graph& found, const Graph& truth) {
  return intervention_distance(found, Neighbours(truth));
}

ExpectedDistance expected_distance(std::span<const Graph> graphs, const Graph& truth,
                                   std::span<const double> weights) {
  const Neighbours neighbours(truth);
  ExpectedDistance sum;
  double total = 0;
  for (std::size_t k = 0; k < graphs.size(); ++k) {
    const double weight = weights.empty() ? 1 : weights[k];
    sum.structural += weight * double(structural_distance(graphs[k], truth).total());
    sum.intervention += weight * double(intervention_distance(graphs[k], neighbours));
    total += weight;
  }
  return {sum.structural / total, sum.intervention / total};
}

Ranking edge_ranking(const EdgeMatrix& probabilities, const Graph& truth) {
  Ranking ranking;
  for (std::size_t i = 0; i < truth.variables(); ++i)
    for (std::size_t j = 0; j < truth.variables(); ++j) {
      if (i == j) continue;
      ranking.scores.push_back(probabilities.at(i, j));
      ranking.labels.push_back(truth.edge(VariableId(i), VariableId(j)));
    }
  return ranking;
}

double area_under_roc(const Ranking& ranking) {
  const StepCurve curve = curve_of(ranking);
  if (curve.positives.empty()) return std::numeric_limits<double>::quiet_NaN();
  double area = 0, positives = 0, negatives = 0;
  for (std::size_t k = 0; k < curve.positives.size(); ++k) {
    area += (curve.negatives[k] - negatives) * (curve.positives[k] + positives) / 2;
    positives = curve.positives[k];
    negatives = curve.negatives[k];
  }
  return area / (positives * negatives);  // NaN when one of them is 0
}

double average_precision(const Ranking& ranking) {
  return recall_weighted(ranking, [](double, double now) { return now; });
}

double precision_recall_area(const Ranking& ranking) {
  return recall_weighted(ranking, [](double before, double now) { return (before + now) / 2; });
}

double Detection::precision() const { return share(right, wrong); }
double Detection::recall() const { return share(right, missed); }
double Detection::f1() const {
  const std::size_t all = 2 * right + wrong + missed;
  return all == 0 ? 1 : 2 * double(right) / double(all);
}

Detection detections(const Ranking& ranking, double threshold) {
  Detection d;
  for (std::size_t k = 0; k < ranking.scores.size(); ++k) {
    const bool claimed = ranking.scores[k] >= threshold, true_one = ranking.labels[k] != 0;
    d.right += claimed && true_one;
    d.wrong += claimed && !true_one;
    d.missed += !claimed && true_one;
  }
  return d;
}

double cross_entropy_bits(const EdgeMatrix& probabilities, const Graph& truth, double floor) {
  EdgeMatrix log_odds = probabilities;
  for (double& p : log_odds.values) {
    p = std::clamp(p, floor, 1 - floor);
    p = std::log(p) - std::log1p(-p);
  }
  return cross_entropy_bits(log_odds, truth);
}

}  // namespace whence
