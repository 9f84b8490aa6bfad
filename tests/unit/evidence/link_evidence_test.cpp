#include "whence/evidence/link_evidence.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "whence/math/random.hpp"

namespace whence {
namespace {

using Row = std::function<std::pair<double, double>(Stream&)>;

/// Two environments of `rows` rows; levels 0: a real column.
Dataset pair_of(std::size_t rows, int levels_x, int levels_y, std::uint32_t run, const Row& row) {
  Dataset data;
  const auto variable = [](const char* name, int levels) {
    return levels ? Variable{name, Variable::Kind::categorical, levels}
                  : Variable{name, Variable::Kind::real};
  };
  data.variables = {variable("X", levels_x), variable("Y", levels_y)};
  data.columns.resize(2);
  data.environments = {{"a", 0, rows}, {"b", rows, 2 * rows}};
  Stream stream(7, Purpose::tests, {run});
  for (std::size_t r = 0; r < 2 * rows; ++r) {
    const auto [x, y] = row(stream);
    const auto put = [](Column& column, int levels, double value) {
      if (levels)
        column.levels.push_back(std::int32_t(value));
      else
        column.values.push_back(value);
    };
    put(data.columns[0], levels_x, x);
    put(data.columns[1], levels_y, y);
  }
  return data;
}

TEST(LinkEvidence, IndependentColumnsShowNone) {
  for (std::uint32_t run = 0; run < 30; ++run) {
    const auto none = pair_of(
        400, 0, 0, run, [](Stream& s) { return std::pair(sample_normal(s), sample_normal(s)); });
    EXPECT_LT(link_evidence(none).log_evidence, 3) << run;
    const auto tables = pair_of(400, 6, 3, run, [](Stream& s) {
      return std::pair(double(sample_index(s, 6)), double(sample_index(s, 3)));
    });
    EXPECT_LT(link_evidence(tables).log_evidence, 3) << run;
  }
}

TEST(LinkEvidence, WeakLinksShow) {
  // A seven-level outcome with a correlation of about .19, of 1000 rows: p is about 1e-9.
  auto ordinal = pair_of(500, 0, 7, 1, [](Stream& s) {
    const double x = sample_normal(s), y = 0.2 * x + sample_normal(s);
    return std::pair(x, std::clamp(std::floor(y * 1.5 + 3.5), 0.0, 6.0));
  });
  EXPECT_GT(link_evidence(ordinal).log_evidence, 7);
  // Named by numbers the levels have an order, and a trend takes one parameter.
  ordinal.variables[1].level_names = {"0", "1", "2", "3", "4", "5", "6"};
  EXPECT_GT(link_evidence(ordinal).log_evidence, 11);
  // 18 categories, of which half meet the second level a little more often.
  const auto table = pair_of(1500, 18, 2, 2, [](Stream& s) {
    const int x = sample_index(s, 18);
    return std::pair(double(x), double(s.uniform() < (x % 2 ? 0.58 : 0.42)));
  });
  EXPECT_GT(link_evidence(table).log_evidence, 8);
  // A parabola has no correlation.
  const auto square = pair_of(500, 0, 0, 3, [](Stream& s) {
    const double x = sample_normal(s);
    return std::pair(x, 0.35 * x * x + sample_normal(s));
  });
  EXPECT_GT(link_evidence(square).log_evidence, 8);
}

TEST(LinkEvidence, AColumnThatNeverVariesShowsNothing) {
  for (const int levels : {0, 3}) {
    const auto constant =
        pair_of(50, levels, 0, 5, [](Stream& s) { return std::pair(1.0, sample_normal(s)); });
    const LinkEvidence found = link_evidence(constant);
    EXPECT_LE(found.log_evidence, 0) << levels;
    EXPECT_EQ(found.visible, 1) << levels;
  }
}

TEST(LinkEvidence, LongEnvironmentsAreCountedWhole) {
  // The link shows in the last rows alone, beyond a first block of them.
  std::size_t row = 0;
  const auto late = pair_of(6000, 0, 3, 6, [&](Stream& s) {
    const double x = sample_normal(s), y = double(sample_index(s, 3));
    return std::pair(x, row++ % 6000 < 5000 ? y : x < -0.4 ? 0.0 : x < 0.4 ? 1.0 : 2.0);
  });
  EXPECT_GT(link_evidence(late).log_evidence, 50);
}

TEST(LinkEvidence, WhatWouldHaveShownGrowsWithFewerRows) {
  const auto of = [](std::size_t rows) {
    return link_evidence(pair_of(
        rows, 0, 0, 4, [](Stream& s) { return std::pair(sample_normal(s), sample_normal(s)); }));
  };
  EXPECT_NEAR(of(400).visible / of(1600).visible, 2, 0.1);
  EXPECT_GT(of(20).visible, 0.3);
  const std::vector<double> quarter(2, 0.25);
  const auto data = pair_of(
      1600, 0, 0, 4, [](Stream& s) { return std::pair(sample_normal(s), sample_normal(s)); });
  EXPECT_NEAR(link_evidence(data, quarter).visible, of(400).visible, 0.01);
}

}  // namespace
}  // namespace whence
