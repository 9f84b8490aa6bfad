// What is left of an edge when an environment is left out: as if it had never been there.
#include "whence/discover/limits/edge_support.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "whence/worlds/graph_world.hpp"

namespace whence {
namespace {

GraphSimulation simulated(std::string_view graph, GraphShift shift, std::uint64_t seed) {
  GraphWorldSpec spec;
  spec.graph = read_graph(graph);
  spec.shift = shift;
  spec.environments = spec.graph.variables();
  spec.rows = 30;
  return simulate_graph(spec, seed);
}

GraphResult found(const Dataset& data) {
  GraphOptions options;
  options.baseline = 0;
  options.robust = false;
  options.sweeps = 60;
  options.rounds = 20;
  return find_graph(data, options);
}

/// The same data, one environment taken out.
Dataset without(const Dataset& data, std::size_t left_out) {
  Dataset out;
  out.variables = data.variables;
  out.columns.resize(data.columns.size());
  for (std::size_t e = 0; e < data.environments.size(); ++e) {
    if (e == left_out) continue;
    const Environment& from = data.environments[e];
    const std::size_t begin = out.columns[0].values.size();
    for (std::size_t v = 0; v < data.columns.size(); ++v) {
      const auto first = data.columns[v].values.begin();
      out.columns[v].values.insert(out.columns[v].values.end(), first + std::ptrdiff_t(from.begin),
                                   first + std::ptrdiff_t(from.end));
    }
    out.environments.push_back({from.name, begin, begin + from.rows()});
  }
  return out;
}

TEST(ExplainEdge, TheRangeIsThatOfRunsWithoutEachEnvironment) {
  double widest = 0;
  for (std::uint64_t seed : {41, 42, 43, 44}) {
    const GraphSimulation world = simulated("0->1", GraphShift::soft, seed);
    const GraphResult all = found(world.data);
    ASSERT_FALSE(all.findings.empty());
    const EdgeFinding& edge = all.findings[0];
    ASSERT_FALSE(edge.support.empty());
    double low = 1, high = 0;
    for (std::size_t e = 1; e < world.data.environments.size(); ++e) {
      const double p = found(without(world.data, e)).edges.at(edge.from, edge.to);
      low = std::min(low, p);
      high = std::max(high, p);
    }
    // Runs of their own choose the scale of the prior anew, and standardise anew.
    EXPECT_LE(edge.leave_one_out[0], low + 0.1) << seed;
    EXPECT_GE(edge.leave_one_out[1], high - 0.1) << seed;
    EXPECT_GE(edge.leave_one_out[0], 0);
    EXPECT_LE(edge.leave_one_out[1], 1);
    widest = std::max(widest, high - low);
  }
  EXPECT_GT(widest, 0.3) << "somewhere one environment decides";
}

TEST(ExplainEdge, EdgesThatManyEnvironmentsSupportStay) {
  const GraphSimulation world = simulated("0->1->2->3,0->4->5,3->5", GraphShift::hard, 45);
  for (const EdgeFinding& edge : found(world.data).findings)
    if (edge.probability > 0.999) {
      EXPECT_LE(edge.leave_one_out[0], edge.leave_one_out[1]);
      EXPECT_GT(edge.leave_one_out[1], 0.99) << edge.from << "->" << edge.to;
    }
}

}  // namespace
}  // namespace whence
