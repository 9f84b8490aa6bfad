// Linear families whose noise may have heavy tails: Gaussian data notice nothing, outliers are
// neither changes nor edges, and real changes stay.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/bits.hpp"
#include "support/simd.hpp"
#include "whence/evidence/linear/linear_family_scores.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

using Parents = std::vector<std::size_t>;
using States = std::vector<EnvironmentState>;

constexpr std::size_t shifted_environments = 12, rows_of_baseline = 100, rows_of_shifted = 10;

/// x0 and x1 are noise, x2 = x0 - x1 + noise; environment 0 is large. Nothing changes.
Dataset quiet_data(std::uint64_t seed) {
  Dataset data;
  for (const char* name : {"x0", "x1", "x2"}) {
    data.variables.push_back({name, Variable::Kind::real, 0, 1});
    data.columns.emplace_back();
  }
  Stream stream(seed, Purpose::tests, {5});
  std::size_t begin = 0;
  for (std::size_t e = 0; e <= shifted_environments; ++e) {
    const std::size_t rows = e == 0 ? rows_of_baseline : rows_of_shifted;
    data.environments.push_back({"e" + std::to_string(e), begin, begin + rows});
    for (std::size_t n = 0; n < rows; ++n) {
      const double a = sample_normal(stream), b = sample_normal(stream);
      data.columns[0].values.push_back(a);
      data.columns[1].values.push_back(b);
      data.columns[2].values.push_back(a - b + 0.3 * sample_normal(stream));
    }
    begin += rows;
  }
  return data;
}

/// One row in every second shifted environment is far off, in x2 alone.
Dataset with_outliers(Dataset data) {
  for (std::size_t e = 1; e < data.environments.size(); e += 2)
    data.columns[2].values[data.environments[e].begin + e % rows_of_shifted] +=
        e % 4 == 1 ? 12 : -9;
  return data;
}

EnvironmentRegime sparse() {
  return {false, States(shifted_environments + 1, EnvironmentState::sparse)};
}

LinearFamilyScorer scorer_of(const Dataset& data, bool robust) {
  LinearScoreOptions options;
  options.scale = 3;
  options.robust = robust;
  return LinearFamilyScorer(data, options);
}

std::vector<double> changes(const LinearFamilyScorer& scorer, std::size_t child,
                            const Parents& parents) {
  std::vector<double> probability(scorer.environments());
  scorer.changed(child, parents, sparse(), probability);
  return probability;
}

const std::vector<std::pair<std::size_t, Parents>> families = {{0, {}},     {2, {}},  {2, {0}},
                                                               {2, {0, 1}}, {0, {2}}, {1, {0, 2}}};

TEST(RobustFamilyScores, GaussianDataOnlyPayTheShare) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Dataset data = quiet_data(seed);
    const LinearFamilyScorer plain = scorer_of(data, false), robust = scorer_of(data, true);
    for (const auto& [child, parents] : families) {
      const double share =
          robust.log_score(child, parents, sparse()) - plain.log_score(child, parents, sparse());
      EXPECT_GE(share, std::log(0.9) - 1e-12);
      EXPECT_LE(share, std::log(0.9) + 0.2);
      const std::vector<double> a = changes(plain, child, parents),
                                b = changes(robust, child, parents);
      for (std::size_t e = 0; e < a.size(); ++e) EXPECT_NEAR(a[e], b[e], 0.1);
    }
  }
}

TEST(RobustFamilyScores, OutliersAreNoChanges) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Dataset data = with_outliers(quiet_data(seed));
    const LinearFamilyScorer plain = scorer_of(data, false), robust = scorer_of(data, true);
    for (const Parents& parents : {Parents{}, Parents{0, 1}}) {
      const std::vector<double> believed = changes(robust, 2, parents);
      for (double p : believed) EXPECT_LT(p, 0.8) << "seed " << seed;
    }
    // Gaussian noise has no other way to explain them.
    const std::vector<double> believed = changes(plain, 2, {0, 1});
    EXPECT_GT(*std::max_element(believed.begin(), believed.end()), 0.9);
  }
}

