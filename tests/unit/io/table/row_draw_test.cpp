#include "whence/io/table/row_draw.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/bad_input/array_files.hpp"
#include "tests/bad_input/temporary_folder.hpp"
#include "whence/io/table/data_reader.hpp"
#include "whence/io/table/formats/csv_writer.hpp"
#include "whence/io/table/formats/number_array.hpp"
#include "whence/io/table/memory_table.hpp"

namespace whence {
namespace {

using Places = std::vector<std::size_t>;

TEST(RowsOfEach, SmallEnvironmentsKeepAllAndOthersShareTheRest) {
  EXPECT_EQ(rows_of_each(Places{10, 20, 30}, 60), every_row);
  EXPECT_EQ(rows_of_each(Places{10, 20, 30}, 59), 29u);
  EXPECT_EQ(rows_of_each(Places{10, 500, 500}, 110), 50u);
  EXPECT_EQ(rows_of_each(Places{1000, 1000}, 101), 50u);
  EXPECT_EQ(rows_of_each(Places{}, 5), every_row);
}

RC_GTEST_PROP(RowsOfEach, IsTheLargestNumberThatFits, ()) {
  const auto rows =
      *rc::gen::nonEmpty(rc::gen::container<Places>(rc::gen::inRange<std::size_t>(0, 99)));
  const auto most = *rc::gen::inRange<std::size_t>(0, 500);
  const auto taken = [&](std::size_t each) {
    std::size_t sum = 0;
    for (const std::size_t n : rows) sum += std::min(n, each);
    return sum;
  };
  const std::size_t each = rows_of_each(rows, most);
  RC_ASSERT(taken(each) <= most);
  if (each != every_row) RC_ASSERT(taken(each + 1) > most);
}

/// The rows drawn when a table comes in pieces of some length.
Places drawn(const std::vector<std::int32_t>& environments, std::size_t most, std::size_t piece,
             std::uint64_t seed = 0) {
  RowDraw draw(most, seed);
  for (std::size_t begin = 0; begin < environments.size(); begin += piece) {
    draw.add(std::span(environments).subspan(begin, std::min(piece, environments.size() - begin)));
    if (draw.is_full()) draw.shrink();
    EXPECT_LE(draw.held(), 2 * most + piece);
  }
  draw.shrink();
  return draw.rows();
}

TEST(RowDraw, DoesNotDependOnThePieces) {
  std::vector<std::int32_t> environments;
  for (int i = 0; i < 20000; ++i)
    environments.push_back(i % 7 == 0 ? 1 : i < 9000 ? 0 : i % 100 ? 2 : -1);
  const Places whole = drawn(environments, 900, environments.size());
  EXPECT_LE(whole.size(), 900u);
  EXPECT_GT(whole.size(), 890u);
  for (const std::size_t piece : {1u, 17u, 901u, 5000u})
    EXPECT_EQ(drawn(environments, 900, piece), whole);
  EXPECT_NE(drawn(environments, 900, 17, 1), whole) << "another seed draws others";
}

TEST(RowDraw, KeepsSmallEnvironmentsWholeAndSpreadsOverLargeOnes) {
  std::vector<std::int32_t> environments(100000, 0);
  for (std::size_t i = 0; i < 50; ++i) environments[1000 * i] = 1;
  std::map<std::int32_t, std::size_t> count;
  double mean = 0;
  const Places rows = drawn(environments, 4050, 1000);
  for (const std::size_t row : rows) ++count[environments[row]], mean += double(row);
  EXPECT_EQ(count[1], 50u);
  EXPECT_EQ(count[0], 4000u);
  EXPECT_NEAR(mean / double(rows.size()), 50000, 5 * 29000 / std::sqrt(4000.0));
}

/// Rows "x, y, site": x counts rows of the site, so that every row tells what it is.
struct Table {
  std::vector<double> x, y, site;
};

Table table_of(std::size_t rows) {
  Table table;
  std::size_t next[3] = {};
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t e = i % 50 == 0 ? 2 : i % 3 == 0 ? 1 : 0;
    table.x.push_back(double(next[e]++) + 0.5 + 100000.0 * double(e));
    table.y.push_back(double(i * 7919 % 1009) / 8);
    table.site.push_back(double(e));
  }
  return table;
}

std::string csv_of(const Table& table, std::size_t only = 3) {
  std::string text = only == 3 ? "x,y,site\n" : "x,y\n";
  for (std::size_t i = 0; i < table.x.size(); ++i)
    if (only == 3 || table.site[i] == double(only))
      text += std::to_string(table.x[i]) + "," + std::to_string(table.y[i]) +
              (only == 3 ? "," + std::to_string(int(table.site[i])) : "") + "\n";
  return text;
}

NumberArray array_of(const std::vector<double>& values) { return {{values.size()}, values, false}; }

class DrawnTables : public testing::Test {
 protected:
  LoadedData read(const std::string& name, const std::string& text,
                  const std::string& column = "site") {
    return read_long_table(folder_.write(name, text), column, options_);
  }
  static std::vector<double> x_of(const LoadedData& loaded) {
    return loaded.data.columns[0].values;
  }

