// Recorded sensors whose causes were recorded, too, and are hidden from the engine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/quality/real_data.hpp"
#include "whence/core/report.hpp"
#include "whence/paper/experiment.hpp"

namespace whence {

struct SensorBenchPlan {
  std::filesystem::path folder;              // as for bench real
  std::vector<std::string> columns, hidden;  // sensors; what is behind them
  std::size_t choose = 0;                    // of the sensors, at random in each subsample; 0: all
  bool say_latents = true;                   // the engine gets the number of latents
  RowLimits rows;
  std::uint32_t subsamples = 1;
};

struct SensorBenchmark {
  Report report;
  Table time;
};

/// The baseline and those environments whose targets are all hidden columns. Errors of code
/// bad_data where columns or targets do not fit.
SensorBenchmark bench_sensors(const SensorBenchPlan& plan, const RunOptions& options);

}  // namespace whence
