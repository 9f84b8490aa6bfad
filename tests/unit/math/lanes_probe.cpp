#include "unit/math/lanes_probe.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "unit/math/lanes_probe.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "whence/math/exp2_lanes-inl.hpp"
#include "whence/math/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {

void ProbeExp(std::span<double> x) {
  const LanesTag d;
  for (std::size_t i = 0; i < x.size(); i += hn::Lanes(d))
    hn::StoreU(LanesExp(d, hn::LoadU(d, &x[i])), d, &x[i]);
}

void ProbeLog(std::span<double> x) {
  const LanesTag d;
  for (std::size_t i = 0; i < x.size(); i += hn::Lanes(d))
    hn::StoreU(LanesLog(d, hn::LoadU(d, &x[i])), d, &x[i]);
}

void ProbeTanh(std::span<double> x) {
  const LanesTag d;
  for (std::size_t i = 0; i < x.size(); i += hn::Lanes(d))
    hn::StoreU(LanesTanh(d, hn::LoadU(d, &x[i])), d, &x[i]);
}

/// Two vectors at a time.
void ProbeExp2(std::span<double> x) {
  const LanesTag d;
  const std::size_t half = x.size() / 2;
  for (std::size_t i = 0; i < half; i += hn::Lanes(d)) {
    Lanes power[] = {hn::LoadU(d, &x[i]), hn::LoadU(d, &x[half + i])};
    LanesExp2<true>(d, power);
    hn::StoreU(power[0], d, &x[i]);
    hn::StoreU(power[1], d, &x[half + i]);
  }
}

double ProbeSum(std::span<const double> x) { return LanesSum(LanesTag(), x.data(), x.size()); }

}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whence {

HWY_EXPORT(ProbeExp);
HWY_EXPORT(ProbeLog);
HWY_EXPORT(ProbeTanh);
HWY_EXPORT(ProbeExp2);
HWY_EXPORT(ProbeSum);

namespace support {

void lanes_exp(std::span<double> x) { HWY_DYNAMIC_DISPATCH(ProbeExp)(x); }
void lanes_log(std::span<double> x) { HWY_DYNAMIC_DISPATCH(ProbeLog)(x); }
void lanes_tanh(std::span<double> x) { HWY_DYNAMIC_DISPATCH(ProbeTanh)(x); }
void lanes_exp2(std::span<double> x) { HWY_DYNAMIC_DISPATCH(ProbeExp2)(x); }
double lanes_sum(std::span<const double> x) { return HWY_DYNAMIC_DISPATCH(ProbeSum)(x); }

}  // namespace support
}  // namespace whence
#endif  // HWY_ONCE
