#include "whence/adapt/mixture_em.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "whence/adapt/mixture_em.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "whence/math/number_lanes-inl.hpp"

#ifndef WHENCE_MIXTURE_EM_WORK
#define WHENCE_MIXTURE_EM_WORK
namespace whence {

inline constexpr std::size_t em_block = 64;  // points whose responsibilities stay in the cache
inline constexpr std::size_t em_partials = 8;

struct EmArray {
  double *v = nullptr, *s = nullptr;  // slopes are null without tangent
};

/// What one pass reads and writes.
struct EmWork {
  std::size_t components, points;
  EmArray offset, mean, inverse;  // [component]: log(pi / sigma), mu, 1 / sigma
  EmArray x, log_p;               // [point], padded to whole blocks
  EmArray shares;                 // [component][em_block]: responsibilities, times their sum
  EmArray scale;                  // [em_block]: one over that sum
  EmArray partial;                // [component][r, r d, r d^2][em_partials]
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
    for (base_ = 0; base_ < w_.points; base_ += em_block) {
      const std::size_t left = std::min(w_.points - base_, em_block);
      for (std::size_t n = 0; n < left; n += hn::Lanes(d_))
        Share(n, hn::FirstN(d_, std::min(left - n, hn::Lanes(d_))));
      if (!w_.with_sums) continue;
      const std::size_t end = (left + em_partials - 1) / em_partials * em_partials;
      Clear(left, end);
      for (std::size_t k = 0; k < w_.components; ++k) Sums(k, end);
    }
  }

 private:
  using N = Number<tangent>;

  HWY_ATTR static NumberSpan At(const EmArray& a, std::size_t i) {
    return NumberSpan{a.v, a.s} + i;
  }
  HWY_ATTR N Of(const EmArray& a, std::size_t k) const { return SetNumber<tangent>(d_, At(a, k)); }

  /// Weights and log densities of one vector of points. What the loops read is copied first: stores
  /// through vectors could change the pointers, for all the compiler knows.
  template <class Mask>
  HWY_ATTR void Share(std::size_t n, Mask valid) {
    const EmArray mean = w_.mean, inverse = w_.inverse, offset = w_.offset, shares = w_.shares;
    const std::size_t components = w_.components;
    const N x = LoadNumber<tangent>(d_, At(w_.x, base_ + n));
    Lanes top = hn::Set(d_, -std::numeric_limits<double>::max());
    for (std::size_t k = 0; k < components; ++k) {
      const N q = (x - Of(mean, k)) * Of(inverse, k);
      const N term = Of(offset, k) - Scaled(q * q, hn::Set(d_, 0.5));
      top = hn::Max(top, term.v);
      StoreNumber(d_, term, At(shares, k * em_block + n));
    }
    N total = Constant<tangent>(d_, hn::Zero(d_));
    for (std::size_t k = 0; k < components; ++k) {
      const NumberSpan at = At(shares, k * em_block + n);
      const N weight = Exp<tangent, false>(d_, Lowered(LoadNumber<tangent>(d_, at), top));
      total = total + weight;
      StoreNumber(d_, weight, at);
    }
    N log_p = Log(d_, total);
    log_p.v = hn::Sub(hn::Add(log_p.v, top), hn::Set(d_, log_root_two_pi));
    StoreNumber(d_, Kept(valid, log_p), At(w_.log_p, base_ + n));
    const N scale = Kept(valid, Constant<tangent>(d_, hn::Set(d_, 1.0)) / total);
    StoreNumber(d_, scale, At(w_.scale, n));
  }

  /// Narrow vectors may end before the eighth partial sum: what lies between counts nothing.
  HWY_ATTR void Clear(std::size_t from, std::size_t end) {
    const std::size_t width = hn::Lanes(d_);
    const N zero = Constant<tangent>(d_, hn::Zero(d_));
    for (std::size_t n = (from + width - 1) / width * width; n < end; n += width) {
      StoreNumber(d_, zero, At(w_.scale, n));
      for (std::size_t k = 0; k < w_.components; ++k)
        StoreNumber(d_, zero, At(w_.shares, k * em_block + n));
    }
  }

