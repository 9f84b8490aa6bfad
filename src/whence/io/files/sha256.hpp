// SHA-256 (FIPS 180-4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace whence {

/// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

/// The same for bytes that arrive in pieces. Uses the processor's SHA instructions where it has
/// them.
class Sha256 {
 public:
  void update(std::string_view bytes);
  /// Of everything so far; more may follow.
  std::string hex() const;

 private:
  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<char, 64> rest_{};  // bytes that do not fill a block yet
  std::uint64_t bytes_ = 0;
};

}  // namespace whence
