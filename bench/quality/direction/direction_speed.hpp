// How long an answer takes where there are many environments, and how fast a table is read.
#pragma once

#include <string>

#include "whence/core/report.hpp"
#include "whence/paper/experiment.hpp"

namespace whence {

/// Table "speed": what, how much of it, what it took on options.threads threads and on the
/// processor, the figure it is held against. "smoke": a hundredth of the data. Of this machine, so
/// no part of any result.
Table direction_speed(const std::string& scale, const RunOptions& options);

}  // namespace whence
