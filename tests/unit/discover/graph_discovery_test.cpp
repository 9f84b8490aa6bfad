// find_graph as a user meets it: right on simulated truths, silent on controls, the same answer for
// any order of the data, and a word for data that cannot be used.
#include "whence/discover/graph/graph_discovery.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/bits.hpp"
#include "tests/support/graph_results.hpp"
#include "tests/support/turned_round.hpp"
#include "whence/core/error.hpp"
#include "whence/evidence/linear/linear_family_scores.hpp"
#include "whence/judge/graph_metrics.hpp"
#include "whence/math/random.hpp"
#include "whence/worlds/graph_world.hpp"

namespace whence {
namespace {

GraphSimulation simulated(std::string_view graph, GraphShift shift, std::uint64_t seed,
                          std::size_t baseline_rows = 100, std::size_t rows = 10) {
  GraphWorldSpec spec;
  spec.graph = read_graph(graph);
  spec.shift = shift;
  spec.environments = spec.graph.variables();
  spec.baseline_rows = baseline_rows;
  spec.rows = rows;
  return simulate_graph(spec, seed);
}

GraphOptions quick() {
  GraphOptions options;
  options.baseline = 0;
  options.sweeps = 60;
  options.rounds = 20;
  return options;
}

/// The answers with rows that are read again and with rows that stay.
void expect_same_when_read_again(const Dataset& given, const GraphOptions& options) {
  const GraphResult expected = find_graph(given, options);
  Dataset lent = given;
  std::size_t let_go = 0;
  DataSource source(lent, [&] { return ++let_go, given; });
  const GraphResult result = find_graph(source, options);
  EXPECT_GT(let_go, 0u);
  EXPECT_EQ(result.edges, expected.edges);
  EXPECT_EQ(result.remarks.size(), expected.remarks.size());
  ASSERT_EQ(result.findings.size(), expected.findings.size());
  for (std::size_t k = 0; k < result.findings.size(); ++k) {
    EXPECT_EQ(result.findings[k].support, expected.findings[k].support);
    ASSERT_EQ(result.findings[k].effect.has_value(), expected.findings[k].effect.has_value());
    if (result.findings[k].effect) {
      EXPECT_EQ(result.findings[k].effect->change, expected.findings[k].effect->change);
    }
  }
}

TEST(FindGraph, LetsGoOfRowsThatCanBeReadAgain) {
  expect_same_when_read_again(simulated("0->1->2,0->3", GraphShift::hard, 3).data, quick());
}

TEST(FindGraph, DoubtsOutlyingRowsThatAreReadAgain) {
  Dataset data = simulated("0->1->2,0->3", GraphShift::hard, 3).data;
  data.columns[1].values[7] = 1e4;
  GraphOptions options = quick();
  options.model = GraphModel::linear;  // labels keep the rows
  expect_same_when_read_again(data, options);
}

TEST(FindGraph, ReadsNothingAgainOnceItIsStopped) {
  Dataset data = simulated("0->1->2,0->3", GraphShift::hard, 3).data;
  const std::atomic<bool> stop{true};
  DataSource source(data, []() -> Dataset { throw std::runtime_error("read again"); });
  EXPECT_EQ(find_graph(source, quick(), {.stop = &stop}).edges.variables, 4u);
}

TEST(FindGraph, FindsAGraphAndItsHiddenTargets) {
  const GraphSimulation world = simulated("0->1->2->3,0->4->5,3->6,5->6->7", GraphShift::hard, 3);
  const GraphResult result = find_graph(world.data, quick());
  EXPECT_EQ(structural_distance(result.graph, world.truth.graph).total(), 0u);
  for (std::size_t e = 1; e < result.environments.size(); ++e)
    for (std::size_t v = 0; v < 8; ++v) {
      const bool target = world.truth.targets[e][0] == v;
      EXPECT_EQ(result.environments[e].changed[v] > 0.5, target) << e << " " << v;
    }
  EXPECT_LT(result.quiet, 0.01);
  EXPECT_TRUE(result.essential.undirected.empty());
  // Whoever was intervened on speaks for the edges at that place.
  for (const EdgeFinding& edge : result.findings)
    if (edge.probability > 0.95) {
      EXPECT_GT(edge.shift_log_odds, 3) << edge.from << "->" << edge.to;
      EXPECT_EQ(edge.support.size(), result.environments.size());
    }
}

TEST(FindGraph, SuspectsAHiddenCauseWhereTheEffectDoesNotFollow) {
  GraphWorldSpec spec;
  spec.graph = read_graph("0->1,2->3");
  spec.shift = GraphShift::hard;
  spec.environments = 4;
  spec.rows = 40;
  spec.baseline_rows = 300;
  std::size_t joined = 0, named = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    for (const std::size_t hidden : {std::size_t(0), std::size_t(1)}) {
      spec.hidden = hidden;
      const GraphSimulation world = simulate_graph(spec, seed);
      const GraphResult result = find_graph(world.data, quick());
      if (hidden == 0) {
        EXPECT_TRUE(result.maybe_confounded.empty()) << seed;
        continue;
      }
      const auto [a, b] = world.truth.confounded[0];
      const bool forward = result.graph.edge(VariableId(a), VariableId(b));
      if (!forward && !result.graph.edge(VariableId(b), VariableId(a))) continue;
      const auto edge = forward ? std::pair(a, b) : std::pair(b, a);
      const auto& suspects = result.maybe_confounded;
      ++joined;
      if (std::find(suspects.begin(), suspects.end(), edge) == suspects.end()) continue;
      ++named;
      const std::vector<std::string> names = {result.variables[edge.first],
                                              result.variables[edge.second]};
      EXPECT_TRUE(std::any_of(result.remarks.begin(), result.remarks.end(), [&](const Remark& r) {
        return r.code == RemarkCode::maybe_confounded && r.variables == names;
      })) << seed;
    }
  EXPECT_GE(joined, 3u);
  EXPECT_GE(2 * named, joined);
}

TEST(FindGraph, WithoutAShiftTurnsNoEdgeThatTheClassLeavesOpen) {
  for (std::uint64_t seed : {1, 2, 3}) {
    const GraphSimulation world = simulated("0->1->2->3->4->5", GraphShift::none, seed, 400);
    const GraphResult result = find_graph(world.data, quick());
    EXPECT_GT(result.quiet, 0.9);
    const EquivalenceClass open = equivalence_class(world.truth.graph);
    for (const auto& [a, b] : open.undirected) {
      EXPECT_LT(result.edges.at(a, b), 0.95) << seed;
      EXPECT_LT(result.edges.at(b, a), 0.95) << seed;
    }
    for (const GraphEnvironment& environment : result.environments)
      for (double changed : environment.changed) EXPECT_LT(changed, 0.5);
    EXPECT_TRUE(has(result.remarks, RemarkCode::direction_open));
  }
}

TEST(FindGraph, SaysWhenEverythingChanged) {
  // Ten rows of six variables do not always tell; with twenty hardly an environment is missed.
  const auto flagged = [](std::size_t rows) {
    std::size_t count = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const GraphSimulation world =
          simulated("0->1->2->3,1->4->5", GraphShift::all_soft, seed, 100, rows);
      const GraphResult result = find_graph(world.data, quick());
      for (std::size_t e = 1; e < result.environments.size(); ++e)
        count += result.environments[e].all_changed > 0.5 ? 1 : 0;
    }
    return count;
  };
  EXPECT_GE(flagged(10), 24u);  // of 36
  EXPECT_GE(flagged(20), 30u);
}

TEST(FindGraph, ShuffledColumnsWithoutShiftsHaveNoEdge) {
  GraphSimulation world = simulated("0->1->2->3->4->5", GraphShift::none, 8);
  shuffle_columns(world.data, Shuffle::all_rows, 8);
  const GraphResult result = find_graph(world.data, quick());
  for (double p : result.edges.values) EXPECT_LT(p, 0.5);
}

TEST(FindGraph, TheOrderOfTheDataDoesNotMatter) {
  const GraphSimulation world = simulated("0->1->2->3,0->4->5,3->6", GraphShift::soft, 11);
  GraphOptions options = quick();
  const GraphResult one = find_graph(world.data, options);
  options.baseline = world.data.environments.size() - 1;
  const GraphResult other = find_graph(support::turned_round(world.data), options);
  support::expect_turned_round(one, other);
}

TEST(FindGraph, UnitsDoNotMatter) {
  const GraphSimulation world = simulated("0->1->2->3,0->4->5", GraphShift::hard, 12);
  Dataset other = world.data;
  for (std::size_t v = 0; v < other.columns.size(); ++v)
    for (double& x : other.columns[v].values) x = 32 + x * std::pow(10.0, double(v) - 2);
  const GraphResult a = find_graph(world.data, quick()), b = find_graph(other, quick());
  for (std::size_t k = 0; k < a.edges.values.size(); ++k)
    EXPECT_NEAR(a.edges.values[k], b.edges.values[k], 1e-6);
}

TEST(FindGraph, ThreadsDoNotMatter) {
  const GraphSimulation world = simulated("0->1->2->3,0->4->5", GraphShift::soft, 13);
  const GraphResult one = find_graph(world.data, quick());
  for (int threads : {2, 3, 7}) {
    const GraphResult other = find_graph(world.data, quick(), {.threads = threads});
    EXPECT_TRUE(support::same_bits(one.edges.values, other.edges.values)) << threads;
    EXPECT_TRUE(support::same_bits(one.search.scores, other.search.scores));
    for (std::size_t e = 0; e < one.environments.size(); ++e)
      EXPECT_TRUE(support::same_bits(one.environments[e].changed, other.environments[e].changed));
  }
}

TEST(FindGraph, AnEffectOfManyCategoricalCausesTakesFewScores) {
  GraphWorldSpec spec;
  spec.graph = read_graph("0->10,1->10,2->10,3->10,4->10,5->10,6->10,7->10,8->10,9->10");
  spec.mechanism = GraphMechanism::categorical;
  spec.levels = 8;
  spec.environments = 11;
  spec.rows = 150;
  spec.baseline_rows = 4000;
  const GraphSimulation world = simulate_graph(spec, 5);
  GraphOptions options = quick();
  options.rounds = 0;  // as many as the engine thinks right
  const GraphResult one = find_graph(world.data, options);
  EXPECT_EQ(structural_distance(one.graph, world.truth.graph).total(), 0u);
  for (std::size_t e = 1; e < one.environments.size(); ++e)
    EXPECT_GT(one.environments[e].changed[world.truth.targets[e][0]], 0.5) << e;
  EXPECT_LT(one.search.families_scored, 1500u);  // of 11264 under each regime
  const GraphResult three = find_graph(world.data, options, {.threads = 3});
  EXPECT_EQ(one.edges.values, three.edges.values);
  EXPECT_EQ(one.search.families_scored, three.search.families_scored);
}

TEST(FindGraph, KeepsToWhatIsKnown) {
  const GraphSimulation world = simulated("0->1->2->3,0->4->5", GraphShift::none, 14);
  GraphOptions options = quick();
  options.knowledge.words.assign(36, EdgeKnowledge::Word::open);
  options.knowledge.words[1 * 6 + 0] = EdgeKnowledge::Word::required;   // against the truth
  options.knowledge.words[2 * 6 + 3] = EdgeKnowledge::Word::forbidden;  // with the truth
  const GraphResult result = find_graph(world.data, options);
  EXPECT_NEAR(result.edges.at(1, 0), 1, 1e-12);
  EXPECT_EQ(result.edges.at(2, 3), 0);
}

TEST(FindGraph, KnownTargetsAreTaken) {
  const GraphSimulation world = simulated("0->1->2->3,0->4->5", GraphShift::hard, 15);
  GraphOptions options = quick();
  const std::size_t environments = world.data.environments.size();
  options.known.assign(6 * environments, KnownChange::unknown);
  for (std::size_t v = 0; v < 6; ++v)
    options.known[v * environments + 2] = v == 1 ? KnownChange::changed : KnownChange::unchanged;
  const GraphResult result = find_graph(world.data, options);
  for (std::size_t v = 0; v < 6; ++v)
    EXPECT_NEAR(result.environments[2].changed[v], v == 1 ? 1.0 : 0.0, 1e-12);
}

TEST(FindChanges, TakesTheGraphAsGiven) {
  const GraphSimulation world = simulated("0->1->2->3,0->4->5,3->6", GraphShift::hard, 16);
  const GraphResult result = find_changes(world.data, world.truth.graph, quick());
  EXPECT_EQ(result.graph, world.truth.graph);
  for (std::size_t e = 1; e < result.environments.size(); ++e)
    EXPECT_GT(result.environments[e].changed[world.truth.targets[e][0]], 0.95);
}

TEST(FindGraph, CanBeStopped) {
  const GraphSimulation world = simulated("0->1->2->3,0->4->5,3->6", GraphShift::hard, 17);
  const std::atomic<bool> stop = true;
  const GraphResult result = find_graph(world.data, quick(), {.stop = &stop});
  EXPECT_EQ(result.search.stopped, "stopped");
  for (double p : result.edges.values) EXPECT_TRUE(p >= 0 && p <= 1);
}

TEST(FindGraph, StoppedAtOnceKnowsWhatItDoesNotKnow) {
  const GraphSimulation world = simulated("0->1->2,3->4,5->6", GraphShift::none, 18, 400);
  const std::atomic<bool> stop = true;
  const GraphResult result = find_graph(world.data, quick(), {.stop = &stop});
  EXPECT_TRUE(result.search.one_graph);
  EXPECT_TRUE(support::warns(result, "no posterior"));
  // Nothing was looked at: pairs are joined one way or the other, nobody can say which.
  for (const auto& [a, b] : {std::pair(0, 1), std::pair(1, 2), std::pair(3, 4), std::pair(5, 6)})
    for (const double p : {result.edges.at(std::size_t(a), std::size_t(b)),
                           result.edges.at(std::size_t(b), std::size_t(a))}) {
      EXPECT_GT(p, 0.4) << a << b;
      EXPECT_LT(p, 0.6) << a << b;
    }
  for (int threads = 1; threads < 4; ++threads)
    EXPECT_EQ(result.edges,
              find_graph(world.data, quick(), {.threads = threads, .stop = &stop}).edges);
}

TEST(FindGraph, StoppedBeforeItsChainsLeavesOpenWhatTheClassDoes) {
  const GraphSimulation world = simulated("0->1->2,3->4,5->6", GraphShift::none, 18, 400);
  std::atomic<bool> stop = false;
  // The first word on progress comes when the first search is over, from the thread that asked.
  const auto answer = [&] {
    stop = false;
    return find_graph(world.data, quick(),
                      {.progress = [&](double) { stop = true; }, .stop = &stop});
  };
  const GraphResult result = answer();
  EXPECT_EQ(result.search.stopped, "stopped");
  EXPECT_TRUE(result.search.one_graph);
  EXPECT_TRUE(support::warns(result, "no posterior"));
  EXPECT_NEAR(result.edges.at(0, 1), 1. / 3, 0.1);  // one of 0->1->2, 0<-1->2, 0<-1<-2
  EXPECT_NEAR(result.edges.at(1, 2), 2. / 3, 0.1);
  EXPECT_NEAR(result.edges.at(3, 4), 1. / 2, 0.1);
  EXPECT_GT(result.edges.at(0, 1) + result.edges.at(1, 0), 0.95);
  EXPECT_LT(result.edges.at(0, 2) + result.edges.at(2, 0), 0.5);
  EXPECT_EQ(result.edges, answer().edges);
}

// ---- data that are hard to use ------------------------------------------------------------------

Dataset plain(std::size_t m, const std::vector<std::size_t>& rows) {
  Dataset data;
  Stream stream(1, Purpose::tests, {21, 0, 0});
  data.columns.resize(m);
  for (std::size_t v = 0; v < m; ++v)
    data.variables.push_back({"v" + std::to_string(v), Variable::Kind::real, 0, 1, {}});
  std::size_t n = 0;
  for (std::size_t e = 0; e < rows.size(); ++e) {
    data.environments.push_back({"e" + std::to_string(e), n, n + rows[e]});
    n += rows[e];
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t v = 0; v < m; ++v) data.columns[v].values.push_back(sample_normal(stream));
  return data;
}

TEST(FindGraph, AConstantColumnIsAnError) {
  Dataset data = plain(3, {30, 20});
  for (double& x : data.columns[1].values) x = 4;
  try {
    find_graph(data, quick());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "E-DATA-CONSTANT");
    EXPECT_EQ(error.place(), "v1");
  }
}

