#include "whence/adapt/mixture_density_adapter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "whence/core/error.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "whence/adapt/mixture_density_adapter.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "whence/math/exp2_lanes-inl.hpp"

#ifndef WHENCE_MIXTURE_DENSITY_WORK
#define WHENCE_MIXTURE_DENSITY_WORK
namespace whence {

inline constexpr std::size_t density_block = 64;  // points whose activations stay in the cache
inline constexpr std::size_t partial_sums = 8;
inline constexpr std::size_t max_components = 64;

/// Values and slopes of one array; slopes are null without tangent.
struct DensityArray {
  double *v = nullptr, *s = nullptr;
};

/// What one pass over the points reads and writes.
struct DensityLearner::Work {
  DensityShape shape;
  std::size_t points;  // without padding; arrays over points are padded to whole blocks
  DensityArray theta, x, y;
  DensityArray hidden, outputs, pull;  // [row][density_block]
  DensityArray log_p;                  // [point]
  DensityArray partial;                // [parameter][partial_sums]
  double *x_gradient, *y_gradient;
  bool with_gradient, with_inputs;
  long clamped;
};

/// What one optimizer step reads and writes.
struct OptimizerWork {
  const OptimizerSpec& spec;
  std::size_t size;  // padded to eight
  double scale;      // gradient of the loss = scale * stored gradient
  double correction1, correction2;
  DensityArray theta, gradient, first, second;
};

}  // namespace whence
#endif  // WHENCE_MIXTURE_DENSITY_WORK

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {

HWY_INLINE NumberSpan At(const DensityArray& a, std::size_t i) { return NumberSpan{a.v, a.s} + i; }

/// Wide machines have registers for more sums.
inline constexpr bool many_registers = hn::MaxLanes(LanesTag()) == 8;
inline constexpr std::size_t columns_together = many_registers ? 4 : 2;  // vectors

/// out[r][n] += sum over c of coefficient[r * row_step + c * column_step] * in[c][n], for R rows
/// and some vectors at a time: the sums stay in registers.
template <std::size_t R>
HWY_INLINE void CombineRows(const double* HWY_RESTRICT coefficient, std::size_t row_step,
                            std::size_t column_step, const double* HWY_RESTRICT in,
                            std::size_t depth, double* HWY_RESTRICT out) {
  const LanesTag d;
  constexpr std::size_t V = columns_together;
  const std::size_t width = hn::Lanes(d);
  for (std::size_t n = 0; n < density_block; n += V * width) {
    Lanes sum[R][V];
    for (std::size_t r = 0; r < R; ++r)
      for (std::size_t i = 0; i < V; ++i)
        sum[r][i] = hn::LoadU(d, out + r * density_block + n + i * width);
    for (std::size_t c = 0; c < depth; ++c) {
      Lanes column[V];
      for (std::size_t i = 0; i < V; ++i)
        column[i] = hn::LoadU(d, in + c * density_block + n + i * width);
      for (std::size_t r = 0; r < R; ++r) {
        const Lanes k = hn::Set(d, coefficient[r * row_step + c * column_step]);
        for (std::size_t i = 0; i < V; ++i) sum[r][i] = hn::Add(sum[r][i], hn::Mul(k, column[i]));
      }
    }
    for (std::size_t r = 0; r < R; ++r)
      for (std::size_t i = 0; i < V; ++i)
        hn::StoreU(sum[r][i], d, out + r * density_block + n + i * width);
  }
}

HWY_INLINE void Combine(const double* coefficient, std::size_t row_step, std::size_t column_step,
                        const double* in, std::size_t depth, double* out, std::size_t rows) {
  std::size_t r = 0;
  const auto strips = [&]<std::size_t R>() HWY_ATTR {
    for (; r + R <= rows; r += R)
      CombineRows<R>(coefficient + r * row_step, row_step, column_step, in, depth,
                     out + r * density_block);
  };
  if (rows % 5 == 0) strips.template operator()<5>();
  strips.template operator()<4>();
  strips.template operator()<1>();
}

/// partial[a][b][n mod 8] += a[n] * b[n] for A by B rows.
template <std::size_t A, std::size_t B>
HWY_INLINE void CorrelateRows(const double* HWY_RESTRICT a, const double* HWY_RESTRICT b,
                              double* HWY_RESTRICT partial, std::size_t partial_row) {
  const LanesTag d;
  const std::size_t width = hn::Lanes(d);
  for (std::size_t lane = 0; lane < partial_sums; lane += width) {
    Lanes sum[A][B];
    for (std::size_t i = 0; i < A; ++i)
      for (std::size_t j = 0; j < B; ++j)
        sum[i][j] = hn::LoadU(d, partial + i * partial_row + j * partial_sums + lane);
    for (std::size_t n = lane; n < density_block; n += partial_sums) {
      Lanes right[B];
      for (std::size_t j = 0; j < B; ++j) right[j] = hn::LoadU(d, b + j * density_block + n);
      for (std::size_t i = 0; i < A; ++i) {
        const Lanes left = hn::LoadU(d, a + i * density_block + n);
        for (std::size_t j = 0; j < B; ++j) sum[i][j] = hn::Add(sum[i][j], hn::Mul(left, right[j]));
      }
    }
    for (std::size_t i = 0; i < A; ++i)
      for (std::size_t j = 0; j < B; ++j)
        hn::StoreU(sum[i][j], d, partial + i * partial_row + j * partial_sums + lane);
  }
}

/// partial[i][j] += sum of a[i] b[j], i < a_rows, j < b_rows.
HWY_INLINE void Correlate(const double* a, std::size_t a_rows, const double* b, std::size_t b_rows,
                          double* partial) {
  const std::size_t row = b_rows * partial_sums;
  std::size_t i = 0;
  const auto strips = [&]<std::size_t A>() HWY_ATTR {
    for (; i + A <= a_rows; i += A) {
      std::size_t j = 0;
      for (; j + 4 <= b_rows; j += 4)
        CorrelateRows<A, 4>(a + i * density_block, b + j * density_block,
                            partial + i * row + j * partial_sums, row);
      for (; j < b_rows; ++j)
        CorrelateRows<A, 1>(a + i * density_block, b + j * density_block,
                            partial + i * row + j * partial_sums, row);
    }
  };
  if constexpr (many_registers) strips.template operator()<5>();
  strips.template operator()<2>();
  strips.template operator()<1>();
}

/// partial[i] += sum of a[i].
template <bool tangent>
HWY_INLINE void SumRows(const DensityArray& a, std::size_t rows, DensityArray partial) {
  const LanesTag d;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t lane = 0; lane < partial_sums; lane += hn::Lanes(d)) {
      const NumberSpan into = At(partial, i * partial_sums + lane);
      Number<tangent> sum = LoadNumber<tangent>(d, into);
      for (std::size_t n = lane; n < density_block; n += partial_sums)
        sum = sum + LoadNumber<tangent>(d, At(a, i * density_block + n));
      StoreNumber(d, sum, into);
    }
}

