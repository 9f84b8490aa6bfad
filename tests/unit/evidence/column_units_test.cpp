// The units of linear priors: what the other columns leave over, however the data come.
#include "whence/evidence/linear/column_units.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "whence/core/error.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

/// x0, x1 = 3 x0 + noise, x2 = -2 x1 + noise ...; where `turned`, the second half of the rows is
/// another environment with all slopes turned round.
Dataset chain(std::size_t columns, std::size_t rows, std::uint64_t seed, bool turned = false) {
  Dataset data;
  Stream stream(seed, Purpose::tests, {std::uint32_t(columns), 11, 0});
  data.columns.resize(columns);
  for (std::size_t v = 0; v < columns; ++v)
    data.variables.push_back({"x" + std::to_string(v), Variable::Kind::real, 0, 1, {}});
  for (std::size_t n = 0; n < rows; ++n) {
    double before = 0;
    for (std::size_t v = 0; v < columns; ++v) {
      const double slope = (v % 2 == 1 ? 3 : -2) * (turned && n >= rows / 2 ? -1 : 1);
      before = slope * before + 0.5 * sample_normal(stream);
      data.columns[v].values.push_back(before);
    }
  }
  data.environments = {{"all", 0, rows}};
  if (turned) data.environments = {{"base", 0, rows / 2}, {"turned", rows / 2, rows}};
  return data;
}

/// Noise of variance 1/4 everywhere; column v has the slope of the next one as its only other tie.
double expected_unit(std::size_t v, std::size_t columns) {
  const double next = v + 1 == columns ? 0 : v % 2 == 0 ? 3 : -2;
  return 0.5 / std::sqrt(1 + next * next);
}

TEST(ColumnUnits, AreWhatTheOtherColumnsLeaveOver) {
  const std::size_t m = 8;
  const auto units = column_units(chain(m, 4000, 1), 0);
  for (std::size_t v = 0; v < m; ++v)
    EXPECT_NEAR(units[v].unit / expected_unit(v, m), 1, 0.08) << v;
  EXPECT_GT(units[m - 1].spread, 100 * units[m - 1].unit) << "nearly all of it is inherited";
}

TEST(ColumnUnits, ChangedMechanismsElsewhereDoNotWidenThem) {
  const std::size_t m = 6;
  const auto units = column_units(chain(m, 2000, 2, true), 0);
  for (std::size_t v = 0; v < m; ++v)
    EXPECT_NEAR(units[v].unit / expected_unit(v, m), 1, 0.15) << v;
}

TEST(ColumnUnits, FollowTheUnitsOfTheData) {
  Dataset data = chain(5, 300, 3);
  const auto before = column_units(data, 0);
  for (double& x : data.columns[2].values) x = 1024 * x + 7;
  const auto after = column_units(data, 0);
  for (std::size_t v = 0; v < 5; ++v) {
    const double factor = v == 2 ? 1024 : 1;
    EXPECT_NEAR(after[v].unit / (factor * before[v].unit), 1, 1e-9) << v;
    EXPECT_NEAR(after[v].spread / (factor * before[v].spread), 1, 1e-9) << v;
  }
}

TEST(ColumnUnits, AFewOutliersDoNotWidenThem) {
  Dataset data = chain(4, 1000, 4);
  const auto before = column_units(data, 0);
  for (std::size_t n = 0; n < 1000; n += 50) data.columns[3].values[n] += 30;
  const auto after = column_units(data, 0);
  EXPECT_LT(after[3].unit, 2.5 * before[3].unit);
}

TEST(ColumnUnits, FewRowsFindFewRegressions) {
  const auto units = column_units(chain(12, 10, 5), 0);
  // Far down the chain neighbours are nearly copies, which ten rows do show.
  EXPECT_LT(units[10].unit, 0.1 * units[10].spread);
  // At random nothing explains anything, however many columns there are to choose from.
  Dataset noise = chain(12, 10, 9);
  Stream stream(10, Purpose::tests, {12, 11, 1});
  for (Column& column : noise.columns)
    for (double& x : column.values) x = sample_normal(stream);
  std::size_t whole = 0;
  for (const ColumnUnit& column : column_units(noise, 0)) whole += column.unit == column.spread;
  EXPECT_GE(whole, 10u);
  EXPECT_EQ(column_units(chain(3, 2, 6), 0)[0].unit, column_units(chain(3, 2, 6), 0)[0].spread);
}

TEST(ColumnUnits, CopiesKeepALeastUnit) {
  Dataset data = chain(4, 200, 7);
  data.columns[3] = data.columns[1];
  const auto units = column_units(data, 0);
  for (std::size_t v : {1, 3}) EXPECT_NEAR(units[v].unit / units[v].spread, 1e-3, 1e-9) << v;
  for (std::size_t v : {0, 2}) EXPECT_GT(units[v].unit, 0.01 * units[v].spread) << v;
}

TEST(ColumnUnits, AColumnThatRestsInTheReferenceLeavesTheOthersAlone) {
  const Dataset moving = chain(5, 400, 12, true);
  const auto before = column_units(moving, 0);
  for (const double level : {1.0, 0.1}) {  // the mean of the latter is not exact
    Dataset data = moving;
    for (std::size_t n = 0; n < 200; ++n) data.columns[4].values[n] = level;
    const auto units = column_units(data, 0);
    for (std::size_t v = 0; v < 3; ++v) EXPECT_NEAR(units[v].unit / before[v].unit, 1, 0.15) << v;
    EXPECT_NEAR(units[4].unit, 0.5, 0.15);  // its noise where it moves
  }
}

TEST(ColumnUnits, HugeValuesAndFarOriginsDoNotMatter) {
  const Dataset plain = chain(4, 120, 13);
  Dataset huge = plain, far = plain;
  for (double& x : huge.columns[2].values) x *= 1e305;
  for (double& x : far.columns[2].values) x += 1e6;
  for (const Dataset* data : {&huge, &far}) {
    const auto before = column_units(plain, 0), after = column_units(*data, 0);
    for (std::size_t v = 0; v < 4; ++v)
      EXPECT_NEAR(after[v].unit / after[v].spread, before[v].unit / before[v].spread, 1e-6) << v;
  }
}

TEST(ColumnUnits, RefuseAConstantColumn) {
  Dataset data = chain(3, 50, 8);
  for (double& x : data.columns[1].values) x = 4;
  EXPECT_THROW(column_units(data, 0), Error);
}

}  // namespace
}  // namespace whence
