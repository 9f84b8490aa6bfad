// The paper's learner on measured data: right where causes shift, wrong where an effect's mechanism
// does, and a word for data it is not made for.
#include "whence/paper/graph_transfer.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/bits.hpp"
#include "tests/support/turned_round.hpp"
#include "whence/core/error.hpp"
#include "whence/worlds/graph_world.hpp"

namespace whence {
namespace {

/// Environment e changes variable e - 1.
Dataset measured(std::string_view graph, std::size_t environments, std::uint64_t seed) {
  GraphWorldSpec spec;
  spec.graph = read_graph(graph);
  spec.mechanism = GraphMechanism::categorical;
  spec.shift = GraphShift::soft;
  spec.environments = environments;
  spec.rows = 300;
  spec.baseline_rows = 2000;
  return simulate_graph(spec, seed).data;
}

TransferOptions from_first() {
  TransferOptions options;
  options.baseline = 0;
  return options;
}

TEST(LearnGraphByTransfer, BelievesInTheCauseThatShiftsMoreOftenThanNot) {
  int right = 0, wrong = 0;
  for (std::uint64_t seed = 31; seed < 51; ++seed) {
    const TransferResult result = learn_graph_by_transfer(measured("0->1", 1, seed), from_first());
    right += result.edges.at(0, 1) > 0.9;
    wrong += result.edges.at(1, 0) > 0.9;
  }
  EXPECT_GT(right, 2 * wrong);
}

TEST(LearnGraphByTransfer, TheVerdictTurnsWithTheNames) {
  int right = 0;
  for (std::uint64_t seed = 61; seed < 67; ++seed) {
    const Dataset data = measured("0->1", 1, seed);
    Dataset swapped = data;
    std::swap(swapped.variables[0].name, swapped.variables[1].name);
    const TransferResult one = learn_graph_by_transfer(data, from_first());
    const TransferResult other = learn_graph_by_transfer(swapped, from_first());
    EXPECT_TRUE(support::same_bits(one.edges.values, other.edges.values))
        << "columns stay where they are, whatever they are called";
    // The other column as the cause, with the same rows: the belief follows the rows.
    Dataset turned = data;
    std::swap(turned.columns[0], turned.columns[1]);
    const TransferResult back = learn_graph_by_transfer(turned, from_first());
    EXPECT_TRUE(support::same_bits(one.edges.at(0, 1), back.edges.at(1, 0))) << seed;
    right += one.edges.at(0, 1) > one.edges.at(1, 0);
  }
  EXPECT_GE(right, 5) << "of 6: the cause shifts";
}

TEST(LearnGraphByTransfer, ReportsEveryBeliefOverTheEpisodesAndWhereItIsRight) {
  const TransferResult result = learn_graph_by_transfer(measured("0->1", 1, 31), from_first());
  const Report report = transfer_report(result);
  ASSERT_FALSE(report.curves.empty());
  EXPECT_EQ(report.curves[0].median.size(), result.beliefs.size());
  EXPECT_EQ(report.curves[0].median.back(), result.edges.at(0, 1));
  EXPECT_NE(report.warnings.at(0).find("right where causes shift"), std::string::npos);
}

TEST(LearnGraphByTransfer, NeitherOrderNorThreadsMatter) {
  const Dataset data = measured("0->1->2", 3, 33);
  TransferOptions options = from_first();
  options.episodes = 20;
  options.training.steps = 50;
  const TransferResult one = learn_graph_by_transfer(data, options);
  const TransferResult threaded = learn_graph_by_transfer(data, options, {.threads = 3});
  EXPECT_TRUE(support::same_bits(one.edges.values, threaded.edges.values));
  options.baseline = data.environments.size() - 1;
  const TransferResult turned = learn_graph_by_transfer(support::turned_round(data), options);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_TRUE(support::same_bits(one.edges.at(i, j), turned.edges.at(2 - i, 2 - j)));
}

TEST(LearnGraphByTransfer, CanBeStopped) {
  const std::atomic<bool> stop = true;
  const TransferResult result =
      learn_graph_by_transfer(measured("0->1", 1, 34), from_first(), {.stop = &stop});
  EXPECT_TRUE(result.stopped);
}

void expect_refused(const Dataset& data, const TransferOptions& options, const char* id,
                    const char* hint) {
  try {
    learn_graph_by_transfer(data, options);
    FAIL() << id;
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), id);
    EXPECT_NE(error.hint().find(hint), std::string::npos) << error.hint();
  }
}

TEST(LearnGraphByTransfer, SaysWhatItIsNotMadeFor) {
  const Dataset data = measured("0->1", 1, 35);
  expect_refused(data, {}, "E-USAGE-BASELINE", "name it");
  expect_refused(measured("chain6", 1, 35), from_first(), "E-LIMIT-VARIABLES",
                 "leave some columns out");
  Dataset real = data;
  real.variables[1] = {"x", Variable::Kind::real, 0, 1, {}};
  real.columns[1] = {{}, std::vector<double>(data.rows(), 0.5)};
  expect_refused(real, from_first(), "E-DATA-KIND", "cut it into levels");
  Dataset constant = data;
  constant.variables[0].levels = 1;
  constant.variables[0].level_names.clear();
  std::fill(constant.columns[0].levels.begin(), constant.columns[0].levels.end(), 0);
  expect_refused(constant, from_first(), "E-DATA-CONSTANT", "leave it out");
  Dataset alone = data;
  alone.environments.resize(1);
  expect_refused(alone, from_first(), "E-DATA-ENVIRONMENTS", "shifted environment");
}

}  // namespace
}  // namespace whence
