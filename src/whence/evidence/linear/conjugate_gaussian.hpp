// Conjugate scores of Gaussian vectors: normal-inverse-Wishart marginal likelihoods (BGe).
//
// A conditional is the ratio of two marginals under one joint prior, so that both factorisations of
// a joint get the same number: without a shift no direction is preferred.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace whence {

/// Sufficient statistics of n rows of d numbers.
struct Moments {
  std::size_t dimension = 0;
  double n = 0;
  std::vector<double> sum;      // [d]
  std::vector<double> squares;  // [d][d], sums of products

  explicit Moments(std::size_t d = 0) : dimension(d), sum(d, 0.0), squares(d * d, 0.0) {}
  void add_row(std::span<const double> row);
  Moments& operator+=(const Moments& other);
};

/// mean | S ~ N(0, S / mean_weight), S ~ inverse-Wishart(dimension + extra_degrees, scale *
/// identity).
struct GaussianPrior {
  double mean_weight = 0.1;
  double extra_degrees = 2;
  double scale = 0.1;
};

/// log P(rows of coordinates [begin, end)) under the prior of the whole vector.
double log_marginal_likelihood(const Moments& rows, std::size_t begin, std::size_t end,
                               const GaussianPrior& prior);

/// The slope of coordinates [begin, end), a prefix or a suffix, on the others within environments:
/// least squares over all of them, each about its own means. [of the suffix][of the others]
std::vector<double> within_slope(std::span<const Moments> environments, std::size_t begin,
                                 std::size_t end);

/// Moments of what that slope leaves of coordinates [begin, end).
Moments residual_moments(const Moments& rows, std::span<const double> slope, std::size_t begin,
                         std::size_t end);

/// log P(rows of [begin, end) | the other coordinates): of the whole minus that of the others.
/// Precondition: [begin, end) is a prefix or a suffix.
double log_conditional_likelihood(const Moments& rows, std::size_t begin, std::size_t end,
                                  const GaussianPrior& prior);

}  // namespace whence