TEST(RobustFamilyScores, OutliersInTwoColumnsAreNoEdge) {
  Dataset data = quiet_data(3);
  Stream stream(4, Purpose::tests, {6});
  for (double& x : data.columns[0].values) x += stream.uniform() < 0.05 ? 15 : 0;
  for (double& x : data.columns[1].values) x += stream.uniform() < 0.05 ? -15 : 0;
  const LinearFamilyScorer robust = scorer_of(data, true);
  for (const bool quiet : {false, true}) {
    EnvironmentRegime regime = sparse();
    regime.quiet = quiet;
    EXPECT_LT(robust.log_score(1, Parents{0}, regime), robust.log_score(1, {}, regime) + 1);
    EXPECT_LT(robust.log_score(0, Parents{1}, regime), robust.log_score(0, {}, regime) + 1);
  }
}

TEST(RobustFamilyScores, RealChangesAreFoundAmongOutliers) {
  Dataset data = with_outliers(quiet_data(7));
  for (const std::size_t e : {3u, 4u})
    for (std::size_t n = data.environments[e].begin; n < data.environments[e].end; ++n)
      data.columns[2].values[n] = 6 + 0.3 * data.columns[2].values[n];
  const std::vector<double> believed = changes(scorer_of(data, true), 2, {0, 1});
  for (std::size_t e = 0; e < believed.size(); ++e) {
    if (e == 3 || e == 4)
      EXPECT_GT(believed[e], 0.99) << e;
    else
      EXPECT_LT(believed[e], 0.5) << e;
  }
}

/// A cause moves far in one environment and the effect follows: that tells the slope, and is no
/// change of the effect, however heavy the tails.
TEST(RobustFamilyScores, AFarCauseIsNoChangeOfItsEffect) {
  Dataset data = with_outliers(quiet_data(8));
  for (std::size_t n = data.environments[2].begin; n < data.environments[2].end; ++n) {
    data.columns[0].values[n] += 40;
    data.columns[2].values[n] += 40;
  }
  const LinearFamilyScorer robust = scorer_of(data, true);
  EXPECT_LT(changes(robust, 2, {0, 1})[2], 0.5);
  EXPECT_GT(changes(robust, 0, {})[2], 0.99);
}

TEST(RobustFamilyScores, EnvironmentsThatChangedAsAWholeAreAddedOnTheirOwn) {
  const Dataset data = with_outliers(quiet_data(9));
  for (const bool robust : {false, true}) {
    const LinearFamilyScorer scorer = scorer_of(data, robust);
    for (const auto state : {EnvironmentState::all_soft, EnvironmentState::all_hard}) {
      EnvironmentRegime regime = sparse();
      regime.states[1] = state;
      for (const auto& [child, parents] : families)
        EXPECT_NEAR(scorer.log_score(child, parents, regime),
                    scorer.log_score_without(child, parents, sparse(), 1) +
                        scorer.log_redrawn(child, parents, 1, state),
                    1e-9);
    }
  }
}

/// What one sum says of all environments at once, against a sum for each. With Student noise each
/// sum is a bound from below that its rounds of weighing come near to, from where Gaussian noise
/// left it: two of them may differ by some nats.
TEST(RobustFamilyScores, RedrawsAreEstimatedFromOneSum) {
  for (const Dataset& data : {quiet_data(61), with_outliers(quiet_data(62))})
    for (const bool robust : {false, true}) {
      // A prior as strong as some rows: what one environment does to the pool moves the others.
      const double error = robust ? 6 : 2;
      const LinearFamilyScorer scorer = scorer_of(data, robust);
      for (const auto& [child, parents] : families) {
        std::vector<double> soft(scorer.environments()), hard(scorer.environments());
        ASSERT_TRUE(scorer.estimate_redrawn(child, parents, sparse(), soft, hard));
        const double present = scorer.log_score(child, parents, sparse());
        for (std::size_t e = 0; e < scorer.environments(); ++e) {
          EnvironmentRegime redrawn = sparse();
          redrawn.states[e] = EnvironmentState::all_soft;
          EXPECT_NEAR(soft[e], scorer.log_score(child, parents, redrawn) - present, error)
              << e << " of " << child;
          redrawn.states[e] = EnvironmentState::all_hard;
          EXPECT_NEAR(hard[e], scorer.log_score(child, parents, redrawn) - present, error)
              << e << " of " << child;
        }
      }
    }
}

