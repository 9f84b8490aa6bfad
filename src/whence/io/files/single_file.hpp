// One file that appears whole or not at all.
#pragma once

#include <filesystem>
#include <string>

namespace whence {

/// A file that is written and flushed under a temporary name; commit() renames it, and
/// without it the file is removed. Errors are of code io.
class StagedFile {
 public:
  /// An existing file is replaced only where `replace` is set, and is E-OUT-EXISTS otherwise. What
  /// is no regular file (a folder, a link, a device) never is: E-OUT-KIND.
  StagedFile(std::filesystem::path path, const std::string& content, bool replace);
  ~StagedFile();
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  void commit();

 private:
  std::filesystem::path path_, stage_;
  bool replace_, done_ = false;
};

/// Both steps at once.
void write_single_file(const std::filesystem::path& path, const std::string& content, bool replace);

}  // namespace whence
