// Work on many things that do not depend on each other, for rooms that may not see threads.
#pragma once

#include <cstddef>
#include <functional>

namespace whence {

/// Calls job(i) for i in [0, n): in any order, perhaps several at once, perhaps not all if the
/// caller was asked to stop.
using EachOf = std::function<void(std::size_t n, const std::function<void(std::size_t)>& job)>;

inline void one_by_one(std::size_t n, const std::function<void(std::size_t)>& job) {
  for (std::size_t i = 0; i < n; ++i) job(i);
}

}  // namespace whence
