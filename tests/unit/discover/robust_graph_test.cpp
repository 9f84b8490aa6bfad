// Heavy tails are neither edges nor changes: columns in random order, and shifts with noise that
// is far from Gaussian.
#include <algorithm>

#include <gtest/gtest.h>

#include "support/effort.hpp"
#include "whence/discover/graph/graph_discovery.hpp"
#include "whence/worlds/graph_world.hpp"
#include "whence/worlds/random_graph.hpp"

namespace whence {
namespace {

/// Claims with more than .99 that the truth does not know of.
struct FalseClaims {
  std::size_t edges = 0, changes = 0;
};

GraphSimulation simulated(NoiseFamily noise, std::uint64_t seed) {
  GraphWorldSpec world;
  world.graph = draw_named_graph("er:8:10", Stream(seed, Purpose::world, {91}));
  world.environments = 8;
  world.noise = noise;
  return simulate_graph(world, seed);
}

GraphResult found(const Dataset& data, bool robust) {
  GraphOptions options;
  options.robust = robust;
  options.baseline = 0;
  options.sweeps = 40;
  options.rounds = 20;
  return find_graph(data, options);
}

FalseClaims false_claims(const GraphResult& result, const GraphTruth& truth) {
  FalseClaims claims;
  const std::size_t m = truth.graph.variables();
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      claims.edges +=
          result.edges.at(i, j) > 0.99 && !truth.graph.edge(VariableId(i), VariableId(j)) ? 1 : 0;
  for (std::size_t e = 0; e < truth.targets.size(); ++e)
    for (std::size_t v = 0; v < m; ++v) {
      const auto& targets = truth.targets[e];
      const bool target = std::find(targets.begin(), targets.end(), v) != targets.end();
      claims.changes += result.environments[e].changed[v] > 0.99 && !target ? 1 : 0;
    }
  return claims;
}

constexpr NoiseFamily tails[] = {NoiseFamily::gaussian, NoiseFamily::t2_5, NoiseFamily::laplace,
                                 NoiseFamily::lognormal};

/// Hard shifts leave outliers in every column, whatever the noise was.
TEST(RobustGraph, ShuffledColumnsHaveNoEdgesAndNoChanges) {
  std::size_t without = 0;
  for (const NoiseFamily noise : tails)
    for (std::uint64_t seed = 0; seed < std::max<std::size_t>(1, support::effort(5)); ++seed) {
      GraphSimulation simulation = simulated(noise, seed);
      shuffle_columns(simulation.data, Shuffle::all_rows, seed);
      simulation.truth.graph = Graph(simulation.truth.graph.variables());
      for (auto& targets : simulation.truth.targets) targets.clear();
      const FalseClaims claims = false_claims(found(simulation.data, true), simulation.truth);
      EXPECT_EQ(claims.edges, 0u) << name_of(noise) << " " << seed;
      EXPECT_EQ(claims.changes, 0u) << name_of(noise) << " " << seed;
      without += false_claims(found(simulation.data, false), simulation.truth).changes;
    }
  EXPECT_GT(without, 5u);  // what Gaussian noise makes of the same data
}

TEST(RobustGraph, ShiftsAreFoundUnderHeavyTails) {
  for (const NoiseFamily noise : tails)
    for (std::uint64_t seed = 0; seed < std::max<std::size_t>(1, support::effort(3)); ++seed) {
      const GraphSimulation simulation = simulated(noise, seed);
      const GraphResult result = found(simulation.data, true);
      const FalseClaims claims = false_claims(result, simulation.truth);
      EXPECT_EQ(claims.edges, 0u) << name_of(noise) << " " << seed;
      EXPECT_EQ(claims.changes, 0u) << name_of(noise) << " " << seed;
      for (std::size_t e = 1; e < simulation.truth.targets.size(); ++e)
        for (std::size_t target : simulation.truth.targets[e])
          EXPECT_GT(result.environments[e].changed[target], 0.9) << name_of(noise) << " " << seed;
    }
}

}  // namespace
}  // namespace whence
