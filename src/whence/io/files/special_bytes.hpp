// Where the structure of a CSV file is: one bit per byte, found many bytes at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace whence {

/// Bit i of mask n is set where byte 64n + i is the delimiter, a quote or an end of line. Reads
/// whole blocks of 64 bytes: as many as `masks` has room for.
void find_special_bytes(const char* text, std::size_t blocks, char delimiter, std::uint64_t* masks);

}  // namespace whence
