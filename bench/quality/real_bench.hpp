// How find_graph does on recorded data with a known truth, beside what naming the largest shift of
// a mean and the empty graph do, and where there is nothing to find.
#pragma once

#include <filesystem>
#include <vector>

#include "bench/quality/real_data.hpp"
#include "whence/core/report.hpp"
#include "whence/paper/experiment.hpp"

namespace whence {

struct RealBenchPlan {
  std::vector<std::filesystem::path> folders;
  RowLimits rows;
  std::uint32_t subsamples = 1;
  bool reorder = false;  // the columns of each subsample in a random order
  bool controls = true;  // pieces of the baseline, and columns shuffled within environments
};

struct RealBenchmark {
  Report report;  // the same for any number of threads
  Report speed;   // seconds: of this machine
};

/// With a summary of its figures, and what every benchmark records of its run.
RealBenchmark sealed(RealBenchmark benchmark, std::uint64_t seed);

/// Throws Errors for folders that cannot be read; data that find_graph refuses are listed.
RealBenchmark bench_real(const RealBenchPlan& plan, const RunOptions& options);

}  // namespace whence
