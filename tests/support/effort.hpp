// How much work a test does: less where a sanitizer makes every operation slow.
#pragma once

#include <cstddef>

namespace whence::support {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::size_t effort_divisor = 10;
#else
inline constexpr std::size_t effort_divisor = 1;
#endif

/// n in ordinary builds, a tenth of it under sanitizers.
constexpr std::size_t effort(std::size_t n) { return n / effort_divisor; }

}  // namespace whence::support
