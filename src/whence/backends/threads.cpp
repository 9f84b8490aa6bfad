#include "whence/backends/threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <sched.h>
#include <system_error>
#include <thread>
#include <vector>

namespace whence {

void parallel_for(std::size_t n, int threads, const std::function<void(std::size_t)>& job,
                  const Progress& progress) {
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::exception_ptr failure;
  std::mutex mutex;  // guards done, failure and the progress callback
  const auto work = [&] {
    for (std::size_t i; (i = next.fetch_add(1)) < n;) {
      try {
        job(i);
        const std::scoped_lock lock(mutex);
        ++done;
        if (progress) progress(double(done) / double(n));
      } catch (...) {
        next = n;
        const std::scoped_lock lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  std::vector<std::thread> helpers;
  const auto wanted = std::min(n, std::size_t(std::max(threads, 1)));
  try {
    for (std::size_t i = 1; i < wanted; ++i) helpers.emplace_back(work);
  } catch (const std::system_error&) {
    // No more threads to be had: fewer do the same work.
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

int available_threads() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) return std::max(1, CPU_COUNT(&mask));
  return std::max(1, int(std::thread::hardware_concurrency()));
}

}  // namespace whence
