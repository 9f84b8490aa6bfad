#include "apps/whence/machine.hpp"

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/whence/terminal.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/files/file_descriptor.hpp"

extern char** environ;

namespace whence {
namespace {

/// A file in memory, holding the input of a tool, ready to be read.
FileDescriptor memory_file(std::string_view content) {
  FileDescriptor file(::memfd_create("input", MFD_CLOEXEC));
  while (file && !content.empty()) {
    const ssize_t wrote = ::write(file.get(), content.data(), content.size());
    if (wrote < 0) return FileDescriptor();
    content.remove_prefix(std::size_t(wrote));
  }
  if (file) ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string read_to_end(int file) {
  std::string out;
  char buffer[16384];
  for (;;) {
    const ssize_t got = ::read(file, buffer, sizeof buffer);
    if (got > 0)
      out.append(buffer, std::size_t(got));
    else if (got == 0 || errno != EINTR)
      return out;
  }
}

pid_t spawn(const std::vector<std::string>& command, int input, int output) {
  std::vector<char*> arguments;
  for (const std::string& part : command) arguments.push_back(const_cast<char*>(part.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : -1;
}

}  // namespace

namespace {

constexpr std::size_t large_stack = std::size_t(8) << 20;

struct OnStack {
  const std::function<int()>* work;
  int result = int(ExitCode::resource);
};

void* run_on_stack(void* argument) {
  auto* call = static_cast<OnStack*>(argument);
  call->result = (*call->work)();
  return nullptr;
}

}  // namespace

int on_a_large_stack(const std::function<int()>& work) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= large_stack) return work();
  pthread_attr_t attributes;
  OnStack call{&work};
  pthread_t thread{};
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, large_stack);
  pthread_setattr_default_np(&attributes);  // of threads that are started without attributes
  const int error = pthread_create(&thread, &attributes, run_on_stack, &call);
  pthread_attr_destroy(&attributes);
  if (error == 0) {
    pthread_join(thread, nullptr);
    return call.result;
  }
  print_error({ExitCode::resource, "E-LIMIT-STACK", "",
               "the stack of this process is small, and no thread with a larger one can be started",
               "ulimit -s 8192"},
              false);
  return call.result;
}

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.compare(0, 10, "model name") == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::uint64_t memory_bytes() {
  return std::uint64_t(::sysconf(_SC_PHYS_PAGES)) * std::uint64_t(::sysconf(_SC_PAGESIZE));
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string find_tool(std::string_view name) {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path ? path : "/usr/bin:/bin", ':')) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + std::string(name);
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

std::optional<std::string> run_tool(const std::vector<std::string>& command,
                                    std::string_view input) {
  int ends[2];
  const FileDescriptor source = memory_file(input);
  if (!source || ::pipe2(ends, O_CLOEXEC) != 0) return {};
  FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  const pid_t child = spawn(command, source.get(), writing.get());
  if (child < 0) return {};
  writing.close();
  std::string output = read_to_end(reading.get());
  reading.close();  // where reading failed, the tool must not wait for a reader for ever
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return {};
  return output;
}

}  // namespace whence
