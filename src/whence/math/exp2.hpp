// Powers of two: the exponential of kernels that have the choice of their base. Nothing has to be
// multiplied by ln 2 and back, and what is left after rounding is exact. Additions and
// multiplications only, so that all machines get the same bits; exp2_lanes-inl.hpp repeats them for
// vectors, and a test holds the two together.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace whence {

namespace elementary {
inline constexpr double ln2 = 0.69314718055994530942;
// Added to x it leaves round(x) + 1023, the biased exponent of 2^round(x), in the low bits.
inline constexpr double round_to_exponent = 6755399441055744.0 + 1023.0;  // 1.5 * 2^52 + 1023
inline constexpr double exp2_lowest = -1022, exp2_highest = 1023;
// 1 + c1 r + ... + c10 r^10 = 2^r within 3e-16 on [-1/2, 1/2] (Remez), from the highest down.
inline constexpr double exp2_even[] = {7.111757810496622e-09,  1.321523564006805e-06,
                                       0.00015403530800807628, 0.009618129107380722,
                                       0.24022650695910472,    1.0};
inline constexpr double exp2_odd[] = {1.0210506320316116e-07, 1.5252647748458753e-05,
                                      0.001333355824647934, 0.055504108664346595,
                                      0.6931471805599516};
}  // namespace elementary

/// 2^x for |x| up to 1022, within 3 units in the last place; beyond, a positive number below
/// 2^-1021 or above 2^1022. NaN stays NaN, and infinities become it.
inline double portable_exp2(double x) {
  using namespace elementary;
  const double shifted = x + round_to_exponent;
  const double r = x - (shifted - round_to_exponent);
  const double r2 = r * r;
  double even = exp2_even[0] * r2 + exp2_even[1], odd = exp2_odd[0];
  for (int i = 1; i < 5; ++i) {
    even = even * r2 + exp2_even[i + 1];
    odd = odd * r2 + exp2_odd[i];
  }
  const double held = std::min(std::max(shifted, round_to_exponent + exp2_lowest),
                               round_to_exponent + exp2_highest);
  return (even + odd * r) * std::bit_cast<double>(std::bit_cast<std::uint64_t>(held) << 52);
}

}  // namespace whence
