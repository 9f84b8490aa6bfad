#include "whence/evidence/encoder/single_index.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "whence/math/random.hpp"

namespace whence {
namespace {

/// Three normal columns; `first` and `second` are added to the first and scale the second.
Matrix normal_rows(std::size_t n, std::uint32_t run, double first, double second) {
  Stream stream(51, Purpose::tests, {run, 0, 0});
  Matrix rows(n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    rows(i, 0) = first + sample_normal(stream);
    rows(i, 1) = second * sample_normal(stream);
    rows(i, 2) = sample_normal(stream);
  }
  return rows;
}

TEST(SingleIndex, FindsTheDirectionOfAShift) {
  const IndexFit fit = fit_index(normal_rows(800, 0, 1, 1), normal_rows(800, 1, 0, 1));
  EXPECT_LT(std::abs(fit.weights[1] / fit.weights[0]), 0.15);
  EXPECT_LT(std::abs(fit.weights[2] / fit.weights[0]), 0.15);
  EXPECT_GT(fit.p, 1e-3);
  EXPECT_GT(fit.log_odds(), 0);
  EXPECT_FALSE(fit.saturated());
}

TEST(SingleIndex, TwoChangesNeedMoreThanOneDirection) {
  const IndexFit fit = fit_index(normal_rows(800, 2, 1, 2), normal_rows(800, 3, 0, 1));
  EXPECT_LT(fit.p, 1e-6);
}

TEST(SingleIndex, SetsThatAreFarApartAreSaturated) {
  EXPECT_TRUE(fit_index(normal_rows(400, 4, 8, 1), normal_rows(400, 5, 0, 1)).saturated());
}

/// Where sets are separated, a steeper link always pays: only the rows at the border would count.
TEST(SingleIndex, SeparatedSetsAreToldByAllRowsAndNotByThoseAtTheBorder) {
  double off = 0;
  for (std::uint32_t run = 20; run < 40; run += 2) {
    const IndexFit fit = fit_index(normal_rows(60, run, 7, 1), normal_rows(60, run + 1, 0, 1));
    off += std::hypot(fit.weights[1], fit.weights[2]) / std::abs(fit.weights[0]) / 10;
  }
  EXPECT_LT(off, 0.25);
}

/// What follows from a latent, and a second one beside it: x = (s, 2 s + r, r + t).
Matrix lines_of(std::size_t n, std::uint32_t run, double mean, double spread, double other,
                double bend = 0) {
  Stream stream(52, Purpose::tests, {run, 0, 0});
  Matrix rows(n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    const double s = mean + spread * sample_normal(stream), r = sample_normal(stream);
    rows(i, 0) = s;
    rows(i, 1) = 2 * s + bend * s * s + r;
    rows(i, 2) = r + other * sample_normal(stream);
  }
  return rows;
}

/// No overlap is needed: labels tell nothing of sets this far apart, and lines tell all.
TEST(SingleIndex, SetsFarApartAreOnOneLineOrNot) {
  int refused = 0;
  for (std::uint32_t run = 0; run < 40; run += 2) {
    const LineTest same =
        check_line(lines_of(800, run, 6, 0.5, 1), lines_of(800, run + 1, 0, 1, 1));
    EXPECT_EQ(same.freedom, 5);
    refused += same.p < 0.05 ? 1 : 0;
    EXPECT_LT(check_line(lines_of(800, run, 6, 0.5, 1.5), lines_of(800, run + 1, 0, 1, 1)).p, 1e-6);
  }
  EXPECT_LE(refused, 4);  // of 20, one is expected
}

TEST(SingleIndex, CurvesAreNotLines) {
  const Matrix base = lines_of(800, 51, 0, 1, 1, 0.5);
  EXPECT_LT(check_line(lines_of(800, 50, 3, 0.5, 1, 0.5), base).p, 1e-6);
  EXPECT_GT(check_line(lines_of(800, 50, 3, 0.5, 1, 0.5), base).misfit(),
            10 * check_line(lines_of(800, 50, 3, 0.5, 1), lines_of(800, 51, 0, 1, 1)).misfit());
}

TEST(SingleIndex, ThereIsNoLineThroughOnePoint) {
  EXPECT_EQ(check_line(lines_of(400, 60, 0, 3, 1), lines_of(400, 61, 0, 1, 1)).freedom, 0);
}

TEST(SingleIndex, EqualLawsAreNotToldApart) {
  EXPECT_GT(same_law_probability(normal_rows(500, 6, 0, 1), normal_rows(700, 7, 0, 1)), 1e-4);
  EXPECT_LT(same_law_probability(normal_rows(500, 8, 0, 1.5), normal_rows(700, 9, 0, 1)), 1e-6);
}

TEST(SingleIndex, ChiSquareTailsAreNearTheirTables) {
  EXPECT_NEAR(chi_square_tail(18.31, 10), 0.05, 1e-3);
  EXPECT_NEAR(chi_square_tail(6.63, 1), 0.01, 2e-3);
  EXPECT_EQ(chi_square_tail(3, 0), 1);
}

}  // namespace
}  // namespace whence
