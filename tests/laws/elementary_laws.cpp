// exp, log, sigmoids and dual numbers against wider arithmetic.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "laws/law.hpp"
#include "support/effort.hpp"
#include "support/tables.hpp"
#include "support/wide.hpp"
#include "whence/math/dual.hpp"
#include "whence/math/elementary.hpp"
#include "whence/math/logspace.hpp"

namespace whence::laws {
namespace {

using support::Inputs;
using support::ulps;
using support::Wide;
using Function = std::function<double(double)>;
using Function2 = std::function<double(double, double)>;

constexpr std::size_t points = support::effort(1000000);
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double smallest_normal = std::numeric_limits<double>::min();

/// Up to the first input where the error exceeds the limit.
template <class Exact>
void compare(Finding& finding, const Function& f, const Exact& exact, double limit,
             const std::function<double()>& next_input, std::size_t n = points) {
  for (std::size_t i = 0; i < n && finding.holds(); ++i) {
    const double x = next_input();
    const double error = ulps(f(x), exact(x));
    if (!(error <= limit)) finding.at_most(error, limit, "ulps at " + std::to_string(x));
  }
}

// ---- exp ----

/// Long double carries 11 more bits than double: enough to see 2 units in the last place.
Finding exp_is_exact(const Function& f) {
  Finding finding;
  Inputs inputs(11);
  const auto exact = [](double x) { return Wide(std::exp((long double)(x))); };
  std::size_t turn = 0;
  compare(finding, f, exact, 2, [&] {
    switch (turn++ % 4) {
      case 0: return inputs.real(-708, 709);
      case 1: return inputs.real(-1, 1);
      case 2: return std::ldexp(inputs.real(-1, 1), -inputs.whole(60));
      default: return std::log(2.0) * (inputs.whole(2000) - 1000 + 0.5);  // where k jumps
    }
  });
  return finding;
}

double exp_with_short_series(double x) {
  const double k = std::nearbyint(x * elementary::log2_e);
  const double r = (x - k * elementary::ln2_high) - k * elementary::ln2_low;
  double sum = 1, term = 1;
  for (int n = 1; n <= 11; ++n) sum += term *= r / n;
  return std::ldexp(sum, int(k));
}

double exp_with_one_constant(double x) {
  const double k = std::nearbyint(x * elementary::log2_e);
  return std::ldexp(std::exp(x - k * 0.69314718055994530942), int(k));
}

LAW(ElementaryLaws, ExpIsExactToTwoUlps, exp_is_exact, {{"portable_exp", portable_exp}},
    {{"two terms too few", exp_with_short_series},
     {"ln 2 in one piece", exp_with_one_constant},
     {"single precision", [](double x) { return double(std::exp(float(x))); }}});

Finding exp_edges(const Function& f) {
  Finding finding;
  const auto is = [&](double x, double expected) {
    finding.require(f(x) == expected, "exp(" + std::to_string(x) + ") = " + std::to_string(f(x)));
  };
  is(0, 1);
  is(-0.0, 1);
  is(infinity, infinity);
  is(-infinity, 0);
  is(std::nextafter(-708.0, -infinity), 0);
  is(-745.2, 0);
  is(-1e308, 0);
  is(std::nextafter(709.0, infinity), infinity);
  is(1e308, infinity);
  is(std::numeric_limits<double>::denorm_min(), 1);
  is(-std::numeric_limits<double>::denorm_min(), 1);
  finding.require(std::isnan(f(std::nan(""))), "NaN stays NaN");
  finding.at_most(ulps(f(-708.0), Wide(std::exp(-708.0L))), 2, "-708 is inside");
  finding.at_most(ulps(f(709.0), Wide(std::exp(709.0L))), 2, "709 is inside");
  finding.require(f(-708.0) >= smallest_normal, "no subnormals");
  return finding;
}

LAW(ElementaryLaws, ExpKeepsItsEdges, exp_edges, {{"portable_exp", portable_exp}},
    {{"subnormal results", [](double x) { return std::exp(x); }},
     {"NaN lost", [](double x) { return std::isnan(x) ? 0 : portable_exp(x); }},
     {"clamped", [](double x) { return portable_exp(std::clamp(x, -708.0, 709.0)); }}});

// ---- log ----

Finding log_is_exact(const Function& f) {
  Finding finding;
  Inputs inputs(12);
  const auto exact = [](double x) { return Wide(std::log((long double)(x))); };
  std::size_t turn = 0;
  compare(finding, f, exact, 2, [&] {
    switch (turn++ % 5) {
      case 0: return std::ldexp(inputs.real(0.5, 1), inputs.whole(2044) - 1021);
      case 1: return inputs.real(0.5, 2);
      case 2: return 1 + std::ldexp(inputs.real(-1, 1), -inputs.whole(50) - 2);
      case 3: return std::ldexp(inputs.real(0.5, 1), -1022 - inputs.whole(50));  // subnormal
      default: return inputs.real(0, 1);
    }
  });
  return finding;
}

double log_without_centring(double x) {  // mantissa in [1, 2): cancellation just below 1
  int k = 0;
  const double m = 2 * std::frexp(x, &k);
  return (k - 1) * std::log(2.0) + std::log(m);
}

LAW(ElementaryLaws, LogIsExactToTwoUlps, log_is_exact, {{"portable_log", portable_log}},
    {{"mantissa not centred", log_without_centring},
     {"subnormals not scaled",
      [](double x) { return x < smallest_normal ? portable_log(x * 0x1p54) : portable_log(x); }},
     {"single precision", [](double x) { return double(std::log(float(x))); }}});

Finding log_edges(const Function& f) {
  Finding finding;
  finding.require(f(0) == -infinity, "log 0");
  finding.require(f(-0.0) == -infinity, "log -0");
  finding.require(f(infinity) == infinity, "log infinity");
  finding.require(std::isnan(f(-1)) && std::isnan(f(-infinity)), "NaN below 0");
  finding.require(std::isnan(f(std::nan(""))), "NaN stays NaN");
  finding.require(f(1) == 0, "log 1");
  for (double x : {std::numeric_limits<double>::denorm_min(), smallest_normal,
                   std::nextafter(smallest_normal, 0), std::numeric_limits<double>::max(),
                   std::nextafter(1.0, 0.0), std::nextafter(1.0, 2.0), std::sqrt(0.5)})
    finding.at_most(ulps(f(x), Wide(std::log((long double)(x)))), 2,
                    "ulps at " + std::to_string(x));
  return finding;
}

LAW(ElementaryLaws, LogKeepsItsEdges, log_edges, {{"portable_log", portable_log}},
    {{"finite at 0", [](double x) { return portable_log(std::max(x, 1e-300)); }},
     {"absolute value", [](double x) { return portable_log(std::abs(x)); }}});

// ---- tanh ----

Finding tanh_is_near(const Function& f) {
  Finding finding;
  Inputs inputs(19);
  for (std::size_t i = 0; i < points / 5 && finding.holds(); ++i) {
    const double x = i % 2 ? inputs.real(-3, 3) : inputs.real(-25, 25);
    const double error = f(x) - double(std::tanh((long double)(x)));
    if (!(std::abs(error) <= 1e-15)) finding.at_most(std::abs(error), 1e-15, "error");
  }
  finding.near(f(0), 0, 0, "0 at 0");
  for (double x : {400.0, 1e308, infinity}) {
    finding.near(f(x), 1, 0, "right end");
    finding.near(f(-x), -1, 0, "left end");
  }
  finding.require(std::isnan(f(std::nan(""))), "NaN stays NaN");
  return finding;
}

LAW(ElementaryLaws, TanhIsNear, tanh_is_near, {{"portable_tanh", portable_tanh}},
    {{"overflow",
      [](double x) { return (std::exp(x) - std::exp(-x)) / (std::exp(x) + std::exp(-x)); }},
     {"sigmoid's scale", [](double x) { return std::tanh(x / 2); }},
     {"single precision", [](double x) { return double(std::tanh(float(x))); }}});

// ---- log space ----

using ManyToOne = std::function<double(std::span<const double>)>;

double naive_log_sum_exp(std::span<const double> x) {
  double sum = 0;
  for (double v : x) sum += std::exp(v);
  return std::log(sum);
}

Finding log_sum_exp_is_exact(const ManyToOne& f) {
  Finding finding;
  Inputs inputs(13);
  for (std::size_t i = 0; i < points / 100; ++i) {
    const double centre = inputs.real(-5000, 5000);
    const auto x = inputs.reals(1 + i % 20, centre - 30, centre + 30);
    const double top = *std::max_element(x.begin(), x.end());
    Wide sum = 0;
    for (double v : x) sum += support::wide_exp(Wide(v) - Wide(top));
    const double exact = double(Wide(top) + support::wide_log(sum));
    finding.near(f(x), exact, 1e-15 * std::max(1.0, std::abs(exact)), "log sum exp");
  }
  const std::vector<double> none, nothing = {-infinity, -infinity}, one = {-infinity, 3},
                                  full = {1, infinity};
  finding.require(f(none) == -infinity && f(nothing) == -infinity, "nothing sums to log 0");
  finding.near(f(one), 3, 0, "log 0 adds nothing");
  finding.require(f(full) == infinity, "infinity stays");
  return finding;
}

LAW(ElementaryLaws, LogSumExpIsExact, log_sum_exp_is_exact,
    {{"log_sum_exp", log_sum_exp},
     {"log_add_exp, one after the other",
      [](std::span<const double> x) {
        double sum = -infinity;
        for (double v : x) sum = log_add_exp(sum, v);
        return sum;
      }}},
    {{"naive", naive_log_sum_exp}, {"maximum", [](std::span<const double> x) {
                                      return x.empty() ? -infinity
                                                       : *std::max_element(x.begin(), x.end());
                                    }}});

Finding log_mean_exp_is_exact(const ManyToOne& f) {
  Finding finding;
  for (double level : {-3000.0, 0.0, 3000.0}) {
    const std::vector<double> equal(7, level), two = {level, level + std::log(3.0)};
    finding.near(f(equal), level, 1e-12, "the mean of equals");
    finding.near(f(two), level + std::log(2.0), 1e-12, "the mean of 1 and 3 is 2");
  }
  return finding;
}

LAW(ElementaryLaws, LogMeanExpIsExact, log_mean_exp_is_exact, {{"log_mean_exp", log_mean_exp}},
    {{"sum", log_sum_exp}, {"n - 1", [](std::span<const double> x) {
                              return log_sum_exp(x) - std::log(double(x.size()) - 1);
                            }}});

Finding sigmoid_is_exact(const Function& f) {
  Finding finding;
  Inputs inputs(14);
  std::size_t turn = 0;
  compare(
      finding, f, [](double x) { return support::wide_sigmoid(x); }, 4,
      [&] { return turn++ % 10 == 0 ? inputs.real(-708, 708) : inputs.real(-40, 40); }, points / 5);
  finding.near(f(0), 0.5, 0, "one half at 0");
  finding.near(f(-infinity), 0, 0, "0 at the left end");
  finding.near(f(infinity), 1, 0, "1 at the right end");
  return finding;
}

LAW(ElementaryLaws, SigmoidIsExact, sigmoid_is_exact, {{"sigmoid", sigmoid}},
    {{"1 - sigmoid(-x)", [](double x) { return 1 - 1 / (1 + std::exp(x)); }},
     {"tanh", [](double x) { return 0.5 * (1 + std::tanh(x / 2)); }}});

Finding log_sigmoid_is_exact(const Function& f) {
  Finding finding;
  Inputs inputs(15);
  const auto exact = [](double x) {
    const Wide w = x;
    return x >= 0 ? -support::wide_log1p(support::wide_exp(-w))
                  : w - support::wide_log1p(support::wide_exp(w));
  };
  std::size_t turn = 0;
  compare(
      finding, f, exact, 4,
      [&] { return turn++ % 10 == 0 ? inputs.real(-1e6, 700) : inputs.real(-40, 40); }, points / 5);
  return finding;
}

LAW(ElementaryLaws, LogSigmoidIsExact, log_sigmoid_is_exact, {{"log_sigmoid", log_sigmoid}},
    {{"log of sigmoid", [](double x) { return std::log(sigmoid(x)); }},
     {"one branch", [](double x) { return -std::log1p(std::exp(-x)); }}});

// ---- sigmoid differences ----

/// sigmoid(g) - sigmoid(g + d) as a product of factors that do not cancel.
Wide exact_sigmoid_difference(double g, double d) {
  const Wide h = Wide(g) + Wide(d);
  if (d >= 0)
    return support::wide_sigmoid(h) * support::wide_sigmoid(-Wide(g)) *
           support::wide_expm1(-Wide(d));
  return -support::wide_sigmoid(g) * support::wide_sigmoid(-h) * support::wide_expm1(Wide(d));
}

/// Signed, of any size from 1e-300 to 1e300, mostly of the sizes that matter.
double any_size(Inputs& inputs, int choice) {
  const double sign = inputs.whole(2) ? 1 : -1;
  switch (choice % 5) {
    case 0: return sign * inputs.real(0, 1);
    case 1: return sign * inputs.real(0, 40);
    case 2: return sign * inputs.real(0, 750);
    case 3: return sign * std::pow(10, inputs.real(-20, 3));
    default: return sign * std::pow(10, inputs.real(-300, 300));
  }
}

/// The naive form loses everything where sigmoids saturate (N02).
Finding sigmoid_difference_is_exact(const Function2& f) {
  Finding finding;
  Inputs inputs(16);
  for (std::size_t i = 0; i < points && finding.holds(); ++i) {
    const double g = any_size(inputs, int(i)), d = any_size(inputs, int(i / 5));
    const double error = ulps(f(g, d), exact_sigmoid_difference(g, d));
    if (!(error <= 8)) finding.at_most(error, 8, fmt::format("ulps at g = {}, d = {}", g, d));
  }
  return finding;
}

LAW(ElementaryLaws, SigmoidDifferenceIsExactToEightUlps, sigmoid_difference_is_exact,
    {{"sigmoid_difference", sigmoid_difference}},
    {{"naive", [](double g, double d) { return sigmoid(g) - sigmoid(g + d); }},
     {"wrong sign", [](double g, double d) { return -sigmoid_difference(g, d); }},
     {"overflow",
      [](double g, double d) {
        return -std::sinh(d / 2) / (2 * std::cosh(g / 2) * std::cosh((g + d) / 2));
      }},
     {"rounding of g + d forgotten", [](double g, double d) {
        const double h = g + d;
        const double scale = (g > 0) == (h > 0) ? std::exp(-std::min(std::abs(g), std::abs(h))) : 1;
        return std::copysign(-std::expm1(-std::abs(d)), -d) * scale /
               ((1 + std::exp(-std::abs(g))) * (1 + std::exp(-std::abs(h))));
      }}});

Finding sigmoid_difference_is_a_difference(const Function2& f) {
  Finding finding;
  Inputs inputs(17);
  for (int i = 0; i < 10000; ++i) {
    const double g = inputs.real(-30, 30), d = inputs.real(-30, 30);
    const Wide naive = support::wide_sigmoid(g) - support::wide_sigmoid(Wide(g) + Wide(d));
    finding.near(f(g, d), double(naive), 1e-15 * std::abs(double(naive)) + 1e-18, "difference");
    finding.require(f(-g, -d) == -f(g, d), "antisymmetric, bit for bit");
  }
  finding.require(f(1, 0) == 0 && f(-700, 0) == 0 && f(1e300, 0) == 0, "nothing without evidence");
  return finding;
}

LAW(ElementaryLaws, SigmoidDifferenceIsAntisymmetric, sigmoid_difference_is_a_difference,
    {{"sigmoid_difference", sigmoid_difference}},
    {{"printed sign", [](double g, double d) { return sigmoid_difference(g + d, -d); }},
     {"naive", [](double g, double d) { return sigmoid(g) - sigmoid(g + d); }}});

// ---- dual numbers ----

/// The same expression in dual numbers and in long double.
struct DualExpression {
  std::function<Dual<double>(Dual<double>)> dual;
  std::function<long double(long double)> wide;
};

/// Makes both from one generic lambda.
template <class F>
DualExpression expression(F f) {
  return {f, f};
}

Finding dual_slope_is_the_derivative(const DualExpression& e) {
  Finding finding;
  Inputs inputs(18);
  for (int i = 0; i < 200; ++i) {
    const double x = inputs.real(0.1, 3), direction = inputs.real(-2, 2);
    const long double h = 1e-6L;
    const long double slope = (e.wide(x + h) - e.wide(x - h)) / (2 * h);
    const Dual<double> measured = e.dual({x, direction});
    finding.near(measured.value, double(e.wide(x)), 1e-14 * (1 + std::abs(double(e.wide(x)))),
                 "value");
    finding.near(measured.slope, direction * double(slope),
                 1e-9 * (std::abs(direction * double(slope)) + 1), "slope");
  }
  return finding;
}

using std::cos;
using std::exp;
using std::log;
using std::sin;
using std::sqrt;
using std::tanh;

DualExpression bug(std::function<Dual<double>(Dual<double>)> dual,
                   std::function<long double(long double)> wide) {
  return {std::move(dual), std::move(wide)};
}

LAW(ElementaryLaws, DualSlopeIsTheDerivative, dual_slope_is_the_derivative,
    {{"sum", expression([](auto x) { return x + x + decltype(x)(2); })},
     {"difference", expression([](auto x) { return decltype(x)(2) - x; })},
     {"negation", expression([](auto x) { return -x; })},
     {"product", expression([](auto x) { return x * (x + decltype(x)(1)); })},
     {"quotient", expression([](auto x) { return (x + decltype(x)(2)) / (x * x); })},
     {"assignments", expression([](auto x) {
        auto y = x;
        y += x * x;
        y -= decltype(x)(3);
        y *= x;
        y /= x + decltype(x)(1);
        return y;
      })},
     {"exp", expression([](auto x) { return exp(x); })},
     {"log", expression([](auto x) { return log(x); })},
     {"sqrt", expression([](auto x) { return sqrt(x); })},
     {"tanh", expression([](auto x) { return tanh(x); })},
     {"sin", expression([](auto x) { return sin(x); })},
     {"cos", expression([](auto x) { return cos(x); })},
     {"all together", expression([](auto x) {
        return exp(sin(x) * tanh(x)) / sqrt(log(x + decltype(x)(2))) - cos(x * x);
      })}},
    {{"product rule with one term",
      bug([](Dual<double> x) { return Dual<double>(x.value * x.value, x.slope * x.value); },
          [](long double x) { return x * x; })},
     {"quotient of slopes",
      bug([](Dual<double> x) { return Dual<double>(1 / x.value, 1 / x.slope); },
          [](long double x) { return 1 / x; })},
     {"tanh' = 1 - tanh", bug(
                              [](Dual<double> x) {
                                return Dual<double>(std::tanh(x.value),
                                                    (1 - std::tanh(x.value)) * x.slope);
                              },
                              [](long double x) { return std::tanh(x); })},
     {"cos' = sin", bug(
                        [](Dual<double> x) {
                          return Dual<double>(std::cos(x.value), std::sin(x.value) * x.slope);
                        },
                        [](long double x) { return std::cos(x); })}});

}  // namespace
}  // namespace whence::laws
