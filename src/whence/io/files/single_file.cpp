#include "whence/io/files/single_file.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "whence/io/files/durable_file.hpp"
#include "whence/io/files/system_error.hpp"

namespace whence {
namespace {

void require_place(const std::filesystem::path& path, bool replace) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;
  const auto refuse = [&](const char* id, const char* problem, const char* hint) {
    throw Error(ExitCode::io, id, printable(path.string()), problem, hint);
  };
  if (S_ISLNK(status.st_mode))
    refuse("E-OUT-KIND", "this is a symbolic link", "name the file it points to");
  if (!S_ISREG(status.st_mode))
    refuse("E-OUT-KIND", "this is not a regular file", "choose another name");
  if (!replace) refuse("E-OUT-EXISTS", "the file exists already", "--force replaces it");
}

}  // namespace

StagedFile::StagedFile(std::filesystem::path path, const std::string& content, bool replace)
    : path_(std::move(path)),
      stage_(path_.parent_path() /
             ("." + path_.filename().string() + ".whence-new." + std::to_string(::getpid()))),
      replace_(replace) {
  require_place(path_, replace_);
  try {
    write_new_file(stage_, content);
  } catch (...) {
    ::unlink(stage_.c_str());
    throw;
  }
}

StagedFile::~StagedFile() {
  if (!done_) ::unlink(stage_.c_str());
}

void StagedFile::commit() {
  require_place(path_, replace_);
  const int moved =
      replace_ ? ::rename(stage_.c_str(), path_.c_str())
               : ::renameat2(AT_FDCWD, stage_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE);
  if (moved != 0 && !replace_ && errno == EEXIST) require_place(path_, replace_);
  if (moved != 0) fail_io("write", path_);
  done_ = true;
  sync_folder(path_.has_parent_path() ? path_.parent_path() : ".");
}

void write_single_file(const std::filesystem::path& path, const std::string& content,
                       bool replace) {
  StagedFile(path, content, replace).commit();
}

}  // namespace whence
