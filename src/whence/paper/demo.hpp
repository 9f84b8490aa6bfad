// The built-in example: rain makes umbrellas open, not the other way round.
#pragma once

#include "whence/paper/experiment.hpp"
#include "whence/report/page/graph_view.hpp"

namespace whence {

/// A year of observations in one city, then visits to other cities where it rains more or less:
/// from the visits alone Whence finds which variable is the cause, by the same way as for a user's
/// own data, and with no difference between the cities the answer stays open. The paper's
/// belief stands beside it. Numbers: "belief", "belief-control", "paper-belief" and so on.
struct Demo {
  Report report;
  GraphView view;  // the arrow, and what changed where
};
Demo run_demo(const RunOptions& options);

}  // namespace whence
