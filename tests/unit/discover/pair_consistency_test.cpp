// `direction` and `discover` have different engines. On the same two columns they may differ in how
// sure they are, but neither may surely deny what the other surely states.
#include <gtest/gtest.h>

#include "whence/discover/graph/graph_discovery.hpp"
#include "whence/discover/pair/direction.hpp"
#include "whence/worlds/graph_world.hpp"

namespace whence {
namespace {

struct Count {
  int pairs = 0, both_sure = 0;
  std::vector<std::string> turned, links;  // opposite directions; a direction against no link
};

void compare(const GraphSimulation& made, const std::string& what, Count& count) {
  DirectionOptions of_pair;
  of_pair.baseline = 0;
  of_pair.sensitivity = false;
  GraphOptions of_graph;
  of_graph.baseline = 0;
  const DirectionResult direction = find_direction(made.data, of_pair);
  const GraphResult graph = find_graph(made.data, of_graph);
  const double forward = graph.edges.at(0, 1), backward = graph.edges.at(1, 0);
  const double none = 1 - forward - backward - (graph.hidden.variables ? graph.hidden.at(0, 1) : 0);
  const double said[] = {forward, backward, none};
  ++count.pairs;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) {
      if (direction.belief[a] <= decided_belief || said[b] <= decided_belief) continue;
      if (a == b)
        ++count.both_sure;
      else
        (a < 2 && b < 2 ? count.turned : count.links)
            .push_back(what + ": direction says " + std::to_string(a) + ", discover " +
                       std::to_string(b));
    }
}

GraphSimulation pair_of(GraphMechanism mechanism, GraphShift shift, bool linked, bool hidden,
                        std::uint64_t seed) {
  GraphWorldSpec spec{Graph(2)};
  if (linked) spec.graph.set_edge(VariableId(0), VariableId(1));
  spec.mechanism = mechanism;
  spec.shift = shift;
  spec.levels = 4;
  spec.environments = 3;
  spec.rows = 150;
  spec.baseline_rows = 400;
  spec.hidden = hidden ? 1 : 0;
  return simulate_graph(spec, seed);
}

TEST(PairConsistency, DirectionAndDiscoverDoNotContradictEachOtherSurely) {
  Count count;
  for (const GraphMechanism mechanism : all_graph_mechanisms)
    for (const GraphShift shift : {GraphShift::none, GraphShift::hard, GraphShift::soft})
      for (std::uint64_t seed = 0; seed < 6; ++seed)
        compare(pair_of(mechanism, shift, seed % 3 != 2, false, 900 + seed),
                std::string(name_of(mechanism)) + " " + std::string(name_of(shift)) + " " +
                    std::to_string(seed),
                count);
  for (const GraphMechanism mechanism : {GraphMechanism::linear, GraphMechanism::network})
    for (std::uint64_t seed = 0; seed < 6; ++seed)
      compare(pair_of(mechanism, GraphShift::hard, false, true, 950 + seed), "hidden", count);
  EXPECT_GT(count.pairs, 200);
  EXPECT_GT(count.both_sure, count.pairs / 4) << "both state what they can";
  EXPECT_EQ(count.turned, std::vector<std::string>{});
  // Weak links of few rows: `discover` says how strong one must be to show.
  EXPECT_LE(count.links.size(), std::size_t(count.pairs) / 50)
      << testing::PrintToString(count.links);
}

}  // namespace
}  // namespace whence
