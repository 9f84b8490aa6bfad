// What a step of each cause does to its effect, in the units of the data, and the rows and curves
// that show it.
#pragma once

#include <string>
#include <vector>

#include "whence/core/control.hpp"
#include "whence/core/dataset.hpp"
#include "whence/discover/graph/graph_discovery.hpp"

namespace whence {

/// Fills in `effect` of every finding that is an edge of the graph. Each mechanism is fitted to the
/// environments in which it did not change, the other causes of the graph beside the one in
/// question; by lines where the model is linear, by a flexible regression where it is not.
void add_effects(const Dataset& data, GraphResult& result, const Control& control = {});

/// Of the strongest edges, at most `most`; at most 300 points each, the same ones every time.
std::vector<MechanismPicture> mechanism_pictures(DataSource& data, const GraphResult& result,
                                                 std::size_t most = 12);
std::vector<MechanismPicture> mechanism_pictures(const Dataset& data, const GraphResult& result,
                                                 std::size_t most = 12);

}  // namespace whence
