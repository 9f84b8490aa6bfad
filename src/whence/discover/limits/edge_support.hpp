// Why an edge is believed: what each environment says about its direction, and what is left of it
// when any one of them is left out.
#pragma once

#include "whence/belief/family_table.hpp"
#include "whence/belief/graph_sampler.hpp"
#include "whence/discover/graph/graph_discovery.hpp"

namespace whence {

/// Fills in shift_log_odds, support and leave_one_out of an edge whose probabilities are known.
/// The other edges stay as in the best graph.
void explain_edge(const FamilyTable& table, const GraphDraw& best, EdgeFinding& edge);

}  // namespace whence
