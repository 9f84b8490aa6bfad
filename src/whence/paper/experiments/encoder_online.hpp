// The third learner of encoder-rotation: Algorithm 1 made right, beside the others on equal terms,
// with its controls.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "whence/core/shift.hpp"
#include "whence/paper/experiment.hpp"

namespace whence {

/// Where a learner was after each episode.
struct EncoderPath {
  std::vector<double> angle, belief;  // of the encoder; sigma(gamma)
};

/// A recipe of the paper on one world, with episodes of so many rows.
using RecipeLearner = std::function<EncoderPath(const std::string& recipe, std::uint32_t run,
                                                ShiftKind shift, int episodes, std::size_t rows)>;

/// Adds a table, figures, numbers and claims: all learners on the same worlds, with the same number
/// of episodes, where the cause shifts, where the effect does, and where nothing does.
void add_equal_terms(const Settings& settings, const RecipeLearner& learn,
                     const RunOptions& options, Report& report);

}  // namespace whence
