// A command in a thread of its own, while Python stays able to answer signals.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "apps/whence/host.hpp"

namespace whence::python {

class Job;

struct Outcome {
  bool interrupted = false;  // by Ctrl-C; there is an answer, or there will be one
  std::shared_ptr<Job> job;  // still at work, or empty
  double seconds = 0;        // since the start
};

/// Runs a command without the interpreter lock. A few times a second signals are looked at, and
/// `tick` is called with the share of work done and the best score, unless it is None.
/// What the command throws becomes an exception of the package; so does what `tick` raises.
/// After Ctrl-C the command is asked to stop and gets `patience` seconds to do so. Then this
/// returns a job that is still at work, where the command `answers_early`; otherwise it raises.
/// The job needs `keep`, whatever keeps the tables of the host.
Outcome run_and_watch(const std::shared_ptr<Host>& host, const std::vector<std::string>& arguments,
                      const nanobind::object& keep, const nanobind::object& tick,
                      bool answers_early, double patience);

/// Waits until the job ends. Raises what it threw; Ctrl-C raises, too, and may be followed by
/// another wait.
void wait_for(Job& job);

/// When the process ends while a job is still at work, statics are not destroyed under its feet.
void leave_without_jobs();

/// Calls it, and turns an Error into the exception of the package.
void guarded(const std::function<void()>& work);

}  // namespace whence::python
