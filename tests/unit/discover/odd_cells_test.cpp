// Cells that are plainly mistakes are found by column and row, whatever the tails of a column are,
// and no answer rests on their rows.
#include <cmath>

#include <gtest/gtest.h>

#include "whence/discover/check/data_check.hpp"
#include "whence/discover/graph/graph_discovery.hpp"
#include "whence/discover/graph/outlying_rows.hpp"
#include "whence/discover/pair/direction.hpp"
#include "whence/math/random.hpp"
#include "whence/report/remark_words.hpp"

namespace whence {
namespace {

/// Heights (normal), incomes (log-normal) and cigarettes (mostly none) at two sites.
Dataset people(std::size_t rows_each = 150) {
  Stream stream(7, Purpose::tests, {0, 0, 0});
  Dataset data;
  for (const char* name : {"height", "income", "cigarettes"})
    data.variables.push_back({name, Variable::Kind::real, 0, 1, {}});
  data.columns.resize(3);
  for (std::size_t r = 0; r < 2 * rows_each; ++r) {
    data.columns[0].values.push_back(170 + 8 * sample_normal(stream));
    data.columns[1].values.push_back(20000 * std::exp(sample_normal(stream)));
    data.columns[2].values.push_back(stream.uniform() < 0.7 ? 0
                                                            : std::round(30 * stream.uniform()));
  }
  data.environments = {{"town", 0, rows_each}, {"country", rows_each, 2 * rows_each}};
  return data;
}

std::vector<std::pair<std::size_t, std::size_t>> places(const Dataset& data) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (const OddCell& cell : odd_cells(data)) out.emplace_back(cell.row, cell.variable);
  return out;
}

using Places = std::vector<std::pair<std::size_t, std::size_t>>;

TEST(OddCells, TailsOfTheirOwnAreNoMistakes) { EXPECT_EQ(places(people()), Places()); }

TEST(OddCells, AreNamedByRowAndColumn) {
  Dataset data = people();
  data.columns[0].values[20] = 1.71;     // metres
  data.columns[1].values[40] *= 100000;  // no tail of incomes reaches so far
  data.columns[2].values[200] = 9999;
  EXPECT_EQ(places(data), (Places{{20, 0}, {40, 1}, {200, 2}}));
  const std::vector<Remark> remarks = remarks_on(odd_cells(data), data);
  ASSERT_EQ(remarks.size(), 3u);
  EXPECT_EQ(remarks[2].environments, std::vector<std::string>{"country"});
  EXPECT_EQ(remarks[2].numbers[0], 51);
  EXPECT_NE(in_words(remarks).find("height = 1.71 in row 21 of town"), std::string::npos);
}

TEST(OddCells, ManyOfThemAreATail) {
  Dataset data = people();
  for (std::size_t r = 0; r < 10; ++r) data.columns[0].values[r] *= 100;
  EXPECT_EQ(places(data), Places());
}

TEST(OddCells, ARowThatDoesNotFitTogether) {
  Dataset data = people();
  Stream stream(8, Purpose::tests, {0, 0, 0});
  auto &waist = data.columns[1].values, &hip = data.columns[2].values;
  for (std::size_t r = 0; r < data.rows(); ++r) {
    waist[r] = 80 + 12 * sample_normal(stream);
    hip[r] = waist[r] + 15 + 0.5 * sample_normal(stream);
  }
  waist[30] = 110, hip[30] = 80;  // both usual, together not
  const std::vector<OddCell> odd = odd_cells(data);
  ASSERT_EQ(odd.size(), 1u);
  EXPECT_EQ(odd[0].row, 30u);
  EXPECT_TRUE(odd[0].others.empty());
}

/// y follows x, which moved in the other environment.
Dataset line(std::size_t rows_each) {
  Stream stream(43, Purpose::tests, {0, 0, 0});
  Dataset data;
  data.variables = {{"x", Variable::Kind::real, 0, 1, {}}, {"y", Variable::Kind::real, 0, 1, {}}};
  data.columns.resize(2);
  for (std::size_t r = 0; r < 2 * rows_each; ++r) {
    const double x = sample_normal(stream) + (r < rows_each ? 0 : 1);
    data.columns[0].values.push_back(x);
    data.columns[1].values.push_back(2 * x + 0.5 * sample_normal(stream));
  }
  data.environments = {{"before", 0, rows_each}, {"after", rows_each, 2 * rows_each}};
  return data;
}

TEST(OddCells, NoAnswerRestsOnTheirRows) {
  Dataset data = line(100);
  GraphOptions options;
  options.baseline = 0;
  const Dataset clean = without_rows(data, {17});
  data.columns[0].values[17] = 1000;
  const GraphResult found = find_graph(data, options), expected = find_graph(clean, options);
  EXPECT_EQ(found.edges.values, expected.edges.values);
  EXPECT_TRUE(has(found.remarks, RemarkCode::odd_cell));
  EXPECT_EQ(found.environments[0].rows, 100u);

  DirectionOptions pair;
  pair.baseline = 0;
  const DirectionResult way = find_direction(data, pair);
  EXPECT_EQ(way.belief, find_direction(clean, pair).belief);
  EXPECT_TRUE(has(way.remarks, RemarkCode::odd_cell));
  EXPECT_TRUE(has(check_table(data, 0, 1).remarks, RemarkCode::odd_cell));
}

TEST(OddCells, CountIfSomebodyVouchesForThem) {
  Dataset data = line(100);
  data.columns[0].values[17] = 1000;
  GraphOptions options;
  options.baseline = 0;
  const GraphResult without = find_graph(data, options);
  options.keep_odd_rows = true;
  const GraphResult with = find_graph(data, options);
  EXPECT_FALSE(has(with.remarks, RemarkCode::odd_cell));
  EXPECT_NE(with.edges.values, without.edges.values);
  EXPECT_LT(with.edges.values[2], 0.95);  // and it turns nothing round surely

  DirectionOptions pair;
  pair.baseline = 0;
  const DirectionResult fewer = find_direction(data, pair);
  pair.keep_odd_rows = true;
  const DirectionResult all = find_direction(data, pair);
  EXPECT_FALSE(has(all.remarks, RemarkCode::odd_cell));
  EXPECT_NE(all.belief, fewer.belief);
  EXPECT_LT(all.belief[1], 0.95);
}

}  // namespace
}  // namespace whence
