// The rows of bench graphs that real data resemble: each runs, is judged as its figures ask, and
// its claims hold or fail where they should.
#include "bench/quality/graph_figures.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "bench/quality/graph_figure_rows.hpp"

namespace whence {
namespace {

std::vector<std::string> figure_names(bool smoke) {
  std::vector<std::string> names;
  for (const GraphBenchRow& row : graph_figure_rows(smoke)) names.push_back(row.name);
  return names;
}

GraphBenchRow row_named(const std::string& name, bool smoke = false) {
  for (const GraphBenchRow& row : graph_figure_rows(smoke))
    if (row.name == name) return row;
  throw std::runtime_error(name);
}

class FigureRow : public testing::TestWithParam<std::string> {};

/// One small data set.
TEST_P(FigureRow, RunsAtTheSmallestScale) {
  const GraphBenchmark bench = bench_graphs({"smoke", {GetParam()}, 1}, {});
  ASSERT_EQ(bench.report.warnings, std::vector<std::string>{});
  EXPECT_EQ(bench.report.tables[0].id, "figures");
  EXPECT_EQ(bench.report.tables[0].rows[0][0], GetParam());
  EXPECT_GE(bench.report.claims.size(), 3u);
  for (const Claim& claim : bench.report.claims)
    EXPECT_EQ(claim.measured.find("nan"), std::string::npos) << claim.id;
}

INSTANTIATE_TEST_SUITE_P(All, FigureRow, testing::ValuesIn(figure_names(true)),
                         [](const testing::TestParamInfo<std::string>& row) {
                           std::string name = row.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(GraphFigureRows, AreThoseOfTheFigures) {
  const auto list = figure_names(false);
  const std::set<std::string> names(list.begin(), list.end());
  EXPECT_EQ(names.size(), list.size());
  EXPECT_EQ(list, figure_names(true));
  for (const char* kind : {"linear", "network", "square", "sine", "multiplicative",
                           "heteroscedastic", "count", "mixed"})
    for (const char* suffix : {"", "-none", "-all", "-shuffled"})
      EXPECT_TRUE(names.contains(kind + std::string(suffix))) << kind << suffix;
  for (const char* name :
       {"bacadi-nonlinear", "linear-hidden-1", "network-hidden-2", "linear-drift-10",
        "network-drift-30-none", "linear-typo", "network-noise-rows"})
    EXPECT_TRUE(names.contains(name)) << name;
  const GraphBenchRow network = row_named("network");
  EXPECT_EQ(network.sets, 30u);
  EXPECT_EQ(network.graph, "er:10:15");
  EXPECT_EQ(network.world.baseline_rows, 2000u);
  EXPECT_EQ(network.world.rows, 500u);
  EXPECT_EQ(row_named("bacadi-nonlinear").world.baseline_rows, 100u);
}

TEST(GraphBenchPlan, TakesFewerDataSets) {
  const auto sets = [](std::size_t most) {
    return bench_graphs({"smoke", {"linear"}, most}, {}).report.tables[0].rows[0][2];
  };
  EXPECT_EQ(sets(0), "1");
  EXPECT_EQ(sets(5), "1");
}

// ---- claims ----

GraphOutcome good_outcome() {
  GraphOutcome o;
  o.above_95.right = 100;
  o.edges = 100;
  o.likely_right = 90;
  o.ranked_targets = 20;
  o.targets_on_top = 20;
  o.confounded = 3;
  o.confounded_named = 2;
  o.edge_precision = o.target_precision = 1;
  return o;
}

/// Ids of the claims about the row that fail.
std::vector<std::string> failing(const std::string& row, const GraphOutcome& outcome) {
  std::vector<std::string> ids;
  for (const Claim& claim : graph_figure_claims({{row_named(row), {outcome}, ""}}))
    if (!claim.holds) ids.push_back(claim.id);
  return ids;
}

using Ids = std::vector<std::string>;

TEST(GraphFigureClaims, OfAccuracyFailWhereTheyShould) {
  EXPECT_EQ(failing("sine", good_outcome()), Ids{});
  GraphOutcome o = good_outcome();
  o.above_95.reversed = 2;
  EXPECT_EQ(failing("sine", o), Ids{});  // 2 of 102
  o.above_95.not_adjacent = 1;
  EXPECT_EQ(failing("sine", o), Ids{"sine/wrong-edges"});
  o = good_outcome();
  o.likely_right = 75;
  EXPECT_EQ(failing("sine", o), Ids{"sine/recall"});
  EXPECT_EQ(failing("mixed", o), Ids{});
  o = good_outcome();
  o.targets_on_top = 18;
  o.false_changes_95 = 2;
  o.shifted = o.flagged = 1;
  EXPECT_EQ(failing("sine", o),
            (Ids{"sine/targets", "sine/false-changes", "sine/falsely-all-changed"}));
}

TEST(GraphFigureClaims, OfControlsFailWhereTheyShould) {
  GraphOutcome o;
  EXPECT_EQ(failing("sine-none", o), Ids{});
  o.above_95.right = 1;
  o.false_changes_95 = 1;
  EXPECT_EQ(failing("sine-none", o), (Ids{"sine-none/no-direction", "sine-none/no-change"}));
  o = {};
  o.all_changed = 20;
  o.flagged = o.flagged_rightly = 19;
  EXPECT_EQ(failing("sine-all", o), Ids{});
  o.flagged_rightly = 18;  // and one of the others is flagged
  EXPECT_EQ(failing("sine-all", o), (Ids{"sine-all/all-changed", "sine-all/falsely-all-changed"}));
  o = {};
  o.turned_round = 1;
  EXPECT_EQ(failing("network-typo", o), Ids{"network-typo/turned"});
  o = good_outcome();
  o.confounded_named = 1;
  EXPECT_EQ(failing("linear-hidden-1", o), Ids{"linear-hidden-1/hidden"});
}

TEST(GraphFigureClaims, OfTheProtocolFailWhereTheyShould) {
  GraphOutcome o = good_outcome();
  o.expected_shd = 17;
  EXPECT_EQ(failing("bacadi-nonlinear", o), Ids{});
  o.expected_shd = 17.5;
  o.edge_precision = 0.8;
  o.target_precision = 0.98;
  o.false_changes_99 = 1;
  EXPECT_EQ(failing("bacadi-nonlinear", o).size(), 4u);
}

TEST(GraphFigureClaims, AreAboutCalibrationOverAllRows) {
  GraphOutcome o = good_outcome();
  for (int k = 0; k < 200; ++k) o.edge_bins.add(0.97, k % 10 != 0);
  EXPECT_EQ(failing("sine", o), Ids{"all-figures/calibration-edges"});  // .97 against .90
  GraphOutcome few = good_outcome();
  for (int k = 0; k < 199; ++k) few.edge_bins.add(0.97, k % 10 != 0);
  EXPECT_EQ(failing("sine", few), Ids{});
}

}  // namespace
}  // namespace whence
