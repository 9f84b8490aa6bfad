// The moves of optimizer.hpp on vectors: included once per instruction set, behind lanes-inl.hpp.

#if defined(WHENCE_MATH_OPTIMIZER_LANES_INL_) == defined(HWY_TARGET_TOGGLE)
#ifdef WHENCE_MATH_OPTIMIZER_LANES_INL_
#undef WHENCE_MATH_OPTIMIZER_LANES_INL_
#else
#define WHENCE_MATH_OPTIMIZER_LANES_INL_
#endif

#include <cmath>

#include <hwy/highway.h>

#include "whence/math/lanes-inl.hpp"
#include "whence/math/optimizer.hpp"

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {

/// The constants of one step of an optimizer, `step` counted from 1.
struct LanesOptimizer {
  LanesOptimizer(const OptimizerSpec& o, int step)
      : spec(o),
        rate(o.kind == OptimizerSpec::Kind::adam ? o.learning_rate / (1 - std::pow(o.beta1, step))
                                                 : o.learning_rate),
        root(o.kind == OptimizerSpec::Kind::adam ? std::sqrt(1 - std::pow(o.beta2, step)) : 1) {}

  const OptimizerSpec& spec;
  double rate, root;
};

/// What to subtract from the parameters, by PyTorch's formulas; g is the gradient of the loss,
/// `first` and `second` the state beside it.
template <OptimizerSpec::Kind kind>
HWY_INLINE Lanes LanesMove(LanesTag d, const LanesOptimizer& step, Lanes g, double* first,
                           double* second) {
  const OptimizerSpec& o = step.spec;
  const auto constant = [d](double c) HWY_ATTR { return hn::Set(d, c); };
  const Lanes rate = constant(step.rate);
  if constexpr (kind == OptimizerSpec::Kind::sgd) {
    if (o.momentum == 0) return hn::Mul(rate, g);
    const Lanes m = hn::Add(hn::Mul(constant(o.momentum), hn::LoadU(d, first)), g);
    hn::StoreU(m, d, first);
    return hn::Mul(rate, o.nesterov ? hn::Add(g, hn::Mul(constant(o.momentum), m)) : m);
  } else if constexpr (kind == OptimizerSpec::Kind::rmsprop) {
    const Lanes v = hn::Add(hn::Mul(constant(o.alpha), hn::LoadU(d, second)),
                            hn::Mul(hn::Mul(constant(1 - o.alpha), g), g));
    hn::StoreU(v, d, second);
    const Lanes direction = hn::Div(g, hn::Add(hn::Sqrt(v), constant(o.epsilon)));
    if (o.momentum == 0) return hn::Mul(rate, direction);
    const Lanes m = hn::Add(hn::Mul(constant(o.momentum), hn::LoadU(d, first)), direction);
    hn::StoreU(m, d, first);
    return hn::Mul(rate, m);
  } else {
    const Lanes m =
        hn::Add(hn::Mul(constant(o.beta1), hn::LoadU(d, first)), hn::Mul(constant(1 - o.beta1), g));
    const Lanes v = hn::Add(hn::Mul(constant(o.beta2), hn::LoadU(d, second)),
                            hn::Mul(hn::Mul(constant(1 - o.beta2), g), g));
    hn::StoreU(m, d, first);
    hn::StoreU(v, d, second);
    const Lanes root = hn::Add(hn::Div(hn::Sqrt(v), constant(step.root)), constant(o.epsilon));
    return hn::Div(hn::Mul(rate, m), root);
  }
}

}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WHENCE_MATH_OPTIMIZER_LANES_INL_
