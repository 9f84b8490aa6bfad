// One writer per output directory: a lock file beside it names the process that holds it.
#pragma once

#include <filesystem>

#include "whence/io/files/file_descriptor.hpp"

namespace whence {

/// Holds `.NAME.whence-lock` beside the directory NAME until destroyed. The kernel's lock on the
/// file decides on one machine, so a dead process never blocks anyone; the host written into it
/// decides between machines that share a file system without sharing locks. Where there are no
/// locks at all (some NFS), the file itself is the lock: the process that made it holds it, until
/// that process ends.
class DirectoryLock {
 public:
  /// Error E-LOCK of code io, with process number and host, when another process holds it.
  explicit DirectoryLock(const std::filesystem::path& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  bool try_lock();

  std::filesystem::path directory_, path_;
  FileDescriptor file_;
};

}  // namespace whence
