// The neural module: gradients three ways, masks that block, and numbers at the edge.
#include "whence/mechanisms/categorical_mlp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/bits.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/statistics.hpp"
#include "whence/core/error.hpp"
#include "whence/math/dual.hpp"

namespace whence {
namespace {

using namespace support;

/// |measured - exact| / (|exact| + .001 of the largest), at its worst.
template <class A, class B>
double relative_error(const std::vector<A>& measured, const std::vector<B>& exact) {
  double largest = 0, worst = 0;
  for (const B& e : exact) largest = std::max(largest, std::abs(double(e)));
  for (std::size_t i = 0; i < exact.size(); ++i)
    worst = std::max(worst, std::abs(double(B(measured[i]) - exact[i])) /
                                (std::abs(double(exact[i])) + 1e-3 * largest));
  return worst;
}

const std::vector<int> sizes = {10, 10, 10};  // 20 inputs, 10 levels
const Family family = first_given_rest(3);

TEST(CategoricalMlp, GradientAgreesWithLongDouble) {
  for (Activation activation : all_activations)
    for (std::uint32_t run = 0; run < 20; ++run) {
      const CategoricalMlp<double> mlp = random_mlp(sizes, 40, activation, run);
      const Dataset data = random_rows(sizes, 10, run);
      const auto wide = mean_gradient(converted<long double>(mlp), data, family);
      std::vector<double> gradient = mean_gradient(mlp, data, family);
      EXPECT_LT(relative_error(gradient, wide), 1e-12) << name_of(activation);
      gradient[mlp.weight2_begin()] *= 1 + 1e-9;  // planted: a wrong weight is seen
      gradient[mlp.weight2_begin()] += 1e-6;
      EXPECT_GT(relative_error(gradient, wide), 1e-12);
    }
}

TEST(CategoricalMlp, GradientAgreesWithDualNumbersAlongEveryParameter) {
  const std::vector<int> small = {4, 3, 2};
  for (Activation activation : all_activations) {
    const CategoricalMlp<double> mlp = random_mlp(small, 5, activation, 1);
    const Dataset data = random_rows(small, 10, 3);
    CategoricalMlp<Dual<double>> dual = converted<Dual<double>>(mlp);
    std::vector<double> slopes;
    for (Dual<double>& parameter : dual.parameters()) {
      parameter.slope = 1;
      slopes.push_back(mean_log_prob(dual, data, family).slope);
      parameter.slope = 0;
    }
    EXPECT_LT(relative_error(mean_gradient(mlp, data, family), slopes), 1e-12);
  }
}

/// Signs of all hidden units on all rows: where they differ, a rectifier has a kink in between.
std::vector<bool> pattern(const CategoricalMlp<double>& mlp, const Dataset& data) {
  std::vector<bool> signs;
  const auto theta = mlp.parameters();
  for (std::size_t row = 0; row < data.rows(); ++row)
    for (std::size_t h = 0; h < mlp.hidden(); ++h) {
      double sum = theta[mlp.bias1_begin() + h];
      for (std::size_t k = 0; k < mlp.mask().size(); ++k)
        sum += theta[(mlp.first_unit(k) +
                      std::size_t(data.columns[family.parents[k].value].levels[row])) *
                         mlp.hidden() +
                     h];
      signs.push_back(sum > 0);
    }
  return signs;
}

TEST(CategoricalMlp, GradientAgreesWithDifferencesAwayFromKinks) {
  for (Activation activation : all_activations) {
    CategoricalMlp<double> mlp = random_mlp(sizes, 40, activation, 2);
    const Dataset data = random_rows(sizes, 10, 2);
    const std::vector<double> gradient = mean_gradient(mlp, data, family);
    std::vector<double> kept, differences;
    std::size_t skipped = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      double& x = mlp.parameters()[i];
      const double middle = x, h = std::cbrt(2.2e-16) * std::max(1.0, std::abs(x));
      const auto at = [&](double place) {
        x = place;
        return mean_log_prob(mlp, data, family);
      };
      x = middle - 3 * h;
      const auto below = pattern(mlp, data);
      x = middle + 3 * h;
      if (activation != Activation::tanh && pattern(mlp, data) != below) {
        ++skipped;
      } else {
        kept.push_back(gradient[i]);
        differences.push_back((at(middle + h) - at(middle - h)) / (2 * h));
      }
      x = middle;
    }
    EXPECT_LT(relative_error(differences, kept), 2e-6) << name_of(activation);
    EXPECT_LE(double(skipped), 0.01 * double(gradient.size()));
  }
}

/// The scores of an episode, as a function of the step size along a direction of the parameters.
template <class T>
T adapted_score(const CategoricalMlp<double>& mlp, const Dataset& data,
                const std::vector<double>& direction, T along) {
  CategoricalMlp<T> learner = converted<T>(mlp);
  for (std::size_t i = 0; i < direction.size(); ++i)
    learner.parameters()[i] += along * T(direction[i]);
  Optimizer<T> optimizer({.learning_rate = 0.1}, direction.size());
  std::vector<T> scores(4);
  adapt(learner, optimizer, data, family, {0, 4, 5}, std::span<T>(scores));
  T sum(0);
  for (const T& s : scores) sum += s;
  return sum;
}

TEST(CategoricalMlp, DerivativesPassThroughTheWholeAdaptation) {
  const CategoricalMlp<double> mlp = random_mlp(sizes, 12, Activation::tanh, 3);
  const Dataset data = random_rows(sizes, 20, 5);
  Inputs inputs(17);
  const std::vector<double> direction = inputs.reals(mlp.parameters().size(), -0.2, 0.2);
  const double exact = adapted_score(mlp, data, direction, Dual<double>(0, 1)).slope;
  constexpr double h = 2e-3;
  const auto at = [&](double x) { return adapted_score(mlp, data, direction, x); };
  const double six_points =
      (45 * (at(h) - at(-h)) - 9 * (at(2 * h) - at(-2 * h)) + (at(3 * h) - at(-3 * h))) / (60 * h);
  EXPECT_NEAR(exact / six_points, 1, 1e-8);
}

TEST(CategoricalMlp, AMaskedParentIsNeverHeard) {
  CategoricalMlp<double> masked = random_mlp(sizes, 40, Activation::relu, 4);
  const CategoricalMlp<double> open = masked;
  CategoricalMlp<double> zeroed = masked;
  masked.set_mask({true, false});
  const auto theta = zeroed.parameters();
  std::fill(theta.begin() + std::ptrdiff_t(zeroed.first_unit(1) * zeroed.hidden()),
            theta.begin() + std::ptrdiff_t(zeroed.bias1_begin()), 0.0);
  Dataset data = random_rows(sizes, 50, 6);
  Dataset changed = data;
  for (auto& level : changed.columns[2].levels) level = (level + 3) % 10;
  bool heard = false;
  for (std::size_t row = 0; row < 50; ++row) {
    const auto here = masked.log_probs(data, family, row);
    EXPECT_TRUE(same_bits(here, masked.log_probs(changed, family, row)));
    EXPECT_TRUE(same_bits(here, zeroed.log_probs(data, family, row)));
    heard = heard ||
            !same_bits(open.log_probs(data, family, row), open.log_probs(changed, family, row));
  }
  EXPECT_TRUE(heard) << "planted: without the mask the parent is heard";
}

TEST(CategoricalMlp, MaskedInputsHaveNoGradient) {
  CategoricalMlp<double> mlp = random_mlp(sizes, 8, Activation::tanh, 5);
  mlp.set_mask({false, true});
  const auto gradient = mean_gradient(mlp, random_rows(sizes, 20, 7), family);
  for (std::size_t i = 0; i < mlp.first_unit(1) * mlp.hidden(); ++i) EXPECT_EQ(gradient[i], 0);
}

TEST(CategoricalMlp, ProbabilitiesAddUpAndGradientsOfTheOutputToZero) {
  for (Activation activation : all_activations) {
    const CategoricalMlp<double> mlp = random_mlp(sizes, 40, activation, 6);
    const Dataset data = random_rows(sizes, 20, 8);
    for (std::size_t row = 0; row < data.rows(); ++row) {
      double total = 0;
      for (double l : mlp.log_probs(data, family, row)) total += std::exp(l);
      EXPECT_NEAR(total, 1, 1e-14);
    }
    const auto gradient = mean_gradient(mlp, data, family);
    double sum = 0;
    for (std::size_t i = mlp.bias2_begin(); i < gradient.size(); ++i) sum += gradient[i];
    EXPECT_NEAR(sum, 0, 1e-14);
  }
}

TEST(CategoricalMlp, SamplesFollowItsProbabilities) {
  const CategoricalMlp<double> mlp = random_mlp(sizes, 8, Activation::leaky_relu, 7);
  Dataset data = random_rows(sizes, 1, 9);
  std::vector<double> p;
  for (double l : mlp.log_probs(data, family, 0)) p.push_back(std::exp(l));
  std::vector<std::size_t> counts(10, 0);
  Stream stream(1, Purpose::tests, {8, 0, 0});
  for (int i = 0; i < 100'000; ++i) {
    mlp.sample(stream, data, family, 0);
    ++counts[std::size_t(data.columns[0].levels[0])];
  }
  EXPECT_GT(counts_p_value(counts, p), alpha);
  std::rotate(p.begin(), p.begin() + 1, p.end());  // planted: off by one level
  EXPECT_LT(counts_p_value(counts, p), alpha);
}

TEST(CategoricalMlp, HugeLogitsKeepDefinedValues) {  // N05
  CategoricalMlp<double> mlp(mlp_shape(categorical_variables({3, 2}), first_given_rest(2), 2));
  const Dataset data = random_rows({3, 2}, 1, 1);
  const auto bias = mlp.parameters().subspan(mlp.bias2_begin());
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const auto& [logits, level] : {std::pair{std::vector<double>{1e308, -1e308, 0}, 0},
                                      {std::vector<double>{-1e308, -1e308, -1e307}, 2},
                                      {std::vector<double>{-inf, 0, -inf}, 1}}) {
    std::copy(logits.begin(), logits.end(), bias.begin());
    const auto log_p = mlp.log_probs(data, first_given_rest(2), 0);
    EXPECT_EQ(log_p[std::size_t(level)], 0);
    const auto gradient = mean_gradient(mlp, data, first_given_rest(2));
    double sum = 0;
    for (std::size_t j = 0; j < 3; ++j) sum += gradient[mlp.bias2_begin() + j];
    EXPECT_NEAR(sum, 0, 3e-15);
  }
}

