// Which environments speak for a direction, and how far a probability may go by them.
#pragma once

#include <vector>

#include "whence/discover/labels/label_search.hpp"

namespace whence {

/// Nats by environment for "a causes b", against each of its rivals, in one graph.
struct LabelSupport {
  std::vector<double> against_reverse, against_hidden;
  double dearer = 0;               // what the reverse pays for drift beyond what this graph does
  double reverse = 0, hidden = 0;  // sums, the first with what is dearer
  double without_best = 0;         // the first sum without the environment that adds most to it
  std::size_t best = 0;            // that environment
  double clearest = 0;             // what it adds
};

/// `speaks` says of each environment whether it counts. All else stays as it is in the graph.
LabelSupport label_support(const LabelScore& score, const LabelGraph& graph, std::size_t from,
                           std::size_t to, const std::vector<char>& speaks);

/// The highest probability that a support allows for the direction, and what takes the rest: its
/// reverse, or something hidden behind both. Shifts must speak against both; against the latter
/// they do where the effect followed its cause.
enum class RestOf { reverse, hidden, no_link };
struct DirectionLimit {
  double highest = 1;
  RestOf rest = RestOf::reverse;
};
DirectionLimit direction_limit(const LabelSupport& support);

/// One edge of the best graph: what shifts say of it, and what else would be true if it were not.
struct JudgedEdge {
  std::size_t from = 0, to = 0;
  LabelSupport support;
  DirectionLimit limit;
};

/// A graph fitted to a rival of some edge that fits nearly as well as the best one.
struct RivalGraph {
  LabelGraph graph;
  double weight = 0;  // how likely it is at least, against the best graph
};

struct Judgement {
  std::vector<JudgedEdge> edges;
  std::vector<RivalGraph> rivals;
};

/// Every edge of the best graph. A direction that shifts do not decide takes with it every edge
/// that hangs on it: those that the graph fitted to the rival lacks are not surer than the rival is
/// unlikely.
Judgement judged_edges(const LabelScore& score, LabelSearch& search,
                       const std::vector<char>& speaks);

}  // namespace whence
