// Vectors of plain numbers and of dual numbers behind one set of names, so that a kernel is written
// once and carries a derivative along if wanted. Included once per instruction set.

#if defined(WHENCE_MATH_NUMBER_LANES_INL_) == defined(HWY_TARGET_TOGGLE)
#ifdef WHENCE_MATH_NUMBER_LANES_INL_
#undef WHENCE_MATH_NUMBER_LANES_INL_
#else
#define WHENCE_MATH_NUMBER_LANES_INL_
#endif

#include <hwy/highway.h>

#include "whence/math/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {

/// A vector of numbers, with their slopes along one direction if `tangent`.
template <bool tangent>
struct Number {
  Lanes v;
};
template <>
struct Number<true> {
  Lanes v, s;
};

/// Where numbers lie in memory: values, and slopes at the same index (unused without tangent).
struct NumberSpan {
  double *v = nullptr, *s = nullptr;
  NumberSpan operator+(std::size_t i) const { return {v + i, s ? s + i : nullptr}; }
};

template <bool tangent>
HWY_INLINE Number<tangent> LoadNumber(LanesTag d, NumberSpan from) {
  if constexpr (tangent)
    return {hn::LoadU(d, from.v), hn::LoadU(d, from.s)};
  else
    return {hn::LoadU(d, from.v)};
}
template <bool tangent>
HWY_INLINE void StoreNumber(LanesTag d, Number<tangent> a, NumberSpan to) {
  hn::StoreU(a.v, d, to.v);
  if constexpr (tangent) hn::StoreU(a.s, d, to.s);
}
/// One number in all lanes.
template <bool tangent>
HWY_INLINE Number<tangent> SetNumber(LanesTag d, NumberSpan from) {
  if constexpr (tangent)
    return {hn::Set(d, *from.v), hn::Set(d, *from.s)};
  else
    return {hn::Set(d, *from.v)};
}
template <bool tangent>
HWY_INLINE Number<tangent> Constant(LanesTag d, Lanes value) {
  if constexpr (tangent)
    return {value, hn::Zero(d)};
  else
    return {value};
}

template <bool tangent>
HWY_INLINE Number<tangent> operator+(Number<tangent> a, Number<tangent> b) {
  if constexpr (tangent)
    return {hn::Add(a.v, b.v), hn::Add(a.s, b.s)};
  else
    return {hn::Add(a.v, b.v)};
}
template <bool tangent>
HWY_INLINE Number<tangent> operator-(Number<tangent> a, Number<tangent> b) {
  if constexpr (tangent)
    return {hn::Sub(a.v, b.v), hn::Sub(a.s, b.s)};
  else
    return {hn::Sub(a.v, b.v)};
}
template <bool tangent>
HWY_INLINE Number<tangent> operator*(Number<tangent> a, Number<tangent> b) {
  if constexpr (tangent)
    return {hn::Mul(a.v, b.v), hn::Add(hn::Mul(a.s, b.v), hn::Mul(a.v, b.s))};
  else
    return {hn::Mul(a.v, b.v)};
}
template <bool tangent>
HWY_INLINE Number<tangent> operator/(Number<tangent> a, Number<tangent> b) {
  const Lanes quotient = hn::Div(a.v, b.v);
  if constexpr (tangent)
    return {quotient, hn::Div(hn::Sub(a.s, hn::Mul(quotient, b.s)), b.v)};
  else
    return {quotient};
}
/// a times a constant.
template <bool tangent>
HWY_INLINE Number<tangent> Scaled(Number<tangent> a, Lanes c) {
  if constexpr (tangent)
    return {hn::Mul(a.v, c), hn::Mul(a.s, c)};
  else
    return {hn::Mul(a.v, c)};
}
/// a minus a constant.
template <bool tangent>
HWY_INLINE Number<tangent> Lowered(Number<tangent> a, Lanes c) {
  a.v = hn::Sub(a.v, c);
  return a;
}
/// a where the mask holds, 0 elsewhere.
template <bool tangent, class Mask>
HWY_INLINE Number<tangent> Kept(Mask mask, Number<tangent> a) {
  if constexpr (tangent)
    return {hn::IfThenElseZero(mask, a.v), hn::IfThenElseZero(mask, a.s)};
  else
    return {hn::IfThenElseZero(mask, a.v)};
}

template <bool tangent, bool large = true>
HWY_INLINE Number<tangent> Exp(LanesTag d, Number<tangent> a) {
  const Lanes e = LanesExp<large>(d, a.v);
  if constexpr (tangent)
    return {e, hn::Mul(e, a.s)};
  else
    return {e};
}
template <bool tangent>
HWY_INLINE Number<tangent> Log(LanesTag d, Number<tangent> a) {
  if constexpr (tangent)
    return {LanesLog(d, a.v), hn::Div(a.s, a.v)};
  else
    return {LanesLog(d, a.v)};
}
template <bool tangent>
HWY_INLINE Number<tangent> Tanh(LanesTag d, Number<tangent> a) {
  const Lanes t = LanesTanh(d, a.v);
  if constexpr (tangent)
    return {t, hn::Mul(hn::Sub(hn::Set(d, 1.0), hn::Mul(t, t)), a.s)};
  else
    return {t};
}
/// The root of 0 stays flat, as in Dual.
template <bool tangent>
HWY_INLINE Number<tangent> Sqrt(LanesTag d, Number<tangent> a) {
  const Lanes root = hn::Sqrt(a.v);
  if constexpr (tangent) {
    const Lanes slope = hn::Div(a.s, hn::Add(root, root));
    return {root, hn::IfThenElseZero(hn::Gt(root, hn::Zero(d)), slope)};
  } else {
    return {root};
  }
}

}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WHENCE_MATH_NUMBER_LANES_INL_
