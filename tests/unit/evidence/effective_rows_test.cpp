#include "whence/evidence/effective_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "whence/math/random.hpp"

namespace whence {
namespace {

/// Environments of equally many rows of real columns; `next` is called once per row, in order.
template <class Next>
Dataset made(std::size_t columns, std::size_t environments, std::size_t rows, const Next& next) {
  Dataset data;
  for (std::size_t v = 0; v < columns; ++v)
    data.variables.push_back({std::string(1, char('a' + v)), Variable::Kind::real});
  data.columns.resize(columns);
  for (std::size_t e = 0; e < environments; ++e) {
    data.environments.push_back({"e" + std::to_string(e), e * rows, (e + 1) * rows});
    for (std::size_t i = 0; i < rows; ++i) {
      const std::vector<double> row = next(e, i);
      for (std::size_t v = 0; v < columns; ++v) data.columns[v].values.push_back(row[v]);
    }
  }
  return data;
}

Dataset independent(std::size_t rows, std::uint32_t run) {
  Stream stream(3, Purpose::tests, {run});
  return made(2, 3, rows, [&](std::size_t, std::size_t) {
    const double x = sample_normal(stream);
    return std::vector<double>{x, x + sample_normal(stream)};
  });
}

/// Two columns that follow their own past with weight `keep`.
Dataset autoregressive(double keep, std::size_t rows) {
  Stream stream(4, Purpose::tests, {0});
  double x = 0, y = 0;
  return made(2, 3, rows, [&](std::size_t, std::size_t) {
    const double fresh = std::sqrt(1 - keep * keep);
    x = keep * x + fresh * sample_normal(stream);
    y = keep * y + fresh * sample_normal(stream);
    return std::vector<double>{x, y};
  });
}

TEST(EffectiveRows, IndependentRowsAllCount) {
  for (std::uint32_t run = 0; run < 20; ++run) {
    const EffectiveRows found = effective_rows(independent(run % 2 ? 40 : 400, run));
    EXPECT_TRUE(found.all_count()) << run;
    EXPECT_EQ(found.share, std::vector<double>(3, 1.0));
    EXPECT_TRUE(found.remarks.empty());
  }
}

TEST(EffectiveRows, CopiesCountOnce) {
  const Dataset once = independent(100, 50);
  // Every row three times, far from each other.
  const Dataset data = made(2, 3, 300, [&](std::size_t e, std::size_t i) {
    const std::size_t row = once.environments[e].begin + i % 100;
    return std::vector<double>{once.columns[0].values[row], once.columns[1].values[row]};
  });
  const EffectiveRows found = effective_rows(data);
  EXPECT_NEAR(found.copies, 2.0 / 3, 1e-12);
  for (const double share : found.share) EXPECT_NEAR(share, 1.0 / 3, 1e-12);
  ASSERT_EQ(found.remarks.size(), 1u);
  EXPECT_EQ(found.remarks[0], (Remark{RemarkCode::rows_copied, {}, {}, {600, 900}}));
}

TEST(EffectiveRows, EqualRowsOfRoundedOrCategoricalColumnsAreNoCopies) {
  Stream stream(5, Purpose::tests, {0});
  const Dataset rounded = made(2, 3, 500, [&](std::size_t, std::size_t) {
    const double x = std::round(sample_normal(stream) * 2);
    return std::vector<double>{x, x + std::round(sample_normal(stream))};
  });
  EXPECT_TRUE(effective_rows(rounded).all_count());
  Dataset levels = rounded;
  for (std::size_t v = 0; v < 2; ++v) {
    levels.variables[v] = {"c", Variable::Kind::categorical, 4};
    levels.columns[v] = {};
    for (std::size_t i = 0; i < 1500; ++i)
      levels.columns[v].levels.push_back(sample_index(stream, 4));
  }
  EXPECT_TRUE(effective_rows(levels).all_count());
}

TEST(EffectiveRows, RowsOverTimeCountAsTheirAutocorrelationSays) {
  // n rows of an autoregression are worth n (1 - r) / (1 + r).
  for (const double keep : {0.5, 0.8}) {
    const EffectiveRows found = effective_rows(autoregressive(keep, 2000));
    EXPECT_NEAR(found.neighbours, keep, 0.08);
    for (const double share : found.share)
      EXPECT_NEAR(share / ((1 - keep) / (1 + keep)), 1, 0.35) << keep;
    EXPECT_EQ(found.remarks.size(), 1u);
  }
}

TEST(EffectiveRows, LevelsOverTimeCountLess) {
  Stream stream(6, Purpose::tests, {0});
  Dataset data = independent(600, 3);
  data.variables[1] = {"c", Variable::Kind::categorical, 3};
  data.columns[1] = {};
  std::int32_t level = 0;
  for (std::size_t i = 0; i < 1800; ++i) {
    if (sample_index(stream, 5) == 0) level = sample_index(stream, 3);
    data.columns[1].levels.push_back(level);
  }
  const EffectiveRows found = effective_rows(data);
  EXPECT_EQ(found.neighbour, "c");
  EXPECT_NEAR(found.neighbours, 0.8, 0.08);
  EXPECT_EQ(found.column[0][0], 1);
  EXPECT_NEAR(found.column[1][0], 1.0 / 9, 0.06);
  EXPECT_EQ(found.share[0], found.column[1][0]);
}

TEST(EffectiveRows, ASortedTableSaysNothingAboutTime) {
  Dataset data = independent(300, 7);
  for (const Environment& e : data.environments) {
    std::vector<std::size_t> order(e.rows());
    std::iota(order.begin(), order.end(), e.begin);
    const Dataset before = data;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return before.columns[0].values[a] < before.columns[0].values[b];
    });
    for (std::size_t v = 0; v < 2; ++v)
      for (std::size_t i = 0; i < order.size(); ++i)
        data.columns[v].values[e.begin + i] = before.columns[v].values[order[i]];
  }
  EXPECT_TRUE(effective_rows(data).all_count());
}

