#include "whence/backends/simd.hpp"

#include <hwy/highway.h>
#include <hwy/targets.h>

#include "whence/core/error.hpp"

namespace whence {

namespace {

/// Targets compiled in that this machine can run, as Highway's bits; lower bits are better.
std::vector<std::int64_t> runnable() {
  std::vector<std::int64_t> bits;
  const std::int64_t both = hwy::SupportedTargets() & HWY_TARGETS;
  for (int i = 0; i < 63; ++i)
    if (both >> i & 1) bits.push_back(std::int64_t(1) << i);
  return bits;
}

}  // namespace

std::vector<std::string> simd_targets() {
  std::vector<std::string> names;
  for (std::int64_t bit : runnable()) names.emplace_back(hwy::TargetName(bit));
  return names;
}

std::string simd_target() { return simd_targets().front(); }

void use_simd_target(std::string_view name) {
  hwy::SetSupportedTargetsForTest(0);
  for (std::int64_t bit : runnable())
    if (name == hwy::TargetName(bit)) hwy::SetSupportedTargetsForTest(bit);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  if (!name.empty() && simd_target() != name)
    throw Error(ExitCode::device, "E-SIMD-TARGET", "",
                "this machine or build cannot run the instruction set \"" + std::string(name) + "\"",
                "whence doctor lists the ones it can");
}

}  // namespace whence
