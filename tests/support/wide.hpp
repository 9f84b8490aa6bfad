// Arithmetic wider than double, for references: 113 bits where quadmath is linked, else long
// double.
#pragma once

#include <cmath>
#include <limits>

#ifdef WHENCE_QUADMATH
#include <quadmath.h>
#endif

namespace whence::support {

#ifdef WHENCE_QUADMATH
__extension__ typedef __float128 Wide;
inline Wide wide_exp(Wide x) { return expq(x); }
inline Wide wide_expm1(Wide x) { return expm1q(x); }
inline Wide wide_log(Wide x) { return logq(x); }
inline Wide wide_log1p(Wide x) { return log1pq(x); }
inline Wide wide_sqrt(Wide x) { return sqrtq(x); }
#else
using Wide = long double;
inline Wide wide_exp(Wide x) { return std::exp(x); }
inline Wide wide_expm1(Wide x) { return std::expm1(x); }
inline Wide wide_log(Wide x) { return std::log(x); }
inline Wide wide_log1p(Wide x) { return std::log1p(x); }
inline Wide wide_sqrt(Wide x) { return std::sqrt(x); }
#endif

inline Wide wide_abs(Wide x) { return x < 0 ? -x : x; }

inline Wide wide_sigmoid(Wide x) {
  if (x >= 0) return 1 / (1 + wide_exp(-x));
  const Wide e = wide_exp(x);
  return e / (1 + e);
}

/// The distance from `measured` to `exact` in units of the last place of a double near `exact`.
inline double ulps(double measured, Wide exact) {
  const double rounded = std::abs(double(exact));
  if (std::isnan(measured) || std::isinf(measured) || std::isinf(rounded))
    return measured == double(exact) ? 0 : std::numeric_limits<double>::infinity();
  const double ulp = std::nextafter(rounded, std::numeric_limits<double>::infinity()) - rounded;
  return double(wide_abs(Wide(measured) - exact) / Wide(ulp));
}

}  // namespace whence::support
