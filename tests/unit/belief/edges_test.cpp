// Edge beliefs: orientation, acyclicity, the exact posterior, and numbers at the edge.
#include "whence/belief/edges.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/bits.hpp"
#include "whence/core/error.hpp"
#include "whence/math/logspace.hpp"

namespace whence {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Stream stream(std::uint32_t episode) { return {3, Purpose::tests, {episode, 0, 0}}; }

/// Families of a graph get `gain`, all others nothing.
std::vector<double> favouring(const Graph& graph, double gain) {
  const std::size_t m = graph.variables(), sets = parent_sets(m);
  std::vector<double> log_lik(m * sets, 0.0);
  for (std::size_t v = 0; v < m; ++v) log_lik[v * sets + parent_set(graph, VariableId(v))] = gain;
  return log_lik;
}

TEST(EdgeBelief, RowsOfTheResultAreCauses) {  // E17
  const Graph truth = read_graph("0->1->2,0->2", 4);
  for (auto acyclicity : {Acyclicity::none, Acyclicity::exact, Acyclicity::penalty})
    for (int samples : {0, 8}) {
      if (samples > 0 && acyclicity == Acyclicity::exact) continue;
      EdgeBelief belief(EdgeMatrix(4), {.acyclicity = acyclicity, .samples = samples});
      GraphPosterior posterior(4);
      for (std::uint32_t e = 0; e < 150; ++e) {
        belief.update(favouring(truth, 4), stream(e));
        posterior.update(favouring(truth, 4));
      }
      for (const EdgeMatrix& odds : {belief.log_odds(), posterior.log_odds()}) {
        EXPECT_EQ(hamming_distance(odds, truth).total(), 0);
        EXPECT_LT(cross_entropy_bits(odds, truth), 0.3) << name_of(acyclicity);
        EXPECT_GT(cross_entropy_bits(transposed(odds), truth), 1) << "planted: transposed";
      }
      EXPECT_GT(belief.gamma().at(1, 0), 0) << "the paper's matrix has the effect first";
      EXPECT_LT(belief.gamma().at(0, 1), 0);
    }
}

TEST(EdgeBelief, IndependentEdgesKeepBothDirectionsAndAcyclicOnesDoNot) {  // E5
  const std::vector<double> pmi = {0, 5, 0, 5};  // either variable is predicted by the other
  EdgeBelief independent(EdgeMatrix(2), {});
  EdgeBelief acyclic(EdgeMatrix(2), {.acyclicity = Acyclicity::exact});
  EdgeBelief punished(EdgeMatrix(2), {.acyclicity = Acyclicity::penalty, .penalty_weight = 20});
  for (std::uint32_t e = 0; e < 100; ++e)
    for (EdgeBelief* belief : {&independent, &acyclic, &punished}) belief->update(pmi, stream(e));
  const auto both = [](const EdgeBelief& b) {
    return sigmoid(b.log_odds().at(0, 1)) + sigmoid(b.log_odds().at(1, 0));
  };
  EXPECT_GT(both(independent), 1.9);
  EXPECT_LE(both(acyclic), 1 + 1e-12);
  EXPECT_LT(both(punished), 1.2);
}

TEST(GraphPosterior, IsBayesRuleOverAcyclicGraphs) {
  GraphPosterior posterior(3);
  std::vector<double> log_lik(12), total(posterior.graphs().size(), 0.0);
  Stream numbers = stream(1);
  for (int e = 0; e < 5; ++e) {
    for (double& l : log_lik) l = -1000 - 3 * numbers.uniform();
    posterior.update(log_lik);
    for (std::size_t g = 0; g < total.size(); ++g)
      total[g] += posterior.graphs().log_lik(g, log_lik);
  }
  double sum = 0, edge = 0;
  const double normaliser = log_sum_exp(total);
  for (std::size_t g = 0; g < total.size(); ++g) {
    EXPECT_NEAR(posterior.log_probability(g), total[g] - normaliser, 1e-11);
    sum += std::exp(posterior.log_probability(g));
    if (posterior.graphs().graph(g).edge(VariableId(2), VariableId(0)))
      edge += std::exp(posterior.log_probability(g));
  }
  EXPECT_NEAR(sum, 1, 1e-13);
  EXPECT_NEAR(sigmoid(posterior.log_odds().at(2, 0)), edge, 1e-12);
}

TEST(GraphPosterior, NeverRunsOutOfNumbers) {
  GraphPosterior posterior(2);
  for (int e = 0; e < 10'000; ++e) posterior.update(std::vector<double>{0, 0, 0, 1000});
  EXPECT_TRUE(std::isfinite(posterior.log_odds().at(0, 1)));
  EXPECT_TRUE(std::isfinite(cross_entropy_bits(posterior.log_odds(), read_graph("1->0"))));
}

TEST(GraphPosterior, AnEpisodeThatNoGraphExplainsIsRejectedAndCounted) {  // N06
  const std::vector<double> good{-1, -1, -1, -2};
  for (double bad : {-infinity, infinity, std::nan("")}) {
    GraphPosterior posterior(2), untouched(2);
    posterior.update(good);
    posterior.update(std::vector<double>{bad, bad, bad, bad});
    posterior.update(good);
    EXPECT_EQ(posterior.rejected(), 1);
    untouched.update(good);
    untouched.update(good);
    EXPECT_TRUE(support::same_bits(posterior.log_odds().values, untouched.log_odds().values));
  }
}

TEST(EdgeBelief, AnEpisodeThatNoGraphExplainsIsRejectedAndCounted) {  // N06
  for (double bad : {-infinity, std::nan("")})
    for (int samples : {0, 20}) {
      EdgeBelief belief(EdgeMatrix(2, 0.7), {.samples = samples});
      const EdgeMatrix before = belief.gamma();
      belief.update(std::vector<double>{bad, bad, -1, -2}, stream(2));
      EXPECT_EQ(belief.rejected(), 1);
      EXPECT_TRUE(support::same_bits(belief.gamma().values, before.values));
      belief.update(std::vector<double>{-1, -1, -1, -2},
                    stream(3));  // planted: a good one moves it
      EXPECT_EQ(belief.rejected(), 1);
      EXPECT_NE(belief.gamma(), before);
    }
}

TEST(EdgeBelief, OneImpossibleParentSetIsEvidenceNotAFault) {
  EdgeBelief belief(EdgeMatrix(2), {});
  belief.update(std::vector<double>{0, 0, -infinity, -1}, stream(4));
  EXPECT_EQ(belief.rejected(), 0);
  EXPECT_GT(belief.log_odds().at(0, 1), 0);
}

TEST(EdgeBelief, EffectiveSamplesShowWhenOneGraphOutweighsAll) {  // N07
  const EdgeMatrix gamma(2);
  const std::vector<ParentSet> draws = {0, 0, 0, 1, 0, 0, 0, 1};  // four graphs
  const auto effective = [&](double gap) {
    return sampled_edge_gradient(gamma, draws, std::vector<double>{gap, 0, 0, 0, 0, 0, 0, 0})
        .effective_samples;
  };
  EXPECT_NEAR(effective(50)[0], 1, 1e-12);
  EXPECT_NEAR(effective(50)[1], 4, 1e-12);
  EXPECT_NEAR(effective(0)[0], 4, 1e-12);
}

TEST(EdgeBelief, GammaStaysWithinItsLimit) {  // N03
  EdgeBelief belief(EdgeMatrix(2), {.optimizer = {.learning_rate = 100}, .limit = 5});
  for (std::uint32_t e = 0; e < 10; ++e) belief.update(std::vector<double>{0, 9, 9, 0}, stream(e));
  EXPECT_EQ(belief.gamma().at(0, 1), 5);
  EXPECT_EQ(belief.gamma().at(1, 0), -5);
  EXPECT_GT(belief.clamped(), 0);
}

TEST(EdgeBelief, WhatCannotBeDoneIsRefused) {
  EXPECT_THROW(EdgeBelief(EdgeMatrix(2), {.acyclicity = Acyclicity::exact, .samples = 5}), Error);
  EXPECT_THROW(EdgeBelief(EdgeMatrix(6), {.acyclicity = Acyclicity::exact}), Error);
}

TEST(EdgeMeasures, CountTheUsualMistakes) {
  const Graph truth = read_graph("0->1->2");
  EdgeMatrix odds(3, -3);
  odds.at(1, 0) = odds.at(0, 2) = odds.at(1, 2) = 3;  // one reversed, one extra, one right
  const HammingDistance distance = hamming_distance(odds, truth);
  EXPECT_EQ(distance.reversed, 1);
  EXPECT_EQ(distance.extra, 1);
  EXPECT_EQ(distance.missing, 0);
  EXPECT_EQ(hamming_distance(EdgeMatrix(3, -1), truth).missing, 2);
  EXPECT_EQ(hamming_distance(EdgeMatrix(3, 1), truth).total(), 4);
  EXPECT_NEAR(cross_entropy_bits(EdgeMatrix(3), truth), 1, 1e-15);
  EXPECT_NEAR(cross_entropy_bits(EdgeMatrix(2, 2000), read_graph("0->1")), 1000 / std::log(2),
              1e-9);
}

TEST(FrozenOrAdapting, IsTheMeanOfTheLikelihoods) {
  EXPECT_NEAR(frozen_or_adapting(std::log(0.2), std::log(0.6)), std::log(0.4), 1e-15);
  EXPECT_NEAR(frozen_or_adapting(-3000, -1000), -1000 - std::log(2), 1e-12);
}

}  // namespace
}  // namespace whence
