#include "whence/report/page/axis.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace whence {
namespace {

std::string labels(const Axis& axis, int wanted) {
  std::string out;
  for (const Tick& tick : ticks(axis, wanted))
    if (!tick.label.empty()) out += (out.empty() ? "" : "|") + tick.label;
  return out;
}

TEST(Axis, LinearTicksAreRound) {
  EXPECT_EQ(labels({0, 1000}, 6), "0|200|400|600|800|1000");
  EXPECT_EQ(labels({0, 1}, 5), "0|0.2|0.4|0.6|0.8|1.0");
  EXPECT_EQ(labels({-0.013, 0.02}, 4), "−0.01|0|0.01|0.02");
  EXPECT_EQ(labels({0, 50000}, 5), "0|10\u2009000|20\u2009000|30\u2009000|40\u2009000|50\u2009000");
}

TEST(Axis, CountsHaveNoTicksBetweenWholeNumbers) {
  EXPECT_EQ(labels({1, 3, false, 0, 1, true}, 6), "1|2|3");
  EXPECT_EQ(labels({1, 3}, 4), "1.0|1.5|2.0|2.5|3.0");
}

TEST(Axis, LongNumbersShareAPowerOfTen) {
  EXPECT_EQ(labels({0, 3e9}, 3), "0|1 × 10⁹|2 × 10⁹|3 × 10⁹");
  EXPECT_EQ(labels({0, 4e-8}, 4), "0|1 × 10⁻⁸|2 × 10⁻⁸|3 × 10⁻⁸|4 × 10⁻⁸");
}

TEST(Axis, LogTicksArePowersOfTenOrTheirParts) {
  EXPECT_EQ(labels({1, 1000, true}, 5), "1|10|100|1000");
  EXPECT_EQ(labels({1e-12, 1, true}, 4), "10⁻¹²|10⁻⁹|10⁻⁶|0.001|1");
  EXPECT_EQ(labels({10, 100, true}, 5), "10|20|50|100");
  EXPECT_EQ(labels({2, 6, true}, 5), "2|3|4|5|6");
  EXPECT_EQ(labels({2, 2.5, true}, 5), "2.0|2.1|2.2|2.3|2.4|2.5");
}

TEST(Axis, DataTooCloseToZeroOrToEachOtherShareOnePlace) {
  for (const auto& [low, high] : {std::pair{0.0, 5e-324},
                                  {5e-324, 1e-323},
                                  {-1e-310, 1e-310},
                                  {1e-300, 2e-300},
                                  {1.0, 1 + 1e-12},
                                  {-1e299, -1e299}}) {
    const Axis axis = fit_axis({low, high}, false, 0.04);
    EXPECT_TRUE(can_be_drawn(axis.low, axis.high, false)) << low << " " << high;
    for (const Tick& tick : ticks(axis, 5)) {
      EXPECT_TRUE(std::isfinite(tick.value)) << low << " " << high;
      EXPECT_TRUE(std::isfinite(axis.pixel(tick.value))) << low << " " << high;
    }
  }
  EXPECT_FALSE(can_be_drawn(0, 5e-324, false));
  EXPECT_FALSE(can_be_drawn(5e-324, 1, true));
  EXPECT_FALSE(can_be_drawn(-1e308, 1e308, false));
  EXPECT_FALSE(can_be_drawn(std::nan(""), 1, false));
  EXPECT_TRUE(can_be_drawn(0, 1, false));
  EXPECT_TRUE(can_be_drawn(1e-9, 1, true));
}

TEST(Axis, TicksLieInsideAndAscend) {
  for (double low : {-1e300, -17.3, 0.0, 1e-9, 3.1})
    for (double span : {1e-6, 0.37, 99.0, 1e12, 1e299})
      for (int wanted : {2, 4, 7, 12}) {
        const Axis axis{low, low + span};
        if (axis.high - axis.low < 1e-9 * std::fabs(low)) continue;  // fit_axis never makes these
        const auto list = ticks(axis, wanted);
        ASSERT_GE(list.size(), 1u) << low << " " << span;
        ASSERT_LE(list.size(), std::size_t(2 * wanted + 3));
        for (std::size_t i = 0; i < list.size(); ++i) {
          EXPECT_GE(list[i].value, axis.low - 1e-5 * span);
          EXPECT_LE(list[i].value, axis.high + 1e-5 * span);
          if (i > 0) {
            EXPECT_LT(list[i - 1].value, list[i].value);
          }
        }
      }
}

TEST(Axis, FitsAnyExtent) {
  const auto fit = [](std::vector<double> values, bool log = false) {
    Extent extent;
    for (double value : values) extent.include(value);
    return fit_axis(extent, log, 0.04);
  };
  EXPECT_EQ(fit({}).low, 0);
  EXPECT_EQ(fit({NAN, INFINITY}).high, 1);
  EXPECT_LT(fit({5, 5}).low, 5);
  EXPECT_GT(fit({5, 5}).high, 5);
  EXPECT_LT(fit({0, 0}).low, fit({0, 0}).high);
  EXPECT_EQ(fit({0, 10}).low, 0) << "a margin must not invent negative values";
  EXPECT_LT(fit({-4.5, -3}).high, 0) << "nor an empty stretch up to zero";
  EXPECT_TRUE(std::isfinite(fit({-1e308, 1e308}).high - fit({-1e308, 1e308}).low));
  EXPECT_GT(fit({3, 3}, true).high, fit({3, 3}, true).low);
  EXPECT_TRUE(std::isfinite(fit({1e-300, 1e300}, true).high));
}

TEST(Axis, PixelsFollowTheScale) {
  EXPECT_DOUBLE_EQ((Axis{0, 10, false, 100, 200}.pixel(2.5)), 125);
  EXPECT_DOUBLE_EQ((Axis{1, 100, true, 0, 200}.pixel(10)), 100);
  EXPECT_TRUE(std::isnan(Axis({1, 100, true, 0, 200}).pixel(0)));
  EXPECT_TRUE(std::isnan(Axis({0, 1, false, 0, 200}).pixel(NAN)));
}

TEST(Axis, NearlyRoundEndsAreRoundedOff) {
  EXPECT_EQ(round_off({0, 999}, 5).high, 1000);
  EXPECT_EQ(round_off({1, 1000}, 5).low, 0);
  EXPECT_EQ(round_off({0, 950}, 5).high, 950);
}

}  // namespace
}  // namespace whence
