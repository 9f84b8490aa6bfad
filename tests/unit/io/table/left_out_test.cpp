// Tables as people have them: which columns, rows and environments are used, and what is said.
#include "whence/io/table/left_out.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/bad_input/temporary_folder.hpp"
#include "whence/core/error.hpp"
#include "whence/io/table/data_reader.hpp"
#include "whence/io/table/formats/date_text.hpp"

namespace whence {
namespace {

using Cell = std::function<std::string(int)>;
using Columns = std::vector<std::pair<std::string, Cell>>;

std::string number(int i) { return fmt::format("{}.{}", (i * 7) % 13, (i * i) % 10); }
std::string site(int i) { return i % 2 ? "north" : "south"; }
std::string colour(int i) { return i % 3 ? "red" : "blue"; }

/// A table of x, y and the site, with more columns in front.
std::string table(const Columns& more, int rows = 60) {
  Columns all = more;
  all.insert(all.end(),
             {{"site", site}, {"x", number}, {"y", [](int i) { return number(3 * i + 1); }}});
  std::string text;
  for (std::size_t c = 0; c < all.size(); ++c) text += (c ? "," : "") + all[c].first;
  text += "\n";
  for (int i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < all.size(); ++c) text += (c ? "," : "") + all[c].second(i);
    text += "\n";
  }
  return text;
}

class LeftOutTest : public testing::Test {
 protected:
  LoadedData read(const std::string& text, ReadOptions options = {},
                  const std::string& environment = "site",
                  const std::optional<std::string>& baseline = {}) {
    options.leave_out = true;
    if (options.missing == MissingPolicy::error) options.missing = MissingPolicy::guess;
    if (options.small == SmallPolicy::error) options.small = SmallPolicy::leave_out;
    return read_long_table(folder_.write("t.csv", text), environment, options, baseline);
  }
  bad_input::TemporaryFolder folder_;
};

std::vector<std::string> names_of(const LoadedData& loaded) {
  std::vector<std::string> names;
  for (const Variable& v : loaded.data.variables) names.push_back(v.name);
  return names;
}

std::string all_of(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  return all;
}

void expect_error(const std::function<void()>& work, const std::string& id,
                  const std::string& says) {
  try {
    work();
    FAIL() << "no " << id;
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), id) << error.what();
    const std::string said = std::string(error.what()) + " | " + error.hint();
    EXPECT_NE(said.find(says), std::string::npos) << said;
  }
}

TEST_F(LeftOutTest, ColumnsThatHoldNoVariableAreNamedAndLeftOut) {
  const Columns more = {{"", [](int i) { return std::to_string(i); }},
                        {"person", [](int i) { return fmt::format("p{}", i * 17); }},
                        {"order", [](int i) { return std::to_string((i * 7) % 60 + 100); }},
                        {"customer_id", [](int i) { return std::to_string(i * i + 5); }},
                        {"day", [](int i) { return fmt::format("2024-03-{:02}", i % 28 + 1); }},
                        {"always", [](int) { return "yes"; }},
                        {"empty", [](int) { return ""; }},
                        {"rarely", [](int i) { return i % 5 ? "" : number(i); }},
                        {"code", [](int i) { return i % 2 ? "a" : "b"; }},
                        {"colour", colour}};
  const LoadedData loaded = read(table(more));
  EXPECT_EQ(names_of(loaded), (std::vector<std::string>{"colour", "x", "y"}));
  EXPECT_EQ(loaded.data.rows(), 60u) << "no row is lost to a column that is not used";
  std::string left;
  for (const LeftOut& column : loaded.columns_left_out)
    left += column.name + ": " + column.reason + "\n";
  EXPECT_EQ(left,
            "(index): the index of the rows\n"
            "person: an identifier: as many different texts as rows\n"
            "order: it numbers the rows: every whole number from 100 to 159 once\n"
            "customer_id: an identifier: whole numbers, as many as rows\n"
            "day: dates or times\n"
            "empty: no value at all\n"
            "rarely: 80 % of its values are missing\n"
            "always: every row holds \"yes\"\n"
            "code: it never changes inside an environment\n");
  EXPECT_NE(all_of(loaded.warnings).find("columns left out: (index) ("), std::string::npos);
}

