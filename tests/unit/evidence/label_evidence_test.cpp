// Evidence from labels, against the integral that Laplace's method stands for.
#include "whence/evidence/labels/label_evidence.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "whence/math/logspace.hpp"

namespace whence {
namespace {

constexpr double intercept = 3;  // prior deviation of the intercept
constexpr std::array widths = {0.3, 1.0, 3.0};

/// Rows with label 1 and 0 at each of two levels.
struct Counts {
  std::array<int, 2> ours, others;
};

/// log P(labels at this level | its logit)
double log_likelihood(int ours, int others, double logit) {
  return ours * -std::log1p(std::exp(-logit)) + others * -std::log1p(std::exp(logit));
}

/// log of the integral over both logits, which share the intercept: their covariance is 9 beside
/// the diagonal and 9 + width^2 on it. `curvature` multiplies the prior's precision.
double log_integral(const Counts& c, double width, double curvature = 1) {
  const double same = 2 * intercept * intercept + width * width, apart = width * width;
  constexpr double reach = 12, step = 0.08;
  std::vector<double> terms;
  for (double a = -reach; a <= reach; a += step)
    for (double b = -reach; b <= reach; b += step) {
      // Along (1, 1) / sqrt 2 the variance is `same`, across it `apart`.
      const double s = (a + b) * (a + b) / 2, d = (a - b) * (a - b) / 2;
      const double prior = -0.5 * curvature * (s / same + d / apart) -
                           0.5 * std::log(same * apart) - std::log(2 * M_PI) + std::log(curvature);
      terms.push_back(prior + log_likelihood(c.ours[0], c.others[0], a) +
                      log_likelihood(c.ours[1], c.others[1], b));
    }
  return log_sum_exp(terms) + 2 * std::log(step);
}

double log_nothing(const Counts& c) {
  constexpr double reach = 20, step = 0.001;
  std::vector<double> terms;
  const int ours = c.ours[0] + c.ours[1], others = c.others[0] + c.others[1];
  for (double a = -reach; a <= reach; a += step)
    terms.push_back(-0.5 * a * a / (intercept * intercept) -
                    0.5 * std::log(2 * M_PI * intercept * intercept) +
                    log_likelihood(ours, others, a));
  return log_sum_exp(terms) + std::log(step);
}

double expected_gain(const Counts& c, double curvature = 1) {
  std::vector<double> each;
  for (const double width : widths) each.push_back(log_integral(c, width, curvature));
  return log_mean_exp(each) - log_nothing(c);
}

double measured_gain(const Counts& c) {
  Dataset data;
  data.variables = {{"u", Variable::Kind::categorical, 2}, {"v", Variable::Kind::real}};
  data.columns.resize(2);
  const auto add = [&](int rows, int level) {
    for (int r = 0; r < rows; ++r) {
      data.columns[0].levels.push_back(level);
      data.columns[1].values.push_back(double(r % 7));
    }
  };
  for (int level : {0, 1}) add(c.ours[std::size_t(level)], level);
  const std::size_t ours = data.columns[0].levels.size();
  for (int level : {0, 1}) add(c.others[std::size_t(level)], level);
  data.environments = {{"ours", 0, ours}, {"others", ours, data.columns[0].levels.size()}};
  const std::array<std::size_t, 1> reference = {1};
  return label_evidence(data, 0, reference).u;
}

TEST(LabelEvidence, IsTheIntegralOverCoefficients) {
  constexpr double error_of_laplace = 0.05;  // nats, with a hundred rows at each level
  for (const Counts& c :
       {Counts{{60, 40}, {50, 90}}, Counts{{100, 100}, {100, 100}}, Counts{{150, 60}, {70, 140}}}) {
    EXPECT_NEAR(measured_gain(c), expected_gain(c), error_of_laplace);
    // Planted: a prior four times as narrow in variance.
    EXPECT_GT(std::abs(measured_gain(c) - expected_gain(c, 4)), 3 * error_of_laplace);
  }
}

TEST(LabelEvidence, IsTheSameByRowsAsByCoefficients) {
  // 12 kinds of rows, 1,000 times each: with little memory it works on kinds of rows, else on all
  // rows and their 19 coefficients.
  Dataset data;
  data.variables = {{"u", Variable::Kind::categorical, 4}, {"v", Variable::Kind::categorical, 3}};
  data.columns.resize(2);
  constexpr int rows = 12000, ours = 4000;
  for (int r = 0; r < rows; ++r) {
    data.columns[0].levels.push_back(r < ours && r % 8 == 0 ? 1 : r % 4);
    data.columns[1].levels.push_back(r / 4 % 3);
  }
  data.environments = {{"ours", 0, ours}, {"others", ours, rows}};
  const std::array<std::size_t, 1> reference = {1};
  const LabelEvidence by_coefficients = label_evidence(data, 0, reference);
  const LabelEvidence by_rows = label_evidence(data, 0, reference, 2 << 20);
  EXPECT_GT(by_coefficients.u, 10);  // there is something to see
  EXPECT_LT(by_coefficients.v, 0);
  EXPECT_NEAR(by_rows.u, by_coefficients.u, 1e-6);
  EXPECT_NEAR(by_rows.v, by_coefficients.v, 1e-6);
  EXPECT_NEAR(by_rows.both, by_coefficients.both, 1e-6);
  EXPECT_NEAR(by_rows.apart, by_coefficients.apart, 1e-6);
  EXPECT_NE(by_rows.both, by_coefficients.both);  // they were worked out differently
}

}  // namespace
}  // namespace whence
