// One graph against its neighbours, with scores that are made up.
#include "whence/belief/graph_neighbourhood.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/made_up_scores.hpp"
#include "whence/belief/graph_search.hpp"

namespace whence {
namespace {

constexpr std::size_t size = 6, places = 3;

/// Every family has a score of its own, between -3 and 3, and `reward` if it has any parent.
struct OwnScores : support::MadeUpScores {
  explicit OwnScores(std::vector<std::size_t> changed = {}, double reward = 0)
      : MadeUpScores(size, places,
                     [reward](std::size_t child, std::span<const std::size_t> parents) {
                       std::uint32_t set = 0;
                       for (std::size_t p : parents) set |= 1u << p;
                       Stream stream(3, Purpose::tests, {std::uint32_t(child), set, 0});
                       return (parents.empty() ? 0 : reward) + 6 * stream.uniform() - 3;
                     }) {
    targets = std::move(changed);
  }
};

Dag chain_with_a_branch() { return Dag(read_graph("0->1->2->3,1->4,3->5")); }

GraphDraw sparse(const FamilyTable& table, const Dag& dag) {
  const std::size_t regime = table.number_of(sparse_regime(places));
  return {dag, regime, table.total(regime, dag)};
}

/// exp(score) of the graph with these edges toggled, against the graph's; 0 if that closes a cycle.
double weight(const FamilyTable& table, const GraphDraw& graph,
              std::initializer_list<std::pair<std::size_t, std::size_t>> toggled) {
  Dag dag = graph.dag;
  for (const auto& [cause, effect] : toggled) dag.flip(cause, effect);
  return dag.update() ? std::exp(table.total(graph.regime, dag) - graph.score) : 0;
}

/// Taking no new cause, or any but `cause`.
double rivals(const FamilyTable& table, const GraphDraw& graph, std::size_t cause,
              std::size_t effect) {
  double sum = 1;
  for (std::size_t v = 0; v < size; ++v)
    if (v != cause && v != effect && !graph.dag.adjacent(v, effect))
      sum += weight(table, graph, {{v, effect}});
  return sum;
}

EdgeMatrix probabilities(const FamilyTable& table, const GraphDraw& graph) {
  return neighbourhood_probabilities(table, graph, Stream(1, Purpose::tests, {1, 0, 0}));
}

/// The probability of the edge and of its being there in either direction.
std::pair<double, double> weighed(const FamilyTable& table, const GraphDraw& graph, std::size_t a,
                                  std::size_t b) {
  if (graph.dag.edge(b, a)) {
    const auto [turned, joined] = weighed(table, graph, b, a);
    return {joined - turned, joined};
  }
  if (graph.dag.edge(a, b)) {
    const double apart = weight(table, graph, {{a, b}});
    const double turned = weight(table, graph, {{a, b}, {b, a}});
    return {1 / (1 + apart + turned), (1 + turned) / (1 + apart + turned)};
  }
  const double forward = weight(table, graph, {{a, b}}), backward = weight(table, graph, {{b, a}});
  const double odds = forward / rivals(table, graph, a, b) + backward / rivals(table, graph, b, a);
  return {odds / (1 + odds) * forward / (forward + backward), odds / (1 + odds)};
}

void expect_weighed(const FamilyTable& table, const GraphDraw& graph, const EdgeMatrix& found,
                    bool directions) {
  for (std::size_t a = 0; a < size; ++a)
    for (std::size_t b = 0; b < size; ++b) {
      if (a == b) continue;
      const auto [edge, joined] = weighed(table, graph, a, b);
      EXPECT_NEAR(found.at(a, b) + found.at(b, a), joined, 1e-12);
      if (!directions) continue;
      EXPECT_NEAR(found.at(a, b), edge, 1e-12) << a << "->" << b;
    }
}

TEST(GraphNeighbourhood, WeighsEachPairGivenTheRest) {
  // Every second mechanism changed: each edge has one end that did.
  const OwnScores scores({0, 2, 4, 5});
  const FamilyTable table(scores);
  const GraphDraw graph = sparse(table, chain_with_a_branch());
  expect_weighed(table, graph, probabilities(table, graph), true);
}

TEST(GraphNeighbourhood, SharesOutWhatNoChangeDirects) {
  const OwnScores scores;
  const FamilyTable table(scores);
  const GraphDraw graph = sparse(table, chain_with_a_branch());
  const EdgeMatrix found = probabilities(table, graph);
  expect_weighed(table, graph, found, false);
  // A tree with six variables: any of them may be the root, and 0 -> 1 needs 0 to be.
  EXPECT_NEAR(found.at(0, 1) / (found.at(0, 1) + found.at(1, 0)), 1. / 6, 0.08);
  EXPECT_NEAR(found.at(1, 2) / (found.at(1, 2) + found.at(2, 1)), 3. / 6, 0.12);
  EXPECT_EQ(found, probabilities(table, graph));
}

TEST(GraphNeighbourhood, AnUnfinishedGraphIsNotSaidToHaveEveryEdgeThatWouldHelp) {
  const OwnScores scores({}, 30);
  const FamilyTable table(scores);
  const EdgeMatrix found = probabilities(table, sparse(table, Dag(size)));
  double joined = 0;
  for (double p : found.values) joined += p;
  EXPECT_GT(joined, 1);
  EXPECT_LE(joined, double(size));  // though each of all pairs gains by itself
}

TEST(GraphNeighbourhood, KeepsToWhatIsKnown) {
  const OwnScores scores;
  EdgeKnowledge knowledge;
  knowledge.words.assign(size * size, EdgeKnowledge::Word::open);
  knowledge.words[0 * size + 1] = EdgeKnowledge::Word::required;
  knowledge.words[0 * size + 5] = EdgeKnowledge::Word::forbidden;
  const FamilyTable table(scores, knowledge);
  const EdgeMatrix found = probabilities(table, sparse(table, chain_with_a_branch()));
  EXPECT_EQ(found.at(0, 1), 1);
  EXPECT_EQ(found.at(1, 0), 0);
  EXPECT_EQ(found.at(0, 5), 0);
}

TEST(GraphNeighbourhood, LeavesOutWhatEstimatesCallHopeless) {
  OwnScores scores({0, 2, 4, 5});
  scores.estimates = true;
  const FamilyTable table(scores);
  const GraphDraw graph = sparse(table, chain_with_a_branch());
  const EdgeMatrix found = probabilities(table, graph);
  EXPECT_LT(scores.scored(), size + size * (size - 1));
  std::size_t open = 0, hopeless = 0;
  for (std::size_t a = 0; a < size; ++a)
    for (std::size_t b = 0; b < size; ++b) {
      if (a == b || graph.dag.adjacent(a, b)) continue;
      const bool possible = !graph.dag.closes_cycle(a, b) && weight(table, graph, {{a, b}}) > 1;
      ++(possible ? open : hopeless);
      EXPECT_EQ(found.at(a, b) > 0, possible) << a << "->" << b;
    }
  EXPECT_GT(open, 0u);
  EXPECT_GT(hopeless, 0u);
}

}  // namespace
}  // namespace whence
