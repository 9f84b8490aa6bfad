#include "whence/io/files/zip_layout.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/data_place.hpp"

namespace whence {
namespace {

constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr std::uint32_t end64_mark = 0x06064b50, locator_mark = 0x07064b50;
constexpr std::uint32_t descriptor_mark = 0x08074b50;
constexpr std::uint16_t full16 = 0xffff;      // "look into the 64-bit field"
constexpr std::uint32_t full32 = 0xffffffff;  // the same
constexpr std::uint16_t has_descriptor = 1 << 3;

/// Little-endian numbers out of a piece of the file that is known to be long enough.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : bytes_(bytes) {}
  std::uint16_t u16() { return std::uint16_t(take(2)); }
  std::uint32_t u32() { return std::uint32_t(take(4)); }
  std::uint64_t u64() { return take(8); }
  void skip(std::size_t count) { at_ += count; }
  std::size_t left() const { return bytes_.size() - at_; }
  std::string_view text(std::size_t count) {
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

 private:
  std::uint64_t take(std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = count; i-- > 0;) value = value << 8 | std::uint8_t(bytes_[at_ + i]);
    at_ += count;
    return value;
  }
  std::string_view bytes_;
  std::size_t at_ = 0;
};

class LayoutReader {
 public:
  LayoutReader(ByteSource& source, std::size_t max_members)
      : source_(source), size_(*source.size()), max_members_(max_members) {}

  std::vector<ZipMember> read() {
    read_end();
    read_central_directory();
    check_tiling();
    return std::move(members_);
  }

 private:
  /// The record at the very end says where the central directory is.
  void read_end() {
    constexpr std::uint64_t length = 22;
    if (size_ < length) fail("E-NPZ-ZIP", "this is not a zip file, or it is cut off");
    const std::string bytes = piece(size_ - length, length);
    Fields f(bytes);
    if (f.u32() != end_mark)
      fail("E-NPZ-ZIP", "the zip file has no end record, or bytes behind it",
           "was the file cut off? save it again with numpy.savez");
    const std::uint16_t disk = f.u16(), first_disk = f.u16(), here = f.u16(), all = f.u16();
    directory_size_ = f.u32();
    directory_ = f.u32();
    count_ = all;
    directory_end_ = size_ - length;
    if (f.u16() != 0) fail("E-NPZ-ZIP", "the zip file has a comment at its end");
    if (disk != 0 || first_disk != 0 || here != all)
      fail("E-NPZ-ZIP", "the zip file is in several parts");
    read_end64();
    if (count_ > max_members_)
      throw Error(ExitCode::resource, "E-LIMIT-MEMBERS", source_.label(),
                  "the file holds " + std::to_string(count_) + " arrays; at most " +
                      std::to_string(max_members_) + " are read");
    if (count_ == 0) fail("E-NPZ-EMPTY", "the file holds no arrays");
    if (directory_ > directory_end_ || directory_end_ - directory_ != directory_size_)
      fail("E-NPZ-ZIP", "the zip file has bytes before or behind its content",
           "save it again with numpy.savez");
  }

  /// Large archives say everything once more with 64 bits, just before the end record.
  void read_end64() {
    constexpr std::uint64_t locator_length = 20, length = 56;
    const bool needed = count_ == full16 || directory_size_ == full32 || directory_ == full32;
    if (directory_end_ < locator_length + length) {
      if (needed) fail_directory();
      return;
    }
    const std::string locator = piece(directory_end_ - locator_length, locator_length);
    const std::uint64_t at = directory_end_ - locator_length - length;
    Fields l(locator);
    if (l.u32() != locator_mark) {
      if (needed) fail_directory();
      return;
    }
    const bool located = l.u32() == 0 && l.u64() == at && l.u32() == 1;
    const std::string bytes = piece(at, length);
    Fields f(bytes);
    if (!located || f.u32() != end64_mark || f.u64() != length - 12) fail_directory();
    f.skip(4);  // versions
    const bool one_disk = f.u32() == 0 && f.u32() == 0;
    const std::uint64_t here = f.u64(), all = f.u64(), size = f.u64(), offset = f.u64();
    const bool agree = (count_ == full16 || count_ == all) &&
                       (directory_size_ == full32 || directory_size_ == size) &&
                       (directory_ == full32 || directory_ == offset);
    if (!one_disk || here != all || !agree) fail_directory();
    count_ = all;
    directory_size_ = size;
    directory_ = offset;
    directory_end_ = at;
  }

