// A chain that was found from both its ends.
#include "whence/belief/collider_search.hpp"

#include <gtest/gtest.h>

#include "tests/support/made_up_scores.hpp"

namespace whence {
namespace {

/// Links of the chain 0 - 1 - ... gain in either direction; two causes of one effect cost less than
/// a link gains.
double chain_score(std::size_t child, std::span<const std::size_t> parents) {
  double score = parents.size() > 1 ? -15 : 0;
  for (std::size_t p : parents) score += p + 1 == child || child + 1 == p ? 25 : -80;
  return score;
}

TEST(OpenColliders, TurnsHalfAChainRound) {
  const support::MadeUpScores scores(7, 1, chain_score);
  const FamilyTable table(scores);
  const std::size_t regime = table.number_of(quiet_regime(1));
  GraphClimber climber(table, regime, Dag(read_graph("0->1->2->3,6->5->4->3")));
  climber.climb();
  const double best = table.total(regime, Dag(read_graph("0->1->2->3->4->5->6")));
  ASSERT_LT(climber.score(), best - 10) << "climbing alone gets out of it";
  EXPECT_TRUE(open_colliders(table, climber));
  EXPECT_NEAR(climber.score(), best, 1e-9);
  EXPECT_EQ(climber.dag().edge_count(), 6u);

  const Dag found = climber.dag();
  EXPECT_FALSE(open_colliders(table, climber));
  EXPECT_EQ(climber.dag(), found) << "nothing is lost where nothing is found";
}

TEST(OpenColliders, LeavesThoseThatAreThere) {
  const support::MadeUpScores scores(5, 1, [](std::size_t child, std::span<const std::size_t> p) {
    return p.size() == 2 && child == 2 ? 20 + chain_score(child, p) : chain_score(child, p);
  });
  const FamilyTable table(scores);
  GraphClimber climber(table, table.number_of(quiet_regime(1)), Dag(read_graph("0->1->2,4->3->2")));
  climber.climb();
  EXPECT_FALSE(open_colliders(table, climber));
  EXPECT_TRUE(climber.dag().edge(1, 2) && climber.dag().edge(3, 2));
}

}  // namespace
}  // namespace whence
