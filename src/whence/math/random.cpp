#include "whence/math/random.hpp"

#include <vector>

#include "whence/math/logspace.hpp"
#include "whence/math/normal_quantile.hpp"
#include "whence/math/random_lanes.hpp"

namespace whence {

namespace {

double ratio(double r, std::span<const double> numerator, std::span<const double> denominator) {
  double n = 0, d = 0;
  for (std::size_t i = numerator.size(); i-- > 0;) n = n * r + numerator[i];
  for (std::size_t i = denominator.size(); i-- > 0;) d = d * r + denominator[i];
  return n / d;
}

}  // namespace

double normal_quantile(double p) {
  using namespace wichura;
  const double q = p - 0.5;
  if (std::abs(q) <= half_centre)
    return q * ratio(centre_origin - q * q, centre_above, centre_below);
  const double r = std::sqrt(-portable_log(q < 0 ? p : 1 - p));
  const double tail = r <= tail_begin ? ratio(r - near_origin, near_above, near_below)
                                      : ratio(r - far_origin, far_above, far_below);
  return q < 0 ? -tail : tail;
}

double sample_log_gamma(Stream& stream, double shape) {
  if (shape == 1) return portable_log(-portable_log(stream.uniform()));
  if (shape < 1) {  // G(a) = G(a + 1) U^(1/a)
    const double boost = portable_log(stream.uniform()) / shape;
    return sample_log_gamma(stream, shape + 1) + boost;
  }
  // Marsaglia and Tsang (2000): accepts more than 95 % of its proposals.
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = sample_normal(stream);
    const double u = stream.uniform();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double log_v = 3 * portable_log(root);
    const double v = root * root * root;
    if (portable_log(u) < 0.5 * x * x + d - d * v + d * log_v) return portable_log(d) + log_v;
  }
}

void sample_log_dirichlet(Stream& stream, double concentration, std::span<double> log_p,
                          std::span<double> cumulative) {
  if (concentration == 1) {  // normalised exponentials: no rejection, so vectors can do it
    stream.fill(log_p);
    log_exponential_shares(log_p, cumulative);
    return;
  }
  for (double& lp : log_p) lp = sample_log_gamma(stream, concentration);
  const double total = log_sum_exp(log_p);
  for (double& lp : log_p) lp -= total;
  cumulate(log_p, cumulative);
}

void sample_log_dirichlet(Stream& stream, double concentration, std::span<double> log_p) {
  std::vector<double> cumulative(log_p.size());
  sample_log_dirichlet(stream, concentration, log_p, cumulative);
}

void cumulate(std::span<const double> log_p, std::span<double> cumulative) {
  double sum = 0;
  for (std::size_t i = 0; i < log_p.size(); ++i) {
    sum += portable_exp(log_p[i]);
    cumulative[i] = sum;
  }
  for (double& c : cumulative) c /= sum;
}

}  // namespace whence
