#include "whence/io/json/markup.hpp"

#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/unit/report/markup_reader.hpp"

namespace whence {
namespace {

TEST(Markup, SpecialCharactersBecomeEntities) {
  EXPECT_EQ(escape_markup("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
}

TEST(Markup, ControlsAndBadBytesAndOverridesBecomeReplacementCharacters) {
  EXPECT_EQ(escape_markup(std::string_view("a\0b", 3)), "a\uFFFDb");
  EXPECT_EQ(escape_markup("\x1b[2J"), "\uFFFD[2J");
  EXPECT_EQ(escape_markup("\xff\xc0\xaf"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(escape_markup("x\u202Ey\u2066z"), "x\uFFFDy\uFFFDz");
  EXPECT_EQ(escape_markup("\uFFFE\n\t"), "\uFFFD\n\t");
}

TEST(Markup, OrdinaryTextStaysAsItIs) {
  EXPECT_EQ(escape_markup("P(B | A) → Größe, 因果, 😀"), "P(B | A) → Größe, 因果, 😀");
}

/// Random valid UTF-8, rich in the characters that matter.
std::string random_text(std::mt19937& random) {
  static const std::vector<std::string> pieces = {
      "<",      ">",    "&",   "'",      "\"",     "\\",     "/",
      "script", "<!--", "]]>", "\u2028", "\u2029", "\u202E", "a",
      "é",      "→",    "😀",   "\n",     "\t",     "\r",     std::string(1, '\0'),
      "\x1b",   "{{",   "${",  "\x7f"};
  std::string out;
  for (auto n = random() % 12; n > 0; --n) out += pieces[random() % pieces.size()];
  return out;
}

TEST(Markup, JsonStringsRoundTripAndCannotLeaveAScript) {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    const std::string text = random_text(random), json = json_string(text);
    ASSERT_EQ(nlohmann::json::parse(json).get<std::string>(), text);
    ASSERT_EQ(json.find_first_of("<>&"), std::string::npos);
    ASSERT_EQ(json.find("\u2028"), std::string::npos);
  }
}

TEST(Markup, EscapedTextReadsBackTheSame) {
  std::mt19937 random(8);
  for (int i = 0; i < 20000; ++i) {
    const std::string text = random_text(random), escaped = escape_markup(text);
    ASSERT_EQ(escaped.find_first_of("<>\"'"), std::string::npos);
    if (text.find_first_of(std::string("\0\x1b\x7f\r", 4)) == std::string::npos &&
        text.find("\u202E") == std::string::npos) {
      ASSERT_EQ(test::unescaped(escaped), text);
    }
  }
}

TEST(Markup, NumbersForPeople) {
  EXPECT_EQ(human_number(0), "0");
  EXPECT_EQ(human_number(-0.0), "0");
  EXPECT_EQ(human_number(1000), "1000");
  EXPECT_EQ(human_number(0.99985), "0.9999");
  EXPECT_EQ(human_number(-3.3971), "−3.397");
  EXPECT_EQ(human_number(0.00050814), "0.000508");
  EXPECT_EQ(human_number(1.2e-7), "1.2 × 10⁻⁷");
  EXPECT_EQ(human_number(-6.02214e23), "−6.022 × 10²³");
  EXPECT_EQ(human_number(1234.5678, 6), "1234.57");
  EXPECT_EQ(human_number(NAN), "–");
  EXPECT_EQ(human_number(INFINITY), "–");
}

TEST(Markup, SlugsAreHarmless) {
  EXPECT_EQ(slug("Belief/N=10"), "belief-n-10");
  EXPECT_EQ(slug("\"><script>"), "script");
  EXPECT_EQ(slug("因果"), "unnamed");
  EXPECT_EQ(slug(std::string(500, 'x')).size(), 48u);
}

}  // namespace
}  // namespace whence
