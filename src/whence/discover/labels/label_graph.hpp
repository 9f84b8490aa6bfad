// What causes what in data that no exact model fits: any columns, any mechanisms, by evidence from
// environment labels.
#pragma once

#include "whence/core/dataset.hpp"
#include "whence/core/report.hpp"
#include "whence/discover/graph/graph_search_plan.hpp"

namespace whence {

/// As find_graph, for data in canonical order, without words. options.baseline says what the other
/// environments are compared with.
GraphResult find_graph_by_labels(const Dataset& data, const GraphTask& options);

}  // namespace whence
