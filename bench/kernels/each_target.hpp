// One benchmark per instruction set that this machine can run.
#pragma once

#include <string>
#include <utility>

#include <benchmark/benchmark.h>

#include "whence/backends/simd.hpp"

namespace whence {

/// Registers NAME/TARGET for each target; kernels called by `body(state)` use that target.
template <class Body>
bool for_each_target(const std::string& name, Body body) {
  for (const std::string& target : simd_targets()) {
    const auto run = [target, body](benchmark::State& state) {
      use_simd_target(target);
      body(state);
      use_simd_target("");
    };
    benchmark::RegisterBenchmark((name + "/" + target).c_str(), run);
  }
  return true;
}

}  // namespace whence
