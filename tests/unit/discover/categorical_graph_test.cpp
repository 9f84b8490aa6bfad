// find_graph on categorical data as they come: any order, any names of levels, and data that are
// hard to use.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/graph_results.hpp"
#include "tests/support/turned_round.hpp"
#include "whence/core/error.hpp"
#include "whence/discover/graph/graph_discovery.hpp"
#include "whence/math/random.hpp"
#include "whence/worlds/graph_world.hpp"

namespace whence {
namespace {

GraphOptions quick(std::size_t baseline = 0) {
  GraphOptions options;
  options.baseline = baseline;
  options.sweeps = 40;
  options.rounds = 10;
  options.restarts = 2;
  return options;
}

Dataset measured(std::string_view graph, std::uint64_t seed) {
  GraphWorldSpec spec;
  spec.graph = read_graph(graph);
  spec.mechanism = GraphMechanism::categorical;
  spec.levels = 3;
  spec.environments = spec.graph.variables();
  spec.rows = 40;
  spec.baseline_rows = 200;
  return simulate_graph(spec, seed).data;
}

TEST(FindCategoricalGraph, TheOrderOfTheDataDoesNotMatter) {
  const Dataset data = measured("0->1->2->3,0->4->5", 51);
  const std::size_t environments = data.environments.size();
  const GraphResult one = find_graph(data, quick());
  const GraphResult other = find_graph(support::turned_round(data), quick(environments - 1));
  support::expect_turned_round(one, other);
}

TEST(FindCategoricalGraph, WhatLevelsAreCalledDoesNotMatter) {
  // Levels have no unit; their numbers are what a reader happened to give them. Additive fits are
  // iterated in coordinates that depend on them, and stop when they are close: hence the tolerance.
  const Dataset data = measured("0->1->2->3", 52);
  Dataset other = data;
  for (Column& column : other.columns)
    for (std::int32_t& level : column.levels) level = (level + 1) % 3;
  const GraphResult a = find_graph(data, quick()), b = find_graph(other, quick());
  for (std::size_t k = 0; k < a.edges.values.size(); ++k)
    EXPECT_NEAR(a.edges.values[k], b.edges.values[k], 1e-3);
}

/// Independent columns of so many levels.
Dataset plain(std::size_t m, const std::vector<std::size_t>& rows, int levels = 3) {
  Dataset data;
  Stream stream(1, Purpose::tests, {53, 0, 0});
  data.columns.resize(m);
  for (std::size_t v = 0; v < m; ++v)
    data.variables.push_back({"v" + std::to_string(v), Variable::Kind::categorical, levels, 1, {}});
  std::size_t n = 0;
  for (std::size_t e = 0; e < rows.size(); ++e) {
    data.environments.push_back({"e" + std::to_string(e), n, n + rows[e]});
    n += rows[e];
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t v = 0; v < m; ++v)
      data.columns[v].levels.push_back(std::int32_t(sample_index(stream, levels)));
  return data;
}

TEST(FindCategoricalGraph, AColumnMayBeConstantInOneEnvironment) {
  Dataset data = plain(4, {200, 60});
  std::fill(data.columns[2].levels.begin() + 200, data.columns[2].levels.end(), 1);
  const GraphResult result = find_graph(data, quick());
  support::expect_usable(result);
  EXPECT_GT(result.environments[1].changed[2], 0.95);
  EXPECT_LT(result.environments[1].changed[1], 0.5);
}

TEST(FindCategoricalGraph, ALevelNeverSeenInTheBaselineIsAChange) {
  Dataset data = plain(4, {200, 60});
  for (Variable& v : data.variables) v.levels = 4;  // the fourth appears in the shift alone
  std::fill(data.columns[1].levels.begin() + 200, data.columns[1].levels.end() - 20, 3);
  const GraphResult result = find_graph(data, quick());
  support::expect_usable(result);
  EXPECT_GT(result.environments[1].changed[1], 0.95);
}

TEST(FindCategoricalGraph, SmallAndOddEnvironments) {
  support::expect_usable(find_graph(plain(4, {40, 1, 1}), quick()));
  support::expect_usable(find_graph(plain(3, {40}), quick()));
  const GraphResult wide = find_graph(plain(12, {6, 3}, 2), quick());
  support::expect_usable(wide);
  EXPECT_TRUE(support::warns(wide, "more variables"));
}

TEST(FindCategoricalGraph, CopiesAreNamed) {
  Dataset data = plain(4, {60, 20});
  data.columns[3].levels = data.columns[1].levels;
  const GraphResult result = find_graph(data, quick());
  support::expect_usable(result);
  EXPECT_TRUE(support::warns(result, "copies"));
}

}  // namespace
}  // namespace whence
