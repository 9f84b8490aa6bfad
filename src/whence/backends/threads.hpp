// Threads over independent jobs. What a job computes depends on its number alone, so results are
// the same for any number of threads.
#pragma once

#include <cstddef>
#include <functional>

#include "whence/core/report.hpp"

namespace whence {

/// Calls job(i) for i in [0, n), on up to `threads` threads. `progress` gets the share done after
/// each job. The first exception stops the others and is thrown here.
void parallel_for(std::size_t n, int threads, const std::function<void(std::size_t)>& job,
                  const Progress& progress = {});

/// Threads this process may use: its affinity mask.
int available_threads();

}  // namespace whence
