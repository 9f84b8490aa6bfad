#include "faults/system_calls.hpp"

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace whence::faults {
namespace {

std::atomic<const Fault*> armed = nullptr;
std::atomic<std::size_t> calls = 0;
std::atomic<bool> has_fired = false;

/// The fault that this call suffers, or nothing.
const Fault* due(const char* call) {
  const Fault* fault = armed;
  if (!fault || (fault->call && std::strcmp(fault->call, call) != 0)) return nullptr;
  const std::size_t number = ++calls;
  if (number < fault->at || (number > fault->at && !fault->for_ever)) return nullptr;
  if (fault->error == 0 && std::strcmp(call, "write") != 0) return nullptr;
  has_fired = true;
  return fault;
}

/// The C library's own function.
template <class F>
F* original(const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

template <class Result, class... Arguments>
Result call(const char* name, Result failed, Arguments... arguments) {
  if (const Fault* fault = due(name); fault && fault->error != 0) {
    errno = fault->error;
    return failed;
  }
  return original<Result(Arguments...)>(name)(arguments...);
}

Fault current;

}  // namespace

Injected::Injected(const Fault& fault) {
  current = fault;
  calls = 0;
  has_fired = false;
  armed = &current;
}
Injected::~Injected() { armed = nullptr; }
bool Injected::fired() const { return has_fired; }

}  // namespace whence::faults

using whence::faults::call;

extern "C" {

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  if (const auto* fault = whence::faults::due("open"); fault && fault->error != 0) {
    errno = fault->error;
    return -1;
  }
  return whence::faults::original<int(const char*, int, ...)>("open")(path, flags, mode);
}
ssize_t write(int file, const void* bytes, size_t size) {
  const auto* fault = whence::faults::due("write");
  if (fault && fault->error != 0) {
    errno = fault->error;
    return -1;
  }
  if (fault && size > 1) size /= 2;
  return whence::faults::original<ssize_t(int, const void*, size_t)>("write")(file, bytes, size);
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  return call("pwrite", ssize_t(-1), file, bytes, size, at);
}
ssize_t read(int file, void* bytes, size_t size) {
  return call("read", ssize_t(-1), file, bytes, size);
}
int fsync(int file) { return call("fsync", -1, file); }
int mkdir(const char* path, mode_t mode) noexcept { return call("mkdir", -1, path, mode); }
char* mkdtemp(char* path) noexcept { return call("mkdtemp", static_cast<char*>(nullptr), path); }
int rename(const char* from, const char* to) noexcept { return call("rename", -1, from, to); }
int renameat2(int a, const char* from, int b, const char* to, unsigned flags) noexcept {
  return call("renameat2", -1, a, from, b, to, flags);
}
int chmod(const char* path, mode_t mode) noexcept { return call("chmod", -1, path, mode); }
int ftruncate(int file, off_t size) noexcept { return call("ftruncate", -1, file, size); }
int flock(int file, int operation) noexcept { return call("flock", -1, file, operation); }
int linkat(int a, const char* from, int b, const char* to, int flags) noexcept {
  return call("linkat", -1, a, from, b, to, flags);
}
int fstat(int file, struct stat* status) noexcept { return call("fstat", -1, file, status); }
int lstat(const char* path, struct stat* status) noexcept {
  return call("lstat", -1, path, status);
}
/// The file is closed in any case, as on Linux.
int close(int file) {
  const int result = whence::faults::original<int(int)>("close")(file);
  if (const auto* fault = whence::faults::due("close"); fault && fault->error != 0) {
    errno = fault->error;
    return -1;
  }
  return result;
}
}
