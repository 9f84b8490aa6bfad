#include "whence/math/random.hpp"

#include <array>
#include <vector>

#include "whence/math/logspace.hpp"
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
  // Centre, near tail and far tail of AS 241 (PPND16).
  static constexpr std::array a = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                   1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                   4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                   3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static constexpr std::array b = {1.0,
                                   4.2313330701600911252e+1,
                                   6.8718700749205790830e+2,
                                   5.3941960214247511077e+3,
                                   2.1213794301586595867e+4,
                                   3.9307895800092710610e+4,
                                   2.8729085735721942674e+4,
                                   5.2264952788528545610e+3};
  static constexpr std::array c = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                   5.76949722146069140550e0,  3.64784832476320460504e0,
                                   1.27045825245236838258e0,  2.41780725177450611770e-1,
                                   2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr std::array d = {1.0,
                                   2.05319162663775882187e0,
                                   1.67638483018380384940e0,
                                   6.89767334985100004550e-1,
                                   1.48103976427480074590e-1,
                                   1.51986665636164571966e-2,
                                   5.47593808499534494600e-4,
                                   1.05075007164441684324e-9};
  static constexpr std::array e = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                   1.78482653991729133580e0,  2.96560571828504891230e-1,
                                   2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                   2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr std::array f = {1.0,
                                   5.99832206555887937690e-1,
                                   1.36929880922735805310e-1,
                                   1.48753612908506148525e-2,
                                   7.86869131145613259100e-4,
                                   1.84631831751005468180e-5,
                                   1.42151175831644588870e-7,
                                   2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) return q * ratio(0.180625 - q * q, a, b);
  const double r = std::sqrt(-portable_log(q < 0 ? p : 1 - p));
  const double tail = r <= 5 ? ratio(r - 1.6, c, d) : ratio(r - 5, e, f);
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
