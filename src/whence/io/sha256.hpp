// SHA-256 (FIPS 180-4).
#pragma once

#include <string>
#include <string_view>

namespace whence {

/// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace whence
