#include "whence/math/special_lanes.hpp"

#include <cstddef>

#include "whence/math/special.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "whence/math/special_lanes.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "whence/math/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {

/// log_gamma, operation by operation.
HWY_INLINE Lanes LanesLogGamma(LanesTag d, Lanes x) {
  const auto constant = [d](double c) HWY_ATTR { return hn::Set(d, c); };
  const Lanes one = constant(1.0), enough = constant(stirling::enough);
  Lanes product = one;
  for (auto low = hn::Lt(x, enough); !hn::AllFalse(d, low); low = hn::Lt(x, enough)) {
    product = hn::IfThenElse(low, hn::Mul(product, x), product);
    x = hn::IfThenElse(low, hn::Add(x, one), x);
  }
  const Lanes inverse = hn::Div(one, x), square = hn::Mul(inverse, inverse);
  Lanes series = constant(stirling::series[0]);
  for (std::size_t i = 1; i < std::size(stirling::series); ++i)
    series = hn::Sub(constant(stirling::series[i]), hn::Mul(square, series));
  const Lanes power = hn::Sub(hn::Mul(hn::Sub(x, constant(0.5)), LanesLog(d, x)), x);
  return hn::Sub(
      hn::Add(hn::Add(power, constant(stirling::half_log_two_pi)), hn::Mul(inverse, series)),
      LanesLog(d, product));
}

void LogGammaAll(std::span<double> x) {
  const LanesTag d;
  const std::size_t width = hn::Lanes(d), n = x.size();
  std::size_t i = 0;
  for (; i + width <= n; i += width)
    hn::StoreU(LanesLogGamma(d, hn::LoadU(d, x.data() + i)), d, x.data() + i);
  for (; i < n; ++i) x[i] = log_gamma(x[i]);
}

}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whence {

HWY_EXPORT(LogGammaAll);

void log_gamma_all(std::span<double> x) { HWY_DYNAMIC_DISPATCH(LogGammaAll)(x); }

}  // namespace whence
#endif
