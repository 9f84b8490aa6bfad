// Results on disk: all files of a run appear at once, or nothing changes.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

#include "whence/io/files/directory_lock.hpp"

namespace whence {

/// `name` is relative, with '/' between folders; every part is a safe file name.
struct OutputFile {
  std::string name;
  std::string content;
};

/// The constructor finds out early whether results can be written; publish() writes them.
///
/// New files are written into a hidden folder beside DIR, flushed to the disk and then exchanged
/// with DIR in one step. A directory that holds an earlier result (its run.json lists the files) is
/// replaced; files that Whence did not write are carried over. Any other directory that is not
/// empty is refused. Errors are of code io and name the path.
class OutputDirectory {
 public:
  explicit OutputDirectory(const std::filesystem::path& directory);
  ~OutputDirectory();
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// One of the files must be "run.json", an object with "program": "whence" and "files".
  void publish(std::span<const OutputFile> files);

 private:
  void make_parents();
  void inspect();
  void remove_leftovers() const;
  void carry_over(const std::filesystem::path& stage) const;
  void carry_folders(const std::filesystem::path& stage) const;
  void restore_rights(const std::filesystem::path& stage) const;
  void exchange(const std::filesystem::path& stage);

  std::filesystem::path path_;
  std::vector<std::filesystem::path> made_;  // parents created by us, outermost first
  std::vector<std::string> foreign_;         // files in DIR that we did not write
  struct Folder {
    std::string name;
    mode_t mode = 0;
    uid_t owner = 0;
    gid_t group = 0;
    bool foreign = false;  // none of our files was in it
  };
  std::vector<Folder> folders_;  // in DIR, parents first
  bool exists_ = false, published_ = false;
  std::optional<DirectoryLock> lock_;
};

}  // namespace whence
