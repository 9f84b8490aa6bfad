// whence bench encoders: how often the variables behind mixed columns are found.
#pragma once

#include <string>

#include "apps/whence/commands.hpp"

namespace whence {

struct EncodersBenchOptions {
  std::string scale = "full", output, seed = "0", threads = "auto";
  bool json = false;
};

void bench_encoders(const EncodersBenchOptions& options, const Globals& globals);

}  // namespace whence
