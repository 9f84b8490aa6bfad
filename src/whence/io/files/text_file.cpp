#include "whence/io/files/text_file.hpp"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <sys/stat.h>

#include "whence/io/files/file_descriptor.hpp"
#include "whence/io/files/system_error.hpp"

namespace whence {

std::string read_text_file(const std::filesystem::path& path, std::size_t max_bytes) {
  // Not blocking: opening a pipe without a writer would otherwise never return.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) fail_io("open", path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail_io("read", path);
  if (!S_ISREG(status.st_mode))
    throw Error(ExitCode::io, "E-IO-KIND", printable(path.string()), "this is not a regular file",
                "pipes, devices and folders cannot be read here");
  const auto check = [&](std::uint64_t bytes) {
    if (bytes > max_bytes)
      throw Error(ExitCode::bad_config, "E-JSON-SIZE", printable(path.string()),
                  "the file is larger than " + std::to_string(max_bytes) + " bytes");
  };
  check(std::uint64_t(status.st_size));  // before anything is read
  std::string text;
  char buffer[16384];
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_io("read", path);
    if (got == 0) return text;
    text.append(buffer, std::size_t(got));
    check(text.size());
  }
}

}  // namespace whence
