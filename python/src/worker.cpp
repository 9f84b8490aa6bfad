#include "python/src/worker.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

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

/// The thread in which a command runs.
class Worker {
 public:
  Worker(Host& host, const std::vector<std::string>& arguments)
      : thread_([this, &host, &arguments] { run(host, arguments); }) {}
  ~Worker() {
    if (thread_.joinable()) thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  bool wait(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [&] { return done_; });
  }
  std::exception_ptr failure() const { return failure_; }

 private:
  void run(Host& host, const std::vector<std::string>& arguments) {
    try {
      Globals globals;
      globals.host = &host;
      globals.quiet = true;
      run_command(arguments, add_host_commands, globals);
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  // last: it uses all the others
};

/// Lets the command finish, whatever happens here; it is asked to stop first.
void wait_for_end(Worker& worker, Host& host) {
  host.stop = true;
  nb::gil_scoped_release unlocked;
  while (!worker.wait(std::chrono::milliseconds(1000))) {
  }
}

}  // namespace

Outcome run_and_watch(Host& host, const std::vector<std::string>& arguments,
                      const nb::object& tick) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  Outcome outcome;
  std::optional<nb::python_error> raised;
  std::exception_ptr failure;
  {
    Worker worker(host, arguments);
    for (bool done = false; !done;) {
      {
        nb::gil_scoped_release unlocked;
        done = worker.wait(std::chrono::milliseconds(50));
      }
      if (done) break;
      try {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!tick.is_none()) tick(host.done.load(), host.best_score.load());
      } catch (nb::python_error& error) {
        outcome.interrupted = error.matches(PyExc_KeyboardInterrupt);
        raised.emplace(std::move(error));
        wait_for_end(worker, host);
        break;
      }
    }
    failure = worker.failure();
  }
  outcome.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  // Ctrl-C with an answer is for the caller to tell; all else is raised as it is.
  if (raised && (!outcome.interrupted || failure)) throw std::move(*raised);
  if (failure) raise_again(failure);
  return outcome;
}

void guarded(const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    raise_again(std::current_exception());
  }
}

}  // namespace whence::python
