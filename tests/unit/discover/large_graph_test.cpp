// Graphs of so many variables that candidate parents are screened: the answer, what is left out of
// it, and that neither threads nor other processes change it.
#include "whence/discover/graph/large_graph.hpp"

#include <map>

#include <gtest/gtest.h>

#include "whence/backends/shared_units.hpp"
#include "whence/math/random.hpp"
#include "whence/worlds/graph_world.hpp"
#include "whence/worlds/random_graph.hpp"

namespace whence {
namespace {

constexpr std::size_t variables = largest_whole_search + 2;

GraphSimulation simulated(GraphShift shift) {
  GraphWorldSpec world;
  world.graph = draw_named_graph("er:130:140", Stream(3, Purpose::world, {92}));
  world.shift = shift;
  world.environments = 6;
  world.rows = 60;
  world.baseline_rows = 300;
  return simulate_graph(world, 3);
}

GraphOptions quick() {
  GraphOptions options;
  options.model = GraphModel::linear;
  options.baseline = 0;
  options.restarts = 2;
  options.chains = 2;
  options.sweeps = 8;
  options.rounds = 4;
  return options;
}

bool joined(const Graph& graph, std::size_t i, std::size_t j) {
  return graph.edge(VariableId(i), VariableId(j)) || graph.edge(VariableId(j), VariableId(i));
}

/// Pairs that only one of two graphs joins.
std::size_t wrong_pairs(const Graph& a, const Graph& b) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < a.variables(); ++i)
    for (std::size_t j = 0; j < i; ++j) wrong += joined(a, i, j) != joined(b, i, j);
  return wrong;
}

void expect_same(const GraphResult& a, const GraphResult& b) {
  EXPECT_EQ(a.edges.values, b.edges.values);
  EXPECT_EQ(a.graph, b.graph);
  EXPECT_EQ(a.best_score, b.best_score);
  EXPECT_EQ(a.search.scores, b.search.scores);
  EXPECT_EQ(a.search.families_scored, b.search.families_scored);
  ASSERT_EQ(a.findings.size(), b.findings.size());
  for (std::size_t k = 0; k < a.findings.size(); ++k) {
    EXPECT_EQ(a.findings[k].support, b.findings[k].support);
    EXPECT_EQ(a.findings[k].leave_one_out, b.findings[k].leave_one_out);
  }
  for (std::size_t e = 0; e < a.environments.size(); ++e)
    EXPECT_EQ(a.environments[e].changed, b.environments[e].changed);
}

TEST(LargeGraph, FindsEdgesAndTargetsAndSaysWhatItLeftOut) {
  const GraphSimulation simulation = simulated(GraphShift::hard);
  GraphOptions options = quick();
  options.rounds = 0;  // as many as it takes
  const GraphResult found = find_graph(simulation.data, options, {.threads = 2});
  ASSERT_TRUE(found.search.left_out);
  EXPECT_GT(found.search.left_out->pairs, 1000u);
  EXPECT_LT(found.search.left_out->pairs, variables * (variables - 1) / 2);
  EXPECT_LT(found.search.left_out->best_gain, 0);  // nothing outside would add to the graph
  EXPECT_EQ(found.search.left_out->settled + found.search.moved, variables);
  EXPECT_LE(wrong_pairs(found.graph, simulation.truth.graph), 2u);
  for (std::size_t e = 0; e < simulation.truth.targets.size(); ++e)
    for (std::size_t v = 0; v < variables; ++v) {
      const auto& targets = simulation.truth.targets[e];
      const bool target = std::find(targets.begin(), targets.end(), v) != targets.end();
      const double changed = found.environments[e].changed[v];
      EXPECT_TRUE(target ? changed > 0.5 : changed < 0.99) << e << " " << v << " " << changed;
    }
}

/// Units kept, forgotten in part, and done again.
TEST(LargeGraph, IsTheSameWhereItsWorkIsSharedAndKept) {
  const GraphSimulation simulation = simulated(GraphShift::hard);
  const GraphResult alone = find_graph(simulation.data, quick(), {.threads = 2});
  SharedUnits first({});
  Control control{.threads = 1};
  control.work = &first;
  expect_same(alone, find_graph(simulation.data, quick(), control));

  SharedUnits::Options kept;
  kept.kept = first.kept();
  ASSERT_GT(kept.kept.size(), 4u);
  for (auto at = kept.kept.begin(); at != kept.kept.end();)
    at = std::distance(kept.kept.begin(), at) % 2 == 0 ? kept.kept.erase(at) : std::next(at);
  SharedUnits second(std::move(kept));
  control.work = &second;
  expect_same(alone, find_graph(simulation.data, quick(), control));
}

TEST(LargeGraph, NothingChangedNothingIsClaimed) {
  const GraphSimulation simulation = simulated(GraphShift::none);
  const GraphResult found = find_graph(simulation.data, quick(), {.threads = 2});
  for (std::size_t e = 1; e < found.environments.size(); ++e)
    for (const double p : found.environments[e].changed) EXPECT_LT(p, 0.95);
}

/// y has two causes, each with more effects of its own than the first screening keeps: on the empty
/// graph those of the stronger one stand before the weaker one, and for that one its own do.
TEST(LargeGraph, AnEdgeThatOnlyShowsLaterIsLookedAtLater) {
  constexpr std::size_t copies = 40, rows = 400, strong = 0, weak = 1, effect = 2;
  Dataset data;
  Stream stream(5, Purpose::sample, {7});
  data.environments = {{"baseline", 0, rows}};
  for (std::size_t v = 0; v < variables; ++v) {
    data.variables.push_back({"v" + std::to_string(1000 + v), Variable::Kind::real});
    data.columns.emplace_back();
    for (std::size_t n = 0; n < rows; ++n) data.columns[v].values.push_back(sample_normal(stream));
  }
  const auto at = [&](std::size_t v, std::size_t n) -> double& {
    return data.columns[v].values[n];
  };
  for (std::size_t n = 0; n < rows; ++n) {
    at(effect, n) = 2 * at(strong, n) + 0.5 * at(weak, n) + 0.5 * at(effect, n);
    for (std::size_t k = 0; k < copies; ++k) {
      at(3 + k, n) = at(strong, n) + 0.3 * at(3 + k, n);
      at(3 + copies + k, n) = at(weak, n) + at(3 + copies + k, n);
    }
  }
  GraphOptions options = quick();
  options.scales = {1};
  const GraphResult found = find_graph(data, options, {.threads = 2});
  EXPECT_GT(found.edges.at(weak, effect) + found.edges.at(effect, weak), 0.9);
  EXPECT_GT(found.edges.at(strong, effect) + found.edges.at(effect, strong), 0.9);
}

}  // namespace
}  // namespace whence
