// How far a graph, or a belief over graphs, is from the truth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "whence/belief/edges.hpp"
#include "whence/core/graph.hpp"

namespace whence {

/// Structural Hamming distance with its parts; a reversed edge counts once.
struct StructuralDistance {
  std::size_t missing = 0, extra = 0, reversed = 0;
  std::size_t total() const { return missing + extra + reversed; }
};
StructuralDistance structural_distance(const Graph& found, const Graph& truth);

/// Structural intervention distance (Peters and Buehlmann 2015): the ordered pairs (i, j) whose
/// P(j | do(i)) is wrong in the truth when computed by adjusting for the parents of i in `found`.
/// Both graphs are acyclic; time O(m (m + edges)).
std::size_t intervention_distance(const Graph& found, const Graph& truth);

struct ExpectedDistance {
  double structural = 0, intervention = 0;
};
/// Means over graphs, each with its weight (without weights: all the same).
ExpectedDistance expected_distance(std::span<const Graph> graphs, const Graph& truth,
                                   std::span<const double> weights = {});

/// Scores with their labels: larger scores should have label 1.
struct Ranking {
  std::vector<double> scores;
  std::vector<std::uint8_t> labels;
};
/// Every ordered pair of different variables. `probabilities` is [cause][effect].
Ranking edge_ranking(const EdgeMatrix& probabilities, const Graph& truth);

/// P(a positive scores above a negative), ties counting half; NaN unless both labels occur.
double area_under_roc(const Ranking& ranking);
/// Mean precision at the ranks of the positives, equal scores being one step; NaN without
/// positives.
double average_precision(const Ranking& ranking);
/// The trapezoid under the same curve, as some papers report: it rewards ties (a constant score
/// gets (1 + share of positives) / 2), so it is only for comparison.
double precision_recall_area(const Ranking& ranking);

struct Detection {
  std::size_t right = 0, wrong = 0, missed = 0;
  double precision() const;  // 1 when nothing was claimed
  double recall() const;     // 1 when there was nothing to find
  double f1() const;
};
/// Claims are scores of at least the threshold.
Detection detections(const Ranking& ranking, double threshold = 0.5);

/// cross_entropy_bits of probabilities [cause][effect] that are not trusted beyond `floor`.
double cross_entropy_bits(const EdgeMatrix& probabilities, const Graph& truth, double floor);

}  // namespace whence