template <bool tangent>
class DensityPass {
 public:
  explicit DensityPass(DensityLearner::Work& work) : w_(work) {}

  HWY_ATTR void Run() {
    for (base_ = 0; base_ < w_.points; base_ += density_block) {
      Hidden();
      Outputs();
      Heads();
      if (!w_.with_gradient) continue;
      WeightGradients();
      HiddenGradients();
      if (w_.with_inputs) InputGradients();
    }
  }

 private:
  using N = Number<tangent>;

  HWY_ATTR N Theta(std::size_t i) const { return SetNumber<tangent>(d_, At(w_.theta, i)); }
  HWY_ATTR N X(std::size_t n) const { return LoadNumber<tangent>(d_, At(w_.x, base_ + n)); }
  HWY_ATTR N Y(std::size_t n) const { return LoadNumber<tangent>(d_, At(w_.y, base_ + n)); }

  HWY_ATTR void Hidden() {
    constexpr std::size_t together = 4;  // vectors of points
    const Lanes powers = hn::Set(d_, tanh_powers);
    for (std::size_t j = 0; j < w_.shape.hidden; ++j) {
      const N weight = Scaled(Theta(j), powers);
      const N bias = Scaled(Theta(w_.shape.hidden_bias() + j), powers);
      for (std::size_t n = 0; n < density_block; n += together * hn::Lanes(d_)) {
        N h[together];
        for (std::size_t i = 0; i < together; ++i) h[i] = weight * X(n + i * hn::Lanes(d_)) + bias;
        TanhOfPowers(d_, h);
        for (std::size_t i = 0; i < together; ++i)
          StoreNumber(d_, h[i], At(w_.hidden, j * density_block + n + i * hn::Lanes(d_)));
      }
    }
  }

