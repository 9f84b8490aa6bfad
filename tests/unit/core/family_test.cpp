#include "whence/core/family.hpp"

#include <gtest/gtest.h>

namespace whence {
namespace {

TEST(PairHypotheses, FactoriseThePairBothWays) {
  const auto pair = pair_hypotheses();
  const VariableId a(0), b(1);
  const std::vector<Family> expected = {{a, {}}, {b, {a}}, {b, {}}, {a, {b}}};
  EXPECT_EQ(pair.families, expected);
  EXPECT_EQ(pair.forward.families, (std::vector{FamilyId(0), FamilyId(1)}));
  EXPECT_EQ(pair.backward.families, (std::vector{FamilyId(2), FamilyId(3)}));
}

TEST(PairHypotheses, CoverEachVariableOnce) {
  const auto pair = pair_hypotheses(VariableId(5), VariableId(2));
  for (const Hypothesis* h : {&pair.forward, &pair.backward}) {
    int fives = 0, twos = 0;
    for (FamilyId f : h->families) {
      fives += pair.families[f.value].child == VariableId(5);
      twos += pair.families[f.value].child == VariableId(2);
    }
    EXPECT_EQ(fives, 1) << h->name;
    EXPECT_EQ(twos, 1) << h->name;
  }
}

TEST(PairHypotheses, SwapWithTheirVariables) {
  const auto ab = pair_hypotheses(VariableId(0), VariableId(1));
  const auto ba = pair_hypotheses(VariableId(1), VariableId(0));
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(ab.families[ab.forward.families[i].value],
              ba.families[ba.backward.families[i].value]);
}

}  // namespace
}  // namespace whence
