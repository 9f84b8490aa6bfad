// Many variables: how accuracy, time and memory of whence discover grow with their number.
#pragma once

#include <vector>

#include "bench/quality/graph_bench.hpp"

namespace whence {

/// 50 to 1,000 variables, and the controls in which there is nothing to find; timed one by one,
/// the smallest first.
std::vector<GraphBenchRow> graph_scale_rows();

/// A table, a figure and claims about such rows; they hold for this machine.
void add_graph_scale(const std::vector<GraphBenchResult>& results, Report& report);

}  // namespace whence
