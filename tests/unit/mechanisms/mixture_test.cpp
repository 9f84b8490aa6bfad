// What mixtures are made of: one component is a Gaussian, and responsibilities share every point.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/tables.hpp"
#include "whence/mechanisms/gaussian_mixture.hpp"
#include "whence/mechanisms/mixture_density.hpp"

namespace whence {
namespace {

double gaussian_log_density(double y, double mean, double log_sigma) {
  const double z = (y - mean) * std::exp(-log_sigma);
  return -0.5 * z * z - log_sigma - 0.5 * std::log(2 * 3.14159265358979323846);
}

TEST(MixtureDensity, OfOneComponentIsTheClosedForm) {
  support::Inputs inputs(1);
  const DensityShape shape{7, 1};
  for (int n = 0; n < 50; ++n) {
    const MixtureDensity<double> network(shape, inputs.reals(shape.size(), -0.8, 0.8));
    const double x = inputs.real(-4, 4), y = inputs.real(-4, 4);
    double out[3];  // logit, mean, log sigma
    for (std::size_t o = 0; o < 3; ++o) {
      out[o] = network.parameters()[shape.output_bias() + o];
      for (std::size_t j = 0; j < shape.hidden; ++j)
        out[o] +=
            network.parameters()[shape.output_weight() + o * shape.hidden + j] *
            std::tanh(network.parameters()[j] * x + network.parameters()[shape.hidden_bias() + j]);
    }
    EXPECT_NEAR(network.log_prob(x, y), gaussian_log_density(y, out[1], out[2]), 1e-12);
    EXPECT_GT(std::abs(network.log_prob(x, y) - gaussian_log_density(y, out[0], out[2])), 1e-6);
  }
}

TEST(GaussianMixture, OfOneComponentIsTheClosedForm) {
  support::Inputs inputs(2);
  for (int n = 0; n < 50; ++n) {
    const std::vector<double> p = inputs.reals(3, -1, 1);
    const double y = inputs.real(-3, 3);
    EXPECT_NEAR(GaussianMixture<double>(1, p).log_prob(y), gaussian_log_density(y, p[1], p[2]),
                1e-13);
  }
}

TEST(GaussianMixture, ResponsibilitiesShareEveryPoint) {
  support::Inputs inputs(3);
  const std::vector<double> x = inputs.reals(40, -5, 5);
  const GaussianMixture<double> mixture(4, inputs.reals(12, -1, 1));
  EmSums<double> sums;
  reference_em_pass<double>(mixture, x, sums);
  double total = 0;
  for (double r : sums.r) total += r;
  EXPECT_NEAR(total, 40, 1e-12);
  EmSums<double> of_softmax;  // planted: the released code's weights share them differently
  reference_em_pass<double>(doubly_softmaxed(mixture), x, of_softmax);
  EXPECT_GT(std::abs(of_softmax.r[0] - sums.r[0]), 1e-3);
}

}  // namespace
}  // namespace whence
