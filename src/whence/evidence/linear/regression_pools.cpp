#include "whence/evidence/linear/regression_pools.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "whence/evidence/linear/regression_pools.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "whence/math/lanes-inl.hpp"

#ifndef WHENCE_REGRESSION_POOLS_ONCE
#define WHENCE_REGRESSION_POOLS_ONCE
namespace whence {

/// What all lanes of one query share.
struct PoolQuery {
  const FamilyGrams& grams;
  const double* base;      // with the prior's precisions on the diagonal
  const double* sign;      // per environment
  const double* constant;  // per environment: all terms that do not need the factorisation
  const double* exponent;  // per environment: shape + count / 2
  double rate;
  double* evidence;
};

/// The same for candidates.
struct CandidateQuery {
  const PoolQuery& family;  // its evidence is not asked for
  std::span<const CandidateGrams> candidates;
  double slope;
  double* evidence;
};

struct LookQuery {
  const LookTerms& look;
  const double *toggled, *soft;
  double own;  // evidence of the pool
  std::size_t stride;
  double* terms;
};

}  // namespace whence
#endif

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {
namespace {

/// One pool per lane, taken apart into pivots: their product is |X'X + prior|, what is left in the
/// last place is the residual sum of squares. Below the diagonal stay the columns as they were when
/// their turn came.
struct TakenApart {
  Lanes a[packed(largest_order, 0)], inverse[largest_order];
  Lanes logs, product;  // of the first pivots the log, of the rest themselves: both stay finite
};
constexpr std::size_t pivots_at_once = 16;

HWY_ATTR HWY_INLINE void TakeApart(const PoolQuery& q, std::size_t e, TakenApart& t) {
  const LanesTag d;
  const std::size_t order = q.grams.order, last = order - 1;
  const Lanes sign = hn::LoadU(d, q.sign + e);
  for (std::size_t k = 0; k < packed(order, 0); ++k)
    t.a[k] = hn::Add(hn::Set(d, q.base[k]), hn::Mul(sign, hn::LoadU(d, q.grams.entries[k] + e)));
  t.product = hn::Set(d, 1.0);
  t.logs = hn::Zero(d);
  for (std::size_t j = 0; j < last; ++j) {
    const Lanes pivot = t.a[packed(j, j)];
    t.product = hn::Mul(t.product, pivot);
    if (j % pivots_at_once == pivots_at_once - 1) {
      t.logs = hn::Add(t.logs, LanesLog(d, t.product));
      t.product = hn::Set(d, 1.0);
    }
    t.inverse[j] = hn::Div(hn::Set(d, 1.0), pivot);
    for (std::size_t r = j + 1; r < order; ++r) {
      const Lanes factor = hn::Mul(t.a[packed(r, j)], t.inverse[j]);
      for (std::size_t c = j + 1; c <= r; ++c)
        t.a[packed(r, c)] = hn::Sub(t.a[packed(r, c)], hn::Mul(factor, t.a[packed(c, j)]));
    }
  }
}

/// From the pivots and the residual sum of squares.
HWY_ATTR HWY_INLINE Lanes EvidenceOf(const PoolQuery& q, std::size_t e, Lanes logs, Lanes product,
                                     Lanes residual, double prior_rate) {
  const LanesTag d;
  const Lanes half = hn::Set(d, 0.5);
  const Lanes rate = hn::Add(hn::Set(d, prior_rate), hn::Mul(half, hn::Max(residual, hn::Zero(d))));
  const Lanes half_log = hn::Mul(half, hn::Add(logs, LanesLog(d, product)));
  const Lanes weighed = hn::Mul(hn::LoadU(d, q.exponent + e), LanesLog(d, rate));
  return hn::Sub(hn::Sub(hn::LoadU(d, q.constant + e), half_log), weighed);
}

HWY_ATTR void Evidences(const PoolQuery& q) {
  const LanesTag d;
  const std::size_t last = q.grams.order - 1;
  TakenApart t;
  for (std::size_t e = 0; e < q.grams.stride; e += hn::Lanes(d)) {
    TakeApart(q, e, t);
    hn::StoreU(EvidenceOf(q, e, t.logs, t.product, t.a[packed(last, last)], q.rate), d,
               q.evidence + e);
  }
}

/// The family is taken apart once; each candidate then follows as one more column before the child.
HWY_ATTR void Candidates(const CandidateQuery& q) {
  const LanesTag d;
  const std::size_t last = q.family.grams.order - 1, stride = q.family.grams.stride;
  TakenApart t;
  Lanes w[largest_order + 1];
  for (std::size_t e = 0; e < stride; e += hn::Lanes(d)) {
    TakeApart(q.family, e, t);
    const Lanes sign = hn::LoadU(d, q.family.sign + e);
    for (std::size_t v = 0; v < q.candidates.size(); ++v) {
      const CandidateGrams& candidate = q.candidates[v];
      for (std::size_t k = 0; k <= last + 1; ++k)
        w[k] = hn::Add(hn::Set(d, candidate.base[k]),
                       hn::Mul(sign, hn::LoadU(d, candidate.entries[k] + e)));
      Lanes pivot = hn::Add(w[last + 1], hn::Set(d, q.slope));
      for (std::size_t j = 0; j < last; ++j) {
        const Lanes factor = hn::Mul(w[j], t.inverse[j]);
        for (std::size_t r = j + 1; r <= last; ++r)
          w[r] = hn::Sub(w[r], hn::Mul(factor, t.a[packed(r, j)]));
        pivot = hn::Sub(pivot, hn::Mul(factor, w[j]));
      }
      pivot = hn::Max(pivot, hn::Set(d, 1e-300));
      const Lanes explained = hn::Div(hn::Mul(w[last], w[last]), pivot);
      const Lanes residual = hn::Sub(t.a[packed(last, last)], explained);
      hn::StoreU(
          EvidenceOf(q.family, e, t.logs, hn::Mul(t.product, pivot), residual, candidate.rate), d,
          q.evidence + v * stride + e);
    }
  }
}

/// log(e^a + e^b), neither infinite.
HWY_ATTR HWY_INLINE Lanes LogAdd(LanesTag d, Lanes a, Lanes b) {
  const Lanes distance = hn::Abs(hn::Sub(a, b));
  const Lanes rest = LanesExp<false>(d, hn::Neg(distance));
  return hn::Add(hn::Max(a, b), LanesLog(d, hn::Add(hn::Set(d, 1.0), rest)));
}

HWY_ATTR void Look(const LookQuery& q) {
  const LanesTag d;
  const auto load = [d](const std::vector<double>& x, std::size_t e)
                        HWY_ATTR { return hn::LoadU(d, x.data() + e); };
  const Lanes zero = hn::Zero(d);
  for (std::size_t e = 0; e < q.stride; e += hn::Lanes(d)) {
    const Lanes apart = LogAdd(d, load(q.look.log_hard, e),
                               hn::Add(load(q.look.log_soft, e), hn::LoadU(d, q.soft + e)));
    const Lanes inside = load(q.look.inside, e), pooled = load(q.look.log_pooled, e);
    const Lanes moved = hn::Sub(hn::LoadU(d, q.toggled + e), hn::Set(d, q.own));
    // Inside: stay pooled, or leave and be apart; outside: stay apart, or join and be pooled.
    const auto in = hn::Gt(inside, zero);
    const Lanes stay = hn::IfThenElse(in, pooled, apart);
    const Lanes move = hn::Add(hn::IfThenElse(in, apart, pooled), moved);
    const Lanes either = LogAdd(d, stay, move);
    const Lanes fixed = hn::IfThenElse(hn::Gt(load(q.look.apart, e), zero), apart, zero);
    const auto free = hn::Gt(load(q.look.free, e), zero);
    hn::StoreU(hn::IfThenElse(free, either, fixed), d, q.terms + e);
  }
}

}  // namespace
}  // namespace whence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "whence/math/special.hpp"

