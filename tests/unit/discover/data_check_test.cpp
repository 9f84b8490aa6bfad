// What check says of many columns.
#include "whence/discover/check/data_check.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "whence/core/error.hpp"
#include "whence/math/random.hpp"
#include "whence/report/check_report.hpp"

namespace whence {
namespace {

/// x, its curved effect y, a category c that follows x, and n that never changes. Environment "x"
/// shifts x, "still" nothing, "far" takes x where it never was.
Dataset table() {
  Dataset data;
  data.variables = {{"x", Variable::Kind::real},
                    {"y", Variable::Kind::real},
                    {"c", Variable::Kind::categorical, 3, 1, {"a", "b", "c"}},
                    {"n", Variable::Kind::real}};
  data.columns.resize(4);
  Stream stream(51, Purpose::tests, {});
  const std::array<double, 4> shift = {0, 1, 0, 40};
  const std::array<const char*, 4> names = {"base", "x", "still", "far"};
  for (std::size_t e = 0; e < 4; ++e) {
    const std::size_t rows = e == 0 ? 500 : 200, begin = data.columns[0].values.size();
    data.environments.push_back({names[e], begin, begin + rows});
    for (std::size_t r = 0; r < rows; ++r) {
      const double x = sample_normal(stream) + shift[e];
      data.columns[0].values.push_back(x);
      data.columns[1].values.push_back(x * x + 0.3 * sample_normal(stream));
      data.columns[2].levels.push_back(x < -0.5 ? 0 : x < 0.5 ? 1 : 2);
      data.columns[3].values.push_back(sample_normal(stream));
    }
  }
  return data;
}

bool mentions(const std::vector<std::string>& remarks, std::string_view what) {
  return std::any_of(remarks.begin(), remarks.end(),
                     [&](const std::string& r) { return r.find(what) != std::string::npos; });
}

TEST(CheckTable, SaysWhereEachShiftShows) {
  const TableCheck check = check_table(table(), 0, 1);
  ASSERT_EQ(check.environments.size(), 4u);
  EXPECT_TRUE(check.environments[0].baseline);
  for (const std::size_t v : {0, 1, 2})
    EXPECT_GT(check.environments[1].evidence[v], clear_evidence) << v;
  EXPECT_LT(check.environments[1].evidence[3], clear_evidence);
  for (const double nats : check.environments[2].evidence) EXPECT_LT(nats, clear_evidence);
  EXPECT_GT(check.environments[3].evidence[0], check.environments[1].evidence[0]);
}

TEST(CheckTable, SaysWhatStraightLinesDoNotFit) {
  const TableCheck check = check_table(table(), 0, 1);
  EXPECT_TRUE(check.lines[1].not_linear);
  EXPECT_FALSE(check.lines[3].not_linear);
}

TEST(CheckTable, SaysWhatTheDataCanDecideAndWhatWould) {
  const TableCheck check = check_table(table(), 0, 1);
  EXPECT_EQ(check.environments[3].apart, (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(check.environments[1].apart.empty());
  const auto remarks = check_remarks(check);
  EXPECT_TRUE(mentions(remarks, "Straight lines do not fit: "));
  EXPECT_TRUE(mentions(remarks, "2 of 3 environments change some variables"));
  EXPECT_TRUE(mentions(remarks, "Nothing differs clearly in still"));
  EXPECT_TRUE(mentions(remarks, "Never seen to change: n"));
  EXPECT_TRUE(mentions(remarks, "never met elsewhere: far (x, y)"));
  const auto tables = check_tables(check);
  EXPECT_EQ(tables[0].rows.size(), 4u);
  EXPECT_EQ(tables[1].rows[2].back(), "nowhere clearly");
  EXPECT_NE(check_json(check).dump().find("\"no_overlap\":[\"x\",\"y\"]"), std::string::npos);
}

TEST(CheckTable, SameForAnyNumberOfThreads) {
  const Dataset data = table();
  const TableCheck one = check_table(data, {}, 1), three = check_table(data, {}, 3);
  for (std::size_t e = 0; e < 4; ++e)
    EXPECT_EQ(one.environments[e].evidence, three.environments[e].evidence);
}

TEST(CheckTable, NeedsTwoEnvironments) {
  Dataset data = table();
  data.environments.resize(1);
  EXPECT_THROW(check_table(data, 0, 1), Error);
}

}  // namespace
}  // namespace whence
