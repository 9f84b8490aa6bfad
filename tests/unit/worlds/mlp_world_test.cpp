// Worlds of networks: samples follow the tables they stand for, and shifts change what they say.
#include "whence/worlds/mlp_world.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/statistics.hpp"
#include "whence/core/error.hpp"

namespace whence {
namespace {

using support::alpha;
using support::counts_p_value;

const MlpDraw draw_of_tests{.hidden = 6, .spread = 1.5};

/// How many of the rows fall on each joint state.
std::vector<std::size_t> state_counts(const Dataset& data) {
  std::size_t states = 1;
  for (const Variable& v : data.variables) states *= std::size_t(v.levels);
  std::vector<std::size_t> counts(states, 0);
  for (std::size_t r = 0; r < data.rows(); ++r) {
    std::size_t s = 0;
    for (std::size_t v = 0; v < data.variables.size(); ++v)
      s = s * std::size_t(data.variables[v].levels) + std::size_t(data.columns[v].levels[r]);
    ++counts[s];
  }
  return counts;
}

std::vector<double> state_probabilities(const CategoricalWorld& world) {
  std::vector<double> p = world.log_joint();
  for (double& x : p) x = std::exp(x);
  return p;
}

TEST(MlpWorld, SamplesFollowTheTables) {
  const MlpWorld world =
      MlpWorld::draw(letter_variables(4, 3), read_graph("0->1,{0,1}->2,2->3"), draw_of_tests, 1, 0);
  Dataset data = make_dataset(world.variables(), 100'000);
  ShiftedMlpWorld(world).sample(Stream(1, Purpose::tests, {}), data, 0, data.rows());
  const auto p = state_probabilities(world.tabulate());
  EXPECT_GT(counts_p_value(state_counts(data), p), alpha);
  const MlpWorld other =
      MlpWorld::draw(letter_variables(4, 3), read_graph("0->1,{0,1}->2,2->3"), draw_of_tests, 1, 1);
  EXPECT_LT(counts_p_value(state_counts(data), state_probabilities(other.tabulate())), alpha)
      << "planted: the next world";
}

/// P(A) and P(B | A = a) of a pair under a shift, from samples.
struct Observed {
  std::vector<std::size_t> cause;
  std::vector<std::vector<std::size_t>> effect;  // [a]
};
Observed observe(ShiftedMlpWorld& shifted, std::span<const Variable> variables) {
  Dataset data = make_dataset(variables, 40'000);
  shifted.sample(Stream(2, Purpose::tests, {}), data, 0, data.rows());
  const auto n = std::size_t(variables[0].levels);
  Observed seen{std::vector<std::size_t>(n, 0), {n, std::vector<std::size_t>(n, 0)}};
  for (std::size_t r = 0; r < data.rows(); ++r) {
    const auto a = std::size_t(data.columns[0].levels[r]);
    ++seen.cause[a];
    ++seen.effect[a][std::size_t(data.columns[1].levels[r])];
  }
  return seen;
}

std::vector<double> row(const CategoricalTable<double>& table, std::size_t i) {
  std::vector<double> p;
  for (double l : table.row(i)) p.push_back(std::exp(l));
  return p;
}

TEST(ShiftedMlpWorld, ChangesWhatItsNameSays) {
  const MlpWorld world =
      MlpWorld::draw(letter_variables(2, 4), read_graph("0->1"), draw_of_tests, 3, 0);
  const CategoricalWorld tables = world.tabulate();
  for (ShiftKind kind : all_shift_kinds) {
    ShiftedMlpWorld shifted(world);
    shifted.shift({ShiftKind::both}, draw_of_tests, Stream(9, Purpose::shift, {}));  // forgotten
    shifted.shift({kind}, draw_of_tests, Stream(4, Purpose::shift, {}));
    const Observed seen = observe(shifted, world.variables());
    const bool same_cause = counts_p_value(seen.cause, row(tables.table(VariableId(0)), 0)) > alpha;
    int same_rows = 0;
    for (std::size_t a = 0; a < 4; ++a)
      same_rows += counts_p_value(seen.effect[a], row(tables.table(VariableId(1)), a)) > alpha;
    EXPECT_EQ(same_cause, kind != ShiftKind::cause && kind != ShiftKind::both) << name_of(kind);
    const bool effect_kept = kind == ShiftKind::none || kind == ShiftKind::cause;
    if (effect_kept)
      EXPECT_EQ(same_rows, 4) << name_of(kind);
    else if (kind == ShiftKind::row)
      EXPECT_EQ(same_rows, 3);
    else
      EXPECT_LT(same_rows, 3) << name_of(kind);
  }
}

TEST(ShiftedMlpWorld, AForcedVariableHasOneLevelAndLeavesItsCauseAlone) {
  const MlpWorld world =
      MlpWorld::draw(letter_variables(2, 4), read_graph("0->1"), draw_of_tests, 5, 0);
  ShiftedMlpWorld shifted(world);
  shifted.force(VariableId(1), Stream(6, Purpose::shift, {}));
  const Observed seen = observe(shifted, world.variables());
  EXPECT_GT(counts_p_value(seen.cause, row(world.tabulate().table(VariableId(0)), 0)), alpha);
  std::size_t levels_seen = 0;
  for (std::size_t b = 0; b < 4; ++b) levels_seen += seen.effect[0][b] > 0;
  EXPECT_EQ(levels_seen, 1u);
}

TEST(MlpWorld, RefusesWhatDoesNotFit) {
  Graph cycle(2);
  cycle.set_edge(VariableId(0), VariableId(1));
  cycle.set_edge(VariableId(1), VariableId(0));
  EXPECT_THROW(MlpWorld::draw(letter_variables(2, 3), cycle, draw_of_tests, 0, 0), Error);
  const MlpWorld pair =
      MlpWorld::draw(letter_variables(2, 3), read_graph("0->1"), draw_of_tests, 0, 0);
  EXPECT_THROW(MlpWorld(letter_variables(2, 3), read_graph("1->0"),
                        {pair.mechanism(VariableId(0)), pair.mechanism(VariableId(1))}),
               Error);
}

TEST(MlpWorld, RandomGraphsAreAcyclicAndHaveTheirDensity) {
  std::size_t edges = 0;
  for (std::uint32_t run = 0; run < 200; ++run) {
    const Graph graph = draw_graph(6, 0.4, Stream(1, Purpose::world, {run, 0, 0}));
    EXPECT_TRUE(graph.is_acyclic());
    edges += graph.edge_count();
  }
  EXPECT_NEAR(double(edges) / (200 * 15), 0.4, 0.05);
}

}  // namespace
}  // namespace whence
