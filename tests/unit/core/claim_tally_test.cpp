#include "whence/core/claim_tally.hpp"

#include <set>

#include <gtest/gtest.h>

namespace whence {
namespace {

Claim claim(ClaimKind kind, bool holds) { return {"id", "said", "seen", holds, "", kind}; }

TEST(ClaimTally, CountsThePapersClaimsApart) {
  Report report;
  report.claims = {claim(ClaimKind::paper, true), claim(ClaimKind::paper, false),
                   claim(ClaimKind::control, false), claim(ClaimKind::released, true)};
  const ClaimTally tally(report);
  EXPECT_EQ(tally.of(ClaimKind::paper).holds, 1u);
  EXPECT_EQ(tally.of(ClaimKind::paper).all, 2u);
  EXPECT_EQ(tally.of(ClaimKind::corrected).all, 0u);
  EXPECT_EQ(tally.all(), 4u);
  EXPECT_EQ(tally.in_words(),
            "1 of 2 claims of the paper hold; as released 1 of 1; controls 0 of 1");
}

TEST(ClaimTally, WithoutClaimsSaysSo) { EXPECT_EQ(ClaimTally(Report{}).in_words(), "no claims"); }

TEST(ClaimTally, NothingIsThePapersByOmission) { EXPECT_EQ(Claim{}.kind, ClaimKind::aim); }

TEST(ClaimTally, KindsDifferInEveryName) {
  std::set<std::string_view> names, said, headings;
  for (ClaimKind kind : all_claim_kinds) {
    names.insert(name_of(kind));
    said.insert(said_by(kind));
    headings.insert(heading_of(kind));
  }
  for (const auto& words : {names, said, headings}) EXPECT_EQ(words.size(), all_claim_kinds.size());
}

}  // namespace
}  // namespace whence
