// whence bench real: graphs from recorded data whose truth is known.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/whence/commands/bench_graphs.hpp"
#include "bench/quality/real_bench.hpp"

namespace whence {

struct RealBenchOptions {
  std::vector<std::string> folders;
  std::string rows, subsamples = "1", seed = "0", threads = "auto", output;
  bool shuffle_columns = false, no_controls = false, json = false;

  /// What the benches share.
  void take(const GraphsBenchOptions& shared) {
    seed = shared.seed;
    threads = shared.threads;
    output = shared.output;
    json = shared.json;
  }
};

/// "2000,500" of --rows.
RowLimits row_limits_of(const std::string& text);

/// --rows and others that benches of data from files share.
void add_real_options(CLI::App& app, RealBenchOptions& options);

/// Runs a bench of data from files, writes its page and prints its figures.
void deliver_benchmark(const std::string& name, const RealBenchOptions& options,
                       const std::vector<std::string>& command,
                       const std::function<RealBenchmark(const RunOptions&)>& bench,
                       const Globals& globals);

void bench_real(const RealBenchOptions& options, const Globals& globals);

}  // namespace whence