  HWY_ATTR void Sums(std::size_t k, std::size_t end) {
    const N mean = Of(w_.mean, k);
    for (std::size_t lane = 0; lane < em_partials; lane += hn::Lanes(d_)) {
      const NumberSpan into = At(w_.partial, 3 * k * em_partials + lane);
      N r = LoadNumber<tangent>(d_, into), r_d = LoadNumber<tangent>(d_, into + em_partials);
      N r_d2 = LoadNumber<tangent>(d_, into + 2 * em_partials);
      for (std::size_t n = lane; n < end; n += em_partials) {
        const N share = LoadNumber<tangent>(d_, At(w_.shares, k * em_block + n)) *
                        LoadNumber<tangent>(d_, At(w_.scale, n));
        const N d = LoadNumber<tangent>(d_, At(w_.x, base_ + n)) - mean;
        const N product = share * d;
        r = r + share;
        r_d = r_d + product;
        r_d2 = r_d2 + product * d;
      }
      StoreNumber(d_, r, into);
      StoreNumber(d_, r_d, into + em_partials);
      StoreNumber(d_, r_d2, into + 2 * em_partials);
    }
  }

  const EmWork& w_;
  std::size_t base_ = 0;
  LanesTag d_;
};

void RunEmPass(const EmWork& work) {
  if (work.x.s)
    EmKernel<true>(work).Run();
  else
    EmKernel<false>(work).Run();
}

double SumLogP(const double* x, std::size_t n) { return LanesSum(LanesTag(), x, n); }

}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whence {

HWY_EXPORT(RunEmPass);
HWY_EXPORT(SumLogP);

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
    scratch.log_p.assign(room, 0.0);
    scratch.x_slope.assign(tangent ? room : 0, 0.0);
    scratch.log_p_slope.assign(tangent ? room : 0, 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      scratch.x[i] = value_of(x[i]);
      if constexpr (tangent) scratch.x_slope[i] = slope_of(x[i]);
    }
    const std::size_t numbers = components * (3 + em_block + 3 * em_partials) + em_block;
    scratch.memory.resize((tangent ? 2 : 1) * numbers);
  }

  /// Log-likelihood under the mixture; with `sums`, what the update needs.
  T run(const GaussianMixture<T>& mixture, EmSums<T>* sums) {
    used_ = 0;
    EmWork work{components_,
                points_,
                take(components_),
                take(components_),
                take(components_),
                {scratch_.x.data(), tangent ? scratch_.x_slope.data() : nullptr},
                {scratch_.log_p.data(), tangent ? scratch_.log_p_slope.data() : nullptr},
                take(components_ * em_block),
                take(em_block),
                take(components_ * 3 * em_partials),
                sums != nullptr};
    prepare(mixture, work);
    HWY_DYNAMIC_DISPATCH(RunEmPass)(work);
    if (sums) collect(work, *sums);
    const auto sum = HWY_DYNAMIC_DISPATCH(SumLogP);
    T log_lik{};
    assign(log_lik, sum(work.log_p.v, padded(points_, em_partials)),
           tangent ? sum(work.log_p.s, padded(points_, em_partials)) : 0.0);
    return log_lik;
  }

 private:
  EmArray take(std::size_t n) {
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
    for (std::size_t k = 0; k < components_; ++k) {
      const T log_sigma = bounded_log_sigma(parts.log_sigmas[k]);
      put(work.offset, k, parts.logits[k] - normaliser - log_sigma);
      put(work.mean, k, parts.means[k]);
      put(work.inverse, k, exp(-log_sigma));
    }
    std::fill_n(work.partial.v, (tangent ? 2 : 1) * components_ * 3 * em_partials, 0.0);
  }

  void collect(const EmWork& work, EmSums<T>& sums) const {
    std::vector<T>* into[] = {&sums.r, &sums.r_d, &sums.r_d2};
    for (std::size_t i = 0; i < 3; ++i) {
      into[i]->resize(components_);
      for (std::size_t k = 0; k < components_; ++k) {
        const std::size_t at = (3 * k + i) * em_partials;
        assign((*into[i])[k], reduced(work.partial.v + at),
               tangent ? reduced(work.partial.s + at) : 0.0);
      }
    }
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