TEST(CategoricalMlp, EmptyShapesAreRefused) {  // K07
  const auto id_of = [](const std::vector<int>& levels, int hidden) {
    try {
      mlp_shape(categorical_variables(levels), first_given_rest(levels.size()), hidden);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ExitCode::bad_config);
      return e.id();
    }
    return std::string();
  };
  EXPECT_EQ(id_of({3, 3}, 0), "E-CONFIG-RANGE");
  EXPECT_EQ(id_of({1, 3}, 4), "E-CONFIG-RANGE");
  EXPECT_EQ(id_of({3, 0}, 4), "E-CONFIG-RANGE");
  EXPECT_EQ(id_of({3, 3}, 4), "");
}

TEST(CategoricalMlp, KaimingHasTheVarianceOfItsFanIn) {
  CategoricalMlp<double> mlp(mlp_shape(categorical_variables({10, 10}), first_given_rest(2), 400));
  Stream stream(5, Purpose::initialise, {});
  initialise(mlp, MlpInitialisation::kaiming(20, 400, 0.1), stream);
  const auto variance = [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += mlp.parameters()[i] * mlp.parameters()[i];
    return sum / double(end - begin);
  };
  EXPECT_NEAR(variance(0, mlp.bias1_begin()) / (2.0 / 20), 1, 0.1);
  EXPECT_NEAR(variance(mlp.weight2_begin(), mlp.bias2_begin()) / (2.0 / 400), 1, 0.1);
  EXPECT_NEAR(variance(mlp.bias1_begin(), mlp.weight2_begin()) / (0.01 / 3), 1, 0.3);
}

}  // namespace
}  // namespace whence
