// Arithmetic on logarithms of probabilities: nothing here exponentiates a log-likelihood alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "whence/math/elementary.hpp"

namespace whence {

/// log(sum of exp), in index order; -infinity for no terms.
inline double log_sum_exp(std::span<const double> x) {
  double top = -std::numeric_limits<double>::infinity();
  for (double v : x) top = std::max(top, v);
  if (!std::isfinite(top)) return top;
  double sum = 0;
  for (double v : x) sum += portable_exp(v - top);
  return top + portable_log(sum);
}

/// log(e^a + e^b).
inline double log_add_exp(double a, double b) {
  const double top = std::max(a, b);
  if (!std::isfinite(top)) return top;
  return top + std::log1p(std::exp(-std::abs(a - b)));
}

/// log of the mean of exp.
inline double log_mean_exp(std::span<const double> x) {
  return log_sum_exp(x) - portable_log(double(x.size()));
}

inline double sigmoid(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1 + e);
}

/// log sigmoid(x), without overflow on either side.
inline double log_sigmoid(double x) {
  return x >= 0 ? -std::log1p(std::exp(-x)) : x - std::log1p(std::exp(x));
}

inline double logit(double p) { return std::log(p) - std::log1p(-p); }

/// sigmoid(g) - sigmoid(g + d), the gradient of Proposition 2, without cancellation: equal to
/// -sinh(d/2) / (2 cosh(g/2) cosh((g+d)/2)) with every exponential kept at or below 1.
double sigmoid_difference(double g, double d);

}  // namespace whence
