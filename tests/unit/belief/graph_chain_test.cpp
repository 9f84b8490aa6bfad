// Markov chains over graphs, against the distribution that they are meant to draw from.
#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "tests/support/effort.hpp"
#include "tests/support/made_up_scores.hpp"
#include "whence/belief/graph_sampler.hpp"
#include "whence/belief/graph_search.hpp"
#include "whence/math/logspace.hpp"

namespace whence {
namespace {

constexpr std::size_t size = 3;

/// Scores of no pattern, up to 1.5 nats apart: all 25 graphs are visited often.
double score(std::size_t child, std::span<const std::size_t> parents) {
  std::size_t key = child + 1;
  for (const std::size_t p : parents) key = key * 7 + p + 1;
  return 1.5 * (std::sin(12.9898 * double(key)) * 0.5 + 0.5);
}

std::vector<Graph> graphs() { return all_acyclic_graphs(size); }

/// P(graph) of a chain at this inverse temperature.
std::vector<double> target(const FamilyTable& table, std::size_t regime, double heat) {
  std::vector<double> log_p;
  for (const Graph& graph : graphs()) log_p.push_back(heat * table.total(regime, Dag(graph)));
  const double total = log_sum_exp(log_p);
  for (double& p : log_p) p = std::exp(p - total);
  return log_p;
}

/// How often each graph was drawn, in the order of graphs().
std::vector<double> frequencies(const FamilyTable& table, std::size_t regime, double heat,
                                std::uint32_t number, int sweeps) {
  const GraphDraw start{Dag(size), regime, 0};
  const ParentLists lists(table, regime, std::vector<Dag>{start.dag});
  GraphChain chain(table, lists, start, Stream(11, Purpose::tests, {7, number, 0}), heat);
  const std::vector<Graph> all = graphs();
  std::vector<double> counts(all.size(), 0);
  for (int s = 0; s < sweeps / 10 + sweeps; ++s) {
    chain.sweep();
    if (s < sweeps / 10) continue;
    const auto at = std::find(all.begin(), all.end(), chain.state().dag.graph());
    counts[std::size_t(at - all.begin())] += 1.0 / sweeps;
  }
  return counts;
}

/// The sum over graphs of the squared distance of chains from a distribution, in units of its
/// standard error, per graph: about 1 where chains draw from it.
double misfit(const std::vector<std::vector<double>>& chains, const std::vector<double>& expected) {
  double sum = 0;
  const double n = double(chains.size());
  for (std::size_t g = 0; g < expected.size(); ++g) {
    double mean = 0, squares = 0;
    for (const auto& chain : chains) mean += chain[g] / n;
    for (const auto& chain : chains) squares += (chain[g] - mean) * (chain[g] - mean);
    sum += (mean - expected[g]) * (mean - expected[g]) / (squares / (n - 1) / n);
  }
  return sum / double(expected.size());
}

class GraphChainAt : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Heats, GraphChainAt, testing::Values(1.0, 0.6),
                         [](const auto& at) { return at.param == 1 ? "one" : "hot"; });

TEST_P(GraphChainAt, DrawsEachGraphAsOftenAsItsScoreSays) {
  const double heat = GetParam();
  const support::MadeUpScores scorer(size, 1, score);
  const FamilyTable table(scorer);
  const std::size_t regime = table.number_of(sparse_regime(1));
  const int sweeps = 1500 / support::effort_divisor;
  std::vector<std::vector<double>> chains;
  for (std::uint32_t k = 0; k < 40; ++k)
    chains.push_back(frequencies(table, regime, heat, k, sweeps));
  // The sum of 25 squared t-values of 39 degrees of freedom: mean 1.05, deviation .3.
  EXPECT_LT(misfit(chains, target(table, regime, heat)), 2.3);
  if (support::effort_divisor > 1) return;  // too few draws to see a small mistake
  // Planted: scores that count 10 % more.
  EXPECT_GT(misfit(chains, target(table, regime, 1.1 * heat)), 3.5);
}

}  // namespace
}  // namespace whence