TEST_F(LeftOutTest, ATypeOrANameKeepsAColumn) {
  const Columns more = {{"person", [](int i) { return fmt::format("p{}", i); }},
                        {"colour", colour}};
  ReadOptions options;
  options.types = parse_types("person=labels");
  EXPECT_EQ(names_of(read(table(more), options)),
            (std::vector<std::string>{"person", "colour", "x", "y"}));
  ReadOptions named;
  named.columns = {"person", "x"};
  EXPECT_EQ(names_of(read(table(more), named)), (std::vector<std::string>{"person", "x"}));
  ReadOptions excluded;
  excluded.exclude = {"colour"};
  const LoadedData loaded = read(table(more), excluded);
  EXPECT_EQ(names_of(loaded), (std::vector<std::string>{"x", "y"}));
}

TEST_F(LeftOutTest, APairIsWhatIsLeft) {
  const Columns more = {{"person", [](int i) { return fmt::format("p{}", i); }}};
  ReadOptions pair;
  pair.variables = 2;
  EXPECT_EQ(names_of(read(table(more), pair)), (std::vector<std::string>{"x", "y"}));
  expect_error([&] { read(table({{"colour", colour}}), pair); }, "E-USAGE-COLUMNS", "3 variables");
}

TEST_F(LeftOutTest, TooFewColumnsAreAClearError) {
  ReadOptions all;
  all.exclude = {"x", "y"};
  expect_error([&] { read(table({}), all); }, "E-USAGE-COLUMNS", "is excluded");
  ReadOptions one;
  one.exclude = {"y"};
  expect_error([&] { read(table({}), one); }, "E-DATA-COLUMNS",
               "only one column can be used: \"x\"");
  ReadOptions unknown;
  unknown.exclude = {"z"};
  expect_error([&] { read(table({}), unknown); }, "E-USAGE-COLUMN", "no column \"z\"");
  expect_error([&] { read(table({}), {}, "site", "west"); }, "E-USAGE-BASELINE", "west");
}

TEST_F(LeftOutTest, VeryManyColumnsAreRefusedAtTheHeader) {
  std::string header = "site";
  for (int i = 0; i < 60000; ++i) header += fmt::format(",v{}", i);
  ReadOptions options;
  options.most_variables = 256;
  // The rows would be errors of their own: they are never read.
  expect_error([&] { read(header + "\nnorth,1\n", options); }, "E-LIMIT-VARIABLES",
               "60000 variables");
}

TEST_F(LeftOutTest, WordsForMissingValuesAreCounted) {
  const Columns more = {{"age", [](int i) { return i % 10 == 3 ? "NA" : number(i); }},
                        {"pet", [](int i) { return i % 15 == 4 ? "?"
                                                   : i % 4     ? "none"
                                                               : "dog"; }},
                        {"late", [](int i) { return i < 2   ? "none"
                                                    : i % 4 ? "none"
                                                            : "cat"; }}};
  const LoadedData loaded = read(table(more));
  EXPECT_EQ(loaded.data.rows(), 60u - 6 - 4);
  const Variable& pet = loaded.data.variables[1];
  EXPECT_EQ(pet.level_names, (std::vector<std::string>{"dog", "none"}));
  EXPECT_EQ(loaded.data.variables[2].level_names, (std::vector<std::string>{"cat", "none"}));
  EXPECT_NE(all_of(loaded.warnings)
                .find("10 of 60 rows were left out because a value is missing (age 6, pet 4)"),
            std::string::npos)
      << all_of(loaded.warnings);
}

TEST_F(LeftOutTest, AMixtureOfNumbersAndTextsIsOfTexts) {
  const Columns grade = {{"grade", [](int i) { return i % 3 ? std::to_string(i % 4) : "late"; }}};
  const LoadedData loaded = read(table(grade));
  EXPECT_EQ(loaded.data.variables[0].level_names,
            (std::vector<std::string>{"0", "1", "2", "3", "late"}));
  // One text among many numbers is a mistake in that cell.
  const Columns typo = {{"grade", [](int i) { return i == 40 ? "1O" : number(i); }}};
  expect_error([&] { read(table(typo)); }, "E-CSV-NUMBER", "\"1O\" is not a number");
}

TEST_F(LeftOutTest, SentinelsAreSuspected) {
  const Columns more = {{"score", [](int i) { return i % 20 == 7 ? "-999" : number(i); }}};
  EXPECT_NE(all_of(read(table(more)).warnings).find("column \"score\" holds -999 in 3 rows"),
            std::string::npos);
  const Columns honest = {{"score", [](int i) { return i == 7 ? "99" : number(9 * i); }}};
  EXPECT_EQ(all_of(read(table(honest)).warnings).find("--na"), std::string::npos);
}

