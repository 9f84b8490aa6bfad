// Proposition 3, corrected (errata E3): where the belief goes is decided by the means of
// e^{+-delta}, not by the mean of delta; how fast, by how far those means are from 1.
#include <cmath>
#include <vector>

#include "tests/paper/law.hpp"
#include "tests/support/effort.hpp"
#include "whence/belief/two_hypotheses.hpp"
#include "whence/math/logspace.hpp"
#include "whence/math/random.hpp"

namespace whence::test {
namespace {

using Gradient = double (*)(double gamma, double delta);

/// Planted: errata E1, the sign that the discrete appendix prints.
double wrong_sign(double gamma, double delta) { return -regret_gradient(gamma, delta); }

/// A law of delta as a list of equally likely values: atoms repeated as often as they weigh.
using DeltaLaw = std::vector<double>;

double mean_exp(const DeltaLaw& law, double sign) {
  long double sum = 0;
  for (double d : law) sum += expl(static_cast<long double>(sign * d));
  return double(sum / static_cast<long double>(law.size()));
}

/// 2 to 10 atoms between -4 and 4, each repeated 1 to 6 times; `margin` away from the borders
/// between the classes, where gradient descent takes for ever.
DeltaLaw draw_law(Stream& stream, double margin) {
  for (;;) {
    DeltaLaw law;
    const int atoms = 2 + sample_index(stream, 9);
    const double centre = 4 * stream.uniform() - 2, width = 1 + 3 * stream.uniform();
    for (int a = 0; a < atoms; ++a) {
      const double delta = centre + width * (stream.uniform() - 0.5);
      law.insert(law.end(), std::size_t(1 + sample_index(stream, 6)), delta);
    }
    if (std::abs(mean_exp(law, 1) - 1) > margin && std::abs(mean_exp(law, -1) - 1) > margin)
      return law;
  }
}

/// Where p goes: to 1, to 0, or to a place in between.
enum class Class { one, zero, inside };

Class class_by_criteria(const DeltaLaw& law) {
  if (mean_exp(law, -1) <= 1) return Class::one;
  return mean_exp(law, 1) <= 1 ? Class::zero : Class::inside;
}
Class class_of(double p) {
  if (p == 1) return Class::one;
  return p == 0 ? Class::zero : Class::inside;
}
/// Planted: the criterion as printed, E[delta] > 0.
Class class_by_mean(const DeltaLaw& law) {
  double sum = 0;
  for (double d : law) sum += d;
  return sum > 0 ? Class::one : Class::zero;
}
Class class_by_limit(const DeltaLaw& law) { return class_of(limit_belief(law)); }

double share_misclassified(Class (*classify)(const DeltaLaw&)) {
  Stream stream(0, Purpose::tests, {31});
  constexpr int laws = 1000;
  int wrong = 0;
  for (int i = 0; i < laws; ++i) {
    const DeltaLaw law = draw_law(stream, 1e-6);
    wrong += classify(law) != class_by_criteria(law);
  }
  return double(wrong) / laws;
}

TEST(Proposition3, TheLimitIsDecidedByTheMeansOfTheOdds) {
  expect_law("P3a", 0, share_misclassified, &class_by_limit,
             Planted{"decided by the sign of the mean, as printed", &class_by_mean});
}

/// Stochastic gradient descent through shuffled passes over the law.
struct Descent {
  Gradient gradient;
  double gamma = 0;

