#include "whence/io/files/directory_lock.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sstream>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>

#include "whence/io/files/system_error.hpp"

namespace whence {
namespace {

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

struct Holder {
  long pid = 0;
  std::string host;
};

Holder read_holder(int file) {
  char buffer[512] = {};
  Holder holder;
  if (::pread(file, buffer, sizeof buffer - 1, 0) > 0)
    std::istringstream(buffer) >> holder.pid >> holder.host;
  return holder;
}

[[noreturn]] void fail_locked(const std::filesystem::path& directory, const Holder& holder,
                              const std::string& hint) {
  throw Error(ExitCode::io, "E-LOCK", printable(directory.string()),
              "another process is writing here: number " + std::to_string(holder.pid) +
                  " on host " + printable(holder.host),
              hint);
}

/// File systems without locks, some NFS among them.
bool cannot_flock(int error) {
  return error == EOPNOTSUPP || error == ENOTSUP || error == ENOLCK || error == ENOSYS;
}

/// A process of this host that is no more.
bool is_dead(const Holder& holder) {
  return holder.pid > 0 && holder.host == host_name() && ::kill(pid_t(holder.pid), 0) != 0 &&
         errno == ESRCH;
}

bool same_file(int file, const std::filesystem::path& path) {
  struct stat open {
  }, named{};
  return ::fstat(file, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

}  // namespace

DirectoryLock::DirectoryLock(const std::filesystem::path& directory)
    : directory_(directory),
      path_(directory.parent_path() / ("." + directory.filename().string() + ".whence-lock")) {
  while (!try_lock()) {
  }
}

/// False when the file was removed between opening and locking it, by a holder that just ended.
bool DirectoryLock::try_lock() {
  constexpr int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  FileDescriptor file(::open(path_.c_str(), flags | O_EXCL, 0644));
  const bool created = bool(file);
  if (!created && errno == EEXIST) file = FileDescriptor(::open(path_.c_str(), flags, 0644));
  if (!file) fail_io("create the lock", path_);
  struct stat status {};
  const auto fail = [&](const char* doing, int error) {
    if (created) ::unlink(path_.c_str());
    fail_io(doing, path_, error);
  };
  if (::fstat(file.get(), &status) != 0) fail("look at the lock", errno);
  if (!S_ISREG(status.st_mode))
    throw Error(ExitCode::io, "E-IO-KIND", printable(path_.string()),
                "the lock is not a regular file", "remove it");
  bool locked = ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
  const int error = errno;
  const bool without_flock = !locked && cannot_flock(error);
  if (!locked && !without_flock && error != EWOULDBLOCK) fail("lock", error);
  const Holder holder = read_holder(file.get());
  // Then the file itself is the lock: the process that made it holds it as long as it runs.
  if (without_flock) locked = created || is_dead(holder);
  if (!locked) fail_locked(directory_, holder, "wait for it, or choose another place");
  if (!same_file(file.get(), path_)) return false;
  const std::string host = host_name();
  if (!holder.host.empty() && holder.host != host)
    fail_locked(directory_, holder, "if it is gone, remove " + printable(path_.string()));
  // Free, or left behind by a process of this host that is dead: ours now.
  const std::string line = std::to_string(::getpid()) + " " + host + "\n";
  errno = ENOSPC;  // what a short write means
  if (::ftruncate(file.get(), 0) != 0 ||
      ::pwrite(file.get(), line.data(), line.size(), 0) != ssize_t(line.size())) {
    const int write_error = errno;
    ::unlink(path_.c_str());
    fail_io("write the lock", path_, write_error);
  }
  file_ = std::move(file);
  return true;
}

DirectoryLock::~DirectoryLock() { ::unlink(path_.c_str()); }

}  // namespace whence