TEST_F(LeftOutTest, SmallEnvironmentsAreLeftOutOrJoined) {
  const Columns more = {{"where", [](int i) {
                           return i == 5 || i == 6 ? "tiny" : i == 9 ? "lone" : site(i);
                         }}};
  ReadOptions options;
  options.min_rows = 3;
  options.exclude = {"site"};
  const LoadedData loaded = read(table(more), options, "where");
  ASSERT_EQ(loaded.data.environments.size(), 2u);
  EXPECT_EQ(loaded.data.rows(), 57u);
  ASSERT_EQ(loaded.environments_left_out.size(), 2u);
  EXPECT_EQ(loaded.environments_left_out[0].name, "tiny");
  EXPECT_EQ(loaded.environments_left_out[0].reason, "2 rows");
  EXPECT_NE(all_of(loaded.warnings).find("environments left out: tiny (2 rows), lone (1 row)"),
            std::string::npos);
  options.small = SmallPolicy::pool;
  const LoadedData pooled = read(table(more), options, "where");
  ASSERT_EQ(pooled.data.environments.size(), 3u);
  EXPECT_EQ(pooled.data.rows(), 60u);
  const auto small = std::find_if(pooled.data.environments.begin(), pooled.data.environments.end(),
                                  [](const Environment& e) { return e.name == "(small ones)"; });
  ASSERT_NE(small, pooled.data.environments.end());
  EXPECT_EQ(small->rows(), 3u);
  options.min_rows =
      4;  // more than both have together: to advise joining them again would not help
  EXPECT_NE(all_of(read(table(more), options, "where").warnings)
                .find("lone (1 row), too few even together; --min-rows 2 keeps them"),
            std::string::npos);
  options.small = SmallPolicy::leave_out;
  options.min_rows = 50;
  expect_error([&] { read(table(more), options, "where"); }, "E-DATA-ENVIRONMENTS",
               "fewer than two environments have 50 rows");
}

TEST_F(LeftOutTest, EntitiesOfEveryEnvironmentAreRemembered) {
  const Columns more = {{"state", [](int i) { return fmt::format("s{}", i / 2); }}};
  ReadOptions options;
  const LoadedData loaded = read(table(more, 240), options);
  EXPECT_TRUE(loaded.entity.empty()) << "hardly any comes again: an identifier";
  const Columns again = {{"state", [](int i) { return fmt::format("s{}", i % 20); }},
                         {"year", [](int i) { return fmt::format("y{}", i / 20); }}};
  options.exclude = {"site"};
  const LoadedData panel = read(table(again, 240), options, "year");
  EXPECT_EQ(names_of(panel), (std::vector<std::string>{"x", "y"}));
  ASSERT_EQ(panel.entity.size(), 240u);
  EXPECT_EQ(panel.entity[0], panel.entity[20]);
}

TEST_F(LeftOutTest, NumbersMayNameEntitiesToo) {
  // Firms 1001, 1002, ... of which each year lacks one; and a count that differs in every row.
  const Columns panel = {
      {"firm", [](int i) { return std::to_string(1001 + (i + 2 * (i / 24)) % 25); }},
      {"count", [](int i) { return std::to_string(7 * i); }},
      {"year", [](int i) { return fmt::format("y{}", i / 24); }}};
  ReadOptions options;
  options.exclude = {"site"};
  const LoadedData loaded = read(table(panel, 240), options, "year");
  EXPECT_EQ(names_of(loaded), (std::vector<std::string>{"count", "x", "y"}));
  ASSERT_EQ(loaded.entity.size(), 240u);
  EXPECT_EQ(loaded.entity[1], loaded.entity[24]);
}

TEST_F(LeftOutTest, AColumnThatIsConstantInTheBaselineStays) {
  const Columns more = {{"dose", [](int i) { return i % 2 ? "0" : number(i); }}};
  const LoadedData loaded = read(table(more), {}, "site", "north");
  EXPECT_EQ(names_of(loaded)[0], "dose");
  EXPECT_NE(all_of(loaded.warnings).find("constant in the baseline: \"dose\""), std::string::npos);
}

TEST(DateText, DatesAndTimesAreRecognised) {
  for (const char* text :
       {"2024-03-31", "2024/3/1", "31.3.2024", "3/31/24", "31-Mar-2024", "2024-03", "2024Q1",
        "2024-03-31T23:59:59Z", "2024-03-31 23:59", "23:59", "Mar 31, 2024"})
    EXPECT_TRUE(looks_like_date(text)) << text;
  for (const char* text : {"2024", "3.14", "red", "1-2", "192.168.0.1", "2024-31-31", "a:b",
                           "12-34-56-78", "maybe 5, 2024x", ""})
    EXPECT_FALSE(looks_like_date(text)) << text;
}

}  // namespace
}  // namespace whence
