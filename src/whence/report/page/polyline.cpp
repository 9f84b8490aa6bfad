#include "whence/report/page/polyline.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace whence {
namespace {

/// Far outside the picture is far enough: keeps coordinates small whatever the data. What is no
/// number has no place and goes to the edge.
long tenths(double pixels) {
  if (std::isnan(pixels)) return 0;
  return std::lround(std::clamp(pixels, -1e5, 1e5) * 10);
}

void append_tenths(std::string& out, long value) {
  if (value < 0) out += '-';
  value = std::labs(value);
  if (value >= 10 || value % 10 == 0) out += std::to_string(value / 10);
  if (value % 10 != 0) {
    out += '.';
    out += static_cast<char>('0' + value % 10);
  }
}

/// First, lowest, highest and last point of each run of points in one pixel column.
std::vector<Point> thin_columns(std::span<const Point> line) {
  std::vector<Point> out;
  for (std::size_t begin = 0, end = 0; begin < line.size(); begin = end) {
    std::size_t low = begin, high = begin;
    for (end = begin; end < line.size(); ++end) {
      if (std::floor(line[end].x) != std::floor(line[begin].x)) break;
      if (line[end].y < line[low].y) low = end;
      if (line[end].y > line[high].y) high = end;
    }
    std::size_t keep[] = {begin, std::min(low, high), std::max(low, high), end - 1};
    const auto* last = std::unique(std::begin(keep), std::end(keep));
    for (const auto* k = keep; k != last; ++k) out.push_back(line[*k]);
  }
  return out;
}

double distance(Point p, Point from, Point to) {
  const double dx = to.x - from.x, dy = to.y - from.y;
  const double length = std::hypot(dx, dy);
  if (length == 0) return std::hypot(p.x - from.x, p.y - from.y);
  return std::fabs(dx * (p.y - from.y) - dy * (p.x - from.x)) / length;
}

/// Marks what must stay between two kept points: the farthest one, as long as it is far enough.
void keep_corners(std::span<const Point> line, std::size_t first, std::size_t last,
                  double tolerance, std::vector<bool>& kept) {
  std::vector<std::pair<std::size_t, std::size_t>> open = {{first, last}};
  while (!open.empty()) {
    const auto [from, to] = open.back();
    open.pop_back();
    double farthest = tolerance;
    std::size_t corner = from;
    for (std::size_t i = from + 1; i < to; ++i) {
      const double d = distance(line[i], line[from], line[to]);
      if (d > farthest) farthest = d, corner = i;
    }
    if (corner == from) continue;
    kept[corner] = true;
    open.emplace_back(from, corner);
    open.emplace_back(corner, to);
  }
}

}  // namespace

std::vector<Point> simplify(std::span<const Point> line, double tolerance) {
  std::vector<Point> points = thin_columns(line);
  if (points.size() < 3) return points;
  const auto by_y = [](Point a, Point b) { return a.y < b.y; };
  const auto [low, high] = std::minmax_element(points.begin(), points.end(), by_y);
  std::vector<std::size_t> corners = {0, std::size_t(low - points.begin()),
                                      std::size_t(high - points.begin()), points.size() - 1};
  std::sort(corners.begin(), corners.end());
  std::vector<bool> kept(points.size());
  for (std::size_t c : corners) kept[c] = true;
  for (std::size_t i = 0; i + 1 < corners.size(); ++i)
    keep_corners(points, corners[i], corners[i + 1], tolerance, kept);
  std::vector<Point> out;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (kept[i]) out.push_back(points[i]);
  return out;
}

std::vector<std::vector<Point>> stretches(std::span<const Point> line) {
  std::vector<std::vector<Point>> out;
  bool inside = false;
  for (Point p : line) {
    const bool finite = std::isfinite(p.x) && std::isfinite(p.y);
    if (finite && !inside) out.emplace_back();
    if (finite) out.back().push_back(p);
    inside = finite;
  }
  return out;
}

std::string coordinate(double pixels) {
  std::string out;
  append_tenths(out, tenths(pixels));
  return out;
}

std::string path_data(std::span<const Point> line, bool continued) {
  if (line.empty()) return {};
  long x = tenths(line[0].x), y = tenths(line[0].y);
  std::string out = continued ? "L" : "M";
  append_tenths(out, x);
  out += ' ';
  append_tenths(out, y);
  // Relative steps are short, and exact because they are whole tenths.
  for (std::size_t i = 1; i < line.size(); ++i) {
    const long dx = tenths(line[i].x) - x, dy = tenths(line[i].y) - y;
    out += i == 1 ? "l" : dx < 0 ? "" : " ";
    append_tenths(out, dx);
    if (dy >= 0) out += ' ';
    append_tenths(out, dy);
    x += dx, y += dy;
  }
  return out;
}

}  // namespace whence
