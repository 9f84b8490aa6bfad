// The density that mixture density networks and Gaussian mixtures share: a mixture of K Gaussians
// given by softmax logits, means and log standard deviations, with its derivatives.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace whence {

/// log sigma is used as if it lay within +-12: outside it feels no gradient, and no component can
/// collapse onto a point or flatten out without end.
inline constexpr double log_sigma_limit = 12;
inline constexpr double log_root_two_pi = 0.91893853320467274178;

template <class T>
bool beyond_limit(const T& log_sigma) {
  return log_sigma > T(log_sigma_limit) || log_sigma < T(-log_sigma_limit);
}

template <class T>
T bounded_log_sigma(const T& log_sigma) {
  if (log_sigma > T(log_sigma_limit)) return T(log_sigma_limit);
  if (log_sigma < T(-log_sigma_limit)) return T(-log_sigma_limit);
  return log_sigma;
}

template <class T>
T log_sum_exp_of(std::span<const T> x) {
  using std::exp;
  using std::log;
  T top = x[0];
  for (const T& v : x)
    if (v > top) top = v;
  T sum(0);
  for (const T& v : x) sum += exp(v - top);
  return top + log(sum);
}

/// K numbers each: logits, means, log standard deviations.
template <class T>
struct MixtureParts {
  std::span<const T> logits, means, log_sigmas;
};

/// log p(y). With `terms`, also log(pi_k N_k(y)) of each component.
template <class T>
T mixture_log_prob(const MixtureParts<T>& parts, const T& y, std::span<T> terms) {
  using std::exp;
  const T normaliser = log_sum_exp_of(parts.logits);
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const T s = bounded_log_sigma(parts.log_sigmas[k]);
    const T q = (y - parts.means[k]) * exp(-s);
    terms[k] = parts.logits[k] - normaliser - s - T(0.5) * q * q - T(log_root_two_pi);
  }
  return log_sum_exp_of(std::span<const T>(terms));
}

/// Adds weight * d log p / d (logits, means, log sigmas) to `gradient`, 3 K numbers in that order.
/// `terms` and `log_p` come from mixture_log_prob.
template <class T>
void add_mixture_gradient(const MixtureParts<T>& parts, const T& y, std::span<const T> terms,
                          const T& log_p, const T& weight, std::span<T> gradient) {
  using std::exp;
  const std::size_t k_count = terms.size();
  const T normaliser = log_sum_exp_of(parts.logits);
  for (std::size_t k = 0; k < k_count; ++k) {
    const T share = exp(terms[k] - log_p);  // responsibility
    const T inverse = exp(-bounded_log_sigma(parts.log_sigmas[k]));
    const T q = (y - parts.means[k]) * inverse;
    gradient[k] += weight * (share - exp(parts.logits[k] - normaliser));
    gradient[k_count + k] += weight * share * q * inverse;
    if (!beyond_limit(parts.log_sigmas[k]))
      gradient[2 * k_count + k] += weight * share * (q * q - T(1));
  }
}

}  // namespace whence
