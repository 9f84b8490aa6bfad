// A pair scored by evidence from environment labels: no density is assumed.
#pragma once

#include "whence/discover/pair/pair_scores.hpp"

namespace whence {

/// Each environment is compared with the baseline; without one, with all that differ less from the
/// rest than it does, so that every difference between environments counts once.
Scorer label_scorer(const Dataset& data, const DirectionTask& task);

}  // namespace whence
