#include "python/src/worker.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <unistd.h>
#include <utility>

#include <CLI/CLI.hpp>
#include <nanobind/stl/string.h>

#include "apps/whence/command_hints.hpp"
#include "whence/core/error.hpp"

namespace nb = nanobind;

namespace whence::python {
namespace {

/// Raises the exception of the package that belongs to the code.
[[noreturn]] void raise(const Error& error) {
  nb::module_::import_("whence._errors")
      .attr("raise_error")(int(error.code()), error.id(), error.place(), std::string(error.what()),
                           error.hint());
  throw nb::value_error("raise_error did not raise");
}

void raise_again(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    raise(with_command_hint(error));
  } catch (const CLI::ParseError& error) {
    raise(Error(ExitCode::usage, "E-USAGE-PARSE", "", error.what()));
  } catch (const std::bad_alloc&) {
    raise(Error(ExitCode::resource, "E-LIMIT-MEMORY", "", "memory ran out"));
  } catch (const nb::python_error&) {
    throw;
  } catch (const std::exception& error) {
    raise(Error(ExitCode::internal, "E-INTERNAL", "", error.what(),
                "this is a bug in whence: please report it"));
  }
}

}  // namespace

/// A command in a thread of its own, with all that it needs.
class Job {
 public:
  Job(std::shared_ptr<Host> host, std::vector<std::string> arguments, nb::object keep)
      : host_(std::move(host)),
        arguments_(std::move(arguments)),
        keep_(std::move(keep)),
        thread_([this] { run(); }) {}
  ~Job() {
    if (thread_.joinable()) thread_.join();
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Whether it ended within that time.
  bool wait(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [&] { return done_; });
  }
  std::exception_ptr failure() const { return failure_; }

 private:
  void run() {
    try {
      Globals globals;
      globals.host = host_.get();
      globals.quiet = true;
      run_command(arguments_, add_host_commands, globals);
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }

  std::shared_ptr<Host> host_;
  std::vector<std::string> arguments_;
  nb::object keep_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  // last: it uses all the others
};

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds between_looks(50);

/// Jobs that were still at work when Python went on. Touched with the interpreter lock only, and
/// never destroyed: a thread may still run when the process ends.
std::vector<std::shared_ptr<Job>>& left_alone() {
  static auto* jobs = new std::vector<std::shared_ptr<Job>>;
  return *jobs;
}

void forget_ended() {
  std::erase_if(left_alone(), [](const auto& job) { return job->wait(milliseconds(0)); });
}

bool wait_unlocked(Job& job) {
  nb::gil_scoped_release unlocked;
  return job.wait(between_looks);
}

/// Waits until the job ends. What Python raises meanwhile asks it to stop; then it gets a while,
/// which a second exception cuts short.
std::optional<nb::python_error> watch(Job& job, Host& host, const nb::object& tick,
                                      double patience) {
  std::optional<nb::python_error> raised;
  Clock::time_point end = Clock::time_point::max();
  while (Clock::now() < end && !wait_unlocked(job)) {
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!raised && !tick.is_none()) tick(host.done.load(), host.best_score.load());
    } catch (nb::python_error& error) {
      host.stop = true;
      if (raised) break;
      raised.emplace(std::move(error));
      end = Clock::now() + milliseconds(long(1000 * patience));
    }
  }
  return raised;
}

}  // namespace

Outcome run_and_watch(const std::shared_ptr<Host>& host, const std::vector<std::string>& arguments,
                      const nb::object& keep, const nb::object& tick, bool answers_early,
                      double patience) {
  const auto start = Clock::now();
  forget_ended();
  auto job = std::make_shared<Job>(host, arguments, keep);
  std::optional<nb::python_error> raised = watch(*job, *host, tick, patience);
  const bool done = job->wait(milliseconds(0));
  const std::exception_ptr failure = done ? job->failure() : nullptr;
  Outcome outcome;
  outcome.interrupted = raised && raised->matches(PyExc_KeyboardInterrupt);
  outcome.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  // Ctrl-C with an answer is for the caller to tell; all else is raised as it is.
  if (!done) left_alone().push_back(job);
  if (raised && (!outcome.interrupted || failure || (!done && !answers_early)))
    throw std::move(*raised);
  if (failure) raise_again(failure);
  if (!done) outcome.job = std::move(job);
  return outcome;
}

void wait_for(Job& job) {
  while (!wait_unlocked(job))
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (job.failure()) raise_again(job.failure());
}

void leave_without_jobs() {
#ifdef __GLIBC__
  on_exit(
      [](int status, void*) {
        for (const auto& job : left_alone())
          if (!job->wait(milliseconds(0))) {
            std::fflush(nullptr);
            _exit(status);
          }
      },
      nullptr);
#endif
}

void guarded(const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    raise_again(std::current_exception());
  }
}

}  // namespace whence::python
