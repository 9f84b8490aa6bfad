// The third learner of encoder-rotation: Algorithm 1 made right, with its controls.
#pragma once

#include "whence/paper/experiment.hpp"

namespace whence {

/// Adds rows to the table "success", and a table, figures, numbers and claims of its own. Worlds
/// are those of the other learners, and more of them.
void add_online_learner(const Settings& settings, const RunOptions& options, Report& report);

}  // namespace whence
