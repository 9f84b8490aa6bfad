#include "whence/discover/check/counted_rows.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <gtest/gtest.h>

#include "whence/discover/graph/graph_discovery.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

/// Three columns in a chain, two environments; `keep`: how much of a row the next one keeps.
Dataset chain(std::size_t rows, double keep, std::uint32_t run) {
  Dataset data;
  Stream stream(41, Purpose::tests, {run});
  data.columns.resize(3);
  std::array<double, 3> state{};
  for (std::size_t e = 0; e < 2; ++e) {
    data.environments.push_back({e == 0 ? "a" : "b", e * rows, (e + 1) * rows});
    for (std::size_t r = 0; r < rows; ++r) {
      for (double& s : state) s = keep * s + sample_normal(stream);
      data.columns[0].values.push_back(state[0]);
      data.columns[1].values.push_back(state[0] + state[1]);
      data.columns[2].values.push_back(state[0] + state[1] + state[2]);
    }
  }
  for (const char* name : {"x", "y", "z"}) data.variables.push_back({name, Variable::Kind::real});
  return data;
}

/// Every row of every environment three times.
Dataset thrice(const Dataset& data) {
  Dataset out;
  out.variables = data.variables;
  out.columns.resize(data.columns.size());
  for (const Environment& e : data.environments) {
    const std::size_t begin = out.columns[0].values.size();
    for (std::size_t v = 0; v < data.columns.size(); ++v)
      for (int copy = 0; copy < 3; ++copy)
        for (std::size_t r = e.begin; r < e.end; ++r)
          out.columns[v].values.push_back(data.columns[v].values[r]);
    out.environments.push_back({e.name, begin, out.columns[0].values.size()});
  }
  return out;
}

TEST(CountedRows, IndependentRowsAllCount) {
  const CountedRows found = counted_rows(chain(300, 0, 1));
  EXPECT_FALSE(found.data);
  EXPECT_TRUE(found.remarks.empty());
  EXPECT_EQ(found.given(17), 17u);
}

TEST(CountedRows, CopiesAreLeftOut) {
  const Dataset once = chain(80, 0, 2);
  const CountedRows found = counted_rows(thrice(once));
  ASSERT_TRUE(found.data);
  EXPECT_EQ(found.data->rows(), once.rows());
  for (std::size_t v = 0; v < 3; ++v)
    EXPECT_EQ(found.data->columns[v].values, once.columns[v].values);
  EXPECT_EQ(found.given(80), 240u);  // the first row of the second environment
  EXPECT_EQ(found.remarks.size(), 1u);
}

TEST(CountedRows, RowsOverTimeAreThinned) {
  const Dataset data = chain(600, 0.9, 3);
  const CountedRows found = counted_rows(data);
  ASSERT_TRUE(found.data);
  EXPECT_LT(found.data->rows(), data.rows() / 4);
  EXPECT_GE(found.data->environments[0].rows(), 20u);
  EXPECT_TRUE(std::is_sorted(found.rows.begin(), found.rows.end()));
  EXPECT_EQ(found.data->columns[1].values[5], data.columns[1].values[found.given(5)]);
}

TEST(CountedRows, AGraphOfCopiesIsThatOfTheRowsOnce) {
  const Dataset once = chain(80, 0, 4);
  GraphOptions options;
  options.baseline = 0;
  options.restarts = 1;
  options.chains = 1;
  options.sweeps = 10;
  const GraphResult single = find_graph(once, options), copied = find_graph(thrice(once), options);
  EXPECT_EQ(copied.edges.values, single.edges.values);
  ASSERT_EQ(copied.remarks.size(), single.remarks.size() + 1);
  EXPECT_EQ(copied.remarks[0].code, RemarkCode::rows_copied);
}

TEST(CountedRows, ThePanelOfFewEntitiesCountsEachOnce) {
  // Forty entities that hardly change over ten years.
  constexpr std::size_t entities = 40, years = 10;
  Stream stream(41, Purpose::tests, {9});
  std::array<std::array<double, 3>, entities> state{};
  for (auto& one : state)
    for (double& s : one) s = sample_normal(stream);
  Dataset data = chain(1, 0, 9);
  for (Column& column : data.columns) column.values.clear();
  data.environments.clear();
  std::vector<std::int32_t> entity;
  for (std::size_t year = 0; year < years; ++year) {
    data.environments.push_back({std::to_string(year), year * entities, (year + 1) * entities});
    for (std::size_t i = 0; i < entities; ++i) {
      const std::size_t who = (7 * i + year) % entities;  // in another order each year
      entity.push_back(std::int32_t(who));
      for (std::size_t v = 0; v < 3; ++v)
        data.columns[v].values.push_back(state[who][v] + 0.05 * sample_normal(stream));
    }
  }
  const CountedRows found = counted_rows(data, entity);
  ASSERT_TRUE(found.data);
  EXPECT_LE(found.data->rows(), entities + years) << "no more rows than entities";
  std::vector<int> counted(entities, 0);
  for (const std::size_t row : found.rows) ++counted[std::size_t(entity[row])];
  EXPECT_LE(*std::max_element(counted.begin(), counted.end()), 2) << "other ones each year";
  for (const Environment& e : found.data->environments) EXPECT_GE(e.rows(), 3u);
}

}  // namespace
}  // namespace whence
