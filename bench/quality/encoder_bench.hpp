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
  Report report;  // tables "rotations" and "matrices"; claims where worlds are enough to judge
  Table time;     // processor time of one world; differs from run to run
  std::size_t worlds = 0;
};

/// `scale` is smoke (2 worlds of each kind), quick (20) or full (100).
EncoderBenchmark bench_encoders(const std::string& scale, const RunOptions& options);

}  // namespace whence
