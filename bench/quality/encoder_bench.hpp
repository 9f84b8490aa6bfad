// How often encoders are found, on worlds whose truth is known: every figure beside FastICA, PCA
// and random rows, and never without worlds in which nothing shifted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "whence/core/report.hpp"
#include "whence/paper/experiment.hpp"

namespace whence {

struct EncoderBenchmark {
  Report
      report;  // tables "rotations", "matrices", "sensors"; claims where worlds are enough to judge
  Table time;  // processor time of one world; differs from run to run
  std::size_t worlds = 0;
};

struct EncoderBenchPlan {
  std::string scale = "full";     // smoke (2 worlds of each kind), quick (20) or full (100)
  std::vector<std::string> only;  // rows, or beginnings of names that end in '*'; empty: all
  std::size_t worlds = 0;         // of each kind; 0: as the scale has it
};

/// Errors of code usage where `only` names no row.
EncoderBenchmark bench_encoders(const EncoderBenchPlan& plan, const RunOptions& options);

}  // namespace whence
