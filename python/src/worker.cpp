#include "python/src/worker.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
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

/// Commands that nobody waits for any more. Touched with the interpreter lock only, and never
/// destroyed: a thread may still run when the process ends.
std::vector<std::unique_ptr<Job>>& abandoned() {
  static auto* jobs = new std::vector<std::unique_ptr<Job>>;
  return *jobs;
}

void forget_ended() {
  std::erase_if(abandoned(),
                [](const auto& job) { return job->wait(std::chrono::milliseconds(0)); });
}

/// Waits until the command ends; what Python raises meanwhile asks it to stop. Raised twice: the
/// user means it.
std::optional<nb::python_error> watch(std::unique_ptr<Job>& job, Host& host,
                                      const nb::object& tick) {
  std::optional<nb::python_error> raised;
  for (;;) {
    bool done = false;
    {
      nb::gil_scoped_release unlocked;
      done = job->wait(std::chrono::milliseconds(50));
    }
    if (done) return raised;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!raised && !tick.is_none()) tick(host.done.load(), host.best_score.load());
    } catch (nb::python_error& error) {
      host.stop = true;
      if (raised) {
        abandoned().push_back(std::move(job));
        return raised;
      }
      raised.emplace(std::move(error));
    }
  }
}

}  // namespace

Outcome run_and_watch(const std::shared_ptr<Host>& host, const std::vector<std::string>& arguments,
                      const nb::object& keep, const nb::object& tick) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  forget_ended();
  auto job = std::make_unique<Job>(host, arguments, keep);
  std::optional<nb::python_error> raised = watch(job, *host, tick);
  const std::exception_ptr failure = job ? job->failure() : nullptr;
  Outcome outcome;
  outcome.interrupted = raised && raised->matches(PyExc_KeyboardInterrupt);
  outcome.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  // Ctrl-C with an answer is for the caller to tell; all else is raised as it is.
  if (raised && (!outcome.interrupted || failure || !job)) throw std::move(*raised);
  if (failure) raise_again(failure);
  return outcome;
}

void wait_for_abandoned() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  nb::gil_scoped_release unlocked;
  for (const auto& job : abandoned())
    while (!job->wait(std::chrono::milliseconds(100)) && std::chrono::steady_clock::now() < end) {
    }
}

void guarded(const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    raise_again(std::current_exception());
  }
}

}  // namespace whence::python
