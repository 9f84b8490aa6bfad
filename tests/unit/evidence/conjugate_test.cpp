// Conjugate scores: online predictives, equivalence of both factorisations, label evidence.
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "whence/evidence/categorical/conjugate_table.hpp"
#include "whence/evidence/labels/dependence_evidence.hpp"
#include "whence/evidence/labels/label_evidence.hpp"
#include "whence/evidence/linear/conjugate_gaussian.hpp"
#include "whence/math/special.hpp"
#include "whence/paper/tasks/pair_task.hpp"

namespace whence {
namespace {

TEST(LogGamma, AgreesWithTheStandardLibrary) {
  for (double x = 1e-6; x < 1e7; x *= 1.07)
    EXPECT_NEAR(log_gamma(x), std::lgamma(x), 1e-14 * (1 + std::abs(std::lgamma(x))));
}

TEST(LogRising, IsTheRatioOfGammas) {
  for (double a : {0.01, 0.5, 1.0, 7.3, 1e4})
    for (double n : {0.0, 1.0, 5.0, 16.0, 17.0, 300.0, 2.5})
      EXPECT_NEAR(log_rising(a, n), std::lgamma(a + n) - std::lgamma(a), 1e-9 * (1 + n));
}

/// The predictive of each mini-batch after those before it.
std::vector<double> online_scores(const Dataset& data, const Family& family, FamilyCounts learner,
                                  double alpha, std::size_t steps, std::size_t batch) {
  std::vector<double> scores;
  for (std::size_t t = 0; t < steps; ++t) {
    const FamilyCounts seen = count(data, family, t * batch, (t + 1) * batch);
    scores.push_back(log_predictive(learner, seen, alpha));
    learner += seen;
  }
  return scores;
}

TEST(ConjugateTable, OnlineScoresAddUpToTheMarginalLikelihood) {
  const auto world = CategoricalWorld::draw_pair(4, 1.0, 3, 0);
  const Dataset data = draw_rows(world, 60, Purpose::sample, {3, 0});
  const Family family{VariableId(1), {VariableId(0)}};
  const auto scores = online_scores(data, family, {4, 4}, 0.25, 20, 3);
  EXPECT_NEAR(std::accumulate(scores.begin(), scores.end(), 0.0),
              log_marginal_likelihood(count(data, family, 0, 60), 0.25), 1e-10);
}

TEST(ConjugateTable, OnlineScoresSumToOneOverAllEpisodes) {
  Dataset data = make_dataset(CategoricalWorld::draw_pair(2, 1.0, 1, 0).variables(), 3);
  const Family family{VariableId(0), {}};
  double sum = 0;
  for (int code = 0; code < 8; ++code) {
    for (std::size_t t = 0; t < 3; ++t) data.columns[0].levels[t] = code >> t & 1;
    const auto scores = online_scores(data, family, {1, 2}, 0.7, 3, 1);
    sum += std::exp(scores[0] + scores[1] + scores[2]);
  }
  EXPECT_NEAR(sum, 1, 1e-14);
}

/// Counts of a table of three rows and four levels; the second row has none.
FamilyCounts some_counts(std::uint32_t run, double most) {
  Stream stream(9, Purpose::tests, {run, 0, 0});
  FamilyCounts counts(3, 4);
  for (double& cell : counts.cells) cell = std::floor(most * stream.uniform());
  for (std::size_t j = 4; j < 8; ++j) counts.cells[j] = 0;
  return counts;
}

TEST(LearntTable, ScoresAsThePredictiveDoesHoweverMuchItKnows) {
  for (double known : {0.0, 5.0, 300.0, 1e5, 1e8})
    for (double alpha : {0.01, 1.0}) {
      const FamilyCounts before = some_counts(0, known), seen = some_counts(1, 12);
      const Tally old(before), fresh(seen);
      LearntTable table(3, 4, alpha);
      table = learn(table, old, score(table, old));
      const TallyScore scored = score(table, fresh);
      ASSERT_EQ(scored.rows.size(), 2u);
      for (std::size_t i = 0; i < 2; ++i) {
        const double expected = log_predictive_row(before, seen, alpha, fresh.rows[i].row);
        EXPECT_NEAR(scored.rows[i], expected, 1e-8) << known << ' ' << alpha;
      }
      // What it has learnt is what it would be, had it seen all at once.
      FamilyCounts all = before;
      all += seen;
      const Tally together(all);
      const LearntTable later = learn(table, fresh, scored), empty(3, 4, alpha);
      EXPECT_EQ(later.counts, learn(empty, together, score(empty, together)).counts);
      EXPECT_EQ(later.log_gammas, learn(empty, together, score(empty, together)).log_gammas);
    }
}

TEST(ConjugateTable, BothFactorisationsOfAJointAreEqual) {
  const auto world = CategoricalWorld::draw_pair(5, 1.0, 4, 0);
  const Dataset data = draw_rows(world, 200, Purpose::sample, {4, 0});
  const auto score = [&](Family family, double alpha) {
    return log_marginal_likelihood(count(data, family, 0, 200), alpha);
  };
  const VariableId a(0), b(1);
  const double forward = score({a, {}}, 0.1 * 5) + score({b, {a}}, 0.1);
  const double backward = score({b, {}}, 0.1 * 5) + score({a, {b}}, 0.1);
  EXPECT_NEAR(forward, backward, 1e-9);
  // One imaginary row per cell in marginal and conditional alike is not equivalent.
  EXPECT_GT(
      std::abs(score({a, {}}, 1) + score({b, {a}}, 1) - score({b, {}}, 1) - score({a, {b}}, 1)),
      1e-3);
}

Moments random_moments(std::size_t d, int rows, std::uint32_t run) {
  Stream stream(6, Purpose::tests, {run, 0, 0});
  Moments moments(d);
  std::vector<double> row(d);
  for (int r = 0; r < rows; ++r) {
    for (double& x : row) x = sample_normal(stream);
    for (std::size_t i = 1; i < d; ++i) row[i] += 0.7 * row[i - 1];
    moments.add_row(row);
  }
  return moments;
}

TEST(ConjugateGaussian, OneRowIsAStudentDensityThatIntegratesToOne) {
  const GaussianPrior prior;
  double sum = 0;
  const double step = 0.01;
  for (double y = -400; y < 400; y += step) {
    Moments one(1);
    one.add_row({{y}});
    sum += step * std::exp(log_marginal_likelihood(one, 0, 1, prior));
  }
  EXPECT_NEAR(sum, 1, 1e-4);  // the tail of a Student law with three degrees of freedom
}

TEST(ConjugateGaussian, BothFactorisationsOfAJointAreEqual) {
  for (std::size_t d : {2u, 5u, 20u}) {
    const Moments m = random_moments(d, 50, std::uint32_t(d));
    const GaussianPrior prior{.scale = 0.3};
    const std::size_t cut = d / 2;
    const double forward =
        log_marginal_likelihood(m, 0, cut, prior) + log_conditional_likelihood(m, cut, d, prior);
    const double backward =
        log_marginal_likelihood(m, cut, d, prior) + log_conditional_likelihood(m, 0, cut, prior);
    EXPECT_NEAR(forward, backward, 1e-8);
    EXPECT_NEAR(forward, log_marginal_likelihood(m, 0, d, prior), 1e-8);
  }
}

TEST(ConjugateGaussian, LearningInTwoPartsIsLearningAtOnce) {
  const Moments a = random_moments(3, 20, 1), b = random_moments(3, 30, 2);
  Moments both = a;
  both += b;
  const GaussianPrior prior;
  // log P(b | a) from the prior updated by hand equals the ratio of marginal likelihoods: check by
  // adding the rows of b one at a time.
  double online = 0;
  Stream stream(6, Purpose::tests, {2, 0, 0});
  Moments seen = a;
  for (int r = 0; r < 30; ++r) {
    std::vector<double> row(3);
    for (double& x : row) x = sample_normal(stream);
    for (std::size_t i = 1; i < 3; ++i) row[i] += 0.7 * row[i - 1];
    Moments next = seen;
    next.add_row(row);
    online +=
        log_marginal_likelihood(next, 0, 3, prior) - log_marginal_likelihood(seen, 0, 3, prior);
    seen = next;
  }
  EXPECT_NEAR(online,
              log_marginal_likelihood(both, 0, 3, prior) - log_marginal_likelihood(a, 0, 3, prior),
              1e-8);
}

Dataset real_pair(std::size_t rows_each, double shift_x, double shift_y, std::uint32_t run) {
  Stream stream(8, Purpose::tests, {run, 0, 0});
  Dataset data;
  data.variables = {{"x", Variable::Kind::real, 0, 1}, {"y", Variable::Kind::real, 0, 1}};
  data.columns.resize(2);
  for (std::size_t e = 0; e < 2; ++e) {
    for (std::size_t r = 0; r < rows_each; ++r) {
      const double x = sample_normal(stream) + double(e) * shift_x;
      data.columns[0].values.push_back(x);
      data.columns[1].values.push_back(std::sin(2 * x) + 0.3 * sample_normal(stream) +
                                       double(e) * shift_y);
    }
    data.environments.push_back({e ? "other" : "base", e * rows_each, (e + 1) * rows_each});
  }
  return data;
}

TEST(LabelEvidence, FindsWhichLawDiffers) {
  const std::vector<std::size_t> base = {0};
  const LabelEvidence cause = label_evidence(real_pair(400, 0.8, 0, 1), 1, base);
  EXPECT_GT(cause.u, 20);
  EXPECT_LT(cause.both - cause.u, 0);  // nothing more to learn from the effect
  const LabelEvidence effect = label_evidence(real_pair(400, 0, 0.5, 2), 1, base);
  EXPECT_LT(effect.u, 0);
  EXPECT_GT(effect.both, 20);
}

TEST(LabelEvidence, HasNoSignalWithoutAShift) {
  const std::vector<std::size_t> base = {0};
  double mean = 0;
  for (std::uint32_t run = 0; run < 20; ++run) {
    const LabelEvidence d = label_evidence(real_pair(200, 0, 0, 100 + run), 1, base);
    EXPECT_LT(d.both, 4);
    mean += std::exp(d.u) / 20;  // a likelihood ratio: its mean is 1 without a shift
  }
  EXPECT_LT(mean, 1.5);
}

TEST(LabelEvidence, DoesNotSeeMonotoneChangesOfUnits) {
  Dataset data = real_pair(150, 0.5, 0, 3);
  const std::vector<std::size_t> base = {0};
  const LabelEvidence before = label_evidence(data, 1, base);
  for (double& x : data.columns[0].values) x = std::exp(3 * x);
  const LabelEvidence after = label_evidence(data, 1, base);
  EXPECT_EQ(before.u, after.u);
  EXPECT_EQ(before.both, after.both);
}

TEST(DependenceEvidence, TellsLinkedFromShuffledColumns) {
  Dataset data = real_pair(300, 0, 0, 4);
  EXPECT_GT(dependence_evidence(data), 20);
  Stream stream(8, Purpose::tests, {999, 0, 0});
  auto& y = data.columns[1].values;
  for (const Environment& e : data.environments)
    for (std::size_t i = e.end - 1; i > e.begin; --i)
      std::swap(y[i], y[e.begin + std::size_t(sample_index(stream, int(i - e.begin + 1)))]);
  EXPECT_LT(dependence_evidence(data), 0);
}

}  // namespace
}  // namespace whence
