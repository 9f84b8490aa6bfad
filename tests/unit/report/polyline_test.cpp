#include "whence/report/page/polyline.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace whence {
namespace {

std::vector<Point> noisy_line(std::size_t n, double width, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Point> out;
  for (std::size_t i = 0; i < n; ++i)
    out.push_back({width * double(i) / double(n), 100 + double(random() % 1000) / 100});
  return out;
}

double height_at(const std::vector<Point>& line, double x) {
  for (std::size_t i = 1; i < line.size(); ++i)
    if (x <= line[i].x && line[i].x > line[i - 1].x)
      return line[i - 1].y +
             (line[i].y - line[i - 1].y) * (x - line[i - 1].x) / (line[i].x - line[i - 1].x);
  return line.back().y;
}

TEST(Polyline, SimplifyingKeepsEndsAndExtremesExactly) {
  const auto by_y = [](Point a, Point b) { return a.y < b.y; };
  for (unsigned seed = 0; seed < 50; ++seed) {
    const auto line = noisy_line(20000, 500, seed), out = simplify(line);
    EXPECT_EQ(out.front(), line.front());
    EXPECT_EQ(out.back(), line.back());
    const auto [low, high] = std::minmax_element(line.begin(), line.end(), by_y);
    const auto [out_low, out_high] = std::minmax_element(out.begin(), out.end(), by_y);
    EXPECT_EQ(out_low->y, low->y);
    EXPECT_EQ(out_high->y, high->y);
  }
}

TEST(Polyline, SimplifyingBoundsTheNumberOfPoints) {
  EXPECT_LE(simplify(noisy_line(1'000'000, 500, 1)).size(), 4u * 500);
  EXPECT_EQ(simplify(std::vector<Point>{{0, 0}, {10, 10}, {20, 20}, {30, 30}}).size(), 2u);
}

TEST(Polyline, SmoothCurvesStayWithinTheTolerance) {
  std::vector<Point> line;
  for (int i = 0; i <= 540; ++i) line.push_back({double(i), 100 / (1 + std::exp(-i / 60.0))});
  const auto out = simplify(line, 0.2);
  EXPECT_LT(out.size(), 40u);
  for (Point p : line) EXPECT_NEAR(height_at(out, p.x), p.y, 0.25);
}

TEST(Polyline, NanIsAGap) {
  const std::vector<Point> line = {{0, 1}, {1, NAN}, {2, 3}, {3, 4}, {NAN, 5}, {5, NAN}, {6, 7}};
  const auto parts = stretches(line);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].size(), 1u);
  EXPECT_EQ(parts[1].size(), 2u);
  EXPECT_EQ(parts[2].size(), 1u);
  EXPECT_TRUE(stretches(std::vector<Point>{{0, NAN}}).empty());
}

TEST(Polyline, PathsAreShortAndExact) {
  EXPECT_EQ(path_data(std::vector<Point>{{1, 2}, {1.5, 1.5}, {4.04, 2}}), "M1 2l.5-.5 2.5 .5");
  EXPECT_EQ(path_data(std::vector<Point>{{3, -0.04}}, true), "L3 0");
  EXPECT_EQ(path_data({}), "");
  EXPECT_EQ(coordinate(-12.34), "-12.3");
  EXPECT_EQ(coordinate(1e300), "100000");
}

}  // namespace
}  // namespace whence
