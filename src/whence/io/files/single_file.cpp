#include "whence/io/files/single_file.hpp"

#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "whence/io/files/durable_file.hpp"
#include "whence/io/files/system_error.hpp"

namespace whence {
namespace {

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
    write_new_file(stage, content);
    rename_to(stage, path, replace);
  } catch (...) {
    ::unlink(stage.c_str());
    throw;
  }
  sync_folder(path.has_parent_path() ? path.parent_path() : ".");
}

}  // namespace whence
