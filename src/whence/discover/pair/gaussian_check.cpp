#include "whence/discover/pair/gaussian_check.hpp"

#include <cmath>
#include <vector>

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

/// Excess kurtosis of n rows as a standard normal score (Anscombe and Glynn 1983): in standard
/// errors it leans so far to the right that a hundred Gaussian samples of 200 rows look odd.
double kurtosis_score(double kurtosis, double n) {
  if (n < 20) return 0;
  const double mean = 3 * (n - 1) / (n + 1);
  const double variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) * (n + 1) * (n + 3) * (n + 5));
  const double skewness = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9)) *
                          std::sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)));
  const double a = 6 + 8 / skewness * (2 / skewness + std::sqrt(1 + 4 / (skewness * skewness)));
  const double from = 1 + (kurtosis - mean) / std::sqrt(variance) * std::sqrt(2 / (a - 4));
  if (from <= 0) return -INFINITY;  // lighter tails than any Gaussian sample has
  return (1 - 2 / (9 * a) - std::cbrt((1 - 2 / a) / from)) / std::sqrt(2 / (9 * a));
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
  ShapeSums& operator+=(const ShapeSums& other) {
    n += other.n;
    cubes += other.cubes;
    fourths += other.fourths;
    return *this;
  }
  /// In standard errors of a Gaussian sample.
  double skewness() const { return cubes / std::sqrt(6 * n); }
  double excess() const { return kurtosis_score(fourths / n, n); }
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

namespace {

/// Limits in standard errors: over all environments, and of any one of them, which has more chances
/// to look odd and, of what has no normal score, fewer rows to be normal by.
struct Limit {
  double errors, score;
};
constexpr Limit limit{4, 4}, limit_of_one{6, 4.5};

GaussianCheck fails(RemarkCode why, std::vector<std::string> columns) {
  return {false, {why, std::move(columns), {}, {}}};
}

/// `columns`: the one that is judged; none: what one column leaves of the other.
GaussianCheck judge(const ShapeSums& s, const std::vector<std::string>& columns,
                    const Limit& most) {
  if (std::abs(s.skewness()) > most.errors) return fails(RemarkCode::model_skewed, columns);
  if (std::abs(s.excess()) > most.score)
    return fails(s.excess() > 0 ? RemarkCode::model_heavy_tails : RemarkCode::model_light_tails,
                 columns);
  return {};
}

GaussianCheck check_coordinate(const Dataset& data, std::size_t v, std::size_t k) {
  const std::vector<std::string> what = {data.variables[v].name};
  ShapeSums sums;
  for (const Environment& e : data.environments) {
    ShapeSums own;
    own.add(standardised(data, v, k, e));
    sums += own;
    if (const auto check = judge(own, what, limit_of_one); !check.passes) return check;
  }
  return judge(sums, what, limit);
}

GaussianCheck check_residual(const Dataset& data, std::size_t cause) {
  const std::vector<std::string> what;
  const GaussianCheck bent = fails(RemarkCode::model_curved, {});
  ShapeSums sums;
  double curvature = 0;
  for (const Environment& e : data.environments) {
    ShapeSums own;
    double curved = 0;
    own.add(residual(standardised(data, cause, 0, e), standardised(data, 1 - cause, 0, e), curved));
    if (std::abs(curved) / std::sqrt(own.n) > limit_of_one.errors) return bent;
    if (const auto check = judge(own, what, limit_of_one); !check.passes) return check;
    sums += own;
    curvature += curved;
  }
  if (std::abs(curvature) / std::sqrt(sums.n) > limit.errors) return bent;
  return judge(sums, what, limit);
}

}  // namespace

GaussianCheck check_gaussian(const Dataset& data) {
  for (std::size_t v = 0; v < 2; ++v)
    for (std::size_t k = 0; k < std::size_t(data.variables[v].dimension); ++k)
      if (const auto check = check_coordinate(data, v, k); !check.passes) return check;
  if (data.variables[0].dimension != 1 || data.variables[1].dimension != 1) return {};
  for (std::size_t cause = 0; cause < 2; ++cause)
    if (const auto check = check_residual(data, cause); !check.passes) return check;
  return {};
}

}  // namespace whence
