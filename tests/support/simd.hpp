// Running a test on every instruction set of this machine.
#pragma once

#include <string>

#include "whence/backends/simd.hpp"

namespace whence::support {

/// Makes kernels use one instruction set while it lives.
class SimdTarget {
 public:
  explicit SimdTarget(const std::string& name) { use_simd_target(name); }
  ~SimdTarget() { use_simd_target(""); }
  SimdTarget(const SimdTarget&) = delete;
  SimdTarget& operator=(const SimdTarget&) = delete;
};

template <class F>
void for_each_simd_target(const F& f) {
  for (const std::string& name : simd_targets()) {
    const SimdTarget chosen(name);
    f(name);
  }
}

}  // namespace whence::support
