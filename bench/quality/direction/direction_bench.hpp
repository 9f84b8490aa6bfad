// How well whence direction does on data whose truth is known: accuracy, calibration and time over
// a grid of situations, never without the column where nothing shifted, and beside the paper's
// gradient criterion on the same data.
#pragma once

#include "whence/core/report.hpp"
#include "whence/paper/experiment.hpp"

namespace whence {

struct DirectionBenchmark {
  Report report;      // the same for any number of threads
  Table time;         // milliseconds per data set: of this machine
  Table speed;        // of many environments, and of reading: of this machine, too
  std::size_t cases;  // data sets in all
};

/// `scale`: "smoke" or "full". Tables: "summary", "discrete", "real", "episodes", "controls",
/// "reliability-prior", "reliability-shifts"; claims: the figures that it must reach.
DirectionBenchmark bench_direction(const std::string& scale, const RunOptions& options);

}  // namespace whence
