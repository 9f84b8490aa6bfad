// whence bench direction: another kind of benchmark than the others, accuracy before speed.
#pragma once

#include <string>

#include "apps/whence/commands.hpp"
#include "apps/whence/shared_run.hpp"

namespace whence {

struct DirectionBenchOptions {
  std::string scale = "full", output, seed = "0", threads = "auto";
  bool json = false;
  SharedOptions shared = {};
};

void bench_direction(const DirectionBenchOptions& options, const Globals& globals);

}  // namespace whence
