// How a long computation is watched and ended from outside; the same for every engine.
#pragma once

#include <atomic>
#include <functional>

namespace whence {

/// Called with the share of work done, 0 to 1, from any thread but never from two at once. It may
/// throw: the computation ends, and the caller gets what was thrown.
using Progress = std::function<void(double)>;

class SharedWork;  // core/shared_work.hpp

/// Answers do not depend on `threads`, on `progress` or on `work`.
struct Control {
  int threads = 1;  // 0: as many as this process may use
  Progress progress = {};
  /// Set from elsewhere: finish soon. A search returns the best answer so far and says that it was
  /// stopped; what has no answer before its end throws E-STOPPED.
  const std::atomic<bool>* stop = nullptr;
  std::atomic<double>* best_score = nullptr;  // raised by a search, for display only
  SharedWork* work = nullptr;                 // shares work with other processes, or keeps it

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

}  // namespace whence