  /// The mean belief along the way.
  double run(const DeltaLaw& law, double learning_rate, int steps, Stream& stream) {
    DeltaLaw order = law;
    const int passes = steps / int(law.size());
    double sum = 0;
    for (int pass = 0; pass < passes; ++pass) {
      for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[std::size_t(sample_index(stream, int(i)))]);
      for (double delta : order) {
        gamma -= learning_rate * gradient(gamma, delta);
        sum += sigmoid(gamma);
      }
    }
    return sum / (double(passes) * double(order.size()));
  }
};

/// The largest distance between the averaged descent and the predicted limit.
double descent_error(Gradient gradient, std::size_t laws) {
  Stream stream(0, Purpose::tests, {32});
  double worst = 0;
  for (std::size_t i = 0; i < laws; ++i) {
    const DeltaLaw law = draw_law(stream, 0.02);
    Descent descent{gradient};
    descent.run(law, 2.0, 8000, stream);  // a long way at large steps, then small ones to settle
    descent.run(law, 0.3, 6000, stream);
    descent.run(law, 0.1, 8000, stream);
    const double p = descent.run(law, 0.03, 4000, stream);
    worst = std::max(worst, std::abs(p - limit_belief(law)));
    if (worst > 0.5) break;  // broken beyond doubt
  }
  return worst;
}

TEST(Proposition3, AveragedDescentReachesThePredictedLimit) {
  const auto laws = support::effort(1000);
  expect_law(
      "P3a", 0.01, [&](Gradient g) { return descent_error(g, laws); }, &regret_gradient,
      Planted{"sign of the appendix (P3d)", &wrong_sign},
      Planted{"slope of the printed regret", &printed_regret_gradient});
}

/// The same through learn_belief itself.
TEST(Proposition3, LearntBeliefSettlesWhereTheEpisodesContradictEachOther) {
  const DeltaLaw law = {3, 3, 3, -3, -3};
  std::vector<double> episodes;
  for (int i = 0; i < 20'000; ++i) episodes.push_back(law[std::size_t(i) % law.size()]);
  const BeliefLearning how{.optimizer = {.learning_rate = 0.05}};
  const BeliefTrajectory path = learn_belief(episodes, 1, how);
  double sum = 0;
  for (std::size_t e = 10'000; e < 20'000; ++e) sum += sigmoid(path.gamma[e]);
  EXPECT_NEAR(sum / 10'000, 0.6105, 0.01);
}

TEST(Proposition3, PositiveMeanDoesNotImplyCertainty) {
  const DeltaLaw law = {3, 3, 3, -3, -3};  // E delta = .6 > 0
  const double p = limit_belief(law);
  EXPECT_NEAR(p, 0.6105, 5e-5);
  // Two atoms +-d have a closed form: mean posterior = prior is linear in p once multiplied out.
  const double e = std::exp(-3.0);
  EXPECT_NEAR(p, (0.6 - 0.4 * e) / (1 - e), 1e-12);
  double mean_posterior = 0;
  for (double d : law) mean_posterior += sigmoid(logit(p) + d) / 5;
  EXPECT_NEAR(mean_posterior, p, 1e-12);
}

TEST(Proposition3, LargeContradictionsLeadToTheWinRate) {
  EXPECT_NEAR(limit_belief(DeltaLaw{40, 40, 40, -40, -40}), 0.6, 1e-12);
  EXPECT_NEAR(limit_belief(DeltaLaw{500, -400, 300, 600}), 0.75, 1e-12);
}

/// Equally likely values of a normal law: the midpoints of n slices of equal probability, scaled so
/// that the mean of e^-(delta - mean) is exactly that of the law.
DeltaLaw gaussian(double mean, double variance) {
  constexpr int n = 20'001;
  DeltaLaw law(n);
  for (int i = 0; i < n; ++i)
    law[std::size_t(i)] = std::sqrt(variance) * normal_quantile((i + 0.5) / n);
  const double excess = std::log(mean_exp(law, -1)) - variance / 2;
  for (double& d : law) d += mean + excess;
  return law;
}

TEST(Proposition3, GaussianEvidenceDecidesOnceItsMeanIsHalfItsVariance) {
  for (double variance : {0.1, 1.0, 4.0}) {
    EXPECT_EQ(limit_belief(gaussian(variance / 2 * 1.01, variance)), 1) << variance;
    const double undecided = limit_belief(gaussian(variance / 2 * 0.99, variance));
    EXPECT_LT(undecided, 1) << variance;
    EXPECT_GT(undecided, 0.5) << variance;
  }
}

/// Relative distance of eta t (1 - sigma)(1 - E e^-delta) from 1 at t = 1e5.
double rate_error(Gradient gradient) {
  double worst = 0;
  for (const DeltaLaw& law : {DeltaLaw{2}, DeltaLaw{1, 3}, DeltaLaw{4, 2, -0.5}})
    for (double eta : {0.5, 1.0, 2.0}) {
      double gamma = 0;
      constexpr int t = 100'000;
      for (int i = 0; i < t; ++i) gamma -= eta * gradient(gamma, law[std::size_t(i) % law.size()]);
      const double product = eta * t * sigmoid(-gamma) * (1 - mean_exp(law, -1));
      worst = std::max(worst, std::abs(product - 1));
    }
  return worst;
}

TEST(Proposition3, CertaintyComesAtTheRateOneOverTime) {
  expect_law("P3b", 0.02, rate_error, &regret_gradient,
             Planted{"sign of the appendix (P3d)", &wrong_sign},
             Planted{"slope of the printed regret", &printed_regret_gradient});
}

TEST(Proposition3, TimeTimesDoubtIsWhatTheErrataSay) {
  const std::vector<double> episodes(100'000, 2.0);
  const BeliefLearning how{.optimizer = {.learning_rate = 1}};
  const double gamma = learn_belief(episodes, 1, how).gamma.back();
  EXPECT_NEAR(100'000 * sigmoid(-gamma), 1.157, 0.02 * 1.157);
}

/// The printed regret is concave in p: its interior stationary point repels, so the start decides.
double share_of_starts_misjudged(BeliefObjective objective) {
  Stream stream(0, Purpose::tests, {33});
  int starts = 0, wrong = 0;
  while (starts < 100) {
    const DeltaLaw law = draw_law(stream, 0.05);
    DeltaLaw mirrored = law;
    for (double& d : mirrored) d = -d;
    const double watershed = limit_belief(mirrored);
    if (class_of(watershed) != Class::inside) continue;  // one way only: nothing to predict
    std::vector<double> episodes;
    while (episodes.size() < 40'000) episodes.insert(episodes.end(), law.begin(), law.end());
    for (double offset : {-0.5, 0.5}) {
      const BeliefLearning how{.gamma0 = logit(watershed) + offset,
                               .optimizer = {.learning_rate = 0.05},
                               .objective = objective};
      const double end = sigmoid(learn_belief(episodes, 1, how).gamma.back());
      ++starts;
      wrong += offset > 0 ? !(end > 0.9) : !(end < 0.1);
    }
  }
  return double(wrong) / starts;
}

TEST(Proposition3, ThePrintedRegretIsBistableAndTheStartDecides) {
  expect_law("P3c", 0, share_of_starts_misjudged, BeliefObjective::printed,
             Planted{"descends the mixture regret instead", BeliefObjective::mixture});
}

TEST(Proposition3, WithConstantEvidenceThePrintedRegretGoesTheSameWay) {
  for (double delta : {-2.0, 2.0})
    for (double gamma0 : {-3.0, 0.0, 3.0}) {
      const std::vector<double> episodes(5000, delta);
      const BeliefLearning how{.gamma0 = gamma0,
                               .optimizer = {.learning_rate = 0.1},
                               .objective = BeliefObjective::printed};
      EXPECT_GT(learn_belief(episodes, 1, how).gamma.back() * delta, 0);
    }
}

TEST(Proposition3, TheAppendixSignSendsTheBeliefTheWrongWay) {
  double right = 0, wrong = 0;
  for (int t = 0; t < 1000; ++t) {
    right -= 0.1 * regret_gradient(right, 3);
    wrong -= 0.1 * wrong_sign(wrong, 3);
  }
  EXPECT_GT(sigmoid(right), 0.95);
  EXPECT_LT(sigmoid(wrong), 0.05);
}

}  // namespace
}  // namespace whence::test