TEST(FindGraph, AColumnMayBeConstantInOneEnvironment) {
  Dataset data = plain(6, {60, 20});
  for (std::size_t n = 60; n < 80; ++n) data.columns[2].values[n] = 1;
  const GraphResult result = find_graph(data, quick());
  support::expect_usable(result);
  EXPECT_GT(result.environments[1].changed[2], 0.95);
}

TEST(FindGraph, SmallAndOddEnvironments) {
  support::expect_usable(find_graph(plain(6, {40, 1, 1}), quick()));
  support::expect_usable(find_graph(plain(3, {40}), quick()));
  const GraphResult wide = find_graph(plain(30, {9, 5}), quick());
  support::expect_usable(wide);
  EXPECT_TRUE(support::warns(wide, "more variables"));
}

/// Everybody causes the last variable, and nothing else happens.
GraphSimulation many_causes(std::size_t causes) {
  Graph graph(causes + 1);
  for (std::size_t v = 0; v < causes; ++v) graph.set_edge(VariableId(v), VariableId(causes));
  GraphWorldSpec spec{graph};
  spec.environments = 2;
  spec.baseline_rows = 200;
  return simulate_graph(spec, 5);
}

TEST(FindGraph, AnEffectOfTooManyCausesIsNamed) {
  const GraphSimulation simulation = many_causes(most_parents + 3);
  GraphOptions options;
  options.baseline = 0;
  options.restarts = 1, options.rounds = 1, options.chains = 1, options.sweeps = 1;
  const GraphResult result = find_graph(simulation.data, options);
  ASSERT_FALSE(result.remarks.empty());
  EXPECT_EQ(result.remarks[0], (Remark{RemarkCode::full_family, {"X35"}, {}, {32}}));
  constexpr std::size_t effect = most_parents + 3;
  Graph all(effect + 1);
  for (std::size_t v = 0; v < effect; ++v) all.set_edge(VariableId(v), VariableId(effect));
  try {
    find_changes(simulation.data, all, options);
    FAIL() << "more causes than fit were taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), "E-LIMIT-PARENTS");
    EXPECT_EQ(error.code(), ExitCode::resource);
  }
  Graph known(effect + 1);
  for (std::size_t v = 0; v < most_parents; ++v) known.set_edge(VariableId(v), VariableId(effect));
  EXPECT_FALSE(support::warns(find_changes(simulation.data, known, options), "there may be more"))
      << "nobody looked for others";
}

