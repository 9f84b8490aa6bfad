// What turns scores into beliefs: weak links, and what "not linked" takes.
#include "whence/discover/pair/pair_judge.hpp"

#include <gtest/gtest.h>

namespace whence {
namespace {

double sum_of(const PairBelief& b) {
  return b.structure[0] + b.structure[1] + b.structure[2] + b.hidden;
}

TEST(PairJudge, WithoutEvidenceTheBeliefIsThePrior) {
  const ChangePrior prior;
  const PairBelief belief = posterior({{-5, -5, -5}, -5}, prior);
  for (std::size_t s = 0; s < structures; ++s)
    EXPECT_NEAR(belief.structure[s], prior.structure[s] * (1 - prior.hidden), 1e-12);
  EXPECT_NEAR(belief.hidden, prior.hidden, 1e-12);
}

TEST(PairJudge, NothingHiddenWhereItIsNotPossible) {
  ChangePrior prior;
  prior.hidden = 0;
  EXPECT_EQ(posterior({{1, 0, -3}, 50}, prior).hidden, 0);
}

TEST(PairJudge, ALinkThatTheModelOverlooksCountsForAllThatAreLinked) {
  const PairEvidence none{{-4, -3, 0}, -4};
  const PairEvidence lifted = with_weak_links(none, {9, 0.1});
  EXPECT_LT(posterior(lifted, {}).structure[2], 0.05);
  EXPECT_NEAR(lifted.structure[0], lifted.structure[1], 0.01);  // a link, not which
  EXPECT_NEAR(lifted.structure[0], lifted.hidden, 0.01);
  // Where the model sees the link itself, nothing is added: its directions stay as they are.
  const PairEvidence seen{{40, 30, 0}, 20};
  const PairEvidence same = with_weak_links(seen, {45, 0.1});
  for (std::size_t s = 0; s < structures; ++s)
    EXPECT_NEAR(same.structure[s], seen.structure[s], 1e-3);
  // And where there is none, nearly nothing.
  EXPECT_GT(posterior(with_weak_links({{-9, -9, 0}, -9}, {-2, 0.1}), {}).structure[2], 0.95);
}

TEST(PairJudge, NotLinkedIsDecidedWhereALinkWouldHaveShown) {
  const ChangePrior prior;
  const PairBelief sure{{0.001, 0.001, 0.997}, 0.001};
  EXPECT_EQ(capped(sure, {-2, 0.2}, prior).structure[2], 0.997);
  const PairBelief held = capped(sure, {-2, 0.31}, prior);
  EXPECT_LE(held.structure[2], decided_belief);
  EXPECT_NEAR(sum_of(held), 1, 1e-12);
  EXPECT_NEAR(held.structure[0], held.structure[1], 1e-12);
}

}  // namespace
}  // namespace whence
