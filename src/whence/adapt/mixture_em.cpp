#include "whence/adapt/mixture_em.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "whence/adapt/mixture_em.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "whence/math/exp2_lanes-inl.hpp"

#ifndef WHENCE_MIXTURE_EM_WORK
#define WHENCE_MIXTURE_EM_WORK
namespace whence {

inline constexpr std::size_t em_block = 64;  // points whose responsibilities stay in the cache
inline constexpr std::size_t em_partials = 8;

struct EmArray {
  double *v = nullptr, *s = nullptr;  // slopes are null without tangent
};

/// What one pass reads and writes. Logarithms of densities are to the base 2.
struct EmWork {
  std::size_t components, points;
  EmArray offset, mean, inverse;  // [component]: log2(pi / sigma), mu, sqrt(log2(e) / 2) / sigma
  EmArray x;                      // [point], padded to whole blocks
  EmArray shares;                 // [component][em_block]: responsibilities, times their sum
  EmArray deviation;              // [component][em_block]: u = (x - mean) inverse
  EmArray total, scale;           // [em_block]: that sum, and one over it
  EmArray top;                    // [em_block]: log2 of what all weights were divided by
  EmArray partial;                // [component][r, r u, r u^2][em_partials]
  EmArray log_total, top_sum;     // [em_partials], over the points
  bool with_sums;
};

}  // namespace whence
#endif  // WHENCE_MIXTURE_EM_WORK

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {

template <bool tangent>
class EmKernel {
 public:
  explicit EmKernel(const EmWork& work) : w_(work) {}

  HWY_ATTR void Run() {
    constexpr std::size_t together = tangent ? 2 : 4;  // vectors of points
    const std::size_t width = hn::Lanes(d_);
    for (base_ = 0; base_ < w_.points; base_ += em_block) {
      left_ = std::min(w_.points - base_, em_block);
      end_ = (left_ + em_partials - 1) / em_partials * em_partials;
      std::size_t n = 0;
      for (; n + together * width <= end_; n += together * width) Share<together>(n);
      for (; n < end_; n += width) Share<1>(n);
      LogLik();
      if (!w_.with_sums) continue;
      for (std::size_t k = 0; k < w_.components; ++k) Sums(k);
    }
  }

 private:
  using N = Number<tangent>;

  HWY_ATTR static NumberSpan At(const EmArray& a, std::size_t i) {
    return NumberSpan{a.v, a.s} + i;
  }
  HWY_ATTR N Of(const EmArray& a, std::size_t k) const { return SetNumber<tangent>(d_, At(a, k)); }

  /// Weights of R vectors of points, and their sums. What the loops read is copied first: stores
  /// through vectors could change the pointers, for all the compiler knows.
  template <std::size_t R>
  HWY_ATTR void Share(std::size_t n) {
    const EmArray mean = w_.mean, inverse = w_.inverse, offset = w_.offset;
    const EmArray shares = w_.shares, deviation = w_.deviation;
    const std::size_t components = w_.components, width = hn::Lanes(d_);
    N x[R], total[R];
    Lanes top[R], zero[R];
    for (std::size_t i = 0; i < R; ++i) {
      x[i] = LoadNumber<tangent>(d_, At(w_.x, base_ + n + i * width));
      top[i] = hn::Set(d_, -std::numeric_limits<double>::max());
      total[i] = Constant<tangent>(d_, hn::Zero(d_));
    }
    for (std::size_t k = 0; k < components; ++k) {
      const N m = Of(mean, k), scale = Of(inverse, k), o = Of(offset, k);
      const std::size_t at = k * em_block + n;
      for (std::size_t i = 0; i < R; ++i) {
        const N u = (x[i] - m) * scale;
        const N term = o - u * u;
        top[i] = hn::Max(top[i], term.v);
        StoreNumber(d_, u, At(deviation, at + i * width));
        StoreNumber(d_, term, At(shares, at + i * width));
      }
    }
    for (std::size_t i = 0; i < R; ++i) zero[i] = Zero(n + i * width, top[i]);
    for (std::size_t k = 0; k < components; ++k) {
      const NumberSpan at = At(shares, k * em_block + n);
      N term[R];
      for (std::size_t i = 0; i < R; ++i) term[i] = LoadNumber<tangent>(d_, at + i * width);
      Exp2<false>(d_, zero, term);
      for (std::size_t i = 0; i < R; ++i) {
        total[i] = total[i] + term[i];
        StoreNumber(d_, term[i], at + i * width);
      }
    }
    for (std::size_t i = 0; i < R; ++i) StoreTotal(n + i * width, total[i], top[i]);
  }

  /// Terms are lowered by the largest one, rounded: that is for nothing where they are raised to
  /// powers. Beyond 2^50 there is no such rounding, and they are lowered by hand. `top` becomes
  /// what they are lowered by.
  HWY_ATTR Lanes Zero(std::size_t n, Lanes& top) const {
    const Lanes origin = hn::Set(d_, elementary::round_to_exponent);
    const auto far = hn::Lt(top, hn::Set(d_, -0x1p50));
    const Lanes lowered = hn::IfThenElseZero(far, top);
    Lanes whole = hn::Sub(hn::Add(top, origin), origin);
    if (HWY_UNLIKELY(!hn::AllFalse(d_, far))) {
      whole = hn::IfThenZeroElse(far, whole);
      for (std::size_t k = 0; k < w_.components; ++k) {
        double* term = w_.shares.v + k * em_block + n;
        hn::StoreU(hn::Sub(hn::LoadU(d_, term), lowered), d_, term);
      }
    }
    top = hn::Add(whole, lowered);
    return hn::Sub(origin, whole);
  }

  /// Points beyond the last count nothing.
  HWY_ATTR void StoreTotal(std::size_t n, N total, Lanes top) {
    const auto valid = hn::FirstN(d_, n < left_ ? std::min(left_ - n, hn::Lanes(d_)) : 0);
    const N one = Constant<tangent>(d_, hn::Set(d_, 1.0));
    StoreNumber(d_, Kept(valid, one / total), At(w_.scale, n));
    StoreNumber(d_, Kept(valid, total) + Kept(hn::Not(valid), one), At(w_.total, n));
    hn::StoreU(hn::IfThenElseZero(valid, top), d_, w_.top.v + n);
  }

  /// The log-likelihood of a block. Sums lie between 1/2 and twice the number of components: the
  /// logarithm of the product of eight is as good as eight logarithms.
  HWY_ATTR void LogLik() {
    for (std::size_t lane = 0; lane < em_partials; lane += hn::Lanes(d_)) {
      Lanes product = hn::Set(d_, 1.0), slope = hn::Zero(d_);
      Lanes top = hn::LoadU(d_, w_.top_sum.v + lane);
      for (std::size_t n = lane; n < end_; n += em_partials) {
        product = hn::Mul(product, hn::LoadU(d_, w_.total.v + n));
        top = hn::Add(top, hn::LoadU(d_, w_.top.v + n));
        if constexpr (tangent)
          slope =
              hn::Add(slope, hn::Mul(hn::LoadU(d_, w_.total.s + n), hn::LoadU(d_, w_.scale.v + n)));
      }
      const NumberSpan into = At(w_.log_total, lane);
      hn::StoreU(hn::Add(hn::LoadU(d_, into.v), LanesLog(d_, product)), d_, into.v);
      if constexpr (tangent) hn::StoreU(hn::Add(hn::LoadU(d_, into.s), slope), d_, into.s);
      hn::StoreU(top, d_, w_.top_sum.v + lane);
    }
  }

  HWY_ATTR void Sums(std::size_t k) {
    for (std::size_t lane = 0; lane < em_partials; lane += hn::Lanes(d_)) {
      const NumberSpan into = At(w_.partial, 3 * k * em_partials + lane);
      N r = LoadNumber<tangent>(d_, into), r_u = LoadNumber<tangent>(d_, into + em_partials);
      N r_u2 = LoadNumber<tangent>(d_, into + 2 * em_partials);
      for (std::size_t n = lane; n < end_; n += em_partials) {
        const N share = LoadNumber<tangent>(d_, At(w_.shares, k * em_block + n)) *
                        LoadNumber<tangent>(d_, At(w_.scale, n));
        const N u = LoadNumber<tangent>(d_, At(w_.deviation, k * em_block + n));
        const N product = share * u;
        r = r + share;
        r_u = r_u + product;
        r_u2 = r_u2 + product * u;
      }
      StoreNumber(d_, r, into);
      StoreNumber(d_, r_u, into + em_partials);
      StoreNumber(d_, r_u2, into + 2 * em_partials);
    }
  }

  const EmWork& w_;
  std::size_t base_ = 0, left_ = 0, end_ = 0;  // of the block: its first point, its points, padded
  LanesTag d_;
};

void RunEmPass(const EmWork& work) {
  if (work.x.s)
    EmKernel<true>(work).Run();
  else
    EmKernel<false>(work).Run();
}

}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whence {

HWY_EXPORT(RunEmPass);

namespace {

std::size_t padded(std::size_t n, std::size_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

double value_of(double x) { return x; }
double value_of(const Dual<double>& x) { return x.value; }
double slope_of(const Dual<double>& x) { return x.slope; }

void assign(double& into, double value, double) { into = value; }
void assign(Dual<double>& into, double value, double slope) { into = {value, slope}; }

double reduced(const double* p) {
  return ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
}

template <class T>
class FastPass {
 public:
  static constexpr bool tangent = !std::is_same_v<T, double>;

  FastPass(std::span<const T> x, std::size_t components, EmScratch& scratch)
      : scratch_(scratch), points_(x.size()), components_(components) {
    const std::size_t room = padded(x.size(), em_block);
    scratch.x.assign(room, 0.0);
    scratch.x_slope.assign(tangent ? room : 0, 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      scratch.x[i] = value_of(x[i]);
      if constexpr (tangent) scratch.x_slope[i] = slope_of(x[i]);
    }
    const std::size_t numbers = 3 * padded(components, em_partials) +
                                components * (2 * em_block + 3 * em_partials) + 3 * em_block +
                                2 * em_partials;
    scratch.memory.resize((tangent ? 2 : 1) * numbers);
  }

  /// Log-likelihood under the mixture; with `sums`, what the update needs.
  T run(const GaussianMixture<T>& mixture, EmSums<T>* sums) {
    used_ = 0;
    EmWork work{.components = components_,
                .points = points_,
                .offset = take(components_),
                .mean = take(components_),
                .inverse = take(components_),
                .x = {scratch_.x.data(), tangent ? scratch_.x_slope.data() : nullptr},
                .shares = take(components_ * em_block),
                .deviation = take(components_ * em_block),
                .total = take(em_block),
                .scale = take(em_block),
                .top = take(em_block),
                .partial = take(components_ * 3 * em_partials),
                .log_total = take(em_partials),
                .top_sum = take(em_partials),
                .with_sums = sums != nullptr};
    prepare(mixture, work);
    HWY_DYNAMIC_DISPATCH(RunEmPass)(work);
    if (sums) collect(work, *sums);
    T log_lik{};
    assign(log_lik,
           reduced(work.log_total.v) + elementary::ln2 * reduced(work.top_sum.v) -
               double(points_) * log_root_two_pi,
           tangent ? reduced(work.log_total.s) : 0.0);
    return log_lik;
  }

 private:
  /// A piece that begins at a cache line.
  EmArray take(std::size_t n) {
    n = padded(n, em_partials);
    EmArray piece{&scratch_.memory[used_], tangent ? &scratch_.memory[used_ + n] : nullptr};
    used_ += (tangent ? 2 : 1) * n;
    return piece;
  }
  static void put(const EmArray& a, std::size_t i, const T& x) {
    a.v[i] = value_of(x);
    if constexpr (tangent) a.s[i] = slope_of(x);
  }

  void prepare(const GaussianMixture<T>& mixture, const EmWork& work) const {
    using std::exp;
    const MixtureParts<T> parts = mixture.parts();
    const T normaliser = log_sum_exp_of(parts.logits);
    const T bits(elementary::log2_e), root(std::sqrt(0.5 * elementary::log2_e));
    for (std::size_t k = 0; k < components_; ++k) {
      const T log_sigma = bounded_log_sigma(parts.log_sigmas[k]);
      put(work.offset, k, bits * (parts.logits[k] - normaliser - log_sigma));
      put(work.mean, k, parts.means[k]);
      put(work.inverse, k, root * exp(-log_sigma));
      // A component of no weight at all: the kernel knows no infinities.
      if (work.offset.v[k] < -1e300) work.offset.v[k] = -1e300;
    }
    for (const auto& [array, count] :
         {std::pair{work.partial, components_ * 3 * em_partials},
          std::pair{work.log_total, em_partials}, std::pair{work.top_sum, em_partials}})
      std::fill_n(array.v, (tangent ? 2 : 1) * count, 0.0);
  }

  /// Deviations come back in units of the data.
  void collect(const EmWork& work, EmSums<T>& sums) const {
    for (auto* each : {&sums.r, &sums.r_d, &sums.r_d2}) each->resize(components_);
    for (std::size_t k = 0; k < components_; ++k) {
      const T unit = T(1) / number(work.inverse, k);
      sums.r[k] = total(work.partial, 3 * k);
      sums.r_d[k] = total(work.partial, 3 * k + 1) * unit;
      sums.r_d2[k] = total(work.partial, 3 * k + 2) * unit * unit;
    }
  }
  static T number(const EmArray& a, std::size_t i) {
    T x{};
    assign(x, a.v[i], tangent ? a.s[i] : 0.0);
    return x;
  }
  static T total(const EmArray& partials, std::size_t row) {
    T x{};
    const std::size_t at = row * em_partials;
    assign(x, reduced(partials.v + at), tangent ? reduced(partials.s + at) : 0.0);
    return x;
  }

  EmScratch& scratch_;
  std::size_t points_, components_, used_ = 0;
};

template <class T>
EmOutcome fit(GaussianMixture<T>& mixture, std::span<const T> x, const EmOptions& options,
              EmScratch& scratch) {
  FastPass<T> fast(x, mixture.components(), scratch);
  return fit_mixture<T>(mixture, x, options,
                        [&fast](const GaussianMixture<T>& now, std::span<const T>,
                                EmSums<T>& sums) { return fast.run(now, &sums); });
}

}  // namespace

EmOutcome fit_mixture_fast(GaussianMixture<double>& mixture, std::span<const double> x,
                           const EmOptions& options, EmScratch& scratch) {
  return fit(mixture, x, options, scratch);
}
EmOutcome fit_mixture_fast(GaussianMixture<Dual<double>>& mixture, std::span<const Dual<double>> x,
                           const EmOptions& options, EmScratch& scratch) {
  return fit(mixture, x, options, scratch);
}

double mixture_log_lik(const GaussianMixture<double>& mixture, std::span<const double> x,
                       EmScratch& scratch) {
  return FastPass<double>(x, mixture.components(), scratch).run(mixture, nullptr);
}
Dual<double> mixture_log_lik(const GaussianMixture<Dual<double>>& mixture,
                             std::span<const Dual<double>> x, EmScratch& scratch) {
  return FastPass<Dual<double>>(x, mixture.components(), scratch).run(mixture, nullptr);
}

}  // namespace whence
#endif  // HWY_ONCE
