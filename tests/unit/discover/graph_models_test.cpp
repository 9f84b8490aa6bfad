// The list of models, and a model that a program adds to it: columns above zero whose causes
// multiply, scored as straight lines of their logarithms.
#include "whence/discover/graph/graph_models.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "whence/core/error.hpp"
#include "whence/discover/graph/graph_discovery.hpp"
#include "whence/evidence/linear/linear_family_scores.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

std::unique_ptr<FamilyScorer> scorer_of_logarithms(const Dataset& data, const GraphTask&,
                                                   double scale, const FamilyScorer*) {
  Dataset logarithms = data;
  for (Column& column : logarithms.columns)
    for (double& value : column.values) value = std::log(value);
  LinearScoreOptions how;
  how.scale = scale;
  return std::make_unique<LinearFamilyScorer>(logarithms, how);
}

constexpr ModelEntry multiplicative = {
    .name = "multiplicative",
    .assumption = "Causes multiply.",
    .has_scale = true,
    .takes = [](const Variable& v) { return v.kind == Variable::Kind::real && v.dimension == 1; },
    .make = scorer_of_logarithms};

/// a -> b -> c by powers, all above zero; b is set by itself in the second environment, c in the
/// third, a in the fourth.
Dataset powers() {
  std::vector<double> a, b, c;
  std::vector<int> labels;
  Stream noise(7, Purpose::sample, {1});
  for (int e = 0; e < 4; ++e)
    for (int row = 0; row < (e == 0 ? 600 : 150); ++row) {
      a.push_back(std::exp(sample_normal(noise) + (e == 3 ? 2 : 0)));
      b.push_back(e == 1 ? std::exp(2 + sample_normal(noise))
                         : std::pow(a.back(), 1.5) * std::exp(.5 * sample_normal(noise)));
      c.push_back(e == 2 ? std::exp(-2 + sample_normal(noise))
                         : std::exp(.5 * sample_normal(noise)) / b.back());
      labels.push_back(e);
    }
  return Dataset::from_columns({{"a", a}, {"b", b}, {"c", c}}, labels);
}

TEST(GraphModels, OfTheListHaveNamesOfTheirOwnAndAreFoundById) {
  std::set<std::string_view> names;
  for (const ModelEntry& model : graph_models()) {
    EXPECT_TRUE(names.insert(model.name).second) << model.name;
    EXPECT_EQ(&entry_of(model.id), &model);
    EXPECT_EQ(name_of(model.id), model.name);
    EXPECT_FALSE(model.assumption.empty());
    EXPECT_NE(model.takes, nullptr);
  }
  EXPECT_EQ(name_of(GraphModel::automatic), "auto");
  EXPECT_THROW(entry_of(GraphModel::automatic), Error);
}

TEST(GraphModels, OfAProgramsOwnAnswerLikeThoseOfTheList) {
  GraphOptions options;
  options.own_model = &multiplicative;
  options.baseline = 0;
  const GraphResult result = find_graph(powers(), options);
  EXPECT_EQ(result.model, GraphModel::own);
  EXPECT_GT(result.edges.at(0, 1), 0.95);
  EXPECT_GT(result.edges.at(1, 2), 0.95);
  EXPECT_LT(result.edges.at(0, 2) + result.edges.at(2, 0), 0.5);
  EXPECT_GT(result.environments[1].changed[1], 0.9);
  EXPECT_GT(result.environments[2].changed[2], 0.9);
  EXPECT_GT(result.environments[3].changed[0], 0.9);
}

TEST(GraphModels, RefuseColumnsThatTheyDoNotAccept) {
  GraphOptions options;
  options.own_model = &multiplicative;
  const std::vector<std::string> texts = {"x", "y", "x", "y"};
  const Dataset data = Dataset::from_columns(
      {{"a", {1.0, 2.0, 3.0, 4.0}}, {"t", std::span<const std::string>(texts)}},
      std::vector<int>{0, 0, 1, 1});
  EXPECT_THROW(find_graph(data, options), Error);
}

}  // namespace
}  // namespace whence
