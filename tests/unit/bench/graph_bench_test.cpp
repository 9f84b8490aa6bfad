// whence bench graphs at the smallest scale: every control is there, every number is one, and
// nothing depends on threads.
#include "bench/quality/graph_bench.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "whence/core/error.hpp"
#include "whence/report/result_json.hpp"

namespace whence {
namespace {

GraphBenchmark bench(int threads, const std::vector<std::string>& only = {}) {
  RunOptions options;
  options.seed = 3;
  options.threads = threads;
  return bench_graphs({"smoke", only}, options);
}

std::set<std::string> row_names(const Table& table) {
  std::set<std::string> names;
  for (const auto& row : table.rows) names.insert(row[0]);
  return names;
}

TEST(GraphBench, HasAllControls) {
  for (const char* scale : {"smoke", "full"}) {
    std::set<std::string> names;
    for (const GraphBenchRow& row : graph_bench_rows(scale)) names.insert(row.name);
    for (const char* control :
         {"no-shift-100", "no-shift-1000", "all-soft", "all-hard", "soft", "two-targets", "weak",
          "zero-mean", "few-rows", "hidden", "er20-normal", "shuffled-gaussian", "shuffled-t2.5",
          "shuffled-within-laplace", "shuffled-within-zero-mean", "shuffled-lognormal",
          "lognormal-none", "enco-none"})
      EXPECT_TRUE(names.contains(control)) << control;
  }
}

TEST(GraphBench, IsTheSameForAnyNumberOfThreads) {
  const std::vector<std::string> only = {"no-shift-100",  "all-soft",   "soft",         "hidden",
                                         "shuffled-t2.5", "enco-chain", "time-heavy-20"};
  const GraphBenchmark one = bench(1, only), three = bench(3, only);
  EXPECT_EQ(result_text(result_json(one.report)), result_text(result_json(three.report)));
  EXPECT_TRUE(one.report.warnings.empty());

  const auto names = row_names(one.report.tables[0]);
  EXPECT_EQ(names.size(), only.size() - 1);
  EXPECT_FALSE(names.contains("time-heavy-20"));  // times are kept apart
  EXPECT_EQ(row_names(one.speed.tables[0]).count("time-heavy-20"), 1u);
  for (const Number& number : one.report.numbers)
    EXPECT_TRUE(std::isfinite(number.value)) << number.id;
  for (const Claim& claim : one.report.claims)
    EXPECT_EQ(claim.measured.find("nan"), std::string::npos) << claim.id;
  EXPECT_GE(one.report.claims.size(), 10u);
}

TEST(GraphBench, WhereAClaimFailsTheScoreOfTheTruthIsTold) {
  const auto rows = graph_bench_rows("full");
  const auto within = std::find_if(rows.begin(), rows.end(), [](const GraphBenchRow& row) {
    return row.name == "shuffled-within-gaussian";
  });
  ASSERT_NE(within, rows.end());
  GraphOutcome good, bad, worse;
  good.score_gap = 50;
  bad.above_99.not_adjacent = worse.above_99.not_adjacent = 1;
  bad.score_gap = 2.25;
  worse.score_gap = 7.5;
  const auto edges_claim = [&](std::vector<GraphOutcome> outcomes) {
    return graph_bench_claims({{*within, std::move(outcomes), ""}})[0];
  };
  const Claim failed = edges_claim({good, bad, worse});
  EXPECT_FALSE(failed.holds);
  EXPECT_EQ(failed.measured,
            "in 1 of 3; elsewhere the best graph scores 2.2 to 7.5 nats above the truth");
  EXPECT_NE(failed.why.find("shifts of the mean"), std::string::npos);
  worse.score_gap = -3;
  EXPECT_EQ(edges_claim({good, bad, worse}).measured,
            "in 1 of 3; elsewhere the best graph scores -3.0 to 2.2 nats above the truth (below it "
            "in 1 of 2)");
  const Claim held = edges_claim({good, good});
  EXPECT_TRUE(held.holds);
  EXPECT_EQ(held.measured, "in 2 of 2");
  EXPECT_EQ(held.why, "");
}

TEST(GraphBench, RowsHaveNamesAndDataOfTheirOwn) {
  for (const char* scale : {"smoke", "full"}) {
    std::set<std::string> names;
    std::set<std::uint64_t> seeds;
    std::size_t sets = 0;
    for (const GraphBenchRow& row : graph_bench_rows(scale)) {
      EXPECT_TRUE(names.insert(row.name).second) << row.name;
      for (std::size_t s = 0; s < row.sets; ++s, ++sets) seeds.insert(graph_bench_seed(0, row, s));
    }
    EXPECT_EQ(seeds.size(), sets);
  }
}

TEST(GraphBench, AnUnknownRowIsRefusedWithANearOne) {
  try {
    bench(1, {"all-sotf"});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(error.hint().find("all-soft"), std::string::npos) << error.hint();
  }
}

// What shuffling leaves of the truth.
TEST(GraphBench, ShuffledColumnsHaveNoEdges) {
  for (const GraphBenchRow& row : graph_bench_rows("smoke")) {
    if (!row.shuffle || row.world.mechanism != GraphMechanism::linear_gaussian) continue;
    const GraphTruth truth = draw_graph_bench(row, 5).truth;
    EXPECT_EQ(truth.graph.edge_count(), 0u);
    for (std::size_t e = 1; e < truth.targets.size(); ++e) {
      const bool target =
          std::binary_search(truth.targets[e].begin(), truth.targets[e].end(), e - 1);
      EXPECT_EQ(target, *row.shuffle == Shuffle::within_environments);
    }
  }
}

// ---- judging ----

/// X0 -> X1 -> X2, of which the first edge is found, the second reversed and X0 -> X2 invented.
struct Judged {
  GraphResult found;
  GraphTruth truth;
  Judged() {
    found.edges = EdgeMatrix(3);
    found.edges.at(0, 1) = 0.97;
    found.edges.at(1, 2) = 0.01;
    found.edges.at(2, 1) = 0.98;
    found.edges.at(0, 2) = 0.2;
    found.graph = read_graph("0->1, 2->1", 3);
    found.draws = {found.graph};
    found.search.scores = {-10, -12};
    found.environments = {{"baseline", 10, true, {0, 0, 0}}, {"e1", 10, false, {0.9, 0.96, 0.1}}};
    truth.graph = read_graph("0->1->2");
    truth.targets = {{}, {0}};
  }
};

TEST(GraphOutcome, CountsMistakesOnce) {
  const Judged judged;
  const GraphOutcome out = judge_graph(judged.found, judged.truth);
  EXPECT_NEAR(out.expected_shd, 0.03 + 0.99 + 0.2, 1e-12);
  EXPECT_EQ(out.best_shd, 1);
  EXPECT_EQ(out.above_95.right, 1u);
  EXPECT_EQ(out.above_95.reversed, 1u);
  EXPECT_EQ(out.above_95.not_adjacent, 0u);
  EXPECT_EQ(out.above_99.right + out.above_99.wrong(), 0u);
  EXPECT_EQ(out.undirected, 2u);
  EXPECT_EQ(out.directed_right, 1u);
  EXPECT_EQ(out.directed_wrong, 1u);
  EXPECT_EQ(out.pairs, 3u);
  EXPECT_EQ(out.targets, 1u);
  EXPECT_EQ(out.targets_found, 1u);
  EXPECT_EQ(out.false_changes_95, 1u);
  EXPECT_EQ(out.target_precision, 0.5);  // the target has the second rank
  EXPECT_EQ(out.search_spread, 2);
  // P(X1 | do(X2)) by the parents of X2 in the found graph, none: X1 would depend on X2.
  EXPECT_GT(out.expected_sid, 0);
}

/// A chain of `m` whose edges are stated to point backward with these probabilities, first ones
/// first; the others are left open.
GraphOutcome judged_chain(std::size_t m, const std::vector<double>& backward) {
  GraphTruth truth;
  truth.graph = Graph(m);
  truth.targets = {{}};
  GraphResult found;
  found.edges = EdgeMatrix(m);
  found.graph = Graph(m);
  for (std::size_t v = 0; v + 1 < m; ++v) {
    truth.graph.set_edge(VariableId(v), VariableId(v + 1));
    found.edges.at(v + 1, v) = v < backward.size() ? backward[v] : 0.5;
    found.edges.at(v, v + 1) = 1 - found.edges.at(v + 1, v);
  }
  found.draws = {found.graph};
  return judge_graph(found, truth);
}

TEST(GraphOutcome, WhatTheWholeClassSaysIsNotWronglySure) {
  // The root is one of 25, so that k edges from the first point backward in (25 - k) of 25.
  EXPECT_EQ(judged_chain(25, {0.96, 0.92, 0.88}).undirected, 24u);
  EXPECT_EQ(judged_chain(25, {0.96, 0.92, 0.88}).directed_wrong, 0u);
  EXPECT_EQ(judged_chain(25, {0.97, 0.94}).directed_wrong, 0u);  // as far as draws may be off
  EXPECT_EQ(judged_chain(25, {0.97, 0.94}).reversed_in_class, 1u);
  EXPECT_EQ(judged_chain(25, {0.97, 0.94}).above_95.wrong(), 1u);
}

TEST(GraphOutcome, WhatGoesBeyondTheClassIsWronglySure) {
  EXPECT_EQ(judged_chain(25, {1}).directed_wrong, 1u);
  EXPECT_EQ(judged_chain(25, {1}).reversed_in_class, 0u);
  EXPECT_EQ(judged_chain(25, {0.96, 0.96}).directed_wrong, 1u);        // the second only
  EXPECT_EQ(judged_chain(25, {0.96, 0.92, 0.96}).directed_wrong, 1u);  // the third only
  EXPECT_EQ(judged_chain(25, std::vector<double>(24, 0.96)).directed_wrong, 23u);
  EXPECT_EQ(judged_chain(3, {0.96}).directed_wrong, 1u);
  // Where all but one of very many members agree, certainty is still too much.
  EXPECT_EQ(judged_chain(80, {1}).directed_wrong, 1u);
  EXPECT_EQ(judged_chain(80, {1 - 1. / 80}).directed_wrong, 0u);
}

TEST(GraphOutcome, ATruthWithoutEdgesHasNoPrecision) {
  Judged judged;
  judged.truth.graph = Graph(3);
  judged.truth.targets = {{}, {}};
  const GraphOutcome out = judge_graph(judged.found, judged.truth);
  EXPECT_TRUE(std::isnan(out.edge_precision));
  EXPECT_TRUE(std::isnan(out.target_precision));
  EXPECT_EQ(out.above_95.not_adjacent, 2u);
}

TEST(GraphOutcome, TargetsOnTopAreAheadOfAllOthers) {
  Judged judged;
  const auto on_top = [&](std::vector<double> changed, std::vector<std::size_t> targets) {
    judged.found.environments[1].changed = std::move(changed);
    judged.truth.targets[1] = std::move(targets);
    const GraphOutcome out = judge_graph(judged.found, judged.truth);
    EXPECT_EQ(out.ranked_targets, judged.truth.targets[1].size());
    return out.targets_on_top;
  };
  EXPECT_EQ(on_top({0.2, 0.1, 0.1}, {0}), 1u);
  EXPECT_EQ(on_top({0.2, 0.3, 0.1}, {0}), 0u);
  EXPECT_EQ(on_top({0.2, 0.2, 0.1}, {0}), 0u);  // a draw
  EXPECT_EQ(on_top({0.9, 0.2, 0.1}, {0, 1}), 2u);
  EXPECT_EQ(on_top({0.9, 0.1, 0.2}, {0, 1}), 1u);
  EXPECT_EQ(on_top({0.9, 0.1, 0.2}, {}), 0u);
  EXPECT_EQ(on_top({}, {0}), 0u);  // nothing is said
}

TEST(GraphOutcome, EnvironmentsInWhichAllChangedAreCountedApart) {
  Judged judged;
  judged.truth.targets[1] = {0, 1, 2};
  judged.found.environments[1].all_changed = 0.9;
  GraphOutcome out = judge_graph(judged.found, judged.truth);
  EXPECT_EQ(out.all_changed, 1u);
  EXPECT_EQ(out.flagged_rightly, 1u);
  EXPECT_EQ(out.ranked_targets, 0u);
  judged.truth.targets[1] = {0};
  out = judge_graph(judged.found, judged.truth);
  EXPECT_EQ(out.all_changed + out.flagged_rightly, 0u);
  EXPECT_EQ(out.flagged, 1u);
}

TEST(GraphOutcome, EdgesAboveOneHalfAreCounted) {
  const Judged judged;
  const GraphOutcome out = judge_graph(judged.found, judged.truth);
  EXPECT_EQ(out.edges, 2u);
  EXPECT_EQ(out.likely_right, 1u);
  EXPECT_EQ(out.likely_wrong, 1u);
}

TEST(GraphOutcome, HiddenPairsAreNamedRightlyAndWrongly) {
  Judged judged;
  judged.found.maybe_confounded = {{2, 0}, {0, 2}, {1, 2}};
  judged.truth.confounded = {{0, 2}};
  const GraphOutcome out = judge_graph(judged.found, judged.truth);
  EXPECT_EQ(out.confounded_named, 1u);
  EXPECT_EQ(out.named_wrongly, 1u);
  // Where labels answered, their probabilities count.
  judged.found.hidden = judged.found.shift_only = EdgeMatrix(3);
  judged.found.hidden.at(0, 1) = judged.found.hidden.at(1, 0) = 0.6;
  judged.found.hidden.at(0, 2) = judged.found.hidden.at(2, 0) = 0.5;
  EXPECT_EQ(hidden_pairs(judged.found), (std::vector{std::pair<std::size_t, std::size_t>{0, 1}}));
  EXPECT_EQ(judge_graph(judged.found, judged.truth).confounded_named, 0u);
}

TEST(GraphOutcome, DirectionsThatTurnAreCounted) {
  Judged before, after;
  EXPECT_EQ(turned_directions(before.found, after.found), 0u);
  after.found.edges.at(0, 1) = 0.2;  // open now
  EXPECT_EQ(turned_directions(before.found, after.found), 0u);
  after.found.edges.at(1, 0) = 0.6;
  EXPECT_EQ(turned_directions(before.found, after.found), 1u);
  before.found.edges.at(0, 1) = 0.9;  // not stated before
  EXPECT_EQ(turned_directions(before.found, after.found), 0u);
}

TEST(Reliability, StatedAgainstObserved) {
  Reliability bins(Reliability::narrow_ends);
  for (double p : {0.0, 0.2, 0.25, 1.0}) bins.add(p, p > 0.22);
  bins.add(0.3, false);  // a limit belongs to the bin above
  EXPECT_EQ(bins.bins()[0].cases, 1u);
  EXPECT_EQ(bins.bins()[3].cases, 2u);
  EXPECT_DOUBLE_EQ(bins.bins()[3].stated, 0.225);
  EXPECT_DOUBLE_EQ(bins.bins()[3].observed, 0.5);
  EXPECT_EQ(bins.bins()[4].cases, 1u);
  EXPECT_EQ(bins.bins().back().cases, 1u);
  EXPECT_DOUBLE_EQ(bins.worst(2, true), 0.275);
  EXPECT_DOUBLE_EQ(bins.worst(1, true), 0.3);
  Reliability twice(Reliability::narrow_ends);
  twice.add(bins);
  twice.add(bins);
  EXPECT_EQ(twice.bins()[3].cases, 4u);
  EXPECT_DOUBLE_EQ(twice.worst(3, true), 0.275);
}

}  // namespace
}  // namespace whence
