#include "whence/encoders/rotation.hpp"

#include <cmath>
#include <numbers>

namespace whence {

Rotation::Rotation(double angle)
    : angle_(angle), cosine_(std::cos(angle)), sine_(std::sin(angle)) {}

Rotation Rotation::inverse() const { return {-angle_, cosine_, -sine_}; }

Encoded Rotation::encode(std::span<const double> x, std::span<const double> y) const {
  const std::size_t n = x.size();
  Encoded points{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n),
                 std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    points.u[i] = cosine_ * x[i] - sine_ * y[i];
    points.v[i] = sine_ * x[i] + cosine_ * y[i];
    points.u_slope[i] = -points.v[i];  // d R(angle) / d angle is a quarter turn further
    points.v_slope[i] = points.u[i];
  }
  return points;
}

double distance_to_solution(double encoder_angle, double decoder_angle) {
  constexpr double quarter = std::numbers::pi / 2;
  return std::abs(std::remainder(encoder_angle + decoder_angle, quarter));
}

}  // namespace whence
