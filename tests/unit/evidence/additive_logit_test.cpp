// The additive mechanism: gradient, mode and evidence against what is known exactly.
#include "whence/evidence/categorical/additive_logit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "support/simd.hpp"
#include "whence/math/logspace.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

/// Columns of random levels, the last one drawn towards the sum of the others.
Dataset additive_data(std::span<const int> levels, std::size_t rows, std::uint64_t seed) {
  Dataset data;
  Stream stream(seed, Purpose::tests, {});
  for (int l : levels) {
    data.variables.push_back({"", Variable::Kind::categorical, l});
    data.columns.emplace_back();
  }
  for (std::size_t r = 0; r < rows; ++r) {
    int sum = 0;
    for (std::size_t v = 0; v < levels.size(); ++v) {
      int level = sample_index(stream, levels[v]);
      if (v + 1 == levels.size() && stream.uniform() < 0.6) level = sum % levels[v];
      data.columns[v].levels.push_back(level);
      sum += level;
    }
  }
  data.environments.push_back({"", 0, rows});
  return data;
}

const std::vector<std::size_t> everything = {0};

TEST(AdditiveLogit, TheGradientIsTheDerivative) {
  const std::vector<int> levels = {3, 2, 12, 11};  // more classes than one vector holds
  const Dataset data = additive_data(levels, 60, 1);
  const CategoricalRows rows(data);
  const std::vector<std::size_t> parents = {0, 1, 2};
  AdditiveLogit fit(rows, 3, parents, everything, everything, {});
  fit.start(everything);
  fit.look();
  const std::vector<double> gradient(fit.gradient().begin(), fit.gradient().end());
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    if (i % fit.width() >= 11) continue;  // padding
    constexpr double h = 1e-4;
    const double at = fit.coefficients()[i];
    fit.coefficients()[i] = at + h;
    fit.look();
    const double above = fit.objective();
    fit.coefficients()[i] = at - h;
    fit.look();
    EXPECT_NEAR((above - fit.objective()) / (2 * h), gradient[i], 1e-5);
    fit.coefficients()[i] = at;
  }
}

TEST(AdditiveLogit, ARoughLookSeesTheSame) {
  for (int classes : {2, 10, 16, 21}) {
    const std::vector<int> levels = {12, 11, 10, classes};
    const Dataset data = additive_data(levels, 3000, 6);  // enough rows for single precision
    const CategoricalRows rows(data);
    const std::vector<std::size_t> parents = {0, 1, 2};
    AdditiveLogit fit(rows, 3, parents, everything, everything, {});
    fit.start(everything);
    fit.look();
    const double objective = fit.objective();
    const std::vector<double> gradient(fit.gradient().begin(), fit.gradient().end());
    fit.look(false, true);
    EXPECT_NEAR(fit.objective(), objective, 0.01);
    for (std::size_t i = 0; i < gradient.size(); ++i)
      EXPECT_NEAR(fit.gradient()[i], gradient[i], 0.01);
  }
}

TEST(AdditiveLogit, ClimbsToTheMode) {
  const std::vector<int> levels = {3, 4, 5, 6};
  const Dataset data = additive_data(levels, 300, 2);
  const CategoricalRows rows(data);
  const std::vector<std::size_t> parents = {0, 1, 2};
  AdditiveLogit fit(rows, 3, parents, everything, everything, {2, 1});
  fit.start(everything);
  fit.climb(1e-14);
  for (double g : fit.gradient()) EXPECT_NEAR(g, 0, 1e-4);
}

/// The integral of exp(f) over a cube around 0, on a grid.
double log_integral(std::size_t dimensions, double reach, int points,
                    const std::function<double(std::span<const double>)>& f) {
  std::vector<double> x(dimensions), terms;
  std::vector<int> at(dimensions, 0);
  const double step = 2 * reach / points;
  for (;;) {
    for (std::size_t k = 0; k < dimensions; ++k) x[k] = -reach + (at[k] + 0.5) * step;
    terms.push_back(f(x));
    std::size_t k = 0;
    while (k < dimensions && ++at[k] == points) at[k++] = 0;
    if (k == dimensions) break;
  }
  return log_sum_exp(terms) + double(dimensions) * std::log(step);
}

