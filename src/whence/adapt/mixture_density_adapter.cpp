#include "whence/adapt/mixture_density_adapter.hpp"

#include <algorithm>
#include <cmath>

#include "whence/adapt/mixture_density_work.hpp"
#include "whence/core/error.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "whence/adapt/mixture_density_adapter.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "whence/adapt/mixture_density_pass-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {

void RunDensityPass(DensityLearner::Work& work) {
  if (work.theta.s)
    DensityPass<true>(work).Run();
  else
    DensityPass<false>(work).Run();
}

/// [row][8] -> [row]: the eight partial sums in one fixed tree.
void ReducePartials(const double* partial, std::size_t rows, double* out) {
  for (std::size_t i = 0; i < rows; ++i) {
    const double* p = partial + i * partial_sums;
    out[i] = ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
  }
}

double SumPoints(const double* x, std::size_t n) { return LanesSum(LanesTag(), x, n); }

/// One move of every parameter, with PyTorch's formulas, as math/optimizer.hpp has them.
template <bool tangent>
HWY_ATTR void OptimizerStep(const OptimizerWork& w) {
  using N = Number<tangent>;
  using Kind = OptimizerSpec::Kind;
  const LanesTag d;
  const auto constant = [d](double c) HWY_ATTR { return hn::Set(d, c); };
  const OptimizerSpec& o = w.spec;
  for (std::size_t i = 0; i < w.size; i += hn::Lanes(d)) {
    const N g = Scaled(LoadNumber<tangent>(d, At(w.gradient, i)), constant(w.scale));
    N m = LoadNumber<tangent>(d, At(w.first, i)), v = LoadNumber<tangent>(d, At(w.second, i));
    N move = g;
    if (o.kind == Kind::adam) {
      m = Scaled(m, constant(o.beta1)) + Scaled(g, constant(1 - o.beta1));
      v = Scaled(v, constant(o.beta2)) + Scaled(g, constant(1 - o.beta2)) * g;
      N root = Sqrt(d, v);
      root = root / Constant<tangent>(d, constant(std::sqrt(w.correction2)));
      root.v = hn::Add(root.v, constant(o.epsilon));
      move = Scaled(m, constant(o.learning_rate / w.correction1)) / root;
    } else {
      if (o.kind == Kind::rmsprop) {
        v = Scaled(v, constant(o.alpha)) + Scaled(g, constant(1 - o.alpha)) * g;
        N root = Sqrt(d, v);
        root.v = hn::Add(root.v, constant(o.epsilon));
        move = g / root;
      }
      if (o.momentum != 0) {
        const N direction = move;
        m = Scaled(m, constant(o.momentum)) + direction;
        move = o.kind == Kind::sgd && o.nesterov ? direction + Scaled(m, constant(o.momentum)) : m;
      }
      move = Scaled(move, constant(o.learning_rate));
    }
    StoreNumber(d, m, At(w.first, i));
    StoreNumber(d, v, At(w.second, i));
    StoreNumber(d, LoadNumber<tangent>(d, At(w.theta, i)) - move, At(w.theta, i));
  }
}

