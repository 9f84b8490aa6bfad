// Vector arithmetic for kernels: included once per instruction set by Highway's foreach_target.
// exp repeats elementary.hpp operation by operation: no fused multiply-add, so all targets agree.

#if defined(WHENCE_MATH_LANES_INL_) == defined(HWY_TARGET_TOGGLE)
#ifdef WHENCE_MATH_LANES_INL_
#undef WHENCE_MATH_LANES_INL_
#else
#define WHENCE_MATH_LANES_INL_
#endif

#include <hwy/highway.h>

#include "whence/math/elementary.hpp"

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Eight lanes at the most: wider machines gain nothing on rows of ten.
using LanesTag = hn::CappedTag<double, 8>;
using Lanes = hn::Vec<LanesTag>;
inline constexpr std::size_t row_multiple = 8;  // rows are padded to this many numbers

/// exp(x): 0 below -708, infinity above 709, the bits of portable_exp in between. Where it is known
/// that x is at most 709, `large` may be false: the same bits for less work.
template <bool large = true>
HWY_INLINE Lanes LanesExp(LanesTag d, Lanes x) {
  using namespace elementary;
  const auto constant = [d](double c) HWY_ATTR { return hn::Set(d, c); };
  Lanes inside = hn::Max(x, constant(exp_lowest));
  if constexpr (large) inside = hn::Min(inside, constant(exp_highest));
  const Lanes shifted = hn::Add(hn::Mul(inside, constant(log2_e)), constant(round_to_integer));
  const Lanes k = hn::Sub(shifted, constant(round_to_integer));
  const Lanes r =
      hn::Sub(hn::Sub(inside, hn::Mul(k, constant(ln2_high))), hn::Mul(k, constant(ln2_low)));
  const Lanes r2 = hn::Mul(r, r);
  Lanes even = constant(exp_even[0]), odd = constant(exp_odd[0]);
  for (int i = 1; i < 6; ++i) {
    even = hn::Add(hn::Mul(even, r2), constant(exp_even[i]));
    odd = hn::Add(hn::Mul(odd, r2), constant(exp_odd[i]));
  }
  const Lanes one = constant(1.0);
  const Lanes tail = hn::Mul(r, hn::Add(hn::Mul(odd, r2), one));
  const Lanes value = hn::Add(one, hn::Add(hn::Mul(r2, even), tail));
  const hn::RebindToUnsigned<LanesTag> du;
  const auto bits = hn::Add(hn::BitCast(du, shifted), hn::Set(du, 1023));
  const Lanes scaled = hn::Mul(value, hn::BitCast(d, hn::ShiftLeft<52>(bits)));
  Lanes result = hn::IfThenElse(hn::Lt(x, constant(exp_lowest)), hn::Zero(d), scaled);
  if constexpr (large) {
    const Lanes infinity = constant(std::numeric_limits<double>::infinity());
    result = hn::IfThenElse(hn::Gt(x, constant(exp_highest)), infinity, result);
  }
  return hn::IfThenElse(hn::Eq(x, x), result, x);  // NaN stays; Ne is ordered on some targets
}

/// log(x) for positive normal x, the bits of portable_log; NaN stays NaN.
HWY_INLINE Lanes LanesLog(LanesTag d, Lanes x) {
  using namespace elementary;
  const auto constant = [d](double c) HWY_ATTR { return hn::Set(d, c); };
  const hn::RebindToUnsigned<LanesTag> du;
  // x = 2^k m, m in [sqrt(1/2), sqrt(2)); the biased exponent k + 1023 as a double by the 2^52
  // trick.
  const auto bits = hn::BitCast(du, x);
  const auto lifted = hn::Add(bits, hn::Set(du, (1023ULL << 52) - sqrt_half_bits));
  const auto biased = hn::ShiftRight<52>(lifted);
  const Lanes k = hn::Sub(hn::BitCast(d, hn::Or(biased, hn::Set(du, 0x4330000000000000ULL))),
                          constant(4503599627370496.0 + 1023.0));
  const auto mantissa =
      hn::Add(hn::And(lifted, hn::Set(du, (1ULL << 52) - 1)), hn::Set(du, sqrt_half_bits));
  const Lanes f = hn::Sub(hn::BitCast(d, mantissa), constant(1.0));
  const Lanes s = hn::Div(f, hn::Add(constant(2.0), f));
  const Lanes z = hn::Mul(s, s);
  Lanes series = constant(log_series[0]);
  for (int i = 1; i < 10; ++i) series = hn::Add(hn::Mul(series, z), constant(log_series[i]));
  const Lanes half_square = hn::Mul(hn::Mul(constant(0.5), f), f);
  const Lanes inner =
      hn::Add(hn::Mul(s, hn::Add(half_square, hn::Mul(z, series))), hn::Mul(k, constant(ln2_low)));
  const Lanes value =
      hn::Sub(hn::Mul(k, constant(ln2_high)), hn::Sub(hn::Sub(half_square, inner), f));
  return hn::IfThenElse(hn::Eq(x, x), value, x);
}

/// tanh(x), the bits of portable_tanh.
HWY_INLINE Lanes LanesTanh(LanesTag d, Lanes x) {
  const Lanes one = hn::Set(d, 1.0), two = hn::Set(d, 2.0);
  return hn::Sub(one, hn::Div(two, hn::Add(LanesExp(d, hn::Mul(two, x)), one)));
}

/// The sum of n numbers, n a multiple of eight, as eight partial sums combined in a fixed tree.
HWY_INLINE double LanesSum(LanesTag d, const double* HWY_RESTRICT x, std::size_t n) {
  constexpr std::size_t width = hn::MaxLanes(LanesTag());
  HWY_ALIGN double partial[row_multiple];
  if constexpr (width == 8) {
    Lanes a = hn::LoadU(d, x);
    for (std::size_t i = 8; i < n; i += 8) a = hn::Add(a, hn::LoadU(d, x + i));
    hn::Store(a, d, partial);
  } else if constexpr (width == 4) {
    Lanes a = hn::LoadU(d, x), b = hn::LoadU(d, x + 4);
    for (std::size_t i = 8; i < n; i += 8) {
      a = hn::Add(a, hn::LoadU(d, x + i));
      b = hn::Add(b, hn::LoadU(d, x + i + 4));
    }
    hn::Store(a, d, partial);
    hn::Store(b, d, partial + 4);
  } else {
    for (std::size_t j = 0; j < 8; ++j) partial[j] = x[j];
    for (std::size_t i = 8; i < n; i += width) {
      double* HWY_RESTRICT into = partial + i % 8;
      hn::Store(hn::Add(hn::Load(d, into), hn::LoadU(d, x + i)), d, into);
    }
  }
  return ((partial[0] + partial[4]) + (partial[2] + partial[6])) +
         ((partial[1] + partial[5]) + (partial[3] + partial[7]));
}

}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WHENCE_MATH_LANES_INL_