  bad_input::TemporaryFolder folder_;
  Table table_ = table_of(20000);
  ReadOptions options_ = [] {
    ReadOptions options;
    options.most_rows = 1500;
    return options;
  }();
};

TEST_F(DrawnTables, EveryFormatGivesTheSameRows) {
  const LoadedData csv = read("a.csv", csv_of(table_));
  ASSERT_EQ(csv.data.environments.size(), 3u);
  EXPECT_EQ(csv.data.rows(), 1500u) << "400 of one, 550 of both others";
  EXPECT_EQ(csv.sources[0].rows, 20000u);
  EXPECT_EQ(csv.sources[0].drawn, csv.data.rows());
  ASSERT_FALSE(csv.warnings.empty());
  EXPECT_NE(csv.warnings[0].find("of 20000 rows"), std::string::npos) << csv.warnings[0];

  const std::string npz = npz_bytes(
      {{"x", array_of(table_.x)}, {"y", array_of(table_.y)}, {"site", array_of(table_.site)}});
  EXPECT_EQ(x_of(read("a.npz", npz)), x_of(csv));

  NumberArray square{{table_.x.size(), 3}, {}, false};
  for (std::size_t i = 0; i < table_.x.size(); ++i)
    for (const double value : {table_.x[i], table_.y[i], table_.site[i]})
      square.values.push_back(value);
  EXPECT_EQ(x_of(read("a.npy", npy_bytes(square), "c3")), x_of(csv));

  const auto memory = std::make_shared<MemoryTable>();
  memory->rows = table_.x.size();
  for (const auto& [name, values] :
       {std::pair{"x", &table_.x}, {"y", &table_.y}, {"site", &table_.site}}) {
    memory->columns.push_back({name});
    memory->columns.back().numbers = values->data();
  }
  NamedFile file{"a.csv"};
  file.table = memory;
  EXPECT_EQ(x_of(read_long_table(file, "site", options_)), x_of(csv));

  std::vector<NamedFile> files;
  for (const std::size_t e : {2, 0, 1})
    files.push_back({folder_.write("s" + std::to_string(e) + ".csv", csv_of(table_, e))});
  std::vector<double> together = x_of(read_files(files, options_)), sorted = x_of(csv);
  std::sort(together.begin(), together.end());
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(together, sorted) << "files are drawn from as one table is";
}

TEST_F(DrawnTables, WhatFitsIsReadAsEver) {
  options_.most_rows = 20000;
  const LoadedData loaded = read("a.csv", csv_of(table_));
  EXPECT_EQ(loaded.data.rows(), 20000u);
  EXPECT_TRUE(loaded.warnings.empty());
}

TEST_F(DrawnTables, MissingValuesAreCountedAmongTheRowsDrawn) {
  for (std::size_t i = 0; i < table_.y.size(); i += 2) table_.y[i] = NAN;
  std::string text = csv_of(table_);
  for (std::size_t at; (at = text.find("nan")) != std::string::npos;) text.erase(at, 3);
  options_.missing = MissingPolicy::drop;
  const LoadedData loaded = read("a.csv", text);
  EXPECT_EQ(loaded.data.rows() + loaded.sources[0].dropped, loaded.sources[0].drawn);
  EXPECT_NEAR(double(loaded.sources[0].dropped), 0.6 * double(loaded.sources[0].drawn), 150);
}

TEST_F(DrawnTables, AnIndexIsStillSeenAsOne) {
  std::string text = "id,x,y,site\n", lines = csv_of(table_);
  std::size_t row = 0;
  for (std::size_t at = lines.find('\n') + 1; at < lines.size();) {
    const std::size_t end = lines.find('\n', at) + 1;
    text += std::to_string(++row) + "," + lines.substr(at, end - at);
    at = end;
  }
  options_.leave_out = true;
  const LoadedData loaded = read("a.csv", text);
  ASSERT_EQ(loaded.columns_left_out.size(), 1u);
  EXPECT_EQ(loaded.columns_left_out[0].name, "id");
}

}  // namespace
}  // namespace whence
