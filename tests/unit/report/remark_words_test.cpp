// Every code that an engine can emit has a name and a sentence; one sentence per kind.
#include "whence/report/remark_words.hpp"

#include <set>

#include <gtest/gtest.h>

namespace whence {
namespace {

constexpr auto first_warning = RemarkCode::direction_open;
constexpr auto last = RemarkCode::odd_cell;

Remark filled(RemarkCode code) {
  return {code, {"rain", "umbrella"}, {"north", "south"}, {4, 3, 2, 1}};
}

TEST(RemarkWords, EveryCodeHasANameAndASentence) {
  std::set<std::string_view> names;
  for (int code = 0; code <= int(last); ++code) {
    const Remark remark = filled(RemarkCode(code));
    EXPECT_NE(name_of(remark.code), "?") << code;
    EXPECT_TRUE(names.insert(name_of(remark.code)).second) << name_of(remark.code);
    const bool reason = code < int(first_warning);
    const std::string words = reason ? reason_in_words(remark) : in_words(std::span(&remark, 1));
    EXPECT_FALSE(words.empty()) << name_of(remark.code);
    EXPECT_EQ(words.find('{'), std::string::npos) << words;
  }
}

TEST(RemarkWords, ManyOfAKindAreOneSentenceWithTheirNumber) {
  std::vector<Remark> remarks;
  for (int k = 0; k < 27; ++k)
    remarks.push_back({RemarkCode::maybe_confounded, {"x" + std::to_string(k), "y"}, {"e"}, {}});
  for (int k = 0; k < 18; ++k)
    remarks.push_back({RemarkCode::direction_open, {"u" + std::to_string(k), "v"}, {}, {}});
  remarks.push_back({RemarkCode::cycle_broken, {}, {}, {}});
  const auto warnings = warnings_in_words(remarks), advice = advice_in_words(remarks);
  ASSERT_EQ(warnings.size(), 2u);
  ASSERT_EQ(advice.size(), 1u);
  EXPECT_NE(warnings[0].find("27 edges"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[0].find("x4 -> y and 22 more"), std::string::npos) << warnings[0];
  EXPECT_NE(advice[0].find("18 pairs"), std::string::npos) << advice[0];
  EXPECT_LT(advice[0].size(), 400u);
}

TEST(RemarkWords, OneOfAKindNamesItsVariables) {
  const std::vector<Remark> remarks = {{RemarkCode::direction_open, {"a", "b"}, {}, {}},
                                       {RemarkCode::maybe_confounded, {"a", "c"}, {"north"}, {}}};
  EXPECT_EQ(advice_in_words(remarks).at(0).find("a and b are linked"), 0u);
  EXPECT_EQ(
      warnings_in_words(remarks).at(0).find("a -> c may be the work of a hidden common cause: "
                                            "wherever a changed (north)"),
      0u);
}

TEST(RemarkWords, NamesCannotActOnATerminal) {
  const Remark remark{RemarkCode::hidden_pair, {"a\033[2J", "b"}, {}, {0.9}};
  EXPECT_EQ(in_words(std::span(&remark, 1)).find('\033'), std::string::npos);
}

TEST(RemarkWords, WarningsFromReadingComeFirst) {
  const std::vector<Remark> remarks = {{RemarkCode::cycle_broken, {}, {}, {}}};
  const auto all = all_warnings({"a column was left out"}, remarks);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0], "a column was left out");
}

TEST(RemarkWords, TheDocumentHoldsCodeAndValues) {
  EXPECT_EQ(remark_json({RemarkCode::full_family, {"x"}, {}, {32}}).dump(),
            R"({"code":"full-family","variables":["x"],"environments":[],"numbers":[32]})");
}

}  // namespace
}  // namespace whence
