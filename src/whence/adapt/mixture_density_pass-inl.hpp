// One pass of a mixture density network over points: included once per instruction set.

#if defined(WHENCE_ADAPT_MIXTURE_DENSITY_PASS_INL_) == defined(HWY_TARGET_TOGGLE)
#ifdef WHENCE_ADAPT_MIXTURE_DENSITY_PASS_INL_
#undef WHENCE_ADAPT_MIXTURE_DENSITY_PASS_INL_
#else
#define WHENCE_ADAPT_MIXTURE_DENSITY_PASS_INL_
#endif

#include <algorithm>
#include <cstddef>
#include <limits>

#include <hwy/highway.h>

#include "whence/adapt/mixture_density_work.hpp"
#include "whence/math/exp2_lanes-inl.hpp"

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

}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WHENCE_ADAPT_MIXTURE_DENSITY_PASS_INL_
