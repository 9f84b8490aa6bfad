#include "whence/judge/graph_outcome.hpp"

#include <algorithm>
#include <cmath>

#include "whence/belief/equivalence_class.hpp"
#include "whence/judge/graph_metrics.hpp"

namespace whence {

namespace {

bool true_edge(const GraphTruth& truth, std::size_t from, std::size_t to) {
  return truth.graph.edge(VariableId(from), VariableId(to));
}

void count_claim(double p, double limit, bool there, bool reverse, ConfidentEdges& claims) {
  if (p <= limit) return;
  ++(there ? claims.right : reverse ? claims.reversed : claims.not_adjacent);
}

void judge_edges(const GraphResult& found, const GraphTruth& truth, GraphOutcome& out) {
  const std::size_t m = truth.graph.variables();
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      if (i == j) continue;
      const double p = found.edges.at(i, j);
      const bool there = true_edge(truth, i, j), reverse = true_edge(truth, j, i);
      // An edge that is missing or reversed is one mistake, counted where it should be.
      out.expected_shd += there ? 1 - p : reverse ? 0 : p;
      count_claim(p, 0.95, there, reverse, out.above_95);
      count_claim(p, 0.99, there, reverse, out.above_99);
      out.edge_bins.add(p, there);
      out.edges += there;
      out.likely_right += there && p > 0.5;
      out.likely_wrong += !there && p > 0.5;
    }
  out.edge_precision = average_precision(edge_ranking(found.edges, truth.graph));
  out.best_shd = double(structural_distance(found.graph, truth.graph).total());
  const EquivalenceClass decidable = equivalence_class(truth.graph, truth.targets);
  out.decidable_shd = out.best_shd;
  for (const auto& [a, b] : decidable.undirected) {
    const bool forward = true_edge(truth, a, b);
    const bool turned = found.graph.edge(VariableId(forward ? b : a), VariableId(forward ? a : b));
    out.decidable_shd -= turned ? 1 : 0;
  }
  constexpr std::size_t most_intervened = 256;  // variables; beyond, it takes hours
  out.expected_sid = found.variables.size() > most_intervened
                         ? std::nan("")
                         : expected_distance(found.draws, truth.graph).intervention;
}

/// The share of the graphs of a class that have the edge, over a fixed number of members.
double share_of_class(const EquivalenceClass& all, std::size_t cause, std::size_t effect) {
  constexpr int drawn = 4000;
  Stream stream(0, Purpose::test_set, {1, 0, 0});
  int with = 0;
  for (int k = 0; k < drawn; ++k) with += random_member(all, stream).edge(cause, effect) ? 1 : 0;
  return double(with) / drawn;
}

/// A long chain has a root somewhere: its first edge points away from the first variable in one
/// member of the class only, and such a statement is correct for the class. Confidently wrong is
/// what goes beyond that.
bool beyond_class(double stated, const EquivalenceClass& all, std::size_t cause,
                  std::size_t effect) {
  const double share = share_of_class(all, cause, effect);
  // Near 1 less is too much: certainty is always beyond.
  return stated > share + std::min(GraphOutcome::class_margin, 0.75 * (1 - share));
}

/// What only a change can direct.
void judge_undirected(const GraphResult& found, const GraphTruth& truth, GraphOutcome& out) {
  const EquivalenceClass all = equivalence_class(truth.graph);
  for (const auto& [a, b] : all.undirected) {
    const bool forward = true_edge(truth, a, b);
    const std::size_t cause = forward ? a : b, effect = forward ? b : a;
    const double right = found.edges.at(cause, effect), wrong = found.edges.at(effect, cause);
    const double joined = right + wrong;
    ++out.undirected;
    if (joined <= 0.5) continue;
    out.directed_right += right > 0.95 * joined;
    const bool too_sure = wrong > 0.95 * joined && beyond_class(wrong / joined, all, effect, cause);
    out.directed_wrong += too_sure;
    out.reversed_in_class += wrong > 0.95 && !too_sure;
  }
}

/// How many of the targets are among the likeliest changes, as many as there are targets. A draw
/// with another variable does not count.
std::size_t on_top(const std::vector<double>& changed, const std::vector<std::size_t>& targets) {
  std::size_t found = 0;
  if (changed.empty()) return found;  // the engine names no changes
  for (std::size_t t : targets) {
    std::size_t ahead = 0;
    for (std::size_t v = 0; v < changed.size(); ++v)
      ahead += !std::binary_search(targets.begin(), targets.end(), v) && changed[v] >= changed[t];
    found += ahead == 0;
  }
  return found;
}

void judge_environment(const GraphEnvironment& environment, const std::vector<std::size_t>& targets,
                       GraphOutcome& out) {
  const bool all = !targets.empty() && targets.size() == environment.changed.size();
  out.all_changed += all;
  out.flagged_rightly += all && environment.all_changed > 0.5;
  if (all) return;
  out.ranked_targets += targets.size();
  out.targets_on_top += on_top(environment.changed, targets);
}

void judge_changes(const GraphResult& found, const GraphTruth& truth, GraphOutcome& out) {
  Ranking ranking;
  for (std::size_t e = 1; e < found.environments.size(); ++e) {
    const GraphEnvironment& environment = found.environments[e];
    const auto& targets = truth.targets[e];
    ++out.shifted;
    out.flagged += environment.all_changed > 0.5;
    judge_environment(environment, targets, out);
    for (std::size_t v = 0; v < environment.changed.size(); ++v) {
      const double p = environment.changed[v];
      const bool changed = std::binary_search(targets.begin(), targets.end(), v);
      ++out.pairs;
      out.targets += changed;
      out.targets_found += changed && p > 0.5;
      out.false_changes_95 += !changed && p > 0.95;
      out.false_changes_99 += !changed && p > 0.99;
      out.target_bins.add(p, changed);
      ranking.scores.push_back(p);
      ranking.labels.push_back(changed);
    }
  }
  out.target_precision = average_precision(ranking);
}

void judge_hidden(const GraphResult& found, const GraphTruth& truth, GraphOutcome& out) {
  const auto named = hidden_pairs(found);
  out.named_wrongly = named.size();
  for (const auto& [a, b] : truth.confounded) {
    ++out.confounded;
    out.confounded_joined += std::max(found.edges.at(a, b), found.edges.at(b, a)) > 0.95;
    const auto here = std::count(named.begin(), named.end(),
                                 std::pair<std::size_t, std::size_t>(std::minmax(a, b)));
    out.confounded_named += std::size_t(here);
    out.named_wrongly -= std::size_t(here);
  }
}

}  // namespace

