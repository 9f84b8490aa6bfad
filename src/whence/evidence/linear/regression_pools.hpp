// The evidence of a linear Gaussian regression over pools of environments, for many pools at once.
//
// A family's data are Gram matrices of z = (1, parents, child), one per environment. A pool is a
// sum of them; its evidence is one factorisation of order parents + 2. Lanes run over environments,
// so that one pass answers "what if this one joined, or left?" for all of them.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace whence {

/// sigma^2 ~ inverse-Gamma(shape, rate); the intercept and the slopes given sigma^2 are normal
/// about 0 with precision intercept / sigma^2 and slope / sigma^2.
struct RegressionPrior {
  double intercept = 0.1, slope = 0.1, shape = 1.5, rate = 0.05;
};

/// Numbers per environment are padded to this many, one spare lane at the end at least.
inline constexpr std::size_t environment_multiple = 8;
constexpr std::size_t padded_environments(std::size_t environments) {
  return (environments / environment_multiple + 1) * environment_multiple;
}

/// Entry (row, column), column <= row, of a symmetric matrix kept as its lower triangle.
constexpr std::size_t packed(std::size_t row, std::size_t column) {
  return row * (row + 1) / 2 + column;
}

inline constexpr std::size_t most_parents = 32;  // of a linear family
inline constexpr std::size_t largest_order = most_parents + 2;

/// Gram matrices of one family: entries[packed(r, c)] points at one number per environment, zeros
/// in the padding.
struct FamilyGrams {
  std::size_t order = 0;  // parents + 2
  std::size_t stride = 0;
  std::span<const double* const> entries;
  std::span<const double> counts;  // rows per environment
};

/// evidence[e] = log P(child | parents) of the pool `base` + sign[e] * environment e. In the spare
/// lanes this is the evidence of `base` itself.
void pool_evidences(const FamilyGrams& grams, const RegressionPrior& prior,
                    std::span<const double> base, double base_count, std::span<const double> sign,
                    std::span<double> evidence);

/// A variable that may become a parent of a family: its products with the family's columns (the
/// constant first, the child last) and, behind these, with itself.
struct CandidateGrams {
  std::span<const double* const> entries;  // [order + 1], one number per environment each
  std::span<const double> base;            // [order + 1], of the pool
  double rate;                             // of the prior, in place of the common one
};

/// The same as pool_evidences for the family with each candidate among its parents, at a fraction
/// of the cost: evidence[candidate][stride]. `prior` is that of the larger family, its rate unused.
void candidate_evidences(const FamilyGrams& grams, const RegressionPrior& prior,
                         std::span<const CandidateGrams> candidates, std::span<const double> base,
                         double base_count, std::span<const double> sign,
                         std::span<double> evidence);

/// What one environment may be to a mechanism, as LookQuery takes it; one number per environment.
struct LookTerms {
  std::vector<double> log_pooled;  // weight of being pooled
  std::vector<double> log_hard;    // weight of being cut off, with its evidence
  std::vector<double> log_soft;    // weight of a mechanism of its own
  std::vector<double> inside;      // 1: in the pool now, else -1
  std::vector<double> free;        // 1: may join or leave
  std::vector<double> apart;       // 1: on its own for certain
};

/// The mass around one pool, each environment joining or leaving by itself: terms[stride] sum up to
/// it. `toggled` are evidences as pool_evidences gives them, the pool's own in lane `own`; `soft`
/// those of each environment alone.
void look_terms(const LookTerms& look, std::span<const double> toggled, std::size_t own,
                std::span<const double> soft, std::span<double> terms);

/// E[sigma^2] of one pool, roughly: its residual sum of squares with the prior's, over its degrees
/// of freedom.
double residual_variance(std::size_t order, const RegressionPrior& prior,
                         std::span<const double> base, double count);

/// A pool of environments among one family's, as PoolSum takes it.
class RegressionPool {
 public:
  /// `offsets`: what each environment of a pool adds to the evidence by itself; empty: nothing.
  RegressionPool(const FamilyGrams& grams, std::size_t environments, const RegressionPrior& prior,
                 std::span<const double> offsets = {});

  bool holds(std::size_t e) const { return inside_[e]; }
  const std::vector<bool>& inside() const { return inside_; }
  void toggle(std::size_t e);
  /// Exactly these, summed up afresh.
  void fill(const std::vector<bool>& inside);

  double evidence(std::span<double> toggled);
  double evidence() const;

  std::span<const double> gram() const { return {base_.data(), packed(grams_.order, 0)}; }
  double count() const { return count_; }
  double noise_variance() const { return residual_variance(grams_.order, prior_, gram(), count_); }

 private:
  const FamilyGrams& grams_;
  RegressionPrior prior_;
  std::span<const double> offsets_;
  std::array<double, packed(largest_order, 0)> base_;
  double count_ = 0, offset_ = 0;
  std::vector<bool> inside_;
  std::vector<double> sign_, evidence_;
};

}  // namespace whence
