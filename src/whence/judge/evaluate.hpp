// How near an answer came to the truth of the simulation it was asked about.
#pragma once

#include "whence/discover/graph/graph_discovery.hpp"
#include "whence/discover/pair/direction.hpp"
#include "whence/judge/evaluation.hpp"
#include "whence/judge/graph_evaluation.hpp"
#include "whence/worlds/graph_world.hpp"
#include "whence/worlds/simulate_pair.hpp"

namespace whence {

/// Of the data of simulate_pair(what).
Evaluation evaluate(const DirectionResult& result, const PairSimulation& what);

/// Of the data of this simulation.
GraphEvaluation evaluate(const GraphResult& result, const GraphSimulation& simulation);

}  // namespace whence
