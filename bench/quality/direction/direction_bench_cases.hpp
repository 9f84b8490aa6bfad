// The data sets of whence bench direction: which situations are drawn, how many of each, and what
// was said of every one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/quality/direction/direction_cases.hpp"
#include "whence/backends/threads.hpp"
#include "whence/core/shared_work.hpp"
#include "whence/discover/pair/direction.hpp"
#include "whence/paper/experiment.hpp"

namespace whence::direction_bench {

/// Of one data set.
struct Outcome {
  std::array<double, structures> belief{};
  bool confounded = false;  // named so
  double gradient = 0.5;    // the paper's belief in the first direction
  double seconds = 0;
};

/// Data sets of one kind, and what was said of each.
struct Group {
  std::string family;              // "N=10", "spline, laplace": what is compared with what
  std::vector<std::string> words;  // the other columns of its row
  Situation situation = Situation::none;
  std::size_t training = 0;
  bool sparse = false;
  std::size_t cases = 0;
  std::function<Dataset(RunKey)> draw;
  bool gradient = false;
  std::vector<Outcome> outcomes = {};
};

/// How many data sets of each kind.
struct Sizes {
  std::size_t small_tables, large_tables, gaussian, labels, controls, episodes, prior, honesty;
  static Sizes of(const std::string& scale);
};

inline constexpr std::array all_situations = {
    Situation::cause, Situation::effect, Situation::mechanism, Situation::row,
    Situation::none,  Situation::both,   Situation::apart,     Situation::confounded};

std::vector<Group> discrete_cells(const Sizes& sizes);
std::vector<Group> real_cells(const Sizes& sizes);
std::vector<Group> control_cells(const Sizes& sizes);

/// found[i] = job(i), on threads, or with other processes and what was done before.
template <class Value, class Job>
void share_out(const std::string& stage, std::vector<Value>& found, const RunOptions& options,
               const Job& job, const Progress& progress) {
  if (options.work == nullptr) {
    parallel_for(
        found.size(), options.threads, [&](std::size_t i) { found[i] = job(i); }, progress);
    return;
  }
  const auto done = options.work->results(
      stage, found.size(), options.threads, [&](std::size_t i) { return bytes_of_value(job(i)); },
      progress);
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = value_of_bytes<Value>(done[i]);
}

/// Draws and judges every data set of these cells; each part of the benchmark has its own streams.
void run_cells(std::vector<Group>& cells, std::uint32_t part, const RunOptions& options,
               const Progress& progress);

}  // namespace whence::direction_bench
