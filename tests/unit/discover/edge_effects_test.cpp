// Effects of edges: learnt where the mechanism is the same, drawn with few rows, the same every
// time.
#include "whence/discover/graph/edge_effects.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "whence/math/random.hpp"

namespace whence {
namespace {

/// y = 2 x + noise in the baseline and in "moved", where x is larger; y = -2 x in "changed".
Dataset simulated() {
  Dataset data;
  data.variables = {{"x", Variable::Kind::real}, {"y", Variable::Kind::real}};
  data.columns.resize(2);
  Stream stream(11, Purpose::tests, {0});
  std::size_t begin = 0;
  for (const char* name : {"base", "moved", "changed"}) {
    for (int i = 0; i < 400; ++i) {
      const double x = sample_normal(stream) + (name[0] == 'm' ? 3 : 0);
      data.columns[0].values.push_back(x);
      data.columns[1].values.push_back((name[0] == 'c' ? -2 : 2) * x + 0.3 * sample_normal(stream));
    }
    data.environments.push_back({name, begin, begin + 400});
    begin += 400;
  }
  return data;
}

/// x -> y is found; `changed` is the probability that y's mechanism changed in the last one.
GraphResult found(double changed) {
  GraphResult r;
  r.variables = {"x", "y"};
  r.edges = EdgeMatrix(2);
  r.edges.at(0, 1) = 0.99;
  r.graph = read_graph("0->1");
  r.findings = edges_worth_showing(r.edges);
  r.environments = {{"base", 400, true, {0, 0}, 0, 1},
                    {"moved", 400, false, {1, 0}, 0, 0},
                    {"changed", 400, false, {0, changed}, 0, 0}};
  return r;
}

TEST(EdgeEffects, AreLearntWhereTheMechanismDidNotChange) {
  const Dataset data = simulated();
  GraphResult result = found(1);
  add_effects(data, result);
  ASSERT_TRUE(result.findings[0].effect.has_value());
  const EffectSize& effect = *result.findings[0].effect;
  EXPECT_NEAR(effect.change, 2 * (effect.end - effect.start), 0.1);
  EXPECT_NEAR(effect.end - effect.start, 1, 0.1) << "one standard deviation of the baseline";
  EXPECT_EQ(effect.rows, 800u);
  // Rows of another mechanism would spoil it: the law notices when they are let in.
  GraphResult spoilt = found(0);
  add_effects(data, spoilt);
  EXPECT_GT(std::abs(spoilt.findings[0].effect->change - effect.change), 0.3);
}

TEST(EdgeEffects, OnlyEdgesOfTheGraphHaveOne) {
  GraphResult result = found(1);
  result.graph = Graph(2);
  add_effects(simulated(), result);
  EXPECT_FALSE(result.findings[0].effect.has_value());
}

TEST(MechanismPictures, ShowFewRowsByEnvironmentTheSameEveryTime) {
  const Dataset data = simulated();
  GraphResult result = found(1);
  add_effects(data, result);
  const auto pictures = mechanism_pictures(data, result);
  ASSERT_EQ(pictures.size(), 1u);
  const MechanismPicture& picture = pictures[0];
  ASSERT_EQ(picture.points.size(), 2u) << "where the mechanism changed is left out";
  EXPECT_EQ(picture.points[0].environments, std::vector<std::size_t>{0});
  EXPECT_EQ(picture.points[1].environments, std::vector<std::size_t>{1});
  EXPECT_LE(picture.points[0].x.size() + picture.points[1].x.size(), 300u);
  ASSERT_GT(picture.fit.size(), 10u);
  const FittedPoint &first = picture.fit.front(), &last = picture.fit.back();
  EXPECT_NEAR((last.y - first.y) / (last.x - first.x), 2, 0.1);
  EXPECT_LT(first.low, first.y);
  EXPECT_EQ(mechanism_pictures(data, result)[0].points[1].y, picture.points[1].y);
  EXPECT_TRUE(mechanism_pictures(data, result, 0).empty());
}

}  // namespace
}  // namespace whence