double log_normal(double x, double precision) {
  return 0.5 * std::log(precision / (2 * M_PI)) - 0.5 * precision * x * x;
}

/// Two classes have one contrast, u = (t1 - t0) / sqrt 2, as Gaussian as the coefficients are.
double log_logistic(double contrast, int level) {
  return log_sigmoid((level == 1 ? 1 : -1) * std::sqrt(2.0) * contrast);
}

TEST(AdditiveLogit, EvidenceAgreesWithQuadrature) {
  const std::vector<int> levels = {2, 2};
  const Dataset data = additive_data(levels, 80, 3);
  const CategoricalRows rows(data);
  const AdditivePrior prior{3, 1};
  AdditiveLogit alone(rows, 1, {}, everything, everything, prior);
  const auto& child = data.columns[1].levels;
  const auto& parent = data.columns[0].levels;
  const double marginal = log_integral(1, 6, 2000, [&](std::span<const double> x) {
    double sum = log_normal(x[0], 1);
    for (std::size_t r = 0; r < child.size(); ++r) sum += log_logistic(x[0], child[r]);
    return sum;
  });
  EXPECT_NEAR(alone.log_evidence_of(everything, 1e-9), marginal, 0.03);

  const std::vector<std::size_t> parents = {0};
  AdditiveLogit fit(rows, 1, parents, everything, everything, prior);
  double share[2];
  for (int l : {0, 1}) share[l] = (double(std::count(parent.begin(), parent.end(), l)) + 0.5) / 81;
  double counts[2][2] = {};
  for (std::size_t r = 0; r < child.size(); ++r) counts[parent[r]][child[r]] += 1;
  const double conditional = log_integral(3, 4, 80, [&](std::span<const double> x) {
    double sum = log_normal(x[0], 1);
    for (int l : {0, 1}) {
      sum += log_normal(x[1 + std::size_t(l)], 3 * share[l]);
      for (int c : {0, 1}) sum += counts[l][c] * log_logistic(x[0] + x[1 + std::size_t(l)], c);
    }
    return sum;
  });
  EXPECT_NEAR(fit.log_evidence_of(everything, 1e-9), conditional, 0.1);
}

TEST(AdditiveLogit, EveryInstructionSetFindsTheSameBits) {
  const std::vector<int> levels = {12, 11, 10, 10};
  const std::vector<std::size_t> parents = {0, 1, 2};
  for (std::size_t size : {100, 2000}) {  // double precision, and single where it guides
    const Dataset data = additive_data(levels, size, 7);
    const CategoricalRows rows(data);
    std::vector<double> found, estimated;
    support::for_each_simd_target([&](const std::string&) {
      AdditiveLogit fit(rows, 3, parents, everything, everything, {});
      found.push_back(fit.log_evidence_of(everything, 0.1));
      estimated.push_back(fit.gains(everything, {})[1]);
    });
    for (double evidence : found) EXPECT_EQ(evidence, found[0]);
    for (double gain : estimated) EXPECT_EQ(gain, estimated[0]);
  }
}

TEST(AdditiveLogit, WithoutAParentTheEvidenceIsAsEstimated) {
  for (int classes : {2, 7, 12}) {  // less than a group of directions, one, and more
    const std::vector<int> levels = {4, 3, 5, classes};
    const Dataset data = additive_data(levels, 4000, 8);
    const CategoricalRows rows(data);
    const std::vector<std::size_t> parents = {0, 1, 2};
    AdditiveLogit fit(rows, 3, parents, everything, everything, {});
    const double evidence = fit.log_evidence_of(everything, 1e-6);
    const std::vector<double> gains = fit.gains(everything, {});
    for (std::size_t p : parents) {
      std::vector<std::size_t> others = parents;
      std::erase(others, p);
      AdditiveLogit without(rows, 3, others, everything, everything, {});
      const double gain = without.log_evidence_of(everything, 1e-6) - evidence;
      EXPECT_NEAR(gains[p], gain, 1 + 0.25 * std::abs(gain)) << classes << " without " << p;
    }
  }
}

