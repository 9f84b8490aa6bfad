// The evidence of a linear Gaussian regression over pools of environments, for many pools at once.
//
// A family's data are Gram matrices of z = (1, parents, child), one per environment. A pool is a
// sum of them; its evidence is one factorisation of order parents + 2. Lanes run over environments,
// so that one pass answers "what if this one joined, or left?" for all of them.
#pragma once

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

inline constexpr std::size_t most_parents = 24;  // of a linear family
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

/// E[sigma^2] of one pool, roughly: its residual sum of squares with the prior's, over its degrees
/// of freedom.
double residual_variance(std::size_t order, const RegressionPrior& prior,
                         std::span<const double> base, double count);

}  // namespace whence