void ConfidentEdges::add(const ConfidentEdges& others) {
  right += others.right;
  not_adjacent += others.not_adjacent;
  reversed += others.reversed;
}

std::vector<std::pair<std::size_t, std::size_t>> hidden_pairs(const GraphResult& found) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  const EdgeMatrix& hidden = found.hidden;
  for (std::size_t a = 0; a < hidden.variables; ++a)
    for (std::size_t b = a + 1; b < hidden.variables; ++b)
      if (hidden.at(a, b) > 0.5) pairs.emplace_back(a, b);
  if (found.shift_only.variables > 0) return pairs;  // labels answered
  for (const auto& [from, to] : found.maybe_confounded)
    pairs.emplace_back(std::min(from, to), std::max(from, to));
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

std::size_t turned_directions(const GraphResult& first, const GraphResult& second) {
  std::size_t turned = 0;
  for (std::size_t i = 0; i < first.edges.variables; ++i)
    for (std::size_t j = 0; j < first.edges.variables; ++j)
      turned += i != j && first.edges.at(i, j) > 0.95 && second.edges.at(j, i) > 0.5;
  return turned;
}

GraphOutcome judge_graph(const GraphResult& found, const GraphTruth& truth) {
  GraphOutcome out;
  judge_edges(found, truth, out);
  judge_undirected(found, truth, out);
  judge_changes(found, truth, out);
  judge_hidden(found, truth, out);
  const auto [least, most] =
      std::minmax_element(found.search.scores.begin(), found.search.scores.end());
  if (!found.search.scores.empty()) out.search_spread = *most - *least;
  out.chain_spread = found.search.chain_spread;
  return out;
}

}  // namespace whence
