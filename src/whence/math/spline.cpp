#include "whence/math/spline.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "whence/core/error.hpp"

namespace whence {

namespace {

/// Inner knots where FITPACK puts them for interpolation.
std::vector<double> inner_knots(int degree, std::span<const double> x) {
  std::vector<double> knots;
  if (degree == 3)
    knots.assign(x.begin() + 2, x.end() - 2);
  else
    for (std::size_t i = 1; i + 2 < x.size(); ++i) knots.push_back((x[i] + x[i + 1]) / 2);
  return knots;
}

double power(double base, int exponent) {
  double p = 1;
  for (int i = 0; i < exponent; ++i) p *= base;
  return p;
}

/// Gaussian elimination with partial pivoting; rows of `a` have the right-hand side appended.
std::vector<double> solve(std::vector<std::vector<double>> a) {
  const std::size_t n = a.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r)
      if (std::abs(a[r][c]) > std::abs(a[pivot][c])) pivot = r;
    std::swap(a[c], a[pivot]);
    for (std::size_t r = c + 1; r < n; ++r) {
      const double factor = a[r][c] / a[c][c];
      for (std::size_t k = c; k <= n; ++k) a[r][k] -= factor * a[c][k];
    }
  }
  std::vector<double> solution(n);
  for (std::size_t c = n; c-- > 0;) {
    double rest = a[c][n];
    for (std::size_t k = c + 1; k < n; ++k) rest -= a[c][k] * solution[k];
    solution[c] = rest / a[c][c];
  }
  return solution;
}

/// The polynomial with coefficients c about 0, about `distance`.
void shift(std::span<double> c, double distance) {
  for (std::size_t i = 0; i + 1 < c.size(); ++i)
    for (std::size_t j = c.size() - 1; j-- > i;) c[j] += distance * c[j + 1];
}

/// Coefficients [piece][power]: powers about the first point, and one cut-off power per knot, give
/// one equation per point.
std::vector<double> pieces_through(int degree, std::span<const double> start,
                                   std::span<const double> x, std::span<const double> y) {
  const auto order = std::size_t(degree) + 1;
  std::vector<std::vector<double>> equations;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<double>& row = equations.emplace_back();
    for (int p = 0; p <= degree; ++p) row.push_back(power(x[i] - start[0], p));
    for (double knot : start.subspan(1))
      row.push_back(x[i] > knot ? power(x[i] - knot, degree) : 0);
    row.push_back(y[i]);
  }
  const std::vector<double> solution = solve(std::move(equations));
  std::vector<double> piece(solution.begin(), solution.begin() + std::ptrdiff_t(order));
  std::vector<double> pieces = piece;
  for (std::size_t k = 0; k + 1 < start.size(); ++k) {
    shift(piece, start[k + 1] - start[k]);
    piece.back() += solution[order + k];
    pieces.insert(pieces.end(), piece.begin(), piece.end());
  }
  return pieces;
}

}  // namespace

Spline::Spline(int degree, std::span<const double> x, std::span<const double> y,
               Extrapolation outside)
    : degree_(degree), outside_(outside), end_(x.empty() ? 0 : x.back()) {
  if ((degree != 2 && degree != 3) || x.size() <= std::size_t(degree) || x.size() != y.size())
    throw Error(ExitCode::bad_config, "E-SPLINE-SHAPE", "",
                "a spline needs degree 2 or 3 and more points than its degree",
                "give at least four points");
  const std::vector<double> knots = inner_knots(degree, x);
  start_ = {x[0]};
  start_.insert(start_.end(), knots.begin(), knots.end());
  coefficients_ = pieces_through(degree, start_, x, y);
  // What rounding left over, once more: the points are met to the last digits.
  std::vector<double> rest;
  for (std::size_t i = 0; i < x.size(); ++i) rest.push_back(y[i] - evaluate(x[i]).value);
  const std::vector<double> correction = pieces_through(degree, start_, x, rest);
  for (std::size_t i = 0; i < correction.size(); ++i) coefficients_[i] += correction[i];
}

Spline::Point Spline::inside(std::size_t piece, double x) const {
  const double d = x - start_[piece];
  const double* c = &coefficients_[piece * std::size_t(degree_ + 1)];
  Point point{c[degree_], 0};
  for (int p = degree_; p-- > 0;) {
    point.slope = point.slope * d + point.value;
    point.value = point.value * d + c[p];
  }
  return point;
}

Spline::Point Spline::evaluate(double x) const {
  const double low = start_.front(), nearest = std::clamp(x, low, end_);
  if (nearest != x && outside_ == Extrapolation::error)
    throw Error(ExitCode::bad_data, "E-SPLINE-OUTSIDE", "",
                "a spline was asked for a value outside its points: " + std::to_string(x),
                "choose linear or polynomial extrapolation");
  const double at = outside_ == Extrapolation::polynomial ? x : nearest;
  std::size_t piece = 0;
  while (piece + 1 < start_.size() && at >= start_[piece + 1]) ++piece;
  Point point = inside(piece, at);
  point.value += point.slope * (x - at);
  return point;
}

std::vector<double> even_points(int n, double half_width) {
  std::vector<double> x;
  for (int i = 0; i < n; ++i) x.push_back(half_width * (2.0 * i / (n - 1) - 1));
  return x;
}

}  // namespace whence