namespace whence {

namespace {

HWY_EXPORT(Evidences);
HWY_EXPORT(Candidates);
HWY_EXPORT(Look);

constexpr double half_log_two_pi = 0.91893853320467274178;

using Triangle = std::array<double, packed(largest_order, 0)>;

/// The pool with the prior's precisions on its diagonal.
Triangle with_prior(std::size_t order, const RegressionPrior& prior, std::span<const double> base) {
  Triangle result;
  std::copy(base.begin(), base.end(), result.begin());
  result[0] += prior.intercept;
  for (std::size_t j = 1; j + 1 < order; ++j) result[packed(j, j)] += prior.slope;
  return result;
}

/// log Gamma(k / 2) for k = 1, 2, ...: counts are whole numbers, and most of them small.
double log_gamma_of_half(double k) {
  static const std::vector<double> table = [] {
    std::vector<double> values(1 << 14);
    for (std::size_t i = 1; i < values.size(); ++i) values[i] = log_gamma(double(i) / 2);
    return values;
  }();
  const bool listed = k > 0 && k < double(table.size()) && k == std::floor(k);
  return listed ? table[std::size_t(k)] : log_gamma(k / 2);
}

/// What does not need a factorisation, per environment. One set per thread: no allocation per call.
struct CountTerms {
  std::vector<double> constant, exponent;