TEST(AdditiveLogit, ANewcomerMuchLikeTheParentsIsSeenBesideThem) {
  // All columns repeat one level mostly; the child listens to the first two and hardly to the last.
  constexpr std::size_t columns = 8;
  Dataset data;
  Stream stream(9, Purpose::tests, {});
  for (std::size_t v = 0; v < columns; ++v) {
    data.variables.push_back({"", Variable::Kind::categorical, 5});
    data.columns.emplace_back();
  }
  data.environments.push_back({"", 0, 3000});
  for (std::size_t r = 0; r < 3000; ++r) {
    const int common = sample_index(stream, 5);
    for (std::size_t v = 0; v + 1 < columns; ++v)
      data.columns[v].levels.push_back(stream.uniform() < 0.8 ? common : sample_index(stream, 5));
    const std::size_t heard = stream.uniform() < 0.1 ? 6 : std::size_t(sample_index(stream, 2));
    data.columns[7].levels.push_back(stream.uniform() < 0.5 ? data.columns[heard].levels[r]
                                                            : sample_index(stream, 5));
  }
  const CategoricalRows rows(data);
  const auto evidence = [&](const std::vector<std::size_t>& parents) {
    return AdditiveLogit(rows, 7, parents, everything, everything, {})
        .log_evidence_of(everything, 1e-6);
  };
  const std::vector<std::size_t> parents = {0, 1, 2, 3, 4}, larger = {0, 1, 2, 3, 4, 6};
  AdditiveLogit fit(rows, 7, parents, everything, everything, {});
  fit.log_evidence_of(everything, 1e-6);
  const double gain = evidence(larger) - evidence(parents);
  ASSERT_GT(gain, -100);  // else nobody would look twice
  ASSERT_LT(gain, 0);
  EXPECT_NEAR(fit.gains(everything, {})[6], gain, 1 + 0.1 * std::abs(gain));
}

TEST(AdditiveLogit, AParentThatSaysNothingCosts) {
  const std::vector<int> levels = {4, 4, 7};
  const Dataset data = additive_data(levels, 500, 4);
  const CategoricalRows rows(data);
  const std::vector<std::size_t> none, one = {0}, both = {0, 1}, useless = {1};
  const auto evidence = [&](std::size_t child, const std::vector<std::size_t>& parents) {
    return AdditiveLogit(rows, child, parents, everything, everything, {})
        .log_evidence_of(everything, 1e-6);
  };
  EXPECT_GT(evidence(2, both), evidence(2, one));
  EXPECT_LT(evidence(0, useless), evidence(0, none));
}

TEST(AdditiveLogit, ThePathDoesNotMatter) {
  const std::vector<int> levels = {3, 4, 5};
  Dataset data = additive_data(levels, 200, 5);
  data.environments = {{"", 0, 120}, {"", 120, 200}};
  const CategoricalRows rows(data);
  const std::vector<std::size_t> parents = {0, 1}, all = {0, 1}, first = {0};
  AdditiveLogit fresh(rows, 2, parents, all, all, {}), used(rows, 2, parents, all, all, {});
  used.log_evidence_of(all, 1e-3);
  EXPECT_EQ(used.log_evidence_of(first, 1e-3), fresh.log_evidence_of(first, 1e-3));
  // Going on from another pool ends at the same mode.
  used.start(all);
  used.climb(1e-12);
  used.repool(first);
  used.climb(1e-12);
  used.bend();
  EXPECT_NEAR(used.log_evidence(), fresh.log_evidence_of(first, 1e-12), 1e-6);
}

}  // namespace
}  // namespace whence
