#include "whence/math/wishart.hpp"

#include <cmath>

namespace whence {

Matrix sample_inverse_wishart_factor(Stream& stream, const InverseWishart& law) {
  const auto d = std::size_t(law.dimension);
  Matrix bartlett(d, d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) bartlett(i, j) = sample_normal(stream);
    const double degrees = law.degrees - double(d) + 1 + double(i);
    // chi-square(k) = 2 Gamma(k/2); its root is taken in the log domain.
    const double log_square = portable_log(2.0) + sample_log_gamma(stream, degrees / 2);
    bartlett(i, i) = portable_exp(0.5 * log_square);
  }
  Matrix factor = lower_inverse(bartlett);
  for (double& x : factor.values) x *= std::sqrt(law.scale);
  return factor;
}

}  // namespace whence
