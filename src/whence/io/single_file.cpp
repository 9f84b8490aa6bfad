#include "whence/io/single_file.hpp"

#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "whence/io/file_descriptor.hpp"
#include "whence/io/system_error.hpp"

namespace whence {
namespace {

void write_all(const std::filesystem::path& path, const std::string& content) {
  FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file) fail_io("create", path);
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t wrote = ::write(file.get(), content.data() + done, content.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) fail_io("write", path);
    done += std::size_t(wrote);
  }
  if (::fsync(file.get()) != 0) fail_io("flush", path);
  if (!file.close()) fail_io("close", path);
}

void rename_to(const std::filesystem::path& from, const std::filesystem::path& to, bool replace) {
  const int done =
      replace ? ::rename(from.c_str(), to.c_str())
              : ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE);
  if (done == 0) return;
  if (!replace && errno == EEXIST)
    throw Error(ExitCode::io, "E-OUT-EXISTS", printable(to.string()), "the file exists already",
                "--force replaces it");
  fail_io("write", to);
}

}  // namespace

void write_single_file(const std::filesystem::path& path, const std::string& content,
                       bool replace) {
  struct stat status {};
  if (!replace && ::lstat(path.c_str(), &status) == 0)
    throw Error(ExitCode::io, "E-OUT-EXISTS", printable(path.string()), "the file exists already",
                "--force replaces it");
  const std::filesystem::path stage =
      path.parent_path() /
      ("." + path.filename().string() + ".whence-new." + std::to_string(::getpid()));
  try {
    write_all(stage, content);
    rename_to(stage, path, replace);
  } catch (...) {
    ::unlink(stage.c_str());
    throw;
  }
}

}  // namespace whence
