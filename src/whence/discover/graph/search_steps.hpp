// Parts of every search over graphs: its starts, its climbing, and the facts about the data that
// it uses.
#pragma once

#include <vector>

#include "whence/discover/graph/graph_search_plan.hpp"
#include "whence/math/random.hpp"

namespace whence {

bool stopped(const GraphTask& options);
/// Shows the best score so far. No result depends on it, so the order of calls does not matter.
void tell(const GraphTask& options, double score);
Stream stream_of(const GraphTask& options, std::uint32_t stage, std::size_t number);
/// A part of the whole work, as seen from outside.
Progress part_of(const Progress& whole, double from, double to);

/// The baseline, and environments of which every mechanism is known, did not change as a whole.
RegimePrior regime_prior(const Dataset& data, const GraphTask& options);
std::vector<KnownChange> known_changes(const Dataset& data, const GraphTask& options);

/// How often a search is disturbed.
int rounds_of(const GraphTask& options, const FamilyTable& table);
/// What a climber asks for first, by all threads: a single search has only one.
void estimate_first_steps(const FamilyTable& table, const GraphTask& options,
                          const GraphDraw& start);
/// Hill climbing, star reversal and perturbation; the regime is updated after each.
GraphDraw search_from(const FamilyTable& table, const GraphTask& options, const GraphDraw& start,
                      int rounds, Stream stream);
/// About one edge per variable, at random.
Dag random_start(const FamilyTable& table, Stream& stream);

const GraphDraw& best_of(const std::vector<GraphDraw>& found);

}  // namespace whence