  HWY_ATTR void Outputs() {
    const DensityShape& s = w_.shape;
    for (std::size_t o = 0; o < s.outputs(); ++o) {
      const N bias = Theta(s.output_bias() + o);
      for (std::size_t n = 0; n < density_block; n += hn::Lanes(d_))
        StoreNumber(d_, bias, At(w_.outputs, o * density_block + n));
    }
    const std::size_t weights = s.output_weight();
    const auto add = [&](const double* coefficient, const double* in, double* out) HWY_ATTR {
      Combine(coefficient + weights, s.hidden, 1, in, s.hidden, out, s.outputs());
    };
    add(w_.theta.v, w_.hidden.v, w_.outputs.v);
    if constexpr (tangent) {
      add(w_.theta.v, w_.hidden.s, w_.outputs.s);
      add(w_.theta.s, w_.hidden.v, w_.outputs.s);
    }
  }

  /// Log-likelihoods, and the derivatives with respect to the outputs in place of the outputs.
  HWY_ATTR void Heads() {
    for (std::size_t n = 0; n < density_block; n += heads * hn::Lanes(d_)) Head(n);
  }

  /// Some vectors of points. Exponents are to the base 2. Arrays of vectors are small and stay in
  /// the cache.
  HWY_ATTR void Head(std::size_t n) {
    const std::size_t k_count = w_.shape.components, width = hn::Lanes(d_);
    const Lanes bits = hn::Set(d_, elementary::log2_e), minus_bits = hn::Neg(bits);
    const Lanes half_bits = hn::Set(d_, 0.5 * elementary::log2_e);
    const N zero = Constant<tangent>(d_, hn::Zero(d_));
    Component of[max_components][heads];
    N y[heads], weights[heads], total[heads];
    Lanes top[heads], top_term[heads];
    for (std::size_t i = 0; i < heads; ++i) {
      y[i] = Y(n + i * width);
      weights[i] = total[i] = zero;
      top[i] = hn::LoadU(d_, Output(0, 0, n + i * width).v);
      for (std::size_t k = 1; k < k_count; ++k)
        top[i] = hn::Max(top[i], hn::LoadU(d_, Output(0, k, n + i * width).v));
      top_term[i] = hn::Set(d_, -std::numeric_limits<double>::max());
    }
    // log2(pi_k N_k(y)) up to what all components share.
    for (std::size_t k = 0; k < k_count; ++k) {
      N logit[heads], log_inverse[heads];
      for (std::size_t i = 0; i < heads; ++i) {
        const std::size_t at = n + i * width;
        logit[i] = Scaled(Lowered(LoadNumber<tangent>(d_, Output(0, k, at)), top[i]), bits);
        log_inverse[i] = Scaled(
            Bounded(LoadNumber<tangent>(d_, Output(2, k, at)), at, of[k][i].free), minus_bits);
      }
      N power[2 * heads];
      for (std::size_t i = 0; i < heads; ++i) {
        power[i] = logit[i];
        power[heads + i] = log_inverse[i];
      }
      Exp2<false>(d_, power);
      for (std::size_t i = 0; i < heads; ++i) {
        Component& c = of[k][i];
        c.share = power[i];
        c.inverse = power[heads + i];
        weights[i] = weights[i] + c.share;
        c.q = (y[i] - LoadNumber<tangent>(d_, Output(1, k, n + i * width))) * c.inverse;
        c.term = logit[i] + log_inverse[i] - Scaled(c.q * c.q, half_bits);
        top_term[i] = hn::Max(top_term[i], c.term.v);
      }
    }
    for (std::size_t k = 0; k < k_count; ++k) {
      N power[heads];
      for (std::size_t i = 0; i < heads; ++i) power[i] = Lowered(of[k][i].term, top_term[i]);
      Exp2<false>(d_, power);
      for (std::size_t i = 0; i < heads; ++i) {
        of[k][i].term = power[i];
        total[i] = total[i] + power[i];
      }
    }
    for (std::size_t i = 0; i < heads; ++i)
      Finish(n + i * width, &of[0][i], weights[i], total[i], top_term[i]);
  }

