// What no shift supports is not stated as sure, on answers and on data.
#include "whence/discover/limits/direction_limits.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "whence/math/random.hpp"

namespace whence {
namespace {

/// x -> y by a line with skewed noise, in groups; in the last one x is moved.
Dataset skewed(std::uint32_t run, double moved) {
  Stream stream(72, Purpose::tests, {run, 0, 0});
  std::vector<double> x, y;
  std::vector<int> labels;
  for (int e = 0; e < 4; ++e)
    for (int r = 0; r < 150; ++r) {
      x.push_back(std::exp(sample_normal(stream)) + (e == 3 ? moved : 0));
      y.push_back(x.back() + std::exp(sample_normal(stream)));
      labels.push_back(e);
    }
  return Dataset::from_columns({DataColumn("x", x), DataColumn("y", y)}, labels);
}

double largest(const GraphResult& result) {
  return *std::max_element(result.edges.values.begin(), result.edges.values.end());
}

TEST(DirectionLimits, FormIsNoShift) {
  for (const GraphModel model : {GraphModel::linear, GraphModel::labels})
    for (std::uint32_t run = 0; run < 3; ++run) {
      GraphOptions options;
      options.model = model;
      const GraphResult result = find_graph(skewed(run, 0), options);
      EXPECT_LE(largest(result), highest_if_unsure) << name_of(model) << run;
      for (const EdgeFinding& edge : result.findings)
        EXPECT_LT(edge.shift_log_odds, 3) << name_of(model) << run;
    }
}

TEST(DirectionLimits, AShiftIsSeenThroughTheSameNoise) {
  GraphOptions options;
  options.model = GraphModel::linear;
  const GraphResult result = find_graph(skewed(5, 3), options);
  EXPECT_GT(result.edges.at(0, 1), 0.95);
  EXPECT_TRUE(shift_supports(result, result.findings.at(0)));
}

/// Two columns, and an edge that is stated as certain.
GraphResult one_sure_edge() {
  GraphResult result;
  result.variables = {"a", "b"};
  result.edges = EdgeMatrix(2);
  result.edges.at(0, 1) = 1;
  result.environments.resize(2);
  for (GraphEnvironment& environment : result.environments) environment.changed = {0, 0};
  EdgeFinding edge;
  edge.from = 0;
  edge.to = 1;
  edge.probability = edge.adjacent_probability = 1;
  edge.support = {0, 0};
  result.findings = {edge};
  return result;
}

TEST(DirectionLimits, AnEnvironmentSpeaksWhereOneEndChangedButNotEverything) {
  GraphResult quiet = one_sure_edge();
  quiet.findings[0].support = {0, 10};
  quiet.findings[0].shift_log_odds = 10;
  GraphResult changed = quiet, redrawn = quiet;
  changed.environments[1].changed = {0.99, 0};
  redrawn.environments[1].changed = {0.99, 0.99};
  redrawn.environments[1].all_changed = 0.99;
  EXPECT_FALSE(shift_supports(quiet, quiet.findings[0]));
  EXPECT_TRUE(shift_supports(changed, changed.findings[0]));
  EXPECT_FALSE(shift_supports(redrawn, redrawn.findings[0]));
}

TEST(DirectionLimits, NoEdgePointsAgainstAPathOfSureOnes) {
  // a -> b -> c, each seen where b or c changed; a -> c is linked, and no shift tells how.
  GraphResult result;
  result.model = GraphModel::linear;
  result.variables = {"a", "b", "c"};
  result.edges = EdgeMatrix(3);
  result.edges.at(0, 1) = result.edges.at(1, 2) = 0.99;
  result.edges.at(0, 2) = 1;
  result.environments.resize(3);
  for (GraphEnvironment& environment : result.environments) environment.changed = {0, 0, 0};
  result.environments[1].changed[1] = result.environments[2].changed[2] = 1;
  result.findings = edges_worth_showing(result.edges);
  for (EdgeFinding& edge : result.findings) {
    edge.shift_log_odds = 10;
    edge.support = {0, edge.to == 1 ? 10.0 : 0, edge.from == 1 ? 10.0 : 0};
  }
  GraphResult apart = result, doubted = result;
  doubted.maybe_confounded = {{0, 1}};
  apart.edges.at(1, 2) = 0.5;
  apart.findings = edges_worth_showing(apart.edges);
  limit_directions(result, nullptr, {});
  EXPECT_NEAR(result.edges.at(0, 2), 0.98, 1e-12);
  EXPECT_NEAR(result.edges.at(2, 0), 0.02, 1e-12);
  limit_directions(apart, nullptr, {});
  EXPECT_EQ(apart.edges.at(0, 2), highest_if_unsure);
  limit_directions(doubted, nullptr, {});
  EXPECT_EQ(doubted.edges.at(0, 2), highest_if_unsure);
}

TEST(DirectionLimits, WhatIsKnownNeedsNoShift) {
  GraphResult result = one_sure_edge();
  GraphOptions options;
  options.knowledge.words.assign(4, EdgeKnowledge::Word::open);
  options.knowledge.words[1] = EdgeKnowledge::Word::required;
  limit_directions(result, nullptr, options);
  EXPECT_EQ(result.edges.at(0, 1), 1);
  limit_directions(result, nullptr, {});
  EXPECT_LT(result.edges.at(0, 1), 0.95);
  EXPECT_DOUBLE_EQ(result.edges.at(0, 1) + result.edges.at(1, 0), 1);
}

}  // namespace
}  // namespace whence