  void read_central_directory() {
    constexpr std::uint64_t most = std::uint64_t(4) << 20;
    if (directory_size_ > most) fail_directory();
    const std::string bytes = piece(directory_, directory_size_);
    Fields f(bytes);
    std::set<std::string> names;
    for (std::uint64_t i = 0; i < count_; ++i) {
      members_.push_back(read_entry(f));
      check_member(members_.back());
      if (!names.insert(members_.back().name).second)
        fail("E-NPZ-DUPLICATE", "two arrays are named " + in_quotes(members_.back().name));
    }
    if (f.left() != 0) fail_directory();
  }

  ZipMember read_entry(Fields& f) {
    if (f.left() < 46 || f.u32() != central_mark) fail_directory();
    ZipMember m;
    f.skip(4);  // versions
    m.flags = f.u16();
    m.method = f.u16();
    f.skip(4);  // time and date
    m.crc = f.u32();
    m.packed = f.u32();
    m.size = f.u32();
    const std::size_t name = f.u16(), extra = f.u16(), comment = f.u16();
    const std::uint16_t disk = f.u16();
    f.skip(6);  // attributes
    m.offset = f.u32();
    if (f.left() < name + extra + comment || disk != 0) fail_directory();
    m.name = f.text(name);
    read_extra(f.text(extra), m, true);
    f.skip(comment);
    return m;
  }

  /// Takes 64-bit numbers from the extra field, for those that did not fit.
  void read_extra(std::string_view extra, ZipMember& m, bool central) {
    std::array<std::uint64_t*, 3> wanted{};
    std::size_t count = 0;
    if (m.size == full32) wanted[count++] = &m.size;
    if (m.packed == full32) wanted[count++] = &m.packed;
    if (central && m.offset == full32) wanted[count++] = &m.offset;
    bool found = false;
    for (Fields f(extra); f.left() > 0;) {
      if (f.left() < 4) fail_directory();
      const std::uint16_t id = f.u16(), length = f.u16();
      if (f.left() < length) fail_directory();
      Fields content(f.text(length));
      if (id != 1) continue;
      if (found || content.left() < 8 * count) fail_directory();
      found = true;
      for (std::size_t i = 0; i < count; ++i) *wanted[i] = content.u64();
    }
    if (count > 0 && !found) fail_directory();
  }

  void check_member(const ZipMember& m) const {
    constexpr std::uint16_t allowed = 1 << 1 | 1 << 2 | has_descriptor | 1 << 11;
    constexpr std::uint64_t best_ratio = 1040;  // deflate cannot do better
    check_name(m.name);
    if (m.flags & 1) fail("E-NPZ-METHOD", "array " + in_quotes(m.name) + " is encrypted");
    if ((m.flags & ~allowed) != 0 || (m.method != 0 && m.method != 8))
      fail("E-NPZ-METHOD",
           "array " + in_quotes(m.name) + " is packed by method " + std::to_string(m.method),
           "stored and deflated arrays are read: numpy.savez, numpy.savez_compressed");
    if (m.method == 0 && m.packed != m.size)
      fail("E-NPZ-ZIP", "array " + in_quotes(m.name) + " has two different sizes");
    if (m.method == 8 && m.size / best_ratio > m.packed)
      fail("E-NPZ-ZIP", "array " + in_quotes(m.name) + " cannot be as large as it claims");
  }

  /// Nothing is ever unpacked to disk; such names are refused because they mean to be.
  void check_name(const std::string& name) const {
    constexpr std::string_view suffix = ".npy";
    constexpr std::size_t longest = 256 + suffix.size();
    const auto refuse = [&](const char* why) {
      fail("E-NPZ-NAME", "the member name " + in_quotes(name) + " " + why);
    };
    if (name.empty()) refuse("is empty");
    if (name.size() > longest) refuse("is longer than 256 bytes");
    if (name.find_first_of("/\\") != std::string::npos || (name.size() > 1 && name[1] == ':'))
      refuse("is a path");
    for (std::size_t i = 0; i < name.size();) {
      const std::size_t length = utf8_length(std::string_view(name).substr(i));
      if (length == 0 || name[i] == '\0') refuse("is not UTF-8");
      i += length;
    }
    if (name.size() <= suffix.size() || !name.ends_with(suffix)) refuse("does not end in .npy");
  }

