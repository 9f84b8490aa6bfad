// What a user knows: edges, groups and targets, by name, and every contradiction noticed.
#include "apps/whence/graph_knowledge.hpp"

#include <gtest/gtest.h>

#include "whence/core/error.hpp"

namespace whence {
namespace {

using Word = EdgeKnowledge::Word;
const std::vector<std::string> names = {"price", "rain", "a->b", "b"};

std::string problem_of(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.id() + ": " + error.what();
  }
  return "none";
}

TEST(GraphKnowledge, EdgesByName) {
  EXPECT_EQ(parse_edge(" price -> rain ", names, "--forbid"), std::pair(0ul, 1ul));
  EXPECT_EQ(parse_edge("a->b->rain", names, "--forbid"), std::pair(2ul, 1ul));
  EXPECT_EQ(parse_edge("rain->a->b", names, "--forbid"), std::pair(1ul, 2ul));
  for (const char* text : {"price", "price->snow", "snow->rain", "rain->rain", "->", "->rain"})
    EXPECT_EQ(problem_of([&] { parse_edge(text, names, "--forbid"); }).substr(0, 17),
              "E-USAGE-KNOWLEDGE")
        << text;
}

TEST(GraphKnowledge, RequiredAndForbiddenDoNotMix) {
  EdgeKnowledge knowledge;
  add_edges({"price->rain"}, Word::forbidden, names, "--forbid", knowledge);
  EXPECT_EQ(knowledge.of(4, 0, 1), Word::forbidden);
  EXPECT_EQ(knowledge.of(4, 1, 0), Word::open);
  EXPECT_NE(problem_of(
                [&] { add_edges({"price->rain"}, Word::required, names, "--require", knowledge); }),
            "none");
  EdgeKnowledge cycle;
  EXPECT_NE(problem_of([&] {
              add_edges({"price->rain", "rain->b", "b->price"}, Word::required, names, "--require",
                        cycle);
            }),
            "none");
}

TEST(GraphKnowledge, NamesWithSeparatorsStandInQuotes) {
  const std::vector<std::string> odd = {"yield, dry", "pH: top", "x"};
  EdgeKnowledge knowledge;
  add_tiers("x\n\"yield, dry\", pH: top\n", "tiers", odd, knowledge);
  EXPECT_EQ(knowledge.of(3, 0, 2), Word::forbidden);
  EXPECT_EQ(knowledge.of(3, 1, 2), Word::forbidden);
  std::vector<KnownChange> known;
  const std::vector<Environment> environments = {{"12:30", 0, 1}, {"a, b", 1, 2}};
  add_targets("12:30:\"yield, dry\"+\"pH: top\",\"a, b\":x", odd, environments, known);
  using enum KnownChange;
  EXPECT_EQ(known, (std::vector{changed, unchanged, changed, unchanged, unchanged, changed}));
  EXPECT_NE(problem_of([&] {
              add_targets("12:30:yield, dry", odd, environments, known);
            }).find("\"yield\""),
            std::string::npos);
}

TEST(GraphKnowledge, GroupsThatAreNoListsAreNotIgnored) {
  for (const char* text : {R"(["rain", "price"])", R"([["rain", 1]])"}) {
    EdgeKnowledge knowledge;
    EXPECT_NE(
        problem_of([&] { add_tiers(text, "tiers", names, knowledge); }).find("not lists of names"),
        std::string::npos)
        << text;
  }
}

TEST(GraphKnowledge, LaterGroupsCauseNoEarlierOnes) {
  for (const char* text :
       {"rain\nprice, b\n", "rain\r\n\r\nprice,b", R"([["rain"], ["price", "b"]])"}) {
    EdgeKnowledge knowledge;
    add_tiers(text, "tiers", names, knowledge);
    EXPECT_EQ(knowledge.of(4, 0, 1), Word::forbidden) << text;
    EXPECT_EQ(knowledge.of(4, 3, 1), Word::forbidden) << text;
    EXPECT_EQ(knowledge.of(4, 1, 0), Word::open) << text;
    EXPECT_EQ(knowledge.of(4, 0, 3), Word::open) << "in one group";
    EXPECT_EQ(knowledge.of(4, 2, 1), Word::open) << "not named";
  }
  EdgeKnowledge knowledge;
  EXPECT_NE(problem_of([&] { add_tiers("rain\nrain", "tiers", names, knowledge); }), "none");
  EXPECT_NE(problem_of([&] { add_tiers("snow", "tiers", names, knowledge); }), "none");
}

TEST(GraphKnowledge, TargetsOfEnvironments) {
  const std::vector<Environment> environments = {{"base", 0, 1}, {"e:1", 1, 2}, {"f", 2, 3}};
  std::vector<KnownChange> known;
  add_targets("e:1:price+b, base:", names, environments, known);
  const auto of = [&](std::size_t v, std::size_t e) { return known[v * 3 + e]; };
  EXPECT_EQ(of(0, 1), KnownChange::changed);
  EXPECT_EQ(of(3, 1), KnownChange::changed);
  EXPECT_EQ(of(1, 1), KnownChange::unchanged);
  EXPECT_EQ(of(1, 0), KnownChange::unchanged);
  EXPECT_EQ(of(1, 2), KnownChange::unknown);
  for (const char* text : {"f", "g:rain", "f:snow"})
    EXPECT_NE(problem_of([&] { add_targets(text, names, environments, known); }), "none") << text;
}

}  // namespace
}  // namespace whence