  /// What one component says of a vector of points.
  struct Component {
    N share, term;  // parts of `weights` and `total`
    N q, inverse;   // (y - mu) / sigma, 1 / sigma
    Lanes free;     // 0 where log sigma is held at its limit, else 1
  };
  static constexpr std::size_t heads = 2;  // vectors of points at a time

  /// The log-likelihood, and the derivatives. Components of one vector lie `heads` apart.
  HWY_ATTR void Finish(std::size_t n, const Component* of, N weights, N total, Lanes top_term) {
    const auto valid = Valid(n);
    const Lanes one = hn::Set(d_, 1.0);
    const N unit = Constant<tangent>(d_, one);
    const N share_scale = unit / weights, term_scale = unit / total;
    N log_p = Log(d_, total * share_scale);
    log_p.v = hn::Sub(hn::Add(log_p.v, hn::Mul(top_term, hn::Set(d_, elementary::ln2))),
                      hn::Set(d_, log_root_two_pi));
    StoreNumber(d_, Kept(valid, log_p), At(w_.log_p, base_ + n));
    if (!w_.with_gradient) return;
    for (std::size_t k = 0; k < w_.shape.components; ++k) {
      const Component& c = of[k * heads];
      const N r = Kept(valid, c.term * term_scale);
      StoreNumber(d_, r - Kept(valid, c.share * share_scale), Output(0, k, n));
      StoreNumber(d_, r * c.q * c.inverse, Output(1, k, n));
      StoreNumber(d_, Scaled(r * Lowered(c.q * c.q, one), c.free), Output(2, k, n));
    }
  }

  /// Points that are not padding.
  HWY_ATTR hn::Mask<LanesTag> Valid(std::size_t n) const {
    const std::size_t left = w_.points - base_;
    return hn::FirstN(d_, n < left ? std::min(left - n, hn::Lanes(d_)) : 0);
  }

  HWY_ATTR NumberSpan Output(std::size_t head, std::size_t k, std::size_t n) const {
    return At(w_.outputs, (head * w_.shape.components + k) * density_block + n);
  }

  /// log sigma of points n, ... held within its limit; `free` says where it was not.
  HWY_ATTR N Bounded(N log_sigma, std::size_t n, Lanes& free) {
    const Lanes limit = hn::Set(d_, log_sigma_limit);
    free = hn::Set(d_, 1.0);
    const auto beyond = hn::Gt(hn::Abs(log_sigma.v), limit);
    if (HWY_LIKELY(hn::AllFalse(d_, beyond))) return log_sigma;
    w_.clamped += long(hn::CountTrue(d_, hn::And(beyond, Valid(n))));
    free = hn::IfThenZeroElse(beyond, free);
    const N bound = Constant<tangent>(d_, hn::CopySign(limit, log_sigma.v));
    return Kept(hn::Not(beyond), log_sigma) + Kept(beyond, bound);
  }

