#include "whence/core/text.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <rapidcheck.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace whence {
namespace {

TEST(Printable, ShowsWhatActsOnTerminalsAsHex) {
  EXPECT_EQ(printable("plain é → text"), "plain é → text");
  EXPECT_EQ(printable("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("a\nb\tc\x7f"), "a\\x0ab\\x09c\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"), "\\xc2\\x9b");           // CSI as one character
  EXPECT_EQ(printable("\xE2\x80\xAE"), "\\xe2\\x80\\xae");  // right-to-left override
  EXPECT_EQ(printable("\xE2\x80\x8B"), "\\xe2\\x80\\x8b");  // zero-width space
}

TEST(Printable, ShowsBrokenUtf8AsHex) {
  EXPECT_EQ(printable("\xC3("), "\\xc3(");
  EXPECT_EQ(printable("\xC0\xAF"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xE2\x86"), "\\xe2\\x86");  // cut off
  EXPECT_EQ(printable("\xFF"), "\\xff");
}

TEST(Printable, GivesNoControlByteForAnyInput) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    for (const char c : printable(text)) RC_ASSERT(std::uint8_t(c) >= 0x20 && c != 0x7F);
  }));
}

TEST(Excerpt, CutsBetweenCharacters) {
  EXPECT_EQ(excerpt("short", 10), "short");
  EXPECT_EQ(excerpt("0123456789", 10), "0123456789");
  EXPECT_EQ(excerpt("0123456789X", 10), "0123456789...");
  EXPECT_EQ(excerpt("ééééé", 5), "éé...");
  EXPECT_TRUE(rc::check([](const std::string& text) {
    const std::string cut = excerpt(text, 20);
    RC_ASSERT(cut.size() <= 23u);
    RC_ASSERT(printable(cut) == cut);  // still valid UTF-8
  }));
}

TEST(Shortest, ReadsBackAsTheSameDouble) {
  EXPECT_TRUE(rc::check([](std::uint64_t bits) {
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) return;
    const std::string text = shortest(value);
    double back = 1;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), back).ptr;
    RC_ASSERT(end == text.data() + text.size());
    RC_ASSERT(back == value);
  }));
}

TEST(Shortest, WritesWholeNumbersWithoutExponent) {
  EXPECT_EQ(shortest(100000), "100000");
  EXPECT_EQ(shortest(-2), "-2");
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(-0.0), "0");
  EXPECT_EQ(shortest(1e-8), "1e-08");
  EXPECT_EQ(shortest(1.28e14), "128000000000000");
}

TEST(EditDistance, CountsEditsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("reprodcue", "reproduce"), 1u);  // one swap
  EXPECT_EQ(edit_distance("learnig_rate", "learning_rate"), 1u);
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);  // restricted: no edits inside a swap
}

TEST(EditDistance, IsSymmetricAndBounded) {
  EXPECT_TRUE(rc::check([](const std::string& a, const std::string& b) {
    const std::size_t distance = edit_distance(a, b);
    RC_ASSERT(distance == edit_distance(b, a));
    RC_ASSERT((distance == 0) == (a == b));
    RC_ASSERT(distance <= std::max(a.size(), b.size()));
  }));
}

TEST(DidYouMean, NamesTheNearestOnlyWhenNear) {
  const std::vector<std::string> names = {"runs", "episodes", "steps", "belief-discrete"};
  EXPECT_EQ(did_you_mean("rnus", names), "did you mean 'runs'?");
  EXPECT_EQ(did_you_mean("belief", names), "did you mean 'belief-discrete'?");
  EXPECT_EQ(did_you_mean("zzzz", names), "");
  EXPECT_EQ(did_you_mean("", names), "");
  EXPECT_EQ(did_you_mean(std::string(1000000, 'r'), names), "");
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,,b,", ','), (std::vector<std::string>{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), std::vector<std::string>{""});
  EXPECT_EQ(joined(std::vector<std::string>{"a", "b"}, "|"), "a|b");
}

}  // namespace
}  // namespace whence
