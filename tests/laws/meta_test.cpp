// The law about laws.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "laws/law.hpp"

namespace whence::laws {
namespace {

TEST(Laws, EachHasAPlantedBug) {
  EXPECT_EQ(laws_without_planted_bug(all_laws()), std::vector<std::string>{});
}

TEST(Laws, OneWithoutAPlantedBugIsListed) {
  const Entry::Case something{"something", [] { return Finding(); }};
  const std::vector<Entry> laws = {{"Kind", "Tested", {something}, {something}},
                                   {"Kind", "Untested", {something}, {}}};
  EXPECT_EQ(laws_without_planted_bug(laws), std::vector<std::string>{"Kind.Untested"});
}

TEST(Laws, ThereIsOneForEveryKind) {
  for (const char* kind : {"MechanismLaws", "AdaptationLaws", "WorldLaws", "SamplerLaws",
                           "OptimizerLaws", "ElementaryLaws"})
    EXPECT_TRUE(std::any_of(all_laws().begin(), all_laws().end(), [&](const Entry& law) {
      return law.kind == kind;
    })) << kind;
}

TEST(Laws, NothingIsNearNotANumber) {
  Finding finding;
  finding.near(std::nan(""), 0, 1, "NaN");
  EXPECT_FALSE(finding.holds());
}

}  // namespace
}  // namespace whence::laws
