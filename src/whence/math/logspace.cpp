#include "whence/math/logspace.hpp"

namespace whence {

double sigmoid_difference(double g, double d) {
  const double h = g + d;
  const double carried = h - g;
  const double lost = (g - (h - carried)) + (d - carried);  // h + lost = g + d exactly
  // e^{(|d| - |g| - |h|)/2} is e^{-min(|g|, |h|)} when both lie on one side of 0, else 1.
  double scale = 1;
  if ((g > 0) == (h > 0)) {
    scale = std::exp(-std::min(std::abs(g), std::abs(h)));
    if ((d > 0) != (g > 0)) scale *= g > 0 ? 1 - lost : 1 + lost;  // the nearer one is g + d
  }
  const double bells = (1 + std::exp(-std::abs(g))) * (1 + std::exp(-std::abs(h)));
  return std::copysign(-std::expm1(-std::abs(d)), -d) * scale / bells;
}

}  // namespace whence
