#include "whence/encoders/rotation.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "support/tables.hpp"

namespace whence {
namespace {

using support::Inputs;

TEST(Rotation, IsOrthogonalWithDeterminantOne) {
  Inputs inputs(1);
  for (int i = 0; i < 100; ++i) {
    const Rotation r(inputs.real(-10, 10));
    EXPECT_NEAR(r.cosine() * r.cosine() + r.sine() * r.sine(), 1, 1e-15);
    const std::vector<double> x = {1, 0}, y = {0, 1};
    const Encoded e = r.encode(x, y);
    EXPECT_NEAR(e.u[0] * e.v[1] - e.u[1] * e.v[0], 1, 1e-15);
    EXPECT_NEAR(e.u[0] * e.u[1] + e.v[0] * e.v[1], 0, 1e-15);
    EXPECT_EQ(e.log_det.value, 0);
  }
}

TEST(Rotation, DecodingUndoesEncoding) {
  Inputs inputs(2);
  for (int i = 0; i < 100; ++i) {
    const Rotation r(inputs.real(-4, 4));
    const auto x = inputs.reals(20, -1, 1), y = inputs.reals(20, -1, 1);
    const Encoded there = r.encode(x, y), back = r.inverse().encode(there.u, there.v);
    for (std::size_t j = 0; j < 20; ++j) {
      EXPECT_NEAR(back.u[j], x[j], 1e-15);
      EXPECT_NEAR(back.v[j], y[j], 1e-15);
    }
  }
}

TEST(Rotation, SlopesAreDerivatives) {
  const std::vector<double> x = {0.3, -2}, y = {1.7, 0.4};
  const double h = 1e-5;
  const Encoded at = Rotation(0.7).encode(x, y), up = Rotation(0.7 + h).encode(x, y),
                down = Rotation(0.7 - h).encode(x, y);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(at.u_slope[j], (up.u[j] - down.u[j]) / (2 * h), 1e-9);
    EXPECT_NEAR(at.v_slope[j], (up.v[j] - down.v[j]) / (2 * h), 1e-9);
  }
}

TEST(Rotation, DistancesCountUpToQuarterTurns) {
  constexpr double pi = std::numbers::pi;
  EXPECT_NEAR(distance_to_solution(pi / 4, -pi / 4), 0, 1e-15);
  EXPECT_NEAR(distance_to_solution(-pi / 4, -pi / 4), 0, 1e-15);
  EXPECT_NEAR(distance_to_solution(0, -pi / 4), pi / 4, 1e-15);
  EXPECT_NEAR(distance_to_solution(pi / 4 + 2 * pi + 0.03, -pi / 4), 0.03, 1e-14);
}

}  // namespace
}  // namespace whence