  /// In the order of the file, each member begins where the one before it ends.
  void check_tiling() {
    std::vector<const ZipMember*> ordered;
    for (const ZipMember& m : members_) ordered.push_back(&m);
    std::sort(ordered.begin(), ordered.end(),
              [](const ZipMember* a, const ZipMember* b) { return a->offset < b->offset; });
    if (ordered.front()->offset != 0)
      fail("E-NPZ-ZIP", "the zip file has bytes before its first array");
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      const std::uint64_t next = i + 1 < ordered.size() ? ordered[i + 1]->offset : directory_;
      check_local(*ordered[i], next);
    }
  }

  void check_local(const ZipMember& m, std::uint64_t next) {
    constexpr std::uint64_t fixed = 30;
    if (m.offset > next || next - m.offset < fixed) fail_overlap(m);
    const std::string head = piece(m.offset, fixed);
    Fields f(head);
    ZipMember local;
    if (f.u32() != local_mark) fail_disagreement(m);
    f.skip(2);  // version
    local.flags = f.u16();
    local.method = f.u16();
    f.skip(4);  // time and date
    local.crc = f.u32();
    local.packed = f.u32();
    local.size = f.u32();
    const std::uint64_t name = f.u16(), extra = f.u16();
    if (next - m.offset - fixed < name + extra) fail_overlap(m);
    const std::string rest = piece(m.offset + fixed, name + extra);
    local.name = rest.substr(0, name);
    read_extra(std::string_view(rest).substr(name), local, false);
    if (local.name != m.name || local.method != m.method || local.flags != m.flags)
      fail_disagreement(m);
    const bool same = local.crc == m.crc && local.packed == m.packed && local.size == m.size;
    const bool unknown = local.crc == 0 && local.packed == 0 && local.size == 0;
    if (!same && !(unknown && (m.flags & has_descriptor))) fail_disagreement(m);
    const std::uint64_t room = next - m.offset - fixed - name - extra;
    if (m.packed > room) fail_overlap(m);
    check_descriptor(m, next - (room - m.packed), room - m.packed);
  }

  /// Behind the data, sizes may be said once more; nothing else may be there.
  void check_descriptor(const ZipMember& m, std::uint64_t at, std::uint64_t room) {
    if (!(m.flags & has_descriptor)) {
      if (room != 0) fail("E-NPZ-ZIP", "there are bytes between the arrays");
      return;
    }
    if (room != 12 && room != 16 && room != 20 && room != 24) fail_disagreement(m);
    const std::string bytes = piece(at, room);
    Fields f(bytes);
    const bool wide = room >= 20;
    if (room == 16 || room == 24) {
      if (f.u32() != descriptor_mark) fail_disagreement(m);
    }
    const std::uint32_t crc = f.u32();
    const std::uint64_t packed = wide ? f.u64() : f.u32(), size = wide ? f.u64() : f.u32();
    if (crc != m.crc || packed != m.packed || size != m.size) fail_disagreement(m);
  }

  std::string piece(std::uint64_t offset, std::uint64_t length) {
    if (offset > size_ || size_ - offset < length) fail_directory();
    std::string bytes(std::size_t(length), '\0');
    source_.read_at(offset, bytes.data(), bytes.size());
    return bytes;
  }

  [[noreturn]] void fail(const char* id, const std::string& problem,
                         const std::string& hint = {}) const {
    throw Error(ExitCode::bad_data, id, source_.label(), problem, hint);
  }
  [[noreturn]] void fail_directory() const {
    fail("E-NPZ-ZIP", "the directory of the zip file is broken", "was the file cut off?");
  }
  [[noreturn]] void fail_overlap(const ZipMember& m) const {
    fail("E-NPZ-ZIP", "array " + in_quotes(m.name) + " overlaps what comes after it");
  }
  [[noreturn]] void fail_disagreement(const ZipMember& m) const {
    fail("E-NPZ-ZIP", "the zip file says different things about array " + in_quotes(m.name));
  }

  ByteSource& source_;
  std::uint64_t size_;
  std::size_t max_members_;
  std::uint64_t count_ = 0, directory_ = 0, directory_size_ = 0, directory_end_ = 0;
  std::vector<ZipMember> members_;
};

}  // namespace

std::vector<ZipMember> read_zip_layout(ByteSource& source, std::size_t max_members) {
  return LayoutReader(source, max_members).read();
}

}  // namespace whence
