#include "whence/backends/simd.hpp"

#include <limits>

#include <hwy/highway.h>
#include <hwy/targets.h>

#include "whence/core/error.hpp"

namespace whence {

namespace {

using TargetBits = decltype(hwy::SupportedTargets());  // 32 bits before Highway 1.0

/// Highway before 1.0 asks for the supported targets by itself.
template <class Chosen>
void update(Chosen& chosen) {
  if constexpr (requires { chosen.Update(hwy::SupportedTargets()); })
    chosen.Update(hwy::SupportedTargets());
  else
    chosen.Update();
}

/// Targets compiled in that this machine can run, as Highway's bits; lower bits are better.
std::vector<TargetBits> runnable() {
  std::vector<TargetBits> bits;
  const TargetBits both = hwy::SupportedTargets() & HWY_TARGETS;
  for (int i = 0; i < std::numeric_limits<TargetBits>::digits; ++i)
    if (both >> i & 1) bits.push_back(TargetBits(1) << i);
  return bits;
}

}  // namespace

std::vector<std::string> simd_targets() {
  std::vector<std::string> names;
  for (TargetBits bit : runnable()) names.emplace_back(hwy::TargetName(bit));
  return names;
}

std::string simd_target() { return simd_targets().front(); }

void use_simd_target(std::string_view name) {
  hwy::SetSupportedTargetsForTest(0);
  for (TargetBits bit : runnable())
    if (name == hwy::TargetName(bit)) hwy::SetSupportedTargetsForTest(bit);
  update(hwy::GetChosenTarget());
  if (!name.empty() && simd_target() != name)
    throw Error(
        ExitCode::device, "E-SIMD-TARGET", "",
        "this machine or build cannot run the instruction set \"" + std::string(name) + "\"",
        "whence doctor lists the ones it can");
}

}  // namespace whence
