// A command in a thread of its own, while Python stays able to answer signals.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "apps/whence/host.hpp"

namespace whence::python {

struct Outcome {
  bool interrupted = false;  // by Ctrl-C; there is an answer all the same
  double seconds = 0;
};

/// Runs a command without the interpreter lock. A few times a second signals are looked at, and
/// `tick` is called with the share of work done and the best score, unless it is None.
/// What the command throws becomes an exception of the package; so does what `tick` raises.
/// After Ctrl-C the command is asked to stop and waited for; after another one it is left to end by
/// itself, which is why it needs `keep`: whatever keeps the tables of the host.
Outcome run_and_watch(const std::shared_ptr<Host>& host, const std::vector<std::string>& arguments,
                      const nanobind::object& keep, const nanobind::object& tick);

/// Before the interpreter ends: a while for commands that were left alone.
void wait_for_abandoned();

/// Calls it, and turns an Error into the exception of the package.
void guarded(const std::function<void()>& work);

}  // namespace whence::python
