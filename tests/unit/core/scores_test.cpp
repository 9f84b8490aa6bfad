#include "whence/core/scores.hpp"

#include <gtest/gtest.h>

namespace whence {
namespace {

/// Every cell holds a number that tells where it is: 100 episode + 10 family + step.
Scores numbered(std::size_t episodes, std::size_t families, std::size_t steps) {
  Scores scores(episodes, families, steps);
  for (std::size_t e = 0; e < episodes; ++e)
    for (std::size_t f = 0; f < families; ++f)
      for (std::size_t t = 0; t < steps; ++t)
        scores.of(EpisodeId(e), FamilyId(f))[t] = double(100 * e + 10 * f + t);
  return scores;
}

TEST(Scores, StartAtZero) {
  const Scores scores(2, 3, 4);
  for (std::size_t e = 0; e < 2; ++e)
    for (std::size_t f = 0; f < 3; ++f)
      for (double s : scores.of(EpisodeId(e), FamilyId(f))) EXPECT_EQ(s, 0);
}

TEST(Scores, KeepEachCellApart) {
  const Scores scores = numbered(3, 4, 5);
  for (std::size_t e = 0; e < 3; ++e)
    for (std::size_t f = 0; f < 4; ++f)
      for (std::size_t t = 0; t < 5; ++t)
        EXPECT_EQ(scores.of(EpisodeId(e), FamilyId(f))[t], double(100 * e + 10 * f + t));
  EXPECT_EQ(scores.episodes(), 3u);
  EXPECT_EQ(scores.families(), 4u);
  EXPECT_EQ(scores.steps(), 5u);
}

TEST(Scores, OfAHypothesisAreTheSumOfItsFamilies) {
  const Scores scores = numbered(2, 4, 3);
  const Hypothesis h{"h", {FamilyId(1), FamilyId(3)}};
  EXPECT_EQ(scores.log_lik(EpisodeId(1), h, 2), 112 + 132);
  EXPECT_EQ(scores.log_lik(EpisodeId(1), h), 110 + 111 + 112 + 130 + 131 + 132);
}

TEST(Scores, OfNoFamiliesAreZero) {
  EXPECT_EQ(numbered(1, 1, 3).log_lik(EpisodeId(0), Hypothesis{"empty", {}}), 0);
}

TEST(Scores, LogOddsArePositiveForTheBetterHypothesis) {
  Scores scores(2, 2, 2);
  const Hypothesis first{"first", {FamilyId(0)}}, second{"second", {FamilyId(1)}};
  scores.of(EpisodeId(0), FamilyId(0))[1] = -1;
  scores.of(EpisodeId(0), FamilyId(1))[0] = -4;
  scores.of(EpisodeId(1), FamilyId(0))[0] = -2.5;
  EXPECT_EQ(log_odds(scores, first, second), (std::vector{3.0, -2.5}));
  EXPECT_EQ(log_odds(scores, second, first), (std::vector{-3.0, 2.5}));
}

TEST(Scores, SharedFamiliesCancelInLogOdds) {
  Scores scores(1, 3, 1);
  scores.of(EpisodeId(0), FamilyId(0))[0] = -1e6;
  scores.of(EpisodeId(0), FamilyId(1))[0] = -1;
  scores.of(EpisodeId(0), FamilyId(2))[0] = -2;
  const Hypothesis h1{"h1", {FamilyId(0), FamilyId(1)}}, h2{"h2", {FamilyId(0), FamilyId(2)}};
  EXPECT_EQ(log_odds(scores, h1, h2), std::vector{1.0});
}

}  // namespace
}  // namespace whence
