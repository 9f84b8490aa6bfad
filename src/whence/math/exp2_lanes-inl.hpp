// Powers of two on vectors: included once per instruction set, behind lanes-inl.hpp.

#if defined(WHENCE_MATH_EXP2_LANES_INL_) == defined(HWY_TARGET_TOGGLE)
#ifdef WHENCE_MATH_EXP2_LANES_INL_
#undef WHENCE_MATH_EXP2_LANES_INL_
#else
#define WHENCE_MATH_EXP2_LANES_INL_
#endif

#include <cstddef>

#include <hwy/highway.h>

#include "whence/math/exp2.hpp"
#include "whence/math/number_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {

/// 2^x for R vectors, in place, to the bits of portable_exp2. Where it is known that x is at most
/// 1022, `large` may be false: the same bits for less work. One exponential is a chain of
/// operations that each wait for the one before; R of them side by side keep the machine busy.
template <bool large, std::size_t R>
HWY_INLINE void LanesExp2(LanesTag d, Lanes (&x)[R]) {
  using namespace elementary;
  const auto constant = [d](double c) HWY_ATTR { return hn::Set(d, c); };
  const hn::RebindToUnsigned<LanesTag> du;
  Lanes shifted[R], r2[R], even[R], odd[R];
  for (std::size_t i = 0; i < R; ++i) {
    shifted[i] = hn::Add(x[i], constant(round_to_exponent));
    x[i] = hn::Sub(x[i], hn::Sub(shifted[i], constant(round_to_exponent)));
    r2[i] = hn::Mul(x[i], x[i]);
    even[i] = hn::Add(hn::Mul(constant(exp2_even[0]), r2[i]), constant(exp2_even[1]));
    odd[i] = constant(exp2_odd[0]);
  }
  for (int step = 1; step < 5; ++step)
    for (std::size_t i = 0; i < R; ++i) {
      even[i] = hn::Add(hn::Mul(even[i], r2[i]), constant(exp2_even[step + 1]));
      odd[i] = hn::Add(hn::Mul(odd[i], r2[i]), constant(exp2_odd[step]));
    }
  for (std::size_t i = 0; i < R; ++i) {
    Lanes held = hn::Max(shifted[i], constant(round_to_exponent + exp2_lowest));
    if constexpr (large) held = hn::Min(held, constant(round_to_exponent + exp2_highest));
    const Lanes scale = hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(du, held)));
    x[i] = hn::Mul(hn::Add(even[i], hn::Mul(odd[i], x[i])), scale);
  }
}

/// The same with slopes: (2^x)' = 2^x ln 2 x'.
template <bool large, bool tangent, std::size_t R>
HWY_INLINE void Exp2(LanesTag d, Number<tangent> (&x)[R]) {
  Lanes values[R];
  for (std::size_t i = 0; i < R; ++i) values[i] = x[i].v;
  LanesExp2<large>(d, values);
  for (std::size_t i = 0; i < R; ++i) {
    x[i].v = values[i];
    if constexpr (tangent)
      x[i].s = hn::Mul(values[i], hn::Mul(x[i].s, hn::Set(d, elementary::ln2)));
  }
}

/// For positive normal x = m 2^k, 1 <= m < 2: leaves m in x and returns k. NaN stays.
HWY_INLINE Lanes TakeExponent(LanesTag d, Lanes& x) {
  const hn::RebindToUnsigned<LanesTag> du;
  const auto biased = hn::ShiftRight<52>(hn::BitCast(du, x));
  // The biased exponent as a double by the 2^52 trick.
  const Lanes k = hn::Sub(hn::BitCast(d, hn::Or(biased, hn::Set(du, 0x4330000000000000ULL))),
                          hn::Set(d, 4503599627370496.0 + 1023.0));
  const auto inverse = hn::ShiftLeft<52>(hn::Sub(hn::Set(du, 2046), biased));
  x = hn::Mul(x, hn::BitCast(d, inverse));
  return k;
}

/// What x is multiplied by before TanhOfPowers.
inline constexpr double tanh_powers = 2 * elementary::log2_e;

/// tanh(x / tanh_powers) = 1 - 2 / (2^x + 1), in place, with an absolute error below 1e-15.
template <bool tangent, std::size_t R>
HWY_INLINE void TanhOfPowers(LanesTag d, Number<tangent> (&x)[R]) {
  const Lanes one = hn::Set(d, 1.0), two = hn::Set(d, 2.0);
  Number<false> power[R];
  for (std::size_t i = 0; i < R; ++i) power[i].v = x[i].v;
  Exp2<true>(d, power);
  for (std::size_t i = 0; i < R; ++i) {
    const Lanes t = hn::Sub(one, hn::Div(two, hn::Add(power[i].v, one)));
    x[i].v = t;
    if constexpr (tangent) {
      const Lanes slope = hn::Mul(x[i].s, hn::Set(d, 1 / tanh_powers));
      x[i].s = hn::Mul(hn::Sub(one, hn::Mul(t, t)), slope);
    }
  }
}

}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WHENCE_MATH_EXP2_LANES_INL_
