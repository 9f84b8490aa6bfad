// Data sets from a user's own columns: what comes out, and what is refused.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "whence/core/dataset.hpp"
#include "whence/core/error.hpp"
#include "whence/core/knowledge.hpp"

namespace whence {
namespace {

const std::vector<double> numbers = {1, 2, 3, 4};
const std::vector<std::string> texts = {"b", "a", "b", "c"};
const std::vector<std::string> labels = {"x", "y", "x", "y"};

template <class Call>
void expect_refused(const char* id, const Call& call) {
  try {
    call();
    FAIL() << id;
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), id) << error.what();
  }
}

TEST(DataBuilder, SortsRowsIntoEnvironmentsAndTextsIntoLevels) {
  const Dataset data = Dataset::from_columns({{"n", numbers}, {"t", texts}}, labels);
  ASSERT_EQ(data.environments.size(), 2u);
  EXPECT_EQ(data.environments[1].name, "y");
  EXPECT_EQ(data.environments[1].begin, 2u);
  EXPECT_EQ(data.columns[0].values, (std::vector<double>{1, 3, 2, 4}));
  EXPECT_EQ(data.variables[1].level_names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(data.columns[1].levels, (std::vector<std::int32_t>{1, 1, 0, 2}));
  EXPECT_EQ(data.variable("t"), 1u);
  EXPECT_EQ(data.environment("y"), 1u);
}

TEST(DataBuilder, WholeNumbersStayNumbersAndLabelEnvironments) {
  const std::vector<int> whole = {1, 2, 3, 4}, days = {7, 7, 8, 8};
  const Dataset data = Dataset::from_columns({{"n", whole}}, days);
  EXPECT_EQ(data.variables[0].kind, Variable::Kind::real);
  EXPECT_EQ(data.environments[1].name, "8");
}

TEST(DataBuilder, EnvironmentByEnvironmentIsTheSameData) {
  const Dataset one = Dataset::from_columns({{"n", numbers}, {"t", texts}}, labels);
  const Dataset other = Dataset::from_environments({{"x", {{"n", {1.0, 3.0}}, {"t", {"b", "b"}}}},
                                                    {"y", {{"t", {"a", "c"}}, {"n", {2.0, 4.0}}}}});
  EXPECT_EQ(one.columns[0].values, other.columns[0].values);
  EXPECT_EQ(one.columns[1].levels, other.columns[1].levels);
  EXPECT_EQ(one.variables[1].level_names, other.variables[1].level_names);
}

TEST(DataBuilder, MissingRowsAreRefusedOrDropped) {
  DataColumn holes("n", numbers);
  holes.missing_at({false, true, false, false});
  expect_refused("E-DATA-MISSING", [&] { Dataset::from_columns({holes}, labels); });
  const Dataset data = Dataset::from_columns({holes}, labels, MissingRows::drop);
  EXPECT_EQ(data.columns[0].values, (std::vector<double>{1, 3, 4}));
  EXPECT_EQ(data.environments[1].rows(), 1u);
  holes.missing_at({true, true, true, true});
  expect_refused("E-DATA-ENVIRONMENTS",
                 [&] { Dataset::from_columns({holes}, labels, MissingRows::drop); });
}

TEST(DataBuilder, WhatCannotBeADataSetIsRefused) {
  const std::vector<int> codes = {0, 1, 2, 0}, negative = {0, -1, 0, 0};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto make = [](const std::vector<DataColumn>& columns) {
    return Dataset::from_columns(columns, labels);
  };
  expect_refused("E-DATA-COLUMNS", [&] { make({}); });
  expect_refused("E-DATA-LENGTH", [&] { make({{"n", {1.0, 2.0}}}); });
  expect_refused("E-DATA-LENGTH", [&] { make({DataColumn("n", numbers).missing_at({true})}); });
  expect_refused("E-DATA-NAME", [&] { make({{"n", numbers}, {"n", texts}}); });
  expect_refused("E-DATA-NAME", [&] { make({{"", numbers}}); });
  expect_refused("E-DATA-NONFINITE", [&] { make({{"n", {1.0, nan, 2.0, 3.0}}}); });
  expect_refused("E-DATA-NONFINITE", [&] { make({{"n", {1.0, INFINITY, 2.0, 3.0}}}); });
  expect_refused("E-DATA-LEVELS", [&] { make({DataColumn::categories("c", codes, {"a", "b"})}); });
  expect_refused("E-DATA-LEVELS", [&] {
    make({DataColumn::categories("c", negative, {"a", "b"})});
  });
  expect_refused("E-DATA-KIND", [&] { DataColumn::vectors("v", numbers, 0); });
  expect_refused("E-DATA-LENGTH", [&] { make({DataColumn::vectors("v", numbers, 3)}); });
  expect_refused("E-DATA-NAME", [&] { make({{"n", numbers}}).variable("m"); });
  expect_refused("E-DATA-KIND", [&] {
    Dataset::from_environments({{"x", {{"n", {1.0}}}}, {"y", {{"n", {"a"}}}}});
  });
  expect_refused("E-DATA-NAME", [&] {
    Dataset::from_environments({{"x", {{"n", {1.0}}}}, {"x", {{"n", {1.0}}}}});
  });
  expect_refused("E-DATA-COLUMNS", [&] {
    Dataset::from_environments({{"x", {{"n", {1.0}}}}, {"y", {{"m", {1.0}}}}});
  });
}

TEST(RequireValid, SeesWhatSomebodyDidToADataSetByHand) {
  const Dataset good = Dataset::from_columns({{"n", numbers}, {"t", texts}}, labels);
  const auto refused = [&](const char* id, const auto& damage) {
    Dataset data = good;
    damage(data);
    expect_refused(id, [&] { require_valid(data); });
  };
  EXPECT_NO_THROW(require_valid(good));
  refused("E-DATA-LEVELS", [](Dataset& d) { d.columns[1].levels[0] = 3; });
  refused("E-DATA-LENGTH", [](Dataset& d) { d.columns[1].levels.pop_back(); });
  refused("E-DATA-NONFINITE", [](Dataset& d) { d.columns[0].values[0] = INFINITY; });
  refused("E-DATA-NAME", [](Dataset& d) { d.variables[1].name = "n"; });
  refused("E-DATA-KIND", [](Dataset& d) { d.columns[0].levels = {0, 0, 0, 0}; });
  refused("E-DATA-COLUMNS", [](Dataset& d) { d.columns.pop_back(); });
  refused("E-DATA-ENVIRONMENTS", [](Dataset& d) { d.environments[1].end = 5; });
  refused("E-DATA-ENVIRONMENTS", [](Dataset& d) { d.environments[1].begin = 1; });
  refused("E-DATA-ENVIRONMENTS", [](Dataset& d) { d.environments.clear(); });
  expect_refused("E-DATA-BASELINE", [&] { require_environment(good, 2); });
}

TEST(Knowledge, FitsTheDataOrIsRefused) {
  const Dataset data = Dataset::from_columns({{"n", numbers}, {"t", texts}}, labels);
  EdgeKnowledge edges;
  edges.forbid(data, "n", "t");
  EXPECT_EQ(edges.of(2, 0, 1), EdgeKnowledge::Word::forbidden);
  expect_refused("E-KNOWLEDGE", [&] { edges.require(data, "n", "t"); });
  expect_refused("E-KNOWLEDGE", [&] { edges.require(data, "n", "n"); });
  std::vector<KnownChange> known;
  const std::string_view target[] = {"t"};
  set_targets(data, "y", target, known);
  EXPECT_EQ(known[1 * 2 + 1], KnownChange::changed);
  EXPECT_EQ(known[0 * 2 + 1], KnownChange::unchanged);
  EXPECT_NO_THROW(require_fitting(data, edges, known));
  const std::size_t baseline = 1;
  expect_refused("E-KNOWLEDGE", [&] { require_fitting(data, edges, known, &baseline); });
  known.pop_back();
  expect_refused("E-KNOWLEDGE", [&] { require_fitting(data, edges, known); });
  edges.words.assign(4, EdgeKnowledge::Word::required);
  expect_refused("E-KNOWLEDGE", [&] { require_fitting(data, edges, {}); });
}

}  // namespace
}  // namespace whence
