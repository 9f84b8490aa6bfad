// An environment that was given twice is one environment.
#include "whence/discover/check/once_each.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/bits.hpp"
#include "whence/discover/graph/graph_discovery.hpp"
#include "whence/discover/pair/direction.hpp"
#include "whence/worlds/graph_world.hpp"
#include "whence/worlds/simulate_pair.hpp"

namespace whence {
namespace {

/// The rows of one environment again, last row first, under another name.
Dataset with_copy(Dataset data, std::size_t of, const std::string& name) {
  const Environment from = data.environments[of];
  const std::size_t begin = data.rows();
  for (std::size_t row = from.end; row-- > from.begin;)
    for (std::size_t v = 0; v < data.variables.size(); ++v) {
      Column& column = data.columns[v];
      if (!column.levels.empty())
        column.levels.push_back(column.levels[row]);
      else
        column.values.push_back(column.values[row]);
    }
  data.environments.push_back({name, begin, begin + from.rows()});
  return data;
}

Dataset pair_data(PairSimulation::Kind kind) {
  PairSimulation what;
  what.kind = kind;
  what.levels = 4;
  what.environments = 4;
  what.rows = 40;
  what.baseline_rows = 80;
  what.seed = 3;
  return simulate_pair(what);
}

TEST(OnceEach, FindsCopiesInAnyOrderOfTheirRows) {
  for (const auto kind : {PairSimulation::Kind::categorical, PairSimulation::Kind::spline}) {
    const Dataset data = pair_data(kind);
    EXPECT_FALSE(once_each(data, 0).data);
    const Dataset twice = with_copy(data, 2, "again");
    const OnceEach once = once_each(twice, 0);
    ASSERT_TRUE(once.data);
    EXPECT_EQ(once.data->environments.size(), data.environments.size());
    EXPECT_EQ(once.told_by.back(), 2u);
    EXPECT_TRUE(once.is_copy(twice.environments.size() - 1));
    EXPECT_FALSE(once.is_copy(2));
    ASSERT_EQ(once.remarks.size(), 1u);
    EXPECT_EQ(once.remarks[0].environments,
              (std::vector<std::string>{"again", data.environments[2].name}));
  }
}

TEST(OnceEach, FewRowsOfFewLevelsAgreeByChance) {
  Dataset data;
  data.variables = {{"x", Variable::Kind::categorical, 2, 1, {}},
                    {"y", Variable::Kind::categorical, 2, 1, {}}};
  data.columns = {{{0, 1, 1, 0, 1, 1}, {}}, {{0, 1, 0, 0, 1, 0}, {}}};
  data.environments = {{"a", 0, 3}, {"b", 3, 6}};
  EXPECT_FALSE(once_each(with_copy(data, 0, "c"), {}).data);
}

TEST(OnceEach, FewRowsOfFewLevelsAreKnownByTheirOrder) {
  const std::vector<std::int32_t> x = {0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 1, 0};
  const std::vector<std::int32_t> y = {0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1};
  const auto with = [](std::vector<std::int32_t> a, std::vector<std::int32_t> b) {
    Dataset data;  // a baseline, one environment and the same again
    for (const std::vector<std::int32_t>* column : {&a, &b}) {
      std::vector<std::int32_t> levels(20, 1);
      for (int i = 0; i < 2; ++i) levels.insert(levels.end(), column->begin(), column->end());
      data.columns.push_back({levels, {}});
      data.variables.push_back({column == &a ? "x" : "y", Variable::Kind::categorical, 2, 1, {}});
    }
    data.environments = {{"a", 0, 20}, {"b", 20, 40}, {"c", 40, 60}};
    return data;
  };
  EXPECT_EQ(once_each(with(x, y), 0).kept, (std::vector<std::size_t>{0, 1}));
  // Whoever sorts rows gets this order from any that agree by chance.
  auto sorted = x, other = y;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_FALSE(once_each(with(sorted, other), 0).data);
  EXPECT_FALSE(once_each(with(other, sorted), 0).data);
}

TEST(OnceEach, TheBaselineStaysAndAllAlikeIsNoShift) {
  Dataset data = pair_data(PairSimulation::Kind::spline);
  const Dataset twice = with_copy(data, 1, "again");
  const std::size_t last = twice.environments.size() - 1;
  EXPECT_EQ(once_each(twice, last).kept.back(), last) << "the copy is called the baseline";
  data.environments.resize(1);
  for (Column& column : data.columns) column.values.resize(data.environments[0].rows());
  EXPECT_FALSE(once_each(with_copy(data, 0, "again"), 0).data);
}

TEST(OnceEach, WhatIsKnownTellsCopiesApart) {
  const Dataset data = with_copy(pair_data(PairSimulation::Kind::spline), 1, "again");
  std::vector<KnownChange> known(2 * data.environments.size(), KnownChange::unknown);
  EXPECT_TRUE(once_each(data, 0, known).data);
  known.back() = KnownChange::unchanged;
  EXPECT_FALSE(once_each(data, 0, known).data);
}

TEST(FindDirection, AnEnvironmentGivenTwiceCountsOnce) {
  for (const auto kind : {PairSimulation::Kind::categorical, PairSimulation::Kind::spline}) {
    const Dataset data = pair_data(kind);
    DirectionOptions options;
    options.baseline = 0;
    const DirectionResult one = find_direction(data, options);
    const DirectionResult two = find_direction(with_copy(data, 2, "again"), options);
    EXPECT_TRUE(support::same_bits(one.belief, two.belief));
    ASSERT_EQ(two.environments.size(), data.environments.size() + 1);
    ASSERT_EQ(two.path.size(), two.environments.size() + 1);
    EXPECT_EQ(two.environments.back().name, "again");
    EXPECT_EQ(two.environments.back().log_odds, 0);
    EXPECT_EQ(two.environments.back().changed, two.environments[2].changed);
    EXPECT_TRUE(has(two.remarks, RemarkCode::environment_twice));
  }
}

TEST(FindGraph, AnEnvironmentGivenTwiceCountsOnce) {
  GraphWorldSpec spec;
  spec.graph = read_graph("0->1->2,0->3->4");
  spec.environments = 3;
  spec.rows = 20;
  spec.baseline_rows = 60;
  const Dataset data = simulate_graph(spec, 75).data;
  GraphOptions options;
  options.baseline = 0;
  options.sweeps = 40;
  const GraphResult one = find_graph(data, options);
  const GraphResult two = find_graph(with_copy(data, 2, "again"), options);
  EXPECT_TRUE(support::same_bits(one.edges.values, two.edges.values));
  ASSERT_EQ(two.environments.size(), data.environments.size() + 1);
  EXPECT_EQ(two.environments.back().changed, two.environments[2].changed);
  EXPECT_EQ(two.environments.back().name, "again");
  for (const EdgeFinding& edge : two.findings)
    EXPECT_TRUE(edge.support.empty() || edge.support.back() == 0);
  EXPECT_TRUE(has(two.remarks, RemarkCode::environment_twice));
}

}  // namespace
}  // namespace whence
