// Which instruction sets the kernels were compiled for, and which one runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace whence {

/// Best first; all of them run on this machine.
std::vector<std::string> simd_targets();
/// The one that kernels use.
std::string simd_target();
/// Makes kernels use that one (tests, and WHENCE_SIMD on the command line); "" = the best.
void use_simd_target(std::string_view name);

}  // namespace whence
