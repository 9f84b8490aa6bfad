// How well find_graph does on data whose truth is known: published protocols with hidden targets,
// and controls in which there is nothing to find, with the figures that it must reach as claims.
#pragma once

#include <string>
#include <vector>

#include "bench/quality/graph_bench_rows.hpp"
#include "whence/core/report.hpp"
#include "whence/judge/graph_outcome.hpp"
#include "whence/paper/experiment.hpp"

namespace whence {

/// A row with the outcomes of its data sets.
struct GraphBenchResult {
  GraphBenchRow row;
  std::vector<GraphOutcome> outcomes;
  std::string problem;  // why there are none
};

struct GraphBenchmark {
  Report report;  // the same for any number of threads
  Report speed;   // seconds: of this machine
};

/// What is run.
struct GraphBenchPlan {
  std::string scale = "full";     // or "smoke", or "large"
  std::vector<std::string> only;  // rows, or beginnings of names that end in '*'; empty: all
  std::size_t most_sets = 0;      // data sets of a row at most; 0: as many as it has
};

/// Throws an Error for a name that no row has.
GraphBenchmark bench_graphs(const GraphBenchPlan& plan, const RunOptions& options);

/// What the figures of this benchmark are held against; rows that did not run have no claims.
std::vector<Claim> graph_bench_claims(const std::vector<GraphBenchResult>& results);
std::vector<Claim> graph_speed_claims(const std::vector<GraphBenchResult>& results);

/// Median and mean over data sets, of finite values only: NaN where there is none.
double median_of(const GraphBenchResult& result, double GraphOutcome::*value);
double mean_of(const GraphBenchResult& result, double GraphOutcome::*value);
std::size_t total_of(const GraphBenchResult& result, std::size_t GraphOutcome::*value);
/// All outcomes' bins together.
Reliability bins_of(const GraphBenchResult& result, Reliability GraphOutcome::*bins);

}  // namespace whence
