// Pictures of a pair for the page: baseline against each shift, and how a direction becomes
// credible as the rows of one environment arrive.
#pragma once

#include <optional>

#include "whence/core/report.hpp"
#include "whence/discover/pair/adaptation_path.hpp"
#include "whence/report/page/graph_view.hpp"

namespace whence {

/// Figures "shift-1", "shift-2", ...: the environments that say most, rows as points; and
/// "adaptation": the beliefs after the first rows of the one that says most, where they are given.
void add_pair_pictures(Report& report, const Dataset& data, const DirectionResult& result,
                       const std::optional<AdaptationPath>& path);

/// The two variables as a graph, with the map of what changed where.
GraphView pair_view(const DirectionResult& result);

}  // namespace whence
