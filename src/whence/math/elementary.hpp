// exp, log and tanh from additions, multiplications and one division: the same bits on every
// machine and instruction set; exp and log within 2 units in the last place. lanes-inl.hpp repeats
// the same operations in the same order for vectors; a test holds the two together.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace whence {

namespace elementary {
inline constexpr double ln2_high = 6.93147180369123816490e-01;  // 32 bits: k * ln2_high is exact
inline constexpr double ln2_low = 1.90821492927058770002e-10;
inline constexpr double log2_e = 1.44269504088896338700;
inline constexpr double exp_lowest = -708.0, exp_highest = 709.0;
inline constexpr std::uint64_t sqrt_half_bits = 0x3FE6A09E667F3BCDULL;
inline constexpr double round_to_integer = 6755399441055744.0;  // 1.5 * 2^52
// 1/n! for the even and the odd half of the series of exp, n = 13 ... 2.
inline constexpr double exp_even[] = {2.08767569878680989792e-09, 2.75573192239858906526e-07,
                                      2.48015873015873015873e-05, 1.38888888888888888889e-03,
                                      4.16666666666666666667e-02, 0.5};
inline constexpr double exp_odd[] = {1.60590438368216145994e-10, 2.50521083854417187751e-08,
                                     2.75573192239858906526e-06, 1.98412698412698412698e-04,
                                     8.33333333333333333333e-03, 1.66666666666666666667e-01};
// 2/(2i+1), i = 10 ... 1: the series of 2 atanh(s)/s - 2 in s^2.
inline constexpr double log_series[] = {2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13,
                                        2.0 / 11, 2.0 / 9,  2.0 / 7,  2.0 / 5,  2.0 / 3};
}  // namespace elementary

/// exp(x); 0 below -708 (no subnormals), infinity above 709.
inline double portable_exp(double x) {
  using namespace elementary;
  if (!(x >= exp_lowest)) return std::isnan(x) ? x : 0.0;
  if (x > exp_highest) return std::numeric_limits<double>::infinity();
  // x = k ln2 + r, |r| <= ln2/2; the sum leaves k in the low bits of the double.
  const double shifted = x * log2_e + round_to_integer;
  const double k = shifted - round_to_integer;
  const double r = (x - k * ln2_high) - k * ln2_low;
  const double r2 = r * r;
  double even = exp_even[0], odd = exp_odd[0];
  for (int i = 1; i < 6; ++i) {
    even = even * r2 + exp_even[i];
    odd = odd * r2 + exp_odd[i];
  }
  const double value = 1.0 + (r2 * even + r * (odd * r2 + 1.0));  // 1 last: rounded only once
  const auto scale = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;  // 2^k
  return value * std::bit_cast<double>(scale);
}

/// log(x) for x >= 0; log 0 = -infinity, NaN below.
inline double portable_log(double x) {
  using namespace elementary;
  if (!(x > 0)) return x == 0 ? -std::numeric_limits<double>::infinity() : std::nan("");
  if (x > std::numeric_limits<double>::max()) return x;
  double k = 0;
  if (x < std::numeric_limits<double>::min()) {  // subnormal: scale into range
    x *= 18014398509481984.0;
    k = -54;
  }
  // x = 2^k m, m in [sqrt(1/2), sqrt(2)).
  std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t offset = bits - sqrt_half_bits;
  const auto exponent = std::int64_t(offset) >> 52;
  bits -= std::uint64_t(exponent) << 52;
  k += double(exponent);
  const double f = std::bit_cast<double>(bits) - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  double series = log_series[0];
  for (int i = 1; i < 10; ++i) series = series * z + log_series[i];
  const double half_square = 0.5 * f * f;
  return k * ln2_high - ((half_square - (s * (half_square + z * series) + k * ln2_low)) - f);
}

/// tanh(x) with an absolute error below 1e-15: what an activation needs. (Near 0 the relative error
/// grows.)
inline double portable_tanh(double x) { return 1.0 - 2.0 / (portable_exp(2.0 * x) + 1.0); }

}  // namespace whence
