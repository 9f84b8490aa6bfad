// Builds .npy and .npz files byte by byte, so that any part of them can be wrong.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace whence::bad_input {

inline std::string little(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += char(value >> (8 * i) & 255);
  return out;
}

inline std::string bytes_of(double value) {
  std::uint64_t bits = 0;
  static_assert(sizeof bits == sizeof value);
  __builtin_memcpy(&bits, &value, sizeof bits);
  return little(bits, 8);
}

template <class Numbers>
std::string doubles(const Numbers& values) {
  std::string out;
  for (const double value : values) out += bytes_of(value);
  return out;
}

/// With a header as it stands; version 1.0.
inline std::string npy_raw(const std::string& header, const std::string& payload) {
  return "\x93NUMPY" + little(1, 2) + little(header.size(), 2) + header + payload;
}

/// As NumPy pads it.
inline std::string npy(const std::string& type, bool fortran, const std::string& shape,
                       const std::string& payload) {
  std::string header = "{'descr': '" + type +
                       "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  return npy_raw(header + '\n', payload);
}

inline std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= std::uint8_t(c);
    for (int k = 0; k < 8; ++k) crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
  }
  return ~crc;
}

/// A member of a zip file; what differs from the truth is set by hand.
struct Member {
  std::string name;
  std::string content;  // as it stands in the file
  std::uint16_t flags = 0, method = 0;
  std::uint64_t size = 0;        // unpacked; 0: the content's
  std::uint32_t crc = 0;         // 0: the content's
  std::string local_name = {};   // "": the same
  int local_method = -1;         // -1: the same
  std::int64_t local_size = -1;  // -1: the same
  std::int64_t offset = -1;      // in the directory; -1: the true one
  bool wide = false;             // 64-bit sizes in the local header, as NumPy writes them
  std::string descriptor = {};   // behind the content
};

struct ZipParts {
  std::string before = {}, between = {}, behind = {}, comment = {};
  std::int64_t count = -1;
};

inline std::string zip(std::vector<Member> members, const ZipParts& parts = {}) {
  std::string file = parts.before, directory;
  for (Member& m : members) {
    if (m.size == 0) m.size = m.content.size();
    if (m.crc == 0) m.crc = crc32(m.content);
    const std::string& local_name = m.local_name.empty() ? m.name : m.local_name;
    const int local_method = m.local_method < 0 ? m.method : m.local_method;
    const std::uint64_t local_size = m.local_size < 0 ? m.size : std::uint64_t(m.local_size);
    const bool later = (m.flags & 8) != 0;
    const std::string extra =
        m.wide ? little(1, 2) + little(16, 2) + little(local_size, 8) + little(m.content.size(), 8)
               : "";
    const auto offset = m.offset < 0 ? file.size() : std::uint64_t(m.offset);
    file += "PK\x03\x04" + little(20, 2) + little(m.flags, 2) +
            little(std::uint64_t(local_method), 2) + little(0x21 << 16, 4) +
            little(later ? 0 : m.crc, 4) +
            little(m.wide  ? 0xffffffff
                   : later ? 0
                           : m.content.size(),
                   4) +
            little(m.wide  ? 0xffffffff
                   : later ? 0
                           : local_size,
                   4) +
            little(local_name.size(), 2) + little(extra.size(), 2) + local_name + extra +
            m.content + m.descriptor + parts.between;
    directory += "PK\x01\x02" + little(20, 2) + little(20, 2) + little(m.flags, 2) +
                 little(m.method, 2) + little(0x21 << 16, 4) + little(m.crc, 4) +
                 little(m.content.size(), 4) + little(m.size, 4) + little(m.name.size(), 2) +
                 little(0, 2) + little(0, 2) + little(0, 2) + little(0, 2) + little(0, 4) +
                 little(offset, 4) + m.name;
  }
  const std::uint64_t count = parts.count < 0 ? members.size() : std::uint64_t(parts.count);
  const std::uint64_t start = file.size();
  file += directory;
  return file + "PK\x05\x06" + little(0, 4) + little(count, 2) + little(count, 2) +
         little(directory.size(), 4) + little(start, 4) + little(parts.comment.size(), 2) +
         parts.comment + parts.behind;
}

}  // namespace whence::bad_input
