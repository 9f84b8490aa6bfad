// Whether an effect followed its cause, or something hidden explains both as well.
#include "whence/discover/limits/followed_effects.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "whence/discover/limits/direction_limits.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

const double clear = std::log(20.0);

/// One row of x and y; `shifted` in the last of three environments.
using Row = std::function<std::array<double, 2>(Stream&, bool shifted)>;

Dataset rows_of(const Row& row, std::uint32_t run, std::size_t rows = 200) {
  Stream stream(81, Purpose::tests, {run, 0, 0});
  std::vector<double> x, y;
  std::vector<int> labels;
  for (int e = 0; e < 3; ++e)
    for (std::size_t r = 0; r < rows; ++r) {
      const auto [a, b] = row(stream, e == 2);
      x.push_back(a);
      y.push_back(b);
      labels.push_back(e);
    }
  return Dataset::from_columns({DataColumn("x", x), DataColumn("y", y)}, labels);
}

/// The same in eight levels.
Dataset in_levels(Dataset data) {
  for (std::size_t v = 0; v < 2; ++v) {
    data.variables[v].kind = Variable::Kind::categorical;
    data.variables[v].levels = 8;
    for (const double value : data.columns[v].values)
      data.columns[v].levels.push_back(std::clamp(int(std::floor(value)) + 4, 0, 7));
    data.columns[v].values.clear();
  }
  return data;
}

/// x -> y is sure; only x changed, in the last environment.
GraphResult answer(GraphModel model = GraphModel::linear) {
  GraphResult result;
  result.model = model;
  result.variables = {"x", "y"};
  result.edges = EdgeMatrix(2);
  result.edges.at(0, 1) = 1;
  result.graph = Graph(2);
  result.graph.set_edge(VariableId(0), VariableId(1));
  result.environments.resize(3);
  for (GraphEnvironment& e : result.environments) e.changed = {0, 0};
  result.environments[0].baseline = true;
  result.environments[2].changed[0] = 1;
  EdgeFinding edge;
  edge.from = 0;
  edge.to = 1;
  edge.probability = edge.adjacent_probability = 1;
  edge.shift_log_odds = 10;
  edge.support = {0, 0, 10};
  result.findings = {edge};
  return result;
}

double normal(Stream& stream) { return sample_normal(stream); }

std::array<double, 2> caused(Stream& stream, bool shifted) {
  const double x = normal(stream) + (shifted ? 2 : 0);
  return {x, x + normal(stream)};
}
std::array<double, 2> spread(Stream& stream, bool shifted) {
  const double x = normal(stream) * (shifted ? 3 : 1);
  return {x, x + normal(stream)};
}
std::array<double, 2> hidden(Stream& stream, bool shifted) {
  const double behind = 1.4 * normal(stream), own = normal(stream);
  const double x = shifted ? 2 + 1.7 * own : behind + own;
  return {x, behind + normal(stream)};
}
/// Something hidden moves, and what reads it moves along.
std::array<double, 2> hidden_moves(Stream& stream, bool shifted) {
  const double behind = normal(stream) + (shifted ? 4 : 0);
  return {behind + normal(stream), behind + normal(stream)};
}

double against_hidden(const Dataset& data, const GraphResult& result) {
  return FollowedEffects(result, data).against_hidden(0, 1);
}

TEST(FollowedEffects, ACauseTakesItsEffectAlong) {
  for (std::uint32_t run = 0; run < 5; ++run) {
    EXPECT_GT(against_hidden(rows_of(caused, run), answer()), clear) << run;
    EXPECT_GT(against_hidden(rows_of(spread, run), answer()), clear) << run;
    EXPECT_LT(against_hidden(rows_of(hidden, run), answer()), -clear) << run;
  }
}

TEST(FollowedEffects, SoItDoesInTables) {
  const GraphResult result = answer(GraphModel::categorical);
  for (std::uint32_t run = 0; run < 5; ++run) {
    EXPECT_GT(against_hidden(in_levels(rows_of(caused, run, 500)), result), clear) << run;
    EXPECT_LT(against_hidden(in_levels(rows_of(hidden, run, 500)), result), -clear) << run;
  }
}

TEST(FollowedEffects, WhatGoesTooFarMovedWithSomethingHidden) {
  for (std::uint32_t run = 0; run < 5; ++run)
    EXPECT_LE(against_hidden(rows_of(hidden_moves, run), answer()), 0) << run;
}

TEST(FollowedEffects, NothingIsSaidWhereTheCauseDidNotChangeOrEverythingDid) {
  GraphResult other = answer(), all = answer();
  std::swap(other.environments[2].changed[0], other.environments[2].changed[1]);
  all.environments[2].all_changed = 0.97;
  EXPECT_EQ(against_hidden(rows_of(caused, 1), other), 0);
  EXPECT_EQ(against_hidden(rows_of(caused, 1), all), 0);
}

TEST(FollowedEffects, MovesThatDriftWouldExplainSayNothing) {
  const auto hardly = [](Stream& stream, bool shifted) -> std::array<double, 2> {
    const double x = normal(stream) + (shifted ? 0.15 : 0);
    return {x, x + normal(stream)};
  };
  EXPECT_LT(against_hidden(rows_of(hardly, 1, 20'000), answer()), clear);
}

TEST(DirectionLimits, WhatSomethingHiddenExplainsIsNotSure) {
  for (const GraphModel model : {GraphModel::linear, GraphModel::categorical}) {
    const auto data = [&](const Row& row) {
      const Dataset rows = rows_of(row, 3, 500);
      return model == GraphModel::linear ? rows : in_levels(rows);
    };
    const Dataset follows = data(caused), stays = data(hidden);
    GraphResult sure = answer(model), doubted = answer(model), known = answer(model);
    limit_directions(sure, &follows, {});
    EXPECT_EQ(sure.edges.at(0, 1), 1);
    limit_directions(doubted, &stays, {});
    EXPECT_EQ(doubted.edges.at(0, 1), highest_if_hidden);
    EXPECT_EQ(doubted.edges.at(1, 0), 0);
    EXPECT_NEAR(doubted.hidden.at(0, 1), 1 - highest_if_hidden, 1e-12);
    EXPECT_TRUE(has(doubted.remarks, RemarkCode::not_followed));
    GraphOptions options;
    options.knowledge.words.assign(4, EdgeKnowledge::Word::open);
    options.knowledge.words[1] = EdgeKnowledge::Word::required;
    limit_directions(known, &stays, options);
    EXPECT_EQ(known.edges.at(0, 1), 1);
  }
}

TEST(DirectionLimits, LabelsAreDoubtedOnlyWhereLinesSpeakAgainstThem) {
  const Dataset stays = rows_of(hidden, 3);
  GraphResult denied = answer(GraphModel::labels), unseen = denied;
  denied.drift = unseen.drift = {0, 0};
  // Where the other end changed labels may have reasons of their own.
  std::swap(unseen.environments[2].changed[0], unseen.environments[2].changed[1]);
  limit_directions(denied, &stays, {});
  limit_directions(unseen, &stays, {});
  EXPECT_EQ(denied.edges.at(0, 1), highest_if_hidden);
  EXPECT_EQ(unseen.edges.at(0, 1), 1);
}

}  // namespace
}  // namespace whence
