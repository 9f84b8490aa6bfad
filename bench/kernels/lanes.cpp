// exp and log on vectors, for each instruction set.
#include <vector>

#include "kernels/each_target.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lanes.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "whence/math/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {

void ExpAll(const double* x, double* y, std::size_t n) {
  const LanesTag d;
  for (std::size_t i = 0; i < n; i += hn::Lanes(d))
    hn::StoreU(LanesExp(d, hn::LoadU(d, x + i)), d, y + i);
}

void LogAll(const double* x, double* y, std::size_t n) {
  const LanesTag d;
  for (std::size_t i = 0; i < n; i += hn::Lanes(d))
    hn::StoreU(LanesLog(d, hn::LoadU(d, x + i)), d, y + i);
}

}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whence {
namespace {

HWY_EXPORT(ExpAll);
HWY_EXPORT(LogAll);

template <class Kernel>
auto elementwise(double first, double last, Kernel kernel) {
  return [=](benchmark::State& state) {
    std::vector<double> x(1024), y(1024);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = first + (last - first) * double(i) / double(x.size());
    for (auto _ : state) {
      kernel(x.data(), y.data(), x.size());
      benchmark::DoNotOptimize(y.data());
      benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * std::int64_t(x.size()));
  };
}

void exp_all(const double* x, double* y, std::size_t n) { HWY_DYNAMIC_DISPATCH(ExpAll)(x, y, n); }
void log_all(const double* x, double* y, std::size_t n) { HWY_DYNAMIC_DISPATCH(LogAll)(x, y, n); }

const bool registered = for_each_target("lanes/exp", elementwise(-30, 0, exp_all)) &&
                        for_each_target("lanes/log", elementwise(1e-9, 1, log_all));

}  // namespace
}  // namespace whence
#endif  // HWY_ONCE
