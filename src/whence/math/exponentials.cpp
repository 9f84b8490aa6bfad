#include "whence/math/exponentials.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "whence/math/exponentials.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "whence/math/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {

void Exponentials(std::span<double> x) {
  const LanesTag d;
  const std::size_t width = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + width <= x.size(); i += width)
    hn::StoreU(LanesExp(d, hn::LoadU(d, x.data() + i)), d, x.data() + i);
  if (i == x.size()) return;
  HWY_ALIGN double rest[row_multiple] = {};
  for (std::size_t j = 0; i + j < x.size(); ++j) rest[j] = x[i + j];
  hn::Store(LanesExp(d, hn::Load(d, rest)), d, rest);
  for (std::size_t j = 0; i + j < x.size(); ++j) x[i + j] = rest[j];
}

}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whence {

HWY_EXPORT(Exponentials);

void exponentials(std::span<double> x) { HWY_DYNAMIC_DISPATCH(Exponentials)(x); }

}  // namespace whence
#endif  // HWY_ONCE
