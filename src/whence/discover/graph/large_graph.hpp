// Graphs of so many variables that not every pair can be looked at all the time.
#pragma once

#include "whence/discover/graph/graph_search_plan.hpp"

namespace whence {

/// Up to so many variables the search looks at every pair.
inline constexpr std::size_t largest_whole_search = 128;

/// Linear mechanisms only. Candidate parents are screened by estimates, first on the empty graph
/// and again on every graph that was found, until no edge outside would add to the best one. Noise
/// is tried for heavy tails once per variable. What is left out goes into the record.
struct LargeGraph {
  ScoredFamilies scored;
  FoundBelief found;
};
LargeGraph find_large_graph(const Dataset& data, const GraphTask& options);

}  // namespace whence
