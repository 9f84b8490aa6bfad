#include "whence/discover/gaussian_check.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace whence {

namespace {

/// Standardised within an environment.
std::vector<double> standardised(const Dataset& data, std::size_t v, std::size_t k,
                                 const Environment& e) {
  const auto d = std::size_t(data.variables[v].dimension);
  std::vector<double> z;
  double mean = 0, squares = 0;
  for (std::size_t r = e.begin; r < e.end; ++r) z.push_back(data.columns[v].values[r * d + k]);
  for (double x : z) mean += x / double(z.size());
  for (double& x : z) {
    x -= mean;
    squares += x * x;
  }
  const double sd = std::sqrt(squares / double(z.size()));
  for (double& x : z) x = sd > 0 ? x / sd : 0;
  return z;
}

struct ShapeSums {
  double n = 0, cubes = 0, fourths = 0;
  void add(const std::vector<double>& z) {
    for (double x : z) {
      n += 1;
      cubes += x * x * x;
      fourths += x * x * x * x;
    }
  }
  /// In standard errors of a Gaussian sample.
  double skewness() const { return cubes / std::sqrt(6 * n); }
  double excess() const { return (fourths - 3 * n) / std::sqrt(24 * n); }
};

/// Residual of y on x (both standardised), and the correlation of the residual with x squared.
std::vector<double> residual(const std::vector<double>& x, const std::vector<double>& y,
                             double& curvature) {
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) xy += x[i] * y[i] / double(x.size());
  std::vector<double> rest(x.size());
  double spread = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    rest[i] = y[i] - xy * x[i];
    spread += rest[i] * rest[i] / double(x.size());
  }
  const double sd = std::sqrt(spread);
  for (std::size_t i = 0; i < x.size(); ++i) {
    rest[i] = sd > 0 ? rest[i] / sd : 0;
    curvature += rest[i] * (x[i] * x[i] - 1) / std::sqrt(2.0);
  }
  return rest;
}

}  // namespace

GaussianCheck check_gaussian(const Dataset& data) {
  constexpr double limit = 4;  // standard errors
  const auto judge = [](const ShapeSums& s, const std::string& what) -> GaussianCheck {
    if (std::abs(s.skewness()) > limit) return {false, what + " is skewed"};
    if (std::abs(s.excess()) > limit)
      return {false,
              what + (s.excess() > 0 ? " has heavy tails" : " has light tails or two humps")};
    return {};
  };
  for (std::size_t v = 0; v < 2; ++v)
    for (std::size_t k = 0; k < std::size_t(data.variables[v].dimension); ++k) {
      ShapeSums sums;
      for (const Environment& e : data.environments) sums.add(standardised(data, v, k, e));
      const auto check = judge(sums, fmt::format("'{}'", data.variables[v].name));
      if (!check.passes) return check;
    }
  if (data.variables[0].dimension != 1 || data.variables[1].dimension != 1) return {};
  for (std::size_t cause = 0; cause < 2; ++cause) {
    ShapeSums sums;
    double curvature = 0, n = 0;
    for (const Environment& e : data.environments) {
      const auto x = standardised(data, cause, 0, e), y = standardised(data, 1 - cause, 0, e);
      sums.add(residual(x, y, curvature));
      n += double(x.size());
    }
    if (std::abs(curvature) / std::sqrt(n) > limit)
      return {false, "the relation between the columns is curved"};
    const auto check = judge(sums, "what one column leaves of the other");
    if (!check.passes) return check;
  }
  return {};
}

}  // namespace whence
