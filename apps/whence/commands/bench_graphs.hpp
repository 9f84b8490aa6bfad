// whence bench graphs: accuracy and honesty on data whose truth is known, and time.
#pragma once

#include <string>

#include "apps/whence/commands.hpp"
#include "apps/whence/shared_run.hpp"

namespace whence {

struct GraphsBenchOptions {
  std::string scale = "full", only, sets, seed = "0", threads = "auto", output;
  bool json = false;
  SharedOptions shared;
};

void bench_graphs(const GraphsBenchOptions& options, const Globals& globals);

}  // namespace whence