TEST(EffectiveRows, TheSameEntitiesInEveryEnvironmentCountLess) {
  Stream stream(8, Purpose::tests, {0});
  std::vector<double> own(50);
  for (double& x : own) x = sample_normal(stream);
  const Dataset data = made(2, 10, 50, [&](std::size_t, std::size_t i) {
    return std::vector<double>{own[i] + 0.3 * sample_normal(stream), sample_normal(stream)};
  });
  const EffectiveRows found = effective_rows(data);
  EXPECT_NEAR(found.entities, 1 / 1.09, 0.08);
  for (const double share : found.share) EXPECT_NEAR(share, 1 / (1 + 9 / 1.09), 0.02);
  // The same where rows are in another order and a column says which entity each is.
  Dataset shuffled = data;
  std::vector<std::int32_t> entity(500);
  for (std::size_t e = 0; e < 10; ++e)
    for (std::size_t i = 0; i < 50; ++i) {
      const std::size_t from = e * 50 + (i * 7 + e * 11) % 50;
      for (std::size_t v = 0; v < 2; ++v)
        shuffled.columns[v].values[e * 50 + i] = data.columns[v].values[from];
      entity[e * 50 + i] = std::int32_t((i * 7 + e * 11) % 50);
    }
  EXPECT_EQ(effective_rows(shuffled).entities, 0);
  EXPECT_NEAR(effective_rows(shuffled, entity).entities, found.entities, 1e-9);
}

TEST(EffectiveRows, SlowSeriesSideBySideAreNoEntities) {
  const EffectiveRows found = effective_rows(autoregressive(0.95, 300));
  EXPECT_EQ(found.entities, 0);
  EXPECT_GT(found.neighbours, 0.8);
}

TEST(EffectiveRows, NoShareFallsBelowOneRow) {
  const Dataset constant_steps = made(1, 2, 400, [&](std::size_t e, std::size_t i) {
    return std::vector<double>{std::sin(double(i) / 150) + double(e)};
  });
  for (const double share : effective_rows(constant_steps).share) {
    EXPECT_GE(share, 1.0 / 400);
    EXPECT_LT(share, 0.05);
  }
}

/// `sensors` columns that follow one slow series, and one of rows drawn anew beside them.
Dataset weather(std::size_t sensors, double own_noise) {
  Stream stream(5, Purpose::tests, {std::uint32_t(sensors)});
  double slow = 0;
  return made(sensors + 1, 2, 1000, [&](std::size_t, std::size_t) {
    slow = 0.99 * slow + 0.14 * sample_normal(stream);
    std::vector<double> row;
    for (std::size_t v = 0; v < sensors; ++v)
      row.push_back(slow + own_noise * sample_normal(stream));
    row.push_back(sample_normal(stream));
    return row;
  });
}

TEST(RowsForLinks, OneSlowColumnTakesNothing) {
  const Dataset data = weather(1, 0);
  EXPECT_LT(effective_rows(data).share[0], 0.1);
  EXPECT_TRUE(effective_rows(data, {}, RowsFor::links).all_count());
}

TEST(RowsForLinks, SensorsOfOneSlowSeriesTakeLittle) {
  // What the others leave of each is its own noise.
  EXPECT_GT(effective_rows(weather(4, 0.1), {}, RowsFor::links).share[0], 0.8);
}

TEST(RowsForLinks, TwoSlowColumnsSeemLinkedForAWhile) {
  const double keep = 0.95, expected = 1 / (1 + 2 * keep * keep / (1 - keep * keep));
  const EffectiveRows found = effective_rows(autoregressive(keep, 2000), {}, RowsFor::links);
  EXPECT_GT(found.share[0], expected / 2);
  EXPECT_LT(found.share[0], expected * 2);
  ASSERT_EQ(found.remarks.size(), 1u);
  EXPECT_EQ(found.remarks[0].code, RemarkCode::rows_alike);
}

}  // namespace
}  // namespace whence
