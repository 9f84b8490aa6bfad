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
inline constexpr double far_density = 0x1p-120;  // times root of two pi

struct EmArray {
  double *v = nullptr, *s = nullptr;  // slopes are null without tangent
};

/// What one pass reads and writes. Logarithms of densities are to the base 2.
struct EmWork {
  std::size_t components, points;
  EmArray offset, mean, inverse;  // [component]: log2(pi / sigma), mu, sqrt(log2(e) / 2) / sigma
  EmArray x;                      // [point], padded to whole blocks
  EmArray shares;                 // [component][em_block]: responsibilities, times their sum
  EmArray total, scale;           // [em_block]: that sum, and one over it
  EmArray top;                    // [em_block]: log2 of what the weights were divided by
  EmArray partial;                // [component][r, r u, r u^2][em_partials], u = (x - mean) inverse
  EmArray product, exponent;      // [em_partials]: the likelihood is product 2^exponent
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
      Multiply();
      if (!w_.with_sums) continue;
      std::size_t k = 0;
      for (; k + 2 <= w_.components; k += 2) Sums<2>(k);
      if (k < w_.components) Sums<1>(k);
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
    const EmArray mean = w_.mean, inverse = w_.inverse, offset = w_.offset, shares = w_.shares;
    const std::size_t components = w_.components, width = hn::Lanes(d_);
    N x[R], total[R];
    for (std::size_t i = 0; i < R; ++i) {
      x[i] = LoadNumber<tangent>(d_, At(w_.x, base_ + n + i * width));
      total[i] = Constant<tangent>(d_, hn::Zero(d_));
    }
    for (std::size_t k = 0; k < components; ++k) {
      const N m = Of(mean, k), scale = Of(inverse, k), o = Of(offset, k);
      const std::size_t at = k * em_block + n;
      N term[R];
      for (std::size_t i = 0; i < R; ++i) {
        const N u = (x[i] - m) * scale;
        term[i] = o - u * u;
      }
      Exp2<false>(d_, term);
      for (std::size_t i = 0; i < R; ++i) {
        total[i] = total[i] + term[i];
        StoreNumber(d_, term[i], At(shares, at + i * width));
      }
    }
    for (std::size_t i = 0; i < R; ++i) {
      Lanes top = hn::Zero(d_);
      const auto far = hn::Lt(total[i].v, hn::Set(d_, far_density));
      if (HWY_UNLIKELY(!hn::AllFalse(d_, far))) ShareFar(n + i * width, far, total[i], top);
      StoreTotal(n + i * width, total[i], top);
    }
  }

  /// Points so far outside that their density, or the product of eight, could leave the doubles:
  /// all weights are divided by the largest. The others keep theirs.
  template <class Mask>
  HWY_ATTR void ShareFar(std::size_t n, Mask far, N& total, Lanes& top) {
    const N x = LoadNumber<tangent>(d_, At(w_.x, base_ + n));
    const auto term = [&](std::size_t k) HWY_ATTR {
      const N u = (x - Of(w_.mean, k)) * Of(w_.inverse, k);
      return Of(w_.offset, k) - u * u;
    };
    Lanes largest = term(0).v;
    for (std::size_t k = 1; k < w_.components; ++k) largest = hn::Max(largest, term(k).v);
    N sum = Constant<tangent>(d_, hn::Zero(d_));
    for (std::size_t k = 0; k < w_.components; ++k) {
      N power[1] = {Lowered(term(k), largest)};
      Exp2<false>(d_, power);
      sum = sum + power[0];
      const NumberSpan at = At(w_.shares, k * em_block + n);
      StoreNumber(d_, Chosen(far, power[0], LoadNumber<tangent>(d_, at)), at);
    }
    total = Chosen(far, sum, total);
    top = hn::IfThenElseZero(far, largest);
  }
  template <class Mask>
  HWY_ATTR static N Chosen(Mask mask, N yes, N no) {
    return Kept(mask, yes) + Kept(hn::Not(mask), no);
  }

  /// Points beyond the last count nothing.
  HWY_ATTR void StoreTotal(std::size_t n, N total, Lanes top) {
    const auto valid = hn::FirstN(d_, n < left_ ? std::min(left_ - n, hn::Lanes(d_)) : 0);
    const N one = Constant<tangent>(d_, hn::Set(d_, 1.0));
    StoreNumber(d_, Kept(valid, one / total), At(w_.scale, n));
    StoreNumber(d_, Chosen(valid, total, one), At(w_.total, n));
    hn::StoreU(hn::IfThenElseZero(valid, top), d_, w_.top.v + n);
  }

  /// The likelihood of a block: the product of its sums as a number from 1 to 2, its exponent with
  /// what they were divided by. One logarithm at the end is as good as one for every point.
  HWY_ATTR void Multiply() {
    for (std::size_t lane = 0; lane < em_partials; lane += hn::Lanes(d_)) {
      const NumberSpan into = At(w_.product, lane);
      Lanes product = hn::LoadU(d_, into.v), exponent = hn::LoadU(d_, w_.exponent.v + lane);
      for (std::size_t n = lane; n < end_; n += em_partials) {
        product = hn::Mul(product, hn::LoadU(d_, w_.total.v + n));
        exponent = hn::Add(exponent, hn::LoadU(d_, w_.top.v + n));
      }
      hn::StoreU(hn::Add(exponent, TakeExponent(d_, product)), d_, w_.exponent.v + lane);
      hn::StoreU(product, d_, into.v);
      if constexpr (tangent) {  // of the logarithm
        Lanes slope = hn::LoadU(d_, into.s);
        for (std::size_t n = lane; n < end_; n += em_partials)
          slope =
              hn::Add(slope, hn::Mul(hn::LoadU(d_, w_.total.s + n), hn::LoadU(d_, w_.scale.v + n)));
        hn::StoreU(slope, d_, into.s);
      }
    }
  }

  /// What C components, from k on, take of the block.
  template <std::size_t C>
  HWY_ATTR void Sums(std::size_t k) {
    for (std::size_t lane = 0; lane < em_partials; lane += hn::Lanes(d_)) {
      N mean[C], inverse[C], sum[C][3];
      for (std::size_t c = 0; c < C; ++c) {
        mean[c] = Of(w_.mean, k + c);
        inverse[c] = Of(w_.inverse, k + c);
        for (std::size_t i = 0; i < 3; ++i)
          sum[c][i] = LoadNumber<tangent>(d_, Partial(k + c, i, lane));
      }
      for (std::size_t n = lane; n < end_; n += em_partials) {
        const N scale = LoadNumber<tangent>(d_, At(w_.scale, n));
        const N x = LoadNumber<tangent>(d_, At(w_.x, base_ + n));
        for (std::size_t c = 0; c < C; ++c) {
          const N share = LoadNumber<tangent>(d_, At(w_.shares, (k + c) * em_block + n)) * scale;
          const N u = (x - mean[c]) * inverse[c];
          const N product = share * u;
          sum[c][0] = sum[c][0] + share;
          sum[c][1] = sum[c][1] + product;
          sum[c][2] = sum[c][2] + product * u;
        }
      }
      for (std::size_t c = 0; c < C; ++c)
        for (std::size_t i = 0; i < 3; ++i) StoreNumber(d_, sum[c][i], Partial(k + c, i, lane));
    }
  }
  HWY_ATTR NumberSpan Partial(std::size_t k, std::size_t which, std::size_t lane) const {
    return At(w_.partial, (3 * k + which) * em_partials + lane);
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

/// Of eight numbers from 1 to 2.
double log_of_product(const double* p) {
  return portable_log(((p[0] * p[4]) * (p[2] * p[6])) * ((p[1] * p[5]) * (p[3] * p[7])));
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
                                components * (em_block + 3 * em_partials) + 3 * em_block +
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
                .total = take(em_block),
                .scale = take(em_block),
                .top = take(em_block),
                .partial = take(components_ * 3 * em_partials),
                .product = take(em_partials),
                .exponent = take(em_partials),
                .with_sums = sums != nullptr};
    prepare(mixture, work);
    HWY_DYNAMIC_DISPATCH(RunEmPass)(work);
    if (sums) collect(work, *sums);
    T log_lik{};
    assign(log_lik,
           log_of_product(work.product.v) + elementary::ln2 * reduced(work.exponent.v) -
               double(points_) * log_root_two_pi,
           tangent ? reduced(work.product.s) : 0.0);
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
    const std::size_t slopes = tangent ? 2 : 1;  // they lie behind the values
    std::fill_n(work.partial.v, slopes * components_ * 3 * em_partials, 0.0);
    std::fill_n(work.exponent.v, slopes * em_partials, 0.0);
    std::fill_n(work.product.v, slopes * em_partials, 0.0);
    std::fill_n(work.product.v, em_partials, 1.0);
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
