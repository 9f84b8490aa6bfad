// The figures that rows of graph_figure_rows.hpp are held against, and their table.
#pragma once

#include <vector>

#include "bench/quality/graph_bench.hpp"
#include "whence/core/report.hpp"

namespace whence {

/// What is right and wrong in all data sets of a row together; seconds are reported elsewhere.
Table graph_figures_table(const std::vector<GraphBenchResult>& results);

/// Claims about rows, and about all of them together.
std::vector<Claim> graph_figure_claims(const std::vector<GraphBenchResult>& results);

}  // namespace whence
