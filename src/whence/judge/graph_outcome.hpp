// How near an answer about a graph came to the truth of its data, and how well it is calibrated.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "whence/discover/graph/graph_discovery.hpp"
#include "whence/judge/reliability.hpp"
#include "whence/worlds/graph_world.hpp"

namespace whence {

/// Edges stated with more than some probability.
struct ConfidentEdges {
  std::size_t right = 0, not_adjacent = 0, reversed = 0;
  std::size_t wrong() const { return not_adjacent + reversed; }
  void add(const ConfidentEdges& others);
};

/// Of one data set.
struct GraphOutcome {
  double expected_shd = 0;    // from the edges' probabilities; a reversed edge counts once
  double expected_sid = 0;    // over the posterior's draws; NaN for many variables: it takes hours
  double best_shd = 0;        // of the edges more probable than not
  double decidable_shd = 0;   // the same without directions that the true changes leave open
  double edge_precision = 0;  // average precision; NaN where there is nothing to find
  double target_precision = 0;
  ConfidentEdges above_95, above_99;

  // Edges that the Markov class of the truth leaves undirected, found with probability above 1/2:
  // those whose direction is confident (more than .95 of the probability of being adjacent). Wrong
  // only if that is also more, by the margin, than the share of the class that points that way.
  static constexpr double class_margin = 0.03;
  std::size_t undirected = 0, directed_right = 0, directed_wrong = 0;
  std::size_t reversed_in_class = 0;  // of above_95: reversed, but not beyond what the class says

  // (variable, environment) pairs besides the baseline's, and claims of change among them.
  std::size_t pairs = 0, targets = 0, targets_found = 0;  // found: above 1/2
  std::size_t false_changes_95 = 0, false_changes_99 = 0;
  std::size_t shifted = 0, flagged = 0;  // environments; P(everything changed) above 1/2
  std::size_t confounded = 0, confounded_joined = 0;    // pairs; joined by an edge above .95
  std::size_t confounded_named = 0, named_wrongly = 0;  // pairs suspected of a hidden cause

  std::size_t edges = 0, likely_right = 0, likely_wrong = 0;  // of the truth; stated above 1/2
  // Targets of environments in which not everything changed, and how many of them are among the
  // environment's likeliest changes, as many as there are targets.
  std::size_t ranked_targets = 0, targets_on_top = 0;
  std::size_t all_changed = 0, flagged_rightly = 0;  // environments in which everything changed
  std::size_t turned_round = 0;  // directions above .95 that damage to the table turned; if asked

  double score_gap = 0;  // of the search's best graph above the truth, nats
  double search_spread = 0, chain_spread = 0;
  double seconds = 0;
  double processor_seconds = 0, peak_megabytes = 0;  // of the process; where rows run one by one
  std::size_t pairs_left_out = 0, settled = 0;       // by a search over many variables
  Reliability edge_bins{Reliability::narrow_ends}, target_bins{Reliability::narrow_ends};
};

/// All but score_gap, turned_round and what was used of the machine. Environment 0 is the baseline,
/// and not judged.
GraphOutcome judge_graph(const GraphResult& found, const GraphTruth& truth);

/// Pairs, the smaller number first, that a result says depend through something hidden: with a
/// probability above 1/2 where it has probabilities of that, else those it suspects.
std::vector<std::pair<std::size_t, std::size_t>> hidden_pairs(const GraphResult& found);

/// Directions stated above .95 by the first that are more probable the other way round than not by
/// the second; both are about the same variables.
std::size_t turned_directions(const GraphResult& first, const GraphResult& second);

}  // namespace whence
