// How many short episodes it takes to know the direction when the unshifted mechanisms are known
// exactly: the engine, which does not know what shifts, beside one that does.
#pragma once

#include <cstddef>
#include <vector>

#include "bench/quality/direction/direction_cases.hpp"
#include "whence/paper/experiment.hpp"

namespace whence {

struct EpisodesNeeded {
  Situation situation = Situation::cause;
  bool sparse = false;
  std::size_t runs = 0;
  double median = 0;   // episodes until P >= .99 for the right direction
  double optimal = 0;  // the same for Bayes' rule with the kind of shift and its density given
  double reached = 0;  // share of runs that get there within `most_episodes`
  double wrong = 0;    // share that reach it for the other direction, or for no link, first
};
inline constexpr std::size_t most_episodes = 60;

/// Ten levels, episodes of 20 rows; cause, effect, mechanism and row shifts, dense and sparse.
std::vector<EpisodesNeeded> episodes_needed(std::size_t runs, const RunOptions& options,
                                            const Progress& progress);

Table episodes_table(const std::vector<EpisodesNeeded>& needed);

}  // namespace whence
