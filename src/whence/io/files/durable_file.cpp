#include "whence/io/files/durable_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include "whence/io/files/file_descriptor.hpp"
#include "whence/io/files/system_error.hpp"

namespace whence {

void write_new_file(const std::filesystem::path& path, const std::string& content) {
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  FileDescriptor file(::open(path.c_str(), flags, 0666));
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

void sync_folder(const std::filesystem::path& folder) {
  const FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot flush folders; they say so with EINVAL, and there is no other way.
  if (!fd || (::fsync(fd.get()) != 0 && errno != EINVAL)) fail_io("flush", folder);
}

}  // namespace whence
