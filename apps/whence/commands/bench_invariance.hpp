// whence bench invariance: what must not matter to an answer, and how much it does.
#pragma once

#include <string>

#include "apps/whence/commands.hpp"

namespace whence {

struct InvarianceOptions {
  std::string scale = "full", seed = "0", threads = "auto";
  bool json = false;
};

void bench_invariance(const InvarianceOptions& options, const Globals& globals);

}  // namespace whence
