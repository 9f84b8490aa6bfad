#include "whence/adapt/regression_pools.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "whence/adapt/regression_pools.cpp"
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

}  // namespace whence
#endif

HWY_BEFORE_NAMESPACE();
namespace whence::HWY_NAMESPACE {
namespace {

/// Takes the pool apart into pivots, lane by lane: their product is |X'X + prior|, what is left in
/// the last place is the residual sum of squares.
HWY_ATTR void Evidences(const PoolQuery& q) {
  const LanesTag d;
  const std::size_t order = q.grams.order, last = order - 1;
  Lanes a[packed(largest_order, 0)];
  for (std::size_t e = 0; e < q.grams.stride; e += hn::Lanes(d)) {
    const Lanes sign = hn::LoadU(d, q.sign + e);
    for (std::size_t k = 0; k < packed(order, 0); ++k)
      a[k] = hn::Add(hn::Set(d, q.base[k]), hn::Mul(sign, hn::LoadU(d, q.grams.entries[k] + e)));
    Lanes product = hn::Set(d, 1.0);
    for (std::size_t j = 0; j < last; ++j) {
      const Lanes pivot = a[packed(j, j)];
      product = hn::Mul(product, pivot);
      const Lanes inverse = hn::Div(hn::Set(d, 1.0), pivot);
      for (std::size_t r = j + 1; r < order; ++r) {
        const Lanes factor = hn::Mul(a[packed(r, j)], inverse);
        for (std::size_t c = j + 1; c <= r; ++c)
          a[packed(r, c)] = hn::Sub(a[packed(r, c)], hn::Mul(factor, a[packed(c, j)]));
      }
    }
    const Lanes residual = hn::Max(a[packed(last, last)], hn::Zero(d));
    const Lanes rate = hn::Add(hn::Set(d, q.rate), hn::Mul(hn::Set(d, 0.5), residual));
    const Lanes half_log = hn::Mul(hn::Set(d, 0.5), LanesLog(d, product));
    const Lanes weighed = hn::Mul(hn::LoadU(d, q.exponent + e), LanesLog(d, rate));
    hn::StoreU(hn::Sub(hn::Sub(hn::LoadU(d, q.constant + e), half_log), weighed), d,
               q.evidence + e);
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

}  // namespace

void pool_evidences(const FamilyGrams& grams, const RegressionPrior& prior,
                    std::span<const double> base, double base_count, std::span<const double> sign,
                    std::span<double> evidence) {
  thread_local std::vector<double> constant, exponent;
  constant.resize(grams.stride);
  exponent.resize(grams.stride);
  const double slopes = double(grams.order - 2);
  const double shared = 0.5 * (portable_log(prior.intercept) + slopes * portable_log(prior.slope)) +
                        prior.shape * portable_log(prior.rate) - log_gamma_of_half(2 * prior.shape);
  for (std::size_t e = 0; e < grams.stride; ++e) {
    const double n = base_count + sign[e] * grams.counts[e];
    exponent[e] = prior.shape + n / 2;
    constant[e] = shared - n * half_log_two_pi + log_gamma_of_half(2 * prior.shape + n);
  }
  const Triangle start = with_prior(grams.order, prior, base);
  HWY_DYNAMIC_DISPATCH(Evidences)
  ({grams, start.data(), sign.data(), constant.data(), exponent.data(), prior.rate,
    evidence.data()});
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
  constexpr std::array<double, environment_multiple> nobody{};
  std::array<double, environment_multiple> answers;
  pool_evidences(one_group, prior_, gram(), count_, nobody, answers);
  return answers[0] + offset_;
}

}  // namespace whence
#endif
