// One order for the same data, whatever they are called and in whatever order they come; and the
// answers that follow from it.
#include "whence/discover/graph/canonical_order.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/bits.hpp"
#include "whence/discover/graph/equal_columns.hpp"
#include "whence/discover/graph/graph_discovery.hpp"
#include "whence/math/random.hpp"
#include "whence/worlds/graph_world.hpp"

namespace whence {
namespace {

Dataset measured(GraphMechanism mechanism, std::uint64_t seed) {
  GraphWorldSpec spec;
  spec.graph = read_graph("0->1->2,0->3,2->4,3->4,1->5");
  spec.mechanism = mechanism;
  spec.levels = 3;
  spec.environments = 5;
  spec.rows = 30;
  spec.baseline_rows = 80;
  return simulate_graph(spec, seed).data;
}

/// Columns and environments in an order that a seed draws, under names that it draws, too.
struct Sent {
  Dataset data;
  std::vector<std::size_t> variables, environments;  // where each came from
  std::size_t baseline = 0;
};

std::vector<std::size_t> shuffled(std::size_t n, Stream& stream) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = n; i > 1; --i)
    std::swap(order[i - 1], order[std::size_t(sample_index(stream, int(i)))]);
  return order;
}

Sent sent(const Dataset& data, std::uint64_t seed) {
  Stream stream(seed, Purpose::tests, {61, 0, 0});
  Sent out;
  out.variables = shuffled(data.variables.size(), stream);
  out.environments = shuffled(data.environments.size(), stream);
  const auto name = [&] { return "n" + std::to_string(stream.uniform()); };
  for (const std::size_t v : out.variables) {
    out.data.variables.push_back(data.variables[v]);
    out.data.variables.back().name = name();
    out.data.columns.emplace_back();
  }
  for (const std::size_t e : out.environments) {
    const Environment& from = data.environments[e];
    if (e == 0) out.baseline = out.data.environments.size();
    const std::size_t begin = out.data.rows();
    for (const std::size_t row : shuffled(from.rows(), stream))
      for (std::size_t v = 0; v < out.variables.size(); ++v) {
        const Column& column = data.columns[out.variables[v]];
        if (!column.levels.empty())
          out.data.columns[v].levels.push_back(column.levels[from.begin + row]);
        else
          out.data.columns[v].values.push_back(column.values[from.begin + row]);
      }
    out.data.environments.push_back({name(), begin, begin + from.rows()});
  }
  return out;
}

void expect_same_columns(const Dataset& a, const Dataset& b) {
  ASSERT_EQ(a.columns.size(), b.columns.size());
  for (std::size_t v = 0; v < a.columns.size(); ++v) {
    EXPECT_EQ(a.columns[v].levels, b.columns[v].levels) << v;
    EXPECT_TRUE(support::same_bits(a.columns[v].values, b.columns[v].values)) << v;
  }
}

TEST(CanonicalOrder, IsTheSameForAnyNamesAndAnyOrder) {
  for (const auto mechanism : {GraphMechanism::linear_gaussian, GraphMechanism::categorical}) {
    const Dataset data = measured(mechanism, 71);
    const Dataset usual = in_canonical_order(data, 0).data;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Sent other = sent(data, seed);
      expect_same_columns(usual, in_canonical_order(other.data, other.baseline).data);
    }
  }
}

TEST(CanonicalOrder, ColumnsThatOnlyTheirRowsTellApartHaveAnOrder) {
  // The second column is the first one backwards: each holds the same values as often, in each
  // environment, and only the third column tells which is which.
  Dataset data;
  for (const char* name : {"a", "b", "c"})
    data.variables.push_back({name, Variable::Kind::real, 0, 1, {}});
  data.columns = {{{}, {1, 2, 3, 4, 1, 2, 3, 4}},
                  {{}, {4, 3, 2, 1, 4, 3, 2, 1}},
                  {{}, {0, 0, 0, 7, 0, 0, 0, 9}}};
  data.environments = {{"e", 0, 4}, {"f", 4, 8}};
  const Dataset usual = in_canonical_order(data, 0).data;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Sent other = sent(data, seed);
    expect_same_columns(usual, in_canonical_order(other.data, other.baseline).data);
  }
}

TEST(CanonicalOrder, UnitsAndNamesOfLevelsHardlyMatter) {
  const Dataset data = measured(GraphMechanism::linear_gaussian, 72);
  Dataset other = data;
  for (std::size_t v = 0; v < other.columns.size(); ++v)
    for (double& x : other.columns[v].values) x = 1000 * x + 3 * double(v);
  EXPECT_EQ(in_canonical_order(data, 0).variables, in_canonical_order(other, 0).variables);
  const Dataset levels = measured(GraphMechanism::categorical, 72);
  Dataset called = levels;
  for (Column& column : called.columns)
    for (std::int32_t& level : column.levels) level = (level + 1) % 3;
  EXPECT_EQ(in_canonical_order(levels, 0).variables, in_canonical_order(called, 0).variables);
  EXPECT_EQ(in_canonical_order(levels, 0).environments, in_canonical_order(called, 0).environments);
}

GraphOptions quick(std::size_t baseline, GraphModel model) {
  GraphOptions options;
  options.baseline = baseline;
  options.model = model;
  options.sweeps = 40;
  options.rounds = 10;
  options.restarts = 2;
  return options;
}

TEST(FindGraph, NamesAndOrderChangeNoBit) {
  const std::array<std::pair<GraphMechanism, GraphModel>, 3> kinds = {
      {{GraphMechanism::linear_gaussian, GraphModel::linear},
       {GraphMechanism::categorical, GraphModel::categorical},
       {GraphMechanism::linear_gaussian, GraphModel::labels}}};
  for (const auto& [mechanism, model] : kinds) {
    const Dataset data = measured(mechanism, 73);
    const GraphResult usual = find_graph(data, quick(0, model));
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Sent other = sent(data, seed);
      const GraphResult found = find_graph(other.data, quick(other.baseline, model));
      const auto &v = other.variables, &e = other.environments;
      for (std::size_t i = 0; i < v.size(); ++i)
        for (std::size_t j = 0; j < v.size(); ++j)
          EXPECT_TRUE(support::same_bits(usual.edges.at(v[i], v[j]), found.edges.at(i, j)))
              << name_of(model) << " " << usual.edges.at(v[i], v[j]) << " " << found.edges.at(i, j);
      for (std::size_t k = 0; k < e.size(); ++k)
        for (std::size_t i = 0; i < v.size(); ++i)
          EXPECT_TRUE(support::same_bits(usual.environments[e[k]].changed[v[i]],
                                         found.environments[k].changed[i]));
    }
  }
}

TEST(FindGraph, NothingTellsEqualColumnsApart) {
  Dataset data = measured(GraphMechanism::categorical, 74);
  data.columns[2] = data.columns[1];
  ASSERT_EQ(equal_columns(data), (std::vector<std::vector<std::size_t>>{{1, 2}}));
  const GraphResult found = find_graph(data, quick(0, GraphModel::categorical));
  EXPECT_EQ(found.edges.at(1, 2), found.edges.at(2, 1));
  for (const std::size_t other : {0u, 3u, 4u, 5u}) {
    EXPECT_EQ(found.edges.at(1, other), found.edges.at(2, other));
    EXPECT_EQ(found.edges.at(other, 1), found.edges.at(other, 2));
  }
  for (const GraphEnvironment& e : found.environments) EXPECT_EQ(e.changed[1], e.changed[2]);
}

}  // namespace
}  // namespace whence
