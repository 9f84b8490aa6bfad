// The paper's decoder and encoder: rotations of the plane.
#pragma once

#include "whence/encoders/encoder.hpp"

namespace whence {

/// (u, v) = R(angle) (x, y) = (cos x - sin y, sin x + cos y). Keeps volumes: log_det is 0.
class Rotation {
 public:
  explicit Rotation(double angle);

  double angle() const { return angle_; }
  Encoded encode(std::span<const double> x, std::span<const double> y) const;
  /// R(-angle), which undoes encode().
  Rotation inverse() const;

  double cosine() const { return cosine_; }
  double sine() const { return sine_; }

 private:
  Rotation(double angle, double cosine, double sine)
      : angle_(angle), cosine_(cosine), sine_(sine) {}
  double angle_, cosine_, sine_;
};

static_assert(Encoder<Rotation>);

/// How far an encoder's angle is from undoing the decoder's, up to quarter turns: a quarter turn
/// only exchanges the roles of the two variables and flips signs. Between 0 and pi/4.
double distance_to_solution(double encoder_angle, double decoder_angle);

}  // namespace whence
