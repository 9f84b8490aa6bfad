// Experiments: filled-in descriptions of runs, one per figure of the paper.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "whence/core/report.hpp"
#include "whence/paper/settings.hpp"

namespace whence {

struct RunOptions {
  std::uint64_t seed = 0;
  int threads = 1;
  Progress progress;           // may be empty
  SharedWork* work = nullptr;  // shares runs with other processes, or keeps them
};

/// `name` is also the name of the description in experiments/NAME.json.
struct Experiment {
  std::string_view name;
  Report (*run)(const Settings&, const RunOptions&);
};

/// All experiments, in the order of the paper.
std::span<const Experiment> experiments();

/// The experiment of that name; an Error with the nearest names otherwise.
const Experiment& find_experiment(std::string_view name);

/// Loads nothing, prints nothing: runs the experiment and completes the report with its settings,
/// seed and the claims that the description expects of its curves.
Report run_experiment(const Experiment&, const Settings&, const RunOptions&);

}  // namespace whence
