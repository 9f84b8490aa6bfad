// The built-in example: rain makes umbrellas open, not the other way round.
#pragma once

#include "whence/discover/experiment.hpp"

namespace whence {

/// A year of observations in one city, then visits to other cities where it rains more or less:
/// from the visits alone Whence finds which variable is the cause, and with no difference between
/// the cities it says that nobody can tell. Numbers: "belief" and "belief-control".
Report run_demo(const RunOptions& options);

}  // namespace whence
