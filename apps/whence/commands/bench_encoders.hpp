// whence bench encoders: how often the variables behind mixed columns are found.
#pragma once

#include <string>

#include "apps/whence/commands/bench_real.hpp"

namespace whence {

struct EncodersBenchOptions {
  std::string scale = "full", output, seed = "0", threads = "auto", only, sets;
  std::string columns, hidden, choose;  // of recorded sensors
  bool json = false, count_unknown = false;

  bool recorded() const { return !columns.empty() || !hidden.empty() || !choose.empty(); }
};

/// On worlds whose truth is known; with a folder, on recorded sensors.
void bench_encoders(const EncodersBenchOptions& options, const RealBenchOptions& real,
                    const Globals& globals);

}  // namespace whence
