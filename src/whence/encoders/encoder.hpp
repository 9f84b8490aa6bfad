// What an encoder gives the learner: hidden variables (U, V) made from observations (X, Y), with
// the derivatives that teach the encoder.
#pragma once

#include <concepts>
#include <span>
#include <vector>

#include "whence/math/dual.hpp"

namespace whence {

/// Encoded points and their slopes along the encoder's parameter. `log_det` is the log-determinant
/// of the encoder's Jacobian, added up over the points: the density of (X, Y) is that of (U, V)
/// times the determinant. Without it an encoder that shrinks everything would look like a good one
/// (errata E11).
struct Encoded {
  std::vector<double> u, v, u_slope, v_slope;
  Dual<double> log_det = 0.0;
};

template <class E>
concept Encoder = requires(const E& encoder, std::span<const double> x) {
  { encoder.encode(x, x) } -> std::same_as<Encoded>;
};

}  // namespace whence
