// Tests of samplers: p-values of chi-square, Kolmogorov-Smirnov, Poisson and normal statistics.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace whence::support {

/// A statistical test rejects below this p-value; the streams are fixed, so a failure is a change.
inline constexpr double alpha = 1e-9;

/// The regularised incomplete gamma functions P(a, x) and Q(a, x) = 1 - P(a, x).
long double gamma_p(long double a, long double x);
long double gamma_q(long double a, long double x);

/// P(chi-square with `degrees` degrees of freedom >= statistic).
double chi_square_p_value(double statistic, std::size_t degrees);

/// Pearson's test of counts against probabilities; cells that expect fewer than 20 are pooled.
double counts_p_value(std::span<const std::size_t> counts, std::span<const double> probabilities);

/// Kolmogorov-Smirnov: do the samples follow the distribution function? Sorts the samples.
double ks_p_value(std::vector<double> samples, const std::function<double(double)>& cdf);

/// Two-sided: is `count` a Poisson number of that mean?
double poisson_p_value(std::size_t count, double mean);

/// Two-sided: is z standard normal?
double z_p_value(double z);

/// z of the correlation of two samples that should be independent and uniform on (0, 1).
double correlation_z(std::span<const double> u, std::span<const double> v);

}  // namespace whence::support
