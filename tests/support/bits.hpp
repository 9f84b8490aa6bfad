// Equality of bits, where equality of values would let -0 pass for 0 and fail NaN against itself.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace whence::support {

inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same_bits(a[i], b[i])) return false;
  return true;
}

}  // namespace whence::support