/// Candidates seen in one look, against a sum for each.
TEST(RobustFamilyScores, GainsAreEstimatedFromOneLook) {
  for (const Dataset& data : {quiet_data(63), with_outliers(quiet_data(64))})
    for (const bool robust : {false, true}) {
      const LinearFamilyScorer scorer = scorer_of(data, robust);
      for (const EnvironmentRegime& regime : {sparse(), EnvironmentRegime{true, sparse().states}})
        for (const auto& [child, parents] : families) {
          std::vector<double> gains(3);
          scorer.estimate_gains(child, parents, regime, gains);
          const double present = scorer.log_score(child, parents, regime);
          for (std::size_t v = 0; v < 3; ++v) {
            Parents larger = parents;
            larger.insert(std::lower_bound(larger.begin(), larger.end(), v), v);
            if (v == child || std::count(parents.begin(), parents.end(), v) > 0) {
              EXPECT_TRUE(std::isnan(gains[v]));
              continue;
            }
            const double gain = scorer.log_score(child, larger, regime) - present;
            if (gain > 20)  // then only that it is one
              EXPECT_GT(gains[v], 5);
            else
              EXPECT_NEAR(gains[v], gain, robust ? 3 : 0.5)
                  << child << " + " << v << " of " << parents.size();
          }
        }
    }
}

TEST(RobustFamilyScores, OneSetOfBitsOnEveryInstructionSet) {
  const Dataset data = with_outliers(quiet_data(10));
  const LinearFamilyScorer expected = scorer_of(data, true);
  std::vector<double> scores;
  for (const auto& [child, parents] : families)
    scores.push_back(expected.log_score(child, parents, sparse()));
  const auto estimates = [](const LinearFamilyScorer& scorer, std::size_t child,
                            const Parents& parents) {
    double sum = 0;  // of what can be estimated
    std::vector<double> all(3);
    scorer.estimate_gains(child, parents, sparse(), all);
    for (double gain : all) sum += std::isnan(gain) ? 0 : gain;
    return sum;
  };
  std::vector<double> gains;
  for (const auto& [child, parents] : families)
    gains.push_back(estimates(expected, child, parents));
  support::for_each_simd_target([&](const std::string& target) {
    const LinearFamilyScorer scorer = scorer_of(data, true);
    for (std::size_t k = 0; k < families.size(); ++k) {
      const auto& [child, parents] = families[k];
      EXPECT_TRUE(support::same_bits(scorer.log_score(child, parents, sparse()), scores[k]))
          << target;
      EXPECT_TRUE(support::same_bits(estimates(scorer, child, parents), gains[k])) << target;
    }
  });
}

TEST(RobustFamilyScores, HardlyAnyRows) {
  Dataset data = quiet_data(11);
  data.environments.resize(3);
  data.environments[1].end = data.environments[1].begin + 1;
  data.environments[2] = {"last", data.environments[1].end, data.environments[1].end + 2};
  for (Column& column : data.columns) column.values.resize(data.environments[2].end);
  const LinearFamilyScorer scorer = scorer_of(data, true);
  const EnvironmentRegime regime{false, States(3, EnvironmentState::sparse)};
  for (const auto& [child, parents] : families)
    EXPECT_TRUE(std::isfinite(scorer.log_score(child, parents, regime)));
}

}  // namespace
}  // namespace whence
