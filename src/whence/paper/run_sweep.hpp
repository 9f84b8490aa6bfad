// Several runs of one kind. One that leaves the finite numbers is left out and listed; the others
// stay intact.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "whence/core/report.hpp"

namespace whence {

struct FailedRun {
  std::size_t run;  // counted from 0
  std::string place, problem;
};

/// Calls job(run) for every run, on up to `threads` threads. Numerical failures are returned in the
/// order of runs; when no run survives, the first of them is thrown, as is any other error.
std::vector<FailedRun> run_each(std::size_t runs, int threads,
                                const std::function<void(std::size_t)>& job,
                                const Progress& progress);

/// The runs that survived, with their numbers, and those that did not.
template <class Result>
struct Sweep {
  std::vector<Result> results;
  std::vector<std::size_t> runs;
  std::vector<FailedRun> failed;
};

template <class Run>
auto sweep_runs(std::size_t runs, int threads, const Run& run, const Progress& progress) {
  using Result = decltype(run(std::size_t{}));
  std::vector<std::optional<Result>> all(runs);
  Sweep<Result> sweep;
  sweep.failed = run_each(
      runs, threads, [&](std::size_t r) { all[r] = run(r); }, progress);
  for (std::size_t r = 0; r < runs; ++r) {
    if (!all[r]) continue;
    sweep.results.push_back(std::move(*all[r]));
    sweep.runs.push_back(r);
  }
  return sweep;
}

/// Which runs are missing from the report's medians, where they ended and why.
void tell_failed(const std::vector<FailedRun>& failed, Report& report);

}  // namespace whence
