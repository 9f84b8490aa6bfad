// Lines in pixels: as many points as the eye can distinguish, and no more.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace whence {

struct Point {
  double x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

/// Drops points that make no visible difference: within a pixel column it keeps the first, the
/// lowest, the highest and the last, then what deviates from a straight line by more than
/// `tolerance` pixels. The first and last points, the least and the greatest y always stay,
/// exactly.
std::vector<Point> simplify(std::span<const Point> line, double tolerance = 0.2);

/// The finite stretches of a line; a NaN in x or y is a gap.
std::vector<std::vector<Point>> stretches(std::span<const Point> line);

/// SVG path data through the points, in tenths of a pixel; `continued` starts with L, not M.
std::string path_data(std::span<const Point> line, bool continued = false);

/// A coordinate as path_data writes it: at most one decimal, no exponent, no locale.
std::string coordinate(double pixels);

}  // namespace whence
