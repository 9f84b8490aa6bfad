// The situations of whence bench graphs that real data resemble: mechanisms of many kinds, hidden
// common causes, drift from run to run, damaged tables, and the controls of each.
#pragma once

#include <vector>

#include "bench/quality/graph_bench_rows.hpp"

namespace whence {

std::vector<GraphBenchRow> graph_figure_rows(bool smoke);

}  // namespace whence
