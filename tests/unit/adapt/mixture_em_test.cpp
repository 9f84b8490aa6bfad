#include "whence/adapt/mixture_em.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/bits.hpp"
#include "support/simd.hpp"
#include "support/tables.hpp"

namespace whence {
namespace {

using support::Inputs;

/// Two humps, and numbers from the standard's generator.
std::vector<double> humps(std::uint64_t seed, std::size_t rows) {
  Inputs inputs(seed);
  std::vector<double> x;
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = -6;
    for (int j = 0; j < 12; ++j) sum += inputs.real(0, 1);
    x.push_back(i % 3 == 0 ? 4 + sum : -1 + 0.5 * sum);
  }
  return x;
}

GaussianMixture<double> start_of(std::uint64_t seed, std::size_t components = 10) {
  return random_mixture(components, Stream(seed, Purpose::tests, {}));
}

TEST(MixtureEm, AgreesWithTheReference) {
  for (std::size_t rows : {17u, 64u, 1000u}) {
    const auto x = humps(rows, rows);
    GaussianMixture<double> fast = start_of(1, 4), slow = fast;
    EmScratch scratch;
    const EmOptions options{.iterations = 20, .gain = 0};
    const EmOutcome a = fit_mixture_fast(fast, x, options, scratch);
    const EmOutcome b = fit_mixture<double>(slow, x, options);
    EXPECT_EQ(a.iterations, b.iterations);
    EXPECT_NEAR(a.log_lik, b.log_lik, 1e-11 * std::abs(b.log_lik));
    for (std::size_t i = 0; i < slow.parameters().size(); ++i)
      EXPECT_NEAR(fast.parameters()[i], slow.parameters()[i], 1e-9);
    double log_lik = 0;
    for (double v : x) log_lik += fast.log_prob(v);
    EXPECT_NEAR(mixture_log_lik(fast, x, scratch), log_lik, 1e-11 * std::abs(log_lik));
  }
}

/// Points far outside everything, where densities are smaller than any double.
std::vector<double> with_outliers(std::vector<double> x) {
  for (std::size_t i = 0; i < 5; ++i)
    x[7 * i] = (i % 2 == 0 ? 1 : -1) * std::pow(10.0, double(2 * i));
  return x;
}

TEST(MixtureEm, PointsFarOutsideAgreeWithTheReference) {
  const auto x = with_outliers(humps(3, 100));
  const auto log_lik_of = [&](const GaussianMixture<double>& m) {
    double sum = 0;
    for (double v : x) sum += m.log_prob(v);
    return sum;
  };
  EmScratch scratch;
  GaussianMixture<double> mixture = start_of(3, 4);
  mixture.parameters()[8] = -12;  // sigma at its limit: logarithms beyond 2^50
  const double expected = log_lik_of(mixture);
  EXPECT_LT(expected, -0x1p50);
  EXPECT_NEAR(mixture_log_lik(mixture, x, scratch), expected, 1e-11 * std::abs(expected));
  GaussianMixture<double> slow = mixture;
  fit_mixture_fast(mixture, x, {.iterations = 3}, scratch);
  fit_mixture<double>(slow, x, {.iterations = 3});
  for (std::size_t i = 0; i < slow.parameters().size(); ++i)
    EXPECT_NEAR(mixture.parameters()[i], slow.parameters()[i],
                1e-9 * (1 + std::abs(slow.parameters()[i])));
}

TEST(MixtureEm, NoComparisonHidesANaN) {
  EmScratch scratch;
  auto x = humps(4, 100);
  GaussianMixture<double> mixture = start_of(4, 4);
  for (std::size_t i : {0u, 5u, 9u}) {
    GaussianMixture<double> broken = mixture;
    broken.parameters()[i] = std::nan("");
    EXPECT_TRUE(std::isnan(mixture_log_lik(broken, x, scratch))) << i;
  }
  x[70] = std::nan("");
  EXPECT_TRUE(std::isnan(mixture_log_lik(mixture, x, scratch)));
}

TEST(MixtureEm, EveryInstructionSetGivesTheSameBits) {
  const auto x = with_outliers(humps(2, 203));
  Inputs inputs(2);
  std::vector<Dual<double>> points;
  for (double v : x) points.push_back({v, inputs.real(-1, 1)});
  std::vector<double> first;
  support::for_each_simd_target([&](const std::string& name) {
    EmScratch scratch;
    GaussianMixture<double> mixture = start_of(2);
    fit_mixture_fast(mixture, x, {.iterations = 30}, scratch);
    std::vector<double> all(mixture.parameters().begin(), mixture.parameters().end());
    all.push_back(mixture_log_lik(mixture, x, scratch));
    auto dual = spread_mixture(7, std::span<const Dual<double>>(points));
    fit_mixture_fast(dual, points, {.iterations = 10, .gain = -1e300}, scratch);
    for (const Dual<double>& p : dual.parameters()) {
      all.push_back(p.value);
      all.push_back(p.slope);
    }
    all.push_back(mixture_log_lik(dual, points, scratch).slope);
    if (first.empty()) first = all;
    EXPECT_TRUE(support::same_bits(all, first)) << name;
  });
}

/// Largest fall of the log-likelihood, relative to its size, when nothing had to be mended.
double worst_fall(const EmOutcome& fit) {
  if (fit.floored > 0 || fit.reseeded > 0) return 0;
  double worst = 0;
  for (std::size_t i = 1; i < fit.trace.size(); ++i)
    worst = std::max(worst, (fit.trace[i - 1] - fit.trace[i]) / std::abs(fit.trace[i]));
  return worst;
}

TEST(MixtureEm, LogLikelihoodNeverFalls) {  // N10
  EmScratch scratch;
  int judged = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const auto x = humps(seed, 60);
    GaussianMixture<double> mixture = start_of(seed, 3);
    const EmOutcome fit = fit_mixture_fast(mixture, x, {.iterations = 60}, scratch);
    judged += fit.floored == 0 && fit.reseeded == 0 ? 1 : 0;
    EXPECT_LE(worst_fall(fit), 1e-10);
  }
  EXPECT_GE(judged, 900) << "most fits need no mending, so most are judged";
  // A pass with wrong sums is noticed.
  const EmPass<double> wrong = [](const GaussianMixture<double>& m, std::span<const double> p,
                                  EmSums<double>& sums) {
    const double log_lik = reference_em_pass(m, p, sums);
    for (double& v : sums.r_d2) v *= 2;
    return log_lik;
  };
  int noticed = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto x = humps(seed, 60);
    GaussianMixture<double> mixture = start_of(seed, 3);
    const EmOutcome fit =
        fit_mixture<double>(mixture, x, {.iterations = 60, .gain = -1e300}, wrong);
    noticed += worst_fall(fit) > 1e-10 ? 1 : 0;
  }
  EXPECT_GE(noticed, 10);
}

