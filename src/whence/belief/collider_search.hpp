// Getting rid of colliders that are not there.
#pragma once

#include <atomic>

#include "whence/belief/graph_search.hpp"

namespace whence {

/// Two causes of one effect that are not joined look like a chain through it once one of them is
/// made an effect; all that depends on that one must be turned with it, which no single edge does.
/// Tries that with every such cause and keeps what is better after climbing. True if anything was.
bool open_colliders(const FamilyTable& table, GraphClimber& climber,
                    const std::atomic<bool>* stop = nullptr);

}  // namespace whence
