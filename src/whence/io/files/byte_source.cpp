#include "whence/io/files/byte_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <vector>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"

namespace whence {
namespace {

[[noreturn]] void fail_reading(const std::string& label, const char* doing, int error) {
  const char* hint = error == ENOENT   ? "check the path; relative paths start where you are"
                     : error == EACCES ? "ask its owner for permission to read it"
                                       : "";
  throw Error(ExitCode::io, "E-IO-SYSTEM", label,
              std::string("cannot ") + doing + ": " + std::strerror(error), hint);
}

[[noreturn]] void fail_kind(const std::string& label, const char* kind, const char* hint) {
  throw Error(ExitCode::io, "E-IO-KIND", label, std::string("this is ") + kind + ", not a file",
              hint);
}

void require_file(const std::string& label, mode_t mode, bool allow_stream) {
  if (S_ISREG(mode) || (allow_stream && S_ISFIFO(mode))) return;
  if (S_ISDIR(mode)) fail_kind(label, "a folder", "name a file inside it");
  if (S_ISFIFO(mode)) fail_kind(label, "a pipe", "write it to a file first");
  fail_kind(label, "a device", "only regular files are read");
}

}  // namespace

std::size_t ByteSource::read(char* to, std::size_t count) {
  std::size_t got = 0;
  while (got < count) {
    const std::size_t more = fill(to + got, count - got);
    if (more == 0) break;
    got += more;
  }
  bytes_read_ += got;
  hash_.update({to, got});
  return got;
}

void ByteSource::skip_rest() {
  std::vector<char> buffer(std::size_t(1) << 17);
  while (read(buffer.data(), buffer.size()) > 0) {
  }
}

void ByteSource::read_at(std::uint64_t offset, char* to, std::size_t count) {
  std::size_t got = 0;
  while (got < count) {
    const std::size_t more = fill_at(offset + got, to + got, count - got);
    if (more == 0)
      throw Error(ExitCode::io, "E-IO-CHANGED", label(),
                  "the file became shorter while it was read", "wait until it is complete");
    got += more;
  }
}

void ByteSource::check_unchanged() const {
  if (changed())
    throw Error(ExitCode::io, "E-IO-CHANGED", label(), "the file changed while it was read",
                "wait until it is complete, or read a copy");
}

std::size_t MemorySource::fill(char* to, std::size_t count) {
  const std::size_t got = fill_at(at_, to, count);
  at_ += got;
  return got;
}

std::size_t MemorySource::fill_at(std::uint64_t offset, char* to, std::size_t count) {
  if (offset >= bytes_.size()) return 0;
  const std::size_t got = std::min(count, bytes_.size() - std::size_t(offset));
  std::copy_n(bytes_.data() + offset, got, to);
  return got;
}

FileSource::FileSource(const std::filesystem::path& path, bool allow_stream)
    : ByteSource(printable(path.string())) {
  // Not blocking: opening a pipe without a writer would otherwise never return.
  const int blocking = allow_stream ? 0 : O_NONBLOCK;
  file_ = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | blocking));
  if (!file_) fail_reading(label(), "open", errno);
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) fail_reading(label(), "read", errno);
  require_file(label(), status.st_mode, allow_stream);
  if (!S_ISREG(status.st_mode)) return;
  size_ = std::uint64_t(status.st_size);
  modified_seconds_ = status.st_mtim.tv_sec;
  modified_nanoseconds_ = status.st_mtim.tv_nsec;
}

bool FileSource::changed() const {
  if (!size_) return false;
  struct stat now {};
  if (::fstat(file_.get(), &now) != 0) fail_reading(label(), "read", errno);
  return std::uint64_t(now.st_size) != *size_ || now.st_mtim.tv_sec != modified_seconds_ ||
         now.st_mtim.tv_nsec != modified_nanoseconds_;
}

std::size_t FileSource::fill(char* to, std::size_t count) {
  for (;;) {
    const ssize_t got = ::read(file_.get(), to, count);
    if (got >= 0) return std::size_t(got);
    if (errno != EINTR) fail_reading(label(), "read", errno);
  }
}

std::size_t FileSource::fill_at(std::uint64_t offset, char* to, std::size_t count) {
  for (;;) {
    const ssize_t got = ::pread(file_.get(), to, count, off_t(offset));
    if (got >= 0) return std::size_t(got);
    if (errno != EINTR) fail_reading(label(), "read", errno);
  }
}

}  // namespace whence