  HWY_ATTR void WeightGradients() {
    const DensityShape& s = w_.shape;
    const std::size_t begin = s.output_weight() * partial_sums;
    const auto add = [&](const double* delta, const double* hidden, double* partial) HWY_ATTR {
      Correlate(delta, s.outputs(), hidden, s.hidden, partial + begin);
    };
    add(w_.outputs.v, w_.hidden.v, w_.partial.v);
    if constexpr (tangent) {
      add(w_.outputs.v, w_.hidden.s, w_.partial.s);
      add(w_.outputs.s, w_.hidden.v, w_.partial.s);
    }
    SumRows<tangent>(w_.outputs, s.outputs(), Partial(s.output_bias()));
  }

  /// Back through the output weights and the tanh.
  HWY_ATTR void HiddenGradients() {
    const DensityShape& s = w_.shape;
    const auto add = [&](const double* coefficient, const double* delta, double* out) HWY_ATTR {
      Combine(coefficient + s.output_weight(), 1, s.hidden, delta, s.outputs(), out, s.hidden);
    };
    std::fill_n(w_.pull.v, s.hidden * density_block, 0.0);
    add(w_.theta.v, w_.outputs.v, w_.pull.v);
    if constexpr (tangent) {
      std::fill_n(w_.pull.s, s.hidden * density_block, 0.0);
      add(w_.theta.v, w_.outputs.s, w_.pull.s);
      add(w_.theta.s, w_.outputs.v, w_.pull.s);
    }
    const N one = Constant<tangent>(d_, hn::Set(d_, 1.0));
    for (std::size_t j = 0; j < s.hidden; ++j)
      for (std::size_t lane = 0; lane < partial_sums; lane += hn::Lanes(d_)) {
        const NumberSpan into = At(w_.partial, j * partial_sums + lane);
        N sum = LoadNumber<tangent>(d_, into);
        for (std::size_t n = lane; n < density_block; n += partial_sums) {
          const N h = LoadNumber<tangent>(d_, At(w_.hidden, j * density_block + n));
          const N pull =
              LoadNumber<tangent>(d_, At(w_.pull, j * density_block + n)) * (one - h * h);
          StoreNumber(d_, pull, At(w_.pull, j * density_block + n));
          sum = sum + pull * X(n);
        }
        StoreNumber(d_, sum, into);
      }
    SumRows<tangent>(w_.pull, s.hidden, Partial(s.hidden_bias()));
  }

  HWY_ATTR DensityArray Partial(std::size_t parameter) const {
    const NumberSpan at = At(w_.partial, parameter * partial_sums);
    return {at.v, at.s};
  }

  /// d log p / dx = sum of the hidden pulls times the input weights; d log p / dy = minus the pulls
  /// on the means. Values only: a gradient at fixed parameters.
  HWY_ATTR void InputGradients() {
    const DensityShape& s = w_.shape;
    for (std::size_t n = 0; n < density_block; n += hn::Lanes(d_)) {
      Lanes x = hn::Zero(d_), y = hn::Zero(d_);
      for (std::size_t j = 0; j < s.hidden; ++j)
        x = hn::Add(x, hn::Mul(hn::Set(d_, w_.theta.v[j]),
                               hn::LoadU(d_, w_.pull.v + j * density_block + n)));
      for (std::size_t k = 0; k < s.components; ++k)
        y = hn::Sub(y, hn::LoadU(d_, Output(1, k, n).v));
      hn::StoreU(x, d_, w_.x_gradient + base_ + n);
      hn::StoreU(y, d_, w_.y_gradient + base_ + n);
    }
  }

  DensityLearner::Work& w_;
  std::size_t base_ = 0;
  LanesTag d_;
};

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
