// Interpolating splines through given points, as FITPACK places their knots: quadratic with inner
// knots at midpoints, cubic with knots at the inner points but the first and last (not-a-knot).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace whence {

/// What a spline is outside its points. Samples do land there: with a mean of 4 and a standard
/// deviation of 2, one in fifty lies beyond 8.
enum class Extrapolation {
  linear,      // goes on along the tangent
  polynomial,  // goes on with the outermost polynomial, as the released code does
  error,       // E-SPLINE-OUTSIDE
};

constexpr std::string_view name_of(Extrapolation policy) {
  switch (policy) {
    case Extrapolation::linear: return "linear";
    case Extrapolation::polynomial: return "polynomial";
    case Extrapolation::error: return "error";
  }
  return "?";
}

class Spline {
 public:
  /// `degree` is 2 or 3; `x` increases strictly and has more than `degree` points.
  Spline(int degree, std::span<const double> x, std::span<const double> y,
         Extrapolation outside = Extrapolation::linear);

  double operator()(double x) const { return evaluate(x).value; }
  double slope(double x) const { return evaluate(x).slope; }

  int degree() const { return degree_; }
  /// The places where polynomials meet.
  std::span<const double> knots() const { return std::span(start_).subspan(1); }

 private:
  struct Point {
    double value, slope;
  };
  Point evaluate(double x) const;
  Point inside(std::size_t piece, double x) const;

  int degree_;
  Extrapolation outside_;
  std::vector<double> start_;         // where each piece starts
  std::vector<double> coefficients_;  // [piece][power of x - start]
  double end_;                        // of the last piece
};

/// n points evenly over [-half_width, half_width].
std::vector<double> even_points(int n, double half_width);

}  // namespace whence
