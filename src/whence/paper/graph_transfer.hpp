// The paper's learner on measured data: networks for all families, trained on the
// baseline, and a belief gamma per edge that descends the regret of episodes from the shifted
// environments. For comparison: its criterion is right where causes shift, and it says nothing
// about what changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "whence/discover/graph/graph_discovery.hpp"
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

/// Categorical columns, a baseline and at least one shifted environment; otherwise an Error. The
/// order of columns, environments and rows does not matter, bit by bit. Fields of the result that
/// need a posterior are left as they are.
GraphResult learn_graph_by_transfer(const Dataset& data, const TransferOptions& options,
                                    const Control& control = {});

}  // namespace whence
