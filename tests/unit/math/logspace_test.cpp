#include "whence/math/logspace.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace whence {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(LogAddExp, IsSymmetricAndKeepsItsEdges) {
  EXPECT_EQ(log_add_exp(1, 5), log_add_exp(5, 1));
  EXPECT_EQ(log_add_exp(-infinity, 2), 2);
  EXPECT_EQ(log_add_exp(-infinity, -infinity), -infinity);
  EXPECT_EQ(log_add_exp(infinity, 0), infinity);
  EXPECT_EQ(log_add_exp(-1e300, 1e300), 1e300);
}

TEST(Sigmoid, IsOneHalfAtZeroAndNeverOverflows) {
  EXPECT_EQ(sigmoid(0), 0.5);
  EXPECT_EQ(sigmoid(1e308), 1);
  EXPECT_EQ(sigmoid(-1e308), 0);
  EXPECT_TRUE(std::isnan(sigmoid(std::nan(""))));
}

TEST(LogSigmoid, IsLinearFarLeft) {
  EXPECT_EQ(log_sigmoid(-1e300), -1e300);
  EXPECT_EQ(log_sigmoid(1e300), 0);
  EXPECT_EQ(log_sigmoid(0), -std::log(2.0));
}

TEST(Logit, UndoesSigmoid) {
  for (double x : {-30.0, -1.0, 0.0, 0.5, 5.0})
    EXPECT_NEAR(logit(sigmoid(x)), x, 1e-13 * std::max(1.0, std::exp(x)));
}

TEST(SigmoidDifference, SurvivesTheExtremes) {
  for (double g : {-1e308, -800.0, 0.0, 800.0, 1e308})
    for (double d : {-1e308, -1.0, 0.0, 1.0, 1e308}) {
      const double x = sigmoid_difference(g, d);
      EXPECT_TRUE(x >= -1 && x <= 1) << g << ", " << d << ": " << x;
    }
  EXPECT_EQ(sigmoid_difference(0, 1e308), -0.5);
  EXPECT_EQ(sigmoid_difference(-800, 1600), -1);
  EXPECT_EQ(sigmoid_difference(0, 4e-300), -1e-300);
}

}  // namespace
}  // namespace whence