  static const CountTerms& of(const FamilyGrams& grams, const RegressionPrior& prior,
                              std::size_t slopes, double base_count, std::span<const double> sign) {
    thread_local CountTerms terms;
    terms.constant.resize(grams.stride);
    terms.exponent.resize(grams.stride);
    const double shared =
        0.5 * (portable_log(prior.intercept) + double(slopes) * portable_log(prior.slope)) +
        prior.shape * portable_log(prior.rate) - log_gamma_of_half(2 * prior.shape);
    for (std::size_t e = 0; e < grams.stride; ++e) {
      const double n = base_count + sign[e] * grams.counts[e];
      terms.exponent[e] = prior.shape + n / 2;
      terms.constant[e] = shared - n * half_log_two_pi + log_gamma_of_half(2 * prior.shape + n);
    }
    return terms;
  }
};

}  // namespace

void pool_evidences(const FamilyGrams& grams, const RegressionPrior& prior,
                    std::span<const double> base, double base_count, std::span<const double> sign,
                    std::span<double> evidence) {
  const CountTerms& terms = CountTerms::of(grams, prior, grams.order - 2, base_count, sign);
  const Triangle start = with_prior(grams.order, prior, base);
  HWY_DYNAMIC_DISPATCH(Evidences)
  ({grams, start.data(), sign.data(), terms.constant.data(), terms.exponent.data(), prior.rate,
    evidence.data()});
}

void candidate_evidences(const FamilyGrams& grams, const RegressionPrior& prior,
                         std::span<const CandidateGrams> candidates, std::span<const double> base,
                         double base_count, std::span<const double> sign,
                         std::span<double> evidence) {
  RegressionPrior unit_rate = prior;  // each candidate has its own, below
  unit_rate.rate = 1;
  const CountTerms& terms = CountTerms::of(grams, unit_rate, grams.order - 1, base_count, sign);
  const Triangle start = with_prior(grams.order, prior, base);
  const PoolQuery family{
      grams, start.data(), sign.data(), terms.constant.data(), terms.exponent.data(), 1, nullptr};
  HWY_DYNAMIC_DISPATCH(Candidates)({family, candidates, prior.slope, evidence.data()});
  for (std::size_t v = 0; v < candidates.size(); ++v) {
    const double of_rate = prior.shape * portable_log(candidates[v].rate);
    for (std::size_t e = 0; e < grams.stride; ++e) evidence[v * grams.stride + e] += of_rate;
  }
}

void look_terms(const LookTerms& look, std::span<const double> toggled, std::size_t own,
                std::span<const double> soft, std::span<double> terms) {
  HWY_DYNAMIC_DISPATCH(Look)
  ({look, toggled.data(), soft.data(), toggled[own], terms.size(), terms.data()});
}

double residual_variance(std::size_t order, const RegressionPrior& prior,
                         std::span<const double> base, double count) {
  Triangle a = with_prior(order, prior, base);
  const std::size_t last = order - 1;
  for (std::size_t j = 0; j < last; ++j)
    for (std::size_t r = j + 1; r < order; ++r) {
      const double factor = a[packed(r, j)] / a[packed(j, j)];
      for (std::size_t c = j + 1; c <= r; ++c) a[packed(r, c)] -= factor * a[packed(c, j)];
    }
  const double residual = std::max(a[packed(last, last)], 0.0);
  return (prior.rate + residual / 2) / (prior.shape + count / 2);
}

RegressionPool::RegressionPool(const FamilyGrams& grams, std::size_t environments,
                               const RegressionPrior& prior, std::span<const double> offsets)
    : grams_(grams),
      prior_(prior),
      offsets_(offsets),
      inside_(environments, false),
      sign_(grams.stride, 0.0),
      evidence_(grams.stride) {
  std::fill_n(base_.begin(), packed(grams.order, 0), 0.0);
}

void RegressionPool::toggle(std::size_t e) {
  const double sign = inside_[e] ? -1 : 1;
  for (std::size_t k = 0; k < packed(grams_.order, 0); ++k) base_[k] += sign * grams_.entries[k][e];
  count_ += sign * grams_.counts[e];
  if (!offsets_.empty()) offset_ += sign * offsets_[e];
  inside_[e] = !inside_[e];
}

void RegressionPool::fill(const std::vector<bool>& inside) {
  inside_ = inside;
  std::fill(sign_.begin(), sign_.end(), 0.0);
  for (std::size_t e = 0; e < inside.size(); ++e) sign_[e] = inside[e] ? 1 : 0;
  const auto sum_inside = [&](const double* numbers) {
    double partial[environment_multiple] = {}, sum = 0;
    for (std::size_t e = 0; e < grams_.stride; e += environment_multiple)
      for (std::size_t k = 0; k < environment_multiple; ++k)
        partial[k] += sign_[e + k] * numbers[e + k];
    for (double part : partial) sum += part;
    return sum;
  };
  for (std::size_t k = 0; k < packed(grams_.order, 0); ++k)
    base_[k] = sum_inside(grams_.entries[k]);
  count_ = sum_inside(grams_.counts.data());
  offset_ = offsets_.empty() ? 0 : sum_inside(offsets_.data());
}

double RegressionPool::evidence(std::span<double> toggled) {
  const std::size_t environments = inside_.size();
  std::fill(sign_.begin(), sign_.end(), 0.0);
  for (std::size_t e = 0; e < environments; ++e) sign_[e] = inside_[e] ? -1 : 1;
  pool_evidences(grams_, prior_, gram(), count_, sign_, evidence_);
  for (std::size_t e = 0; e < toggled.size(); ++e)
    toggled[e] = offsets_.empty() ? evidence_[e] : evidence_[e] + offset_ + sign_[e] * offsets_[e];
  return evidence_[environments] + offset_;
}

double RegressionPool::evidence() const {
  FamilyGrams one_group = grams_;  // of lanes that all answer for the pool as it is
  one_group.stride = environment_multiple;
  constexpr std::array<double, environment_multiple> left_out{};
  std::array<double, environment_multiple> answers;
  pool_evidences(one_group, prior_, gram(), count_, left_out, answers);
  return answers[0] + offset_;
}

}  // namespace whence
#endif