void RunOptimizerStep(const OptimizerWork& work) {
  if (work.theta.s)
    OptimizerStep<true>(work);
  else
    OptimizerStep<false>(work);
}

}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whence {

HWY_EXPORT(RunDensityPass);
HWY_EXPORT(ReducePartials);
HWY_EXPORT(SumPoints);
HWY_EXPORT(RunOptimizerStep);

namespace {

std::size_t padded(std::size_t n, std::size_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

/// Hands out pieces of one allocation: values, and slopes behind them when they are wanted.
class Pieces {
 public:
  Pieces(AlignedNumbers& memory, bool tangent) : memory_(memory), tangent_(tangent) {}
  static std::size_t total(const DensityShape& s, std::size_t points, bool tangent) {
    const std::size_t rows = 2 * s.hidden + s.outputs();
    return (tangent ? 2 : 1) *
           (3 * points + rows * density_block + padded(s.size(), 8) * partial_sums);
  }
  DensityArray take(std::size_t n) {
    DensityArray piece{memory_.data() + used_, tangent_ ? memory_.data() + used_ + n : nullptr};
    used_ += (tangent_ ? 2 : 1) * n;
    return piece;
  }

 private:
  AlignedNumbers& memory_;
  bool tangent_;
  std::size_t used_ = 0;
};

void fill_points(DensityArray into, std::span<const double> values, std::span<const double> slopes,
                 std::size_t room) {
  std::fill(std::copy(values.begin(), values.end(), into.v), into.v + room, 0.0);
  if (into.s) std::fill(std::copy(slopes.begin(), slopes.end(), into.s), into.s + room, 0.0);
}

}  // namespace

DensityLearner::DensityLearner(const MixtureDensity<double>& start, const OptimizerSpec& optimizer,
                               bool tangent)
    : shape_(start.shape()), optimizer_(optimizer), tangent_(tangent) {
  if (shape_.components > max_components)
    throw Error(ExitCode::bad_config, "E-MECHANISM-SIZE", "",
                "a mixture density network may have at most 64 components", "use fewer");
  restart(start);
}

void DensityLearner::restart(const MixtureDensity<double>& start) {
  const std::size_t size = padded(shape_.size(), 8);
  theta_.assign(start.parameters().begin(), start.parameters().end());
  theta_.resize(size);
  theta_slope_.assign(tangent_ ? size : 0, 0.0);
  restart_optimizer();
}

void DensityLearner::restart_optimizer() {
  const std::size_t size = theta_.size();
  steps_ = 0;
  for (auto* state : {&first_, &second_}) state->assign(size, 0.0);
  for (auto* state : {&first_slope_, &second_slope_}) state->assign(tangent_ ? size : 0, 0.0);
}

MixtureDensity<double> DensityLearner::density() const {
  return {shape_, {theta_.begin(), theta_.begin() + std::ptrdiff_t(shape_.size())}};
}

Dual<double> DensityLearner::pass(const DensityPoints& points, bool with_gradient) {
  const std::size_t n = points.x.size(), room = padded(n, density_block);
  const std::size_t needed = Pieces::total(shape_, room, tangent_);
  if (scratch_.size() < needed) scratch_.resize(needed);
  Pieces pieces(scratch_, tangent_);
  Work work{.shape = shape_,
            .points = n,
            .theta = {theta_.data(), tangent_ ? theta_slope_.data() : nullptr},
            .x = pieces.take(room),
            .y = pieces.take(room),
            .hidden = pieces.take(shape_.hidden * density_block),
            .outputs = pieces.take(shape_.outputs() * density_block),
            .pull = pieces.take(shape_.hidden * density_block),
            .log_p = pieces.take(room),
            .partial = pieces.take(padded(shape_.size(), 8) * partial_sums),
            .x_gradient = nullptr,
            .y_gradient = nullptr,
            .with_gradient = with_gradient,
            .with_inputs = with_gradient && want_inputs,
            .clamped = 0};
  fill_points(work.x, points.x, points.x_slope, room);
  fill_points(work.y, points.y, points.y_slope, room);
  if (work.with_inputs) {
    x_gradient_.resize(room);
    y_gradient_.resize(room);
    work.x_gradient = x_gradient_.data();
    work.y_gradient = y_gradient_.data();
  }
  const std::size_t partials = padded(shape_.size(), 8) * partial_sums;
  if (with_gradient) std::fill_n(work.partial.v, (tangent_ ? 2 : 1) * partials, 0.0);
  HWY_DYNAMIC_DISPATCH(RunDensityPass)(work);
  clamped_ += work.clamped;
  if (with_gradient) {
    gradient_.assign(theta_.size(), 0.0);
    HWY_DYNAMIC_DISPATCH(ReducePartials)(work.partial.v, shape_.size(), gradient_.data());
    if (tangent_) {
      gradient_slope_.assign(theta_.size(), 0.0);
      HWY_DYNAMIC_DISPATCH(ReducePartials)(work.partial.s, shape_.size(), gradient_slope_.data());
    }
  }
  const auto sum = HWY_DYNAMIC_DISPATCH(SumPoints);
  return {sum(work.log_p.v, padded(n, 8)), tangent_ ? sum(work.log_p.s, padded(n, 8)) : 0.0};
}

Dual<double> DensityLearner::log_lik(const DensityPoints& points) { return pass(points, false); }
Dual<double> DensityLearner::gradient(const DensityPoints& points) { return pass(points, true); }

Dual<double> DensityLearner::learn(const DensityPoints& points) {
  const Dual<double> log_lik = pass(points, true);
  ++steps_;
  const auto array = [&](AlignedNumbers& v, AlignedNumbers& s) {
    return DensityArray{v.data(), tangent_ ? s.data() : nullptr};
  };
  HWY_DYNAMIC_DISPATCH(RunOptimizerStep)
  ({.spec = optimizer_,
    .size = theta_.size(),
    .scale = -1.0 / double(points.x.size()),
    .correction1 = 1 - std::pow(optimizer_.beta1, steps_),
    .correction2 = 1 - std::pow(optimizer_.beta2, steps_),
    .theta = array(theta_, theta_slope_),
    .gradient = array(gradient_, gradient_slope_),
    .first = array(first_, first_slope_),
    .second = array(second_, second_slope_)});
  return log_lik;
}

}  // namespace whence
#endif  // HWY_ONCE
