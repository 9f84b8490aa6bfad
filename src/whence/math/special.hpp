// Special functions of conjugate scores.
#pragma once

#include <cmath>
#include <cstddef>
#include <iterator>

#include "whence/math/elementary.hpp"

namespace whence {

namespace stirling {
inline constexpr double enough = 10;  // smaller arguments are lifted to here
inline constexpr double half_log_two_pi = 0.91893853320467274178;
// |B_2k| / (2k (2k - 1)), k = 6 ... 1: the series in 1/x^2, whose signs alternate.
inline constexpr double series[] = {691.0 / 360360, 1.0 / 1188, 1.0 / 1680,
                                    1.0 / 1260,     1.0 / 360,  1.0 / 12};
}  // namespace stirling

/// log Gamma(x) for x > 0: Stirling's series after lifting x above 10; relative error below 1e-15.
/// special_lanes.cpp repeats it for vectors; a test holds the two together.
inline double log_gamma(double x) {
  double product = 1;
  while (x < stirling::enough) {
    product *= x;
    x += 1;
  }
  const double inverse = 1 / x, square = inverse * inverse;
  double series = stirling::series[0];
  for (std::size_t i = 1; i < std::size(stirling::series); ++i)
    series = stirling::series[i] - square * series;
  return (x - 0.5) * portable_log(x) - x + stirling::half_log_two_pi + inverse * series -
         portable_log(product);
}

/// log of the rising factorial a (a + 1) ... (a + n - 1) = log Gamma(a + n) - log Gamma(a), for a
/// count n >= 0. Short ones are multiplied out: one logarithm, and no cancellation.
inline double log_rising(double a, double n) {
  if (n == 0) return 0;
  if (n <= 16 && n == std::floor(n) && a < 1e15) {
    double product = a;
    for (double i = 1; i < n; i += 1) product *= a + i;
    if (product > 1e-290 && product < 1e290) return portable_log(product);
  }
  return log_gamma(a + n) - log_gamma(a);
}

/// log of the multivariate Gamma function of dimension d.
inline double log_gamma_multivariate(double x, int d) {
  double sum = 0.25 * d * (d - 1) * 1.1447298858494001741;  // log pi
  for (int i = 0; i < d; ++i) sum += log_gamma(x - 0.5 * i);
  return sum;
}

}  // namespace whence
