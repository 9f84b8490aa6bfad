// Where everything in a zip file is, checked strictly: members fill the file without gaps and
// without overlaps, and what is said twice agrees. Nothing is unpacked here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "whence/io/files/byte_source.hpp"

namespace whence {

struct ZipMember {
  std::string name;
  std::uint16_t flags = 0, method = 0;
  std::uint32_t crc = 0;
  std::uint64_t packed = 0, size = 0;  // bytes in the file, and unpacked
  std::uint64_t offset = 0;            // of its local header
};

/// In the order of the central directory. Errors are of code bad_data (E-NPZ-...), or resource for
/// too many members.
std::vector<ZipMember> read_zip_layout(ByteSource& source, std::size_t max_members = 1024);

}  // namespace whence
