// The paper's learner on measured data: networks for all families, trained on the
// baseline, and a belief gamma per edge that descends the regret of episodes from the shifted
// environments. For comparison: its criterion is right where causes shift, and it says nothing
// about what changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "whence/belief/graph_belief.hpp"
#include "whence/core/control.hpp"
#include "whence/core/dataset.hpp"
#include "whence/core/report.hpp"
#include "whence/paper/tasks/mlp_task.hpp"

namespace whence {

struct TransferOptions {
  std::uint64_t seed = 0;
  std::optional<std::size_t> baseline;  // what the networks learn before anything shifts
  int hidden = 16;                      // units of each network
  MlpTraining training{{.kind = OptimizerSpec::Kind::adam, .learning_rate = 0.02}, 300};
  std::size_t episodes = 100;  // each from one shifted environment, rows drawn with replacement
  int steps = 10, batch = 10;
  OptimizerSpec adaptation{.learning_rate = 0.1};  // SGD: Adam forgets what did not shift
  OptimizerSpec belief{.kind = OptimizerSpec::Kind::adam, .learning_rate = 0.1};
};

/// The sums over parent sets and acyclic graphs are exact up to so many variables.
inline constexpr std::size_t most_transfer_variables = largest_enumerated_graph;

/// Beliefs sigma(gamma) in edges, [cause][effect] in the order of the data.
struct TransferResult {
  std::vector<std::string> variables;
  EdgeMatrix edges;                 // after the last episode
  std::vector<EdgeMatrix> beliefs;  // [episode]
  Graph graph;                      // edges believed more likely than not
  bool cycle_broken = false;        // the weakest edge of a cycle was left out of it
  bool stopped = false;             // before all episodes were seen
};

/// Categorical columns, a baseline and at least one shifted environment; otherwise an Error. The
/// order of columns, environments and rows does not matter, bit by bit.
TransferResult learn_graph_by_transfer(const Dataset& data, const TransferOptions& options,
                                       const Control& control = {});

/// The beliefs over the episodes, and what they take for granted.
Report transfer_report(const TransferResult& result);

}  // namespace whence