TEST(MixtureEm, AFixedPointIsStationary) {
  const auto x = humps(5, 500);
  Dataset data;
  data.variables = {{"A", Variable::Kind::real}};
  data.columns = {{{}, x}};
  EmScratch scratch;
  GaussianMixture<double> mixture = spread_mixture(2, std::span<const double>(x));
  fit_mixture_fast(mixture, x, {.iterations = 20000, .gain = 0}, scratch);
  std::vector<double> gradient(6);
  for (std::size_t i = 0; i < x.size(); ++i)
    mixture.add_gradient(data, {VariableId(0), {}}, i, 1.0 / double(x.size()), gradient);
  for (double g : gradient) EXPECT_LT(std::abs(g), 1e-6);
}

TEST(MixtureEm, TenComponentsOnTwentyPointsStayFinite) {  // N09
  EmScratch scratch;
  int floored = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto x = humps(seed, 20);
    GaussianMixture<double> mixture = start_of(seed);
    floored += fit_mixture_fast(mixture, x, {.iterations = 500}, scratch).floored > 0 ? 1 : 0;
    for (double p : mixture.parameters()) ASSERT_TRUE(std::isfinite(p)) << seed;
    ASSERT_TRUE(std::isfinite(mixture_log_lik(mixture, x, scratch)));
  }
  EXPECT_GT(floored, 150);  // without a floor nearly all of them would have collapsed
}

TEST(MixtureEm, DeadComponentsStartAgain) {  // N09
  const auto x = humps(6, 100);
  EmScratch scratch;
  GaussianMixture<double> mixture(3);
  mixture.parameters()[3 + 2] = 1e6;  // so far away that no point belongs to it
  mixture.parameters()[3] = -1;
  const EmOutcome fit = fit_mixture_fast(mixture, x, {.iterations = 50}, scratch);
  EXPECT_EQ(fit.reseeded, 1);
  EXPECT_LT(std::abs(mixture.parts().means[2]), 100);
  const std::vector<double> equal(30, 2.0);  // no variance at all
  GaussianMixture<double> flat(2);
  fit_mixture_fast(flat, equal, {.iterations = 50}, scratch);
  for (double p : flat.parameters()) EXPECT_TRUE(std::isfinite(p));
}

TEST(MixtureEm, DerivativesGoThroughEveryIteration) {
  Inputs inputs(8);
  const auto x = humps(8, 150), slope = inputs.reals(150, -1, 1);
  EmScratch scratch;
  const EmOptions options{.iterations = 5, .gain = -1e300};
  const auto moved = [&](double h) {
    std::vector<double> y = x;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += h * slope[i];
    return y;
  };
  const auto log_lik = [&](double h) {
    const auto y = moved(h);
    GaussianMixture<double> mixture = spread_mixture(3, std::span<const double>(y));
    fit_mixture_fast(mixture, y, options, scratch);
    return mixture_log_lik(mixture, y, scratch);
  };
  std::vector<Dual<double>> points;
  for (std::size_t i = 0; i < x.size(); ++i) points.push_back({x[i], slope[i]});
  auto mixture = spread_mixture(3, std::span<const Dual<double>>(points));
  fit_mixture_fast(mixture, points, options, scratch);
  const Dual<double> measured = mixture_log_lik(mixture, points, scratch);
  const double h = 1e-4;
  const double expected = (log_lik(h) - log_lik(-h)) / (2 * h);
  EXPECT_NEAR(measured.value, log_lik(0), 1e-9);
  EXPECT_NEAR(measured.slope, expected, 1e-5 * (1 + std::abs(expected)));
}

TEST(MixtureEm, ScoresWithItsOwnWeights) {
  GaussianMixture<double> mixture(2, {std::log(0.154), std::log(0.846), -2, 1, 0, 0});
  const GaussianMixture<double> wrong = doubly_softmaxed(mixture);
  const auto share = [](const GaussianMixture<double>& m) {
    return 1 / (1 + std::exp(m.parts().logits[1] - m.parts().logits[0]));
  };
  EXPECT_NEAR(share(mixture), 0.154, 1e-12);
  EXPECT_NEAR(share(wrong), 0.334, 1e-3);
  EmScratch scratch;
  const std::vector<double> x(10, 1.0);
  EXPECT_NEAR(mixture_log_lik(mixture, x, scratch), 10 * mixture.log_prob(1.0), 1e-11);
  EXPECT_GT(mixture.log_prob(1.0), wrong.log_prob(1.0));
}

}  // namespace
}  // namespace whence
