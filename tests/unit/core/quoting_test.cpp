// Names with separators in lists, and command lines that can be pasted.
#include "whence/core/quoting.hpp"

#include <gtest/gtest.h>

namespace whence {
namespace {

using Words = std::vector<std::string>;

TEST(Quoting, SeparatorsInQuotesDoNotCount) {
  EXPECT_EQ(split_outside_quotes("a,\"b, c\",d", ','), (Words{"a", "\"b, c\"", "d"}));
  EXPECT_EQ(split_outside_quotes("e:\"b, c\"+\"d,\"", ','), (Words{"e:\"b, c\"+\"d,\""}));
  EXPECT_EQ(split_outside_quotes("a, \"b, c\"", ','), (Words{"a", " \"b, c\""}));
  EXPECT_EQ(split_outside_quotes("", ','), (Words{""}));
  EXPECT_EQ(split_outside_quotes("a,", ','), (Words{"a", ""}));
}

TEST(Quoting, QuotesInsideANameAreItsOwn) {
  EXPECT_EQ(split_outside_quotes("5\" pipe,6\" pipe", ','), (Words{"5\" pipe", "6\" pipe"}));
  EXPECT_EQ(split_outside_quotes("\"open,x", ','), (Words{"\"open", "x"}));
  EXPECT_EQ(unquoted("price \"spot\""), "price \"spot\"");
  EXPECT_EQ(unquoted("\"a\" and \"b\""), "\"a\" and \"b\"");
  EXPECT_EQ(unquoted("\""), "\"");
}

TEST(Quoting, TheLastColonOutsideQuotes) {
  EXPECT_EQ(rfind_outside_quotes("12:30:\"a:b\"", ':'), 5u);
  EXPECT_EQ(rfind_outside_quotes("\"a:b\"", ':'), std::string::npos);
}

TEST(Quoting, NamesComeBack) {
  for (const char* name : {"a", "a, b", "x:y", "say \"a, b\"", "\"", "\"q\"", "1+1=2", ""}) {
    EXPECT_EQ(unquoted(list_name(name)), name);
    EXPECT_EQ(split_outside_quotes("z," + list_name(name) + ",z", ',').size(), 3u) << name;
  }
  EXPECT_EQ(list_name("plain name"), "plain name");
}

TEST(Quoting, ShellsReadWordsBack) {
  EXPECT_EQ(shell_words({"whence", "--forbid", "x->y", "it's", "", "a=b,c"}),
            "whence --forbid 'x->y' 'it'\\''s' '' a=b,c");
}

}  // namespace
}  // namespace whence