TEST(FindGraph, EquallyProbableEdgesStandInTheOrderOfTheColumns) {
  GraphSimulation world = simulated("0->1->2,3->2", GraphShift::hard, 3);
  const char* names[] = {"X9", "X10", "b", "a"};  // by name: X10, X9, a, b
  for (std::size_t v = 0; v < 4; ++v) world.data.variables[v].name = names[v];
  const GraphResult result = find_changes(world.data, world.truth.graph, quick());
  ASSERT_EQ(result.findings.size(), 3u) << "the given edges, all of them sure";
  const std::pair<std::size_t, std::size_t> expected[] = {{0, 1}, {1, 2}, {3, 2}};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(result.findings[k].probability, 1, 1e-12);
    EXPECT_EQ(std::pair(result.findings[k].from, result.findings[k].to), expected[k]) << k;
  }
}

TEST(FindGraph, TheEdgeThatChainsDisagreeAboutIsNamed) {
  const GraphSimulation world =
      simulated("0->1->2->3->4->5,0->6->7", GraphShift::none, 2, 100);  // directions are open
  GraphOptions options = quick();
  options.sweeps = 1;
  const GraphResult result = find_graph(world.data, options);
  const SearchRecord& search = result.search;
  ASSERT_GT(search.chain_spread, 0.25);
  const std::string edge =
      result.variables[search.spread_from] + " -> " + result.variables[search.spread_to];
  EXPECT_TRUE(support::warns(result, "most about " + edge + ": longer chains")) << edge;
  const GraphResult other = find_graph(support::turned_round(world.data), options);
  EXPECT_TRUE(support::warns(other, "most about " + edge + ": longer chains"))
      << "it is the same edge in whatever order the columns come";
  const double p = result.edges.at(search.spread_from, search.spread_to);
  EXPECT_GT(p, 0.05) << "chains that disagree do not agree on nothing";
  EXPECT_LT(p, 0.95);
}

TEST(FindGraph, CopiesAreNamed) {
  Dataset data = plain(6, {60, 20});
  data.columns[4].values = data.columns[1].values;
  const GraphResult result = find_graph(data, quick());
  support::expect_usable(result);
  EXPECT_TRUE(support::warns(result, "copies"));
}

}  // namespace
}  // namespace whence
