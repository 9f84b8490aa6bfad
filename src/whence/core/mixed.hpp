// A number for what things hold: it differs for most things that differ.
#pragma once

#include <bit>
#include <cstdint>

namespace whence {

inline std::uint64_t mixed(std::uint64_t one, std::uint64_t other) {
  std::uint64_t h = one * 0x9E3779B97F4A7C15ULL + other + 0xD1B54A32D192ED03ULL;
  h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ULL;
  h = (h ^ (h >> 27)) * 0x94D049BB133111EBULL;
  return h ^ (h >> 31);
}

/// The bits of a number; a zero has no sign.
inline std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value + 0.0); }

}  // namespace whence
