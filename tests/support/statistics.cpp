#include "support/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace whence::support {

namespace {

/// x^a e^-x / Gamma(a).
long double gamma_density_times_x(long double a, long double x) {
  return std::exp(a * std::log(x) - x - std::lgamma(a));
}

long double gamma_p_series(long double a, long double x) {
  long double term = 1 / a, sum = term;
  for (int n = 1; n < 10000 && term > sum * 1e-20L; ++n) sum += term *= x / (a + n);
  return sum * gamma_density_times_x(a, x);
}

/// Lentz's evaluation of the continued fraction of Q.
long double gamma_q_fraction(long double a, long double x) {
  long double b = x + 1 - a, c = 1e300L, d = 1 / b, h = d;
  for (int i = 1; i < 10000; ++i) {
    const long double an = -i * (i - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    const long double factor = c * d;
    h *= factor;
    if (std::abs(factor - 1) < 1e-19L) break;
  }
  return h * gamma_density_times_x(a, x);
}

}  // namespace

long double gamma_p(long double a, long double x) {
  if (x <= 0) return 0;
  return x < a + 1 ? gamma_p_series(a, x) : 1 - gamma_q_fraction(a, x);
}

long double gamma_q(long double a, long double x) {
  if (x <= 0) return 1;
  return x < a + 1 ? 1 - gamma_p_series(a, x) : gamma_q_fraction(a, x);
}

double chi_square_p_value(double statistic, std::size_t degrees) {
  return double(gamma_q((long double)(degrees) / 2, (long double)(statistic) / 2));
}

double counts_p_value(std::span<const std::size_t> counts, std::span<const double> probabilities) {
  double n = 0;
  for (std::size_t c : counts) n += double(c);
  double statistic = 0, pooled = 0, pooled_expected = 0;
  std::size_t cells = 0;
  const auto add = [&](double observed, double expected) {
    statistic += (observed - expected) * (observed - expected) / expected;
    ++cells;
  };
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = n * probabilities[i];
    if (expected >= 20) {
      add(double(counts[i]), expected);
    } else {
      pooled += double(counts[i]);
      pooled_expected += expected;
    }
  }
  if (pooled_expected >= 20)
    add(pooled, pooled_expected);
  else if (poisson_p_value(std::size_t(pooled), pooled_expected) < alpha)
    return 0;  // too few to pool, and still too many of them
  return cells < 2 ? 1 : chi_square_p_value(statistic, cells - 1);
}

double ks_p_value(std::vector<double> samples, const std::function<double(double)>& cdf) {
  std::sort(samples.begin(), samples.end());
  const double n = double(samples.size());
  double distance = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double f = cdf(samples[i]);
    if (std::isnan(f)) return 0;
    distance = std::max({distance, f - double(i) / n, double(i + 1) / n - f});
  }
  // Kolmogorov's series, with Stephens' correction for finite n.
  const double lambda = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * distance;
  if (lambda < 0.3) return 1;
  double p = 0;
  for (int k = 1; k < 100; ++k) p += (k % 2 ? 2 : -2) * std::exp(-2.0 * k * k * lambda * lambda);
  return std::clamp(p, 0.0, 1.0);
}

double poisson_p_value(std::size_t count, double mean) {
  if (mean <= 0) return count == 0 ? 1 : 0;
  const long double at_most = gamma_q((long double)(count) + 1, mean);
  const long double at_least = count == 0 ? 1 : gamma_p((long double)(count), mean);
  return std::min(1.0, 2 * double(std::min(at_most, at_least)));
}

double z_p_value(double z) { return std::erfc(std::abs(z) / std::sqrt(2.0)); }

double correlation_z(std::span<const double> u, std::span<const double> v) {
  double sum = 0;
  for (std::size_t i = 0; i < u.size(); ++i) sum += (u[i] - 0.5) * (v[i] - 0.5);
  return 12 * sum / std::sqrt(double(u.size()));
}

}  // namespace whence::support
