// Proposition 4: with independent edges the regret falls apart into one sum over parent sets per
// node, and K sampled graphs estimate its gradient with a bias of order 1/K.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/paper/law.hpp"
#include "tests/support/bits.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/networks.hpp"
#include "whence/backends/backend.hpp"
#include "whence/belief/edges.hpp"
#include "whence/core/error.hpp"
#include "whence/math/logspace.hpp"

namespace whence::test {
namespace {

/// An episode and a belief: gamma is [effect][cause], log_lik in the order of all_families().
struct EdgeCase {
  EdgeMatrix gamma;
  std::vector<double> log_lik;
};

EdgeCase random_case(std::size_t m, std::uint32_t run, double spread = 3) {
  Stream stream(4, Purpose::tests, {std::uint32_t(m), run, 0});
  EdgeCase c{EdgeMatrix(m), std::vector<double>(m * parent_sets(m))};
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      if (i != j) c.gamma.at(i, j) = 4 * stream.uniform() - 2;
  for (double& l : c.log_lik) l = -100 + spread * (2 * stream.uniform() - 1);
  return c;
}

using Regret = std::function<double(const EdgeMatrix&, std::span<const double>)>;
using Gradient = std::function<EdgeMatrix(const EdgeMatrix&, std::span<const double>)>;

/// -log sum_B P(B) L_B over all 2^(m(m-1)) graphs, cycles included; `keep` may leave some out.
double enumerated_regret(const EdgeMatrix& gamma, std::span<const double> log_lik,
                         const std::function<bool(const Graph&)>& keep) {
  const std::size_t m = gamma.variables, sets = parent_sets(m);
  std::vector<double> joint, prior;
  for (std::size_t bits = 0; bits < std::size_t(1) << (m * (m - 1)); ++bits) {
    Graph graph(m);
    double log_p = 0, log_l = 0;
    std::size_t b = 0;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < m; ++j) {
        if (i == j) continue;
        const bool edge = bits >> b++ & 1;  // j causes i
        graph.set_edge(VariableId(j), VariableId(i), edge);
        log_p += log_sigmoid(edge ? gamma.at(i, j) : -gamma.at(i, j));
      }
    if (!keep(graph)) continue;
    for (std::size_t i = 0; i < m; ++i)
      log_l += log_lik[i * sets + parent_set(graph, VariableId(i))];
    joint.push_back(log_p + log_l);
    prior.push_back(log_p);
  }
  return log_sum_exp(prior) - log_sum_exp(joint);
}

/// Planted: rows and columns of gamma exchanged (errata E17).
const Regret cause_first = [](const EdgeMatrix& gamma, std::span<const double> log_lik) {
  return edge_regret(transposed(gamma), log_lik);
};
/// Planted: the expected log-likelihood instead of the log of the expected likelihood.
const Regret outside_the_logarithm = [](const EdgeMatrix& gamma, std::span<const double> log_lik) {
  const std::size_t sets = parent_sets(gamma.variables);
  double sum = 0;
  for (std::size_t f = 0; f < log_lik.size(); ++f)
    sum -= std::exp(log_prior(gamma, f / sets, ParentSet(f % sets))) * log_lik[f];
  return sum;
};

double distance_to_enumeration(const Regret& regret,
                               const std::function<bool(const Graph&)>& keep) {
  double worst = 0;
  for (std::size_t m = 2; m <= 4; ++m)
    for (std::uint32_t run = 0; run < (m == 4 ? 5u : 20u); ++run) {
      const EdgeCase c = random_case(m, run);
      const double exact = enumerated_regret(c.gamma, c.log_lik, keep);
      worst = std::max(worst, std::abs(regret(c.gamma, c.log_lik) / exact - 1));
    }
  return worst;
}

TEST(Proposition4, RegretDecouplesOverNodes) {
  const auto all = [](const Graph&) { return true; };
  expect_law(
      "P4a", 1e-12, [&](const Regret& r) { return distance_to_enumeration(r, all); },
      Regret(edge_regret), Planted{"rows and columns exchanged", cause_first},
      Planted{"expectation outside the logarithm", outside_the_logarithm});
}

const Regret over_acyclic_graphs = [](const EdgeMatrix& gamma, std::span<const double> log_lik) {
  return acyclic_regret(AcyclicGraphs(gamma.variables), gamma, log_lik);
};

TEST(Proposition4, AcyclicRegretIsTheSumOverAcyclicGraphs) {
  const auto acyclic = [](const Graph& graph) { return graph.is_acyclic(); };
  expect_law(
      "P4a", 1e-12, [&](const Regret& r) { return distance_to_enumeration(r, acyclic); },
      over_acyclic_graphs, Planted{"cycles are counted", Regret(edge_regret)});
}

/// The largest relative distance to central differences of the regret.
double slope_error(const Gradient& gradient, const Regret& regret) {
  constexpr double h = 1e-2;
  double worst = 0;
  for (std::size_t m = 2; m <= 4; ++m) {
    EdgeCase c = random_case(m, 7);
    for (double& l : c.log_lik) l += 100;  // less to lose in the difference
    const EdgeMatrix slopes = gradient(c.gamma, c.log_lik);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < m; ++j) {
        if (i == j) continue;
        const double middle = c.gamma.at(i, j);
        const auto at = [&](double offset) {
          c.gamma.at(i, j) = middle + offset;
          const double r = regret(c.gamma, c.log_lik);
          c.gamma.at(i, j) = middle;
          return r;
        };
        const double difference =
            (45 * (at(h) - at(-h)) - 9 * (at(2 * h) - at(-2 * h)) + (at(3 * h) - at(-3 * h))) /
            (60 * h);
        worst =
            std::max(worst, std::abs(slopes.at(i, j) - difference) / (std::abs(difference) + 1e-3));
      }
  }
  return worst;
}

/// Planted: the sign that would climb.
const Gradient uphill = [](const EdgeMatrix& gamma, std::span<const double> log_lik) {
  EdgeMatrix g = edge_gradient(gamma, log_lik);
  for (double& x : g.values) x = -x;
  return g;
};
const Gradient sideways = [](const EdgeMatrix& gamma, std::span<const double> log_lik) {
  return transposed(edge_gradient(gamma, log_lik));
};
const Gradient over_acyclic = [](const EdgeMatrix& gamma, std::span<const double> log_lik) {
  return acyclic_gradient(AcyclicGraphs(gamma.variables), gamma, log_lik);
};

TEST(Proposition4, GradientIsTheSlopeOfTheRegret) {
  expect_law(
      "P4b", 1e-8, [](const Gradient& g) { return slope_error(g, edge_regret); },
      Gradient(edge_gradient), Planted{"climbs", uphill}, Planted{"transposed", sideways},
      Planted{"acyclic gradient of a cyclic regret", over_acyclic});
  expect_law(
      "P4b", 1e-8, [](const Gradient& g) { return slope_error(g, over_acyclic_graphs); },
      over_acyclic, Planted{"ignores that graphs are acyclic", Gradient(edge_gradient)});
}

TEST(Proposition4, CyclePenaltyHasItsOwnSlope) {
  const Regret penalty = [](const EdgeMatrix& gamma, std::span<const double>) {
    return cycle_penalty(gamma);
  };
  const Gradient right = [](const EdgeMatrix& gamma, std::span<const double>) {
    return cycle_penalty_gradient(gamma);
  };
  const Gradient turned = [](const EdgeMatrix& gamma, std::span<const double>) {
    return transposed(cycle_penalty_gradient(gamma));
  };
  expect_law(
      "P4b", 1e-8, [&](const Gradient& g) { return slope_error(g, penalty); }, right,
      Planted{"transposed", turned});
  EdgeMatrix chain(3, -50);
  chain.at(1, 0) = chain.at(2, 1) = 50;
  EXPECT_LT(cycle_penalty(chain), 1e-15) << "a chain has no cycle";
  chain.at(0, 2) = 50;
  EXPECT_NEAR(cycle_penalty(chain), 0.5, 1e-12) << "three walks around, each 1/3!";
}

// ---- sampled graphs, two variables: B is one bit per node ----

struct Bit {
  double gamma, log_lik0, log_lik1;  // of the node without and with its parent
};
const std::vector<Bit> bits = {{0.3, -1, 0.5}, {-1, 0, 2}, {2, 0.2, -1.5}, {0, 0, 0.7}};

/// The estimate when n of K draws have the edge.
double estimate(const Bit& b, int n, int samples) {
  const double with = n * std::exp(b.log_lik1), without = (samples - n) * std::exp(b.log_lik0);
  return sigmoid(b.gamma) - with / (with + without);
}

/// E[g] for K draws, exactly: n is binomial.
double expected_estimate(const Bit& b, int samples) {
  double sum = 0;
  for (int n = 0; n <= samples; ++n) {
    const double log_p = std::lgamma(samples + 1.0) - std::lgamma(n + 1.0) -
                         std::lgamma(samples - n + 1.0) + n * log_sigmoid(b.gamma) +
                         (samples - n) * log_sigmoid(-b.gamma);
    sum += std::exp(log_p) * estimate(b, n, samples);
  }
  return sum;
}

EdgeCase case_of(const Bit& b) {
  EdgeCase c{EdgeMatrix(2), {b.log_lik0, b.log_lik1, 0, 0}};
  c.gamma.at(0, 1) = b.gamma;
  return c;
}

using Estimator = std::function<double(const EdgeCase&, int samples, Stream)>;

const Estimator paper_estimator = [](const EdgeCase& c, int samples, Stream stream) {
  const auto draws = draw_parent_sets(c.gamma, samples, stream);
  std::vector<double> log_lik;
  for (std::size_t d = 0; d < draws.size(); ++d) log_lik.push_back(c.log_lik[d % 2 * 2 + draws[d]]);
  return sampled_edge_gradient(c.gamma, draws, log_lik).gradient.at(0, 1);
};
/// Planted: Ber(gamma) instead of Ber(sigmoid(gamma)), as the appendix prints it (errata E12).
const Estimator printed_bernoulli = [](const EdgeCase& c, int samples, Stream stream) {
  EdgeCase printed = c;
  const double p = std::min(std::max(c.gamma.at(0, 1), 0.01), 0.99);
  printed.gamma.at(0, 1) = logit(p);
  return paper_estimator(printed, samples, stream);
};
/// Planted: every graph counts the same.
const Estimator unweighted = [](const EdgeCase& c, int samples, Stream stream) {
  const auto draws = draw_parent_sets(c.gamma, samples, stream);
  return sampled_edge_gradient(c.gamma, draws, std::vector<double>(draws.size(), 0.0))
      .gradient.at(0, 1);
};

double estimator_z(const Estimator& estimator) {
  const auto episodes = std::uint32_t(support::effort(40'000));
  double worst = 0;
  for (std::size_t b = 0; b < bits.size(); ++b)
    for (int samples : {2, 5, 16}) {
      double sum = 0, squares = 0;
      for (std::uint32_t e = 0; e < episodes; ++e) {
        const double g = estimator(case_of(bits[b]), samples,
                                   Stream(0, Purpose::tests, {std::uint32_t(b), e, 9}));
        sum += g;
        squares += g * g;
      }
      const double mean = sum / episodes, variance = squares / episodes - mean * mean;
      const double error = mean - expected_estimate(bits[b], samples);
      worst = std::max(worst, std::abs(error) / std::sqrt(variance / episodes));
    }
  return worst;
}

TEST(Proposition4, SampledGradientHasTheMeanOfItsEnumeration) {
  expect_law("P4c", 6.1, estimator_z, paper_estimator, Planted{"Ber(gamma)", printed_bernoulli},
             Planted{"unweighted", unweighted});
}

/// Three variables, two candidate parents: all 4^K draws of one node.
TEST(Proposition4, SampledGradientOfTwoParentsHasTheMeanOfItsEnumeration) {
  const EdgeCase c = random_case(3, 5, 1);
  constexpr int samples = 4;
  double expected = 0;
  for (int word = 0; word < 256; ++word) {
    std::vector<ParentSet> draws(3 * samples, 0);
    std::vector<double> log_lik(3 * samples, 0.0);
    double log_p = 0;
    for (int k = 0; k < samples; ++k) {
      const auto set = ParentSet(word >> (2 * k) & 3);
      draws[std::size_t(3 * k)] = set;
      log_lik[std::size_t(3 * k)] = c.log_lik[set];
      log_p += log_prior(c.gamma, 0, set);
    }
    expected += std::exp(log_p) * sampled_edge_gradient(c.gamma, draws, log_lik).gradient.at(0, 2);
  }
  const auto episodes = std::uint32_t(support::effort(40'000));
  double sum = 0, squares = 0;
  for (std::uint32_t e = 0; e < episodes; ++e) {
    const auto draws = draw_parent_sets(c.gamma, samples, Stream(1, Purpose::tests, {e, 0, 0}));
    std::vector<double> log_lik;
    for (std::size_t d = 0; d < draws.size(); ++d)
      log_lik.push_back(c.log_lik[d % 3 * 4 + draws[d]]);
    const double g = sampled_edge_gradient(c.gamma, draws, log_lik).gradient.at(0, 2);
    sum += g;
    squares += g * g;
  }
  const double mean = sum / episodes, variance = squares / episodes - mean * mean;
  EXPECT_LT(std::abs(mean - expected) / std::sqrt(variance / episodes), 6.1);
  const double exact = edge_gradient(c.gamma, c.log_lik).at(0, 2);
  EXPECT_GT(std::abs(mean - exact) / std::sqrt(variance / episodes), 6.1)
      << "planted: four graphs are still biased";
}

/// K (E[g_K] - g) against c = -E[w^2 (h - g)].
TEST(Proposition4, BiasFallsLikeOneOverK) {  // P4d
  for (const Bit& b : bits) {
    const double p = sigmoid(b.gamma);
    const double mean = p * std::exp(b.log_lik1) + (1 - p) * std::exp(b.log_lik0);
    const double w1 = std::exp(b.log_lik1) / mean, w0 = std::exp(b.log_lik0) / mean;
    const double exact = p * w1 * (p - 1) + (1 - p) * w0 * p;
    EXPECT_NEAR(exact, edge_gradient(case_of(b).gamma, case_of(b).log_lik).at(0, 1), 1e-14);
    const double c = -(p * w1 * w1 * (p - 1 - exact) + (1 - p) * w0 * w0 * (p - exact));
    const auto scaled_bias = [&](int k) { return k * (expected_estimate(b, k) - exact); };
    EXPECT_NEAR(scaled_bias(1024) / c, 1, 0.02);
    EXPECT_LT(std::abs(scaled_bias(1024) - c), std::abs(scaled_bias(16) - c));
    EXPECT_GT(std::abs(scaled_bias(1024) / -c - 1), 0.02) << "planted: the other sign";
  }
}

TEST(Proposition4, OneGraphTeachesNothingAndIsRefused) {  // P4e, K08
  for (const Bit& b : bits) {
    EXPECT_NEAR(expected_estimate(b, 1), 0, 1e-15);
    EXPECT_GT(std::abs(expected_estimate(b, 2)), 1e-3) << "planted: two graphs do";
  }
  const auto id_of = [](int samples) {
    try {
      EdgeBelief(EdgeMatrix(2), {.samples = samples});
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ExitCode::bad_config);
      EXPECT_EQ(samples != 1, std::string(e.what()).find("E[g]=0 for K=1") == std::string::npos);
      return e.id();
    }
    return std::string();
  };
  EXPECT_EQ(id_of(1), "E-CONFIG-K");
  EXPECT_EQ(id_of(-3), "E-CONFIG-K");
  EXPECT_EQ(id_of(2), "");
  EXPECT_EQ(id_of(0), "") << "0 means the exact sum";
  const std::vector<ParentSet> one = {0, 1};
  EXPECT_THROW(sampled_edge_gradient(EdgeMatrix(2), one, std::vector<double>{0, 0}), Error);
}

// ---- P4f: nodes know nothing of each other ----

/// Three variables; a masked network for every parent set of every variable.
struct NodeTask {
  Dataset data = support::random_rows({4, 4, 4}, 60, 9);
  std::vector<Episode> episodes = {{0, 3, 10}, {30, 3, 10}};
  std::vector<Module> modules;

  NodeTask() {
    for (std::size_t child = 0; child < 3; ++child)
      for (ParentSet set = 0; set < 4; ++set) modules.push_back(module(child, set, 0));
  }
  static Module module(std::size_t child, ParentSet set, std::uint32_t draw) {
    auto mlp =
        support::random_mlp({4, 4, 4}, 5, Activation::relu, std::uint32_t(child) + 10 * draw);
    mlp.set_mask({(set & 1) != 0, (set & 2) != 0});
    return {all_families(3)[child * 4 + 3], mlp};
  }
  static bool hears(std::size_t f, std::size_t variable) {
    const std::size_t child = f / 4;
    return child == variable || (f % 4 >> parent_bit(child, variable) & 1) != 0;
  }
};

using NodeScorer = std::function<Scores(const NodeTask&)>;
const GradientAdaptation with_momentum{{.learning_rate = 0.1, .momentum = 0.9}, true};

const NodeScorer backend_scorer = [](const NodeTask& task) {
  return cpu_backend()->score(task.data, task.episodes, task.modules, with_momentum, 2);
};
/// Planted: what the released code does, one optimizer for all hypotheses, never put back.
const NodeScorer shared_momentum = [](const NodeTask& task) {
  Scores scores(task.episodes.size(), task.modules.size(), 3);
  const auto mlp_of = [](const Module& m) { return std::get<CategoricalMlp<double>>(m.mechanism); };
  Optimizer<double> optimizer(with_momentum.optimizer, mlp_of(task.modules[0]).parameters().size());
  for (std::size_t e = 0; e < task.episodes.size(); ++e)
    for (std::size_t f = 0; f < task.modules.size(); ++f) {
      auto learner = mlp_of(task.modules[f]);
      adapt(learner, optimizer, task.data, task.modules[f].family, task.episodes[e],
            scores.of(EpisodeId(e), FamilyId(f)));
    }
  return scores;
};

/// Scores that differ in a bit although nothing that their family hears has changed: `number[f]` is
/// where family f of `before` stands in `after`, `heard[f]` whether it may differ.
double differing(const Scores& before, const Scores& after, const std::vector<std::size_t>& number,
                 const std::vector<bool>& heard) {
  double count = 0;
  for (std::size_t e = 0; e < before.episodes(); ++e)
    for (std::size_t f = 0; f < before.families(); ++f) {
      const auto a = before.of(EpisodeId(e), FamilyId(f));
      const auto b = after.of(EpisodeId(e), FamilyId(number[f]));
      if (!heard[f]) count += support::same_bits(a, b) ? 0 : 1;
    }
  return count;
}

double scores_changed_from_afar(const NodeScorer& score) {
  const NodeTask task;
  const Scores before = score(task);
  const std::size_t n = task.modules.size();
  std::vector<std::size_t> same, turned;
  for (std::size_t f = 0; f < n; ++f) same.push_back(f), turned.push_back(n - 1 - f);

  NodeTask reversed = task;  // another order of the hypotheses
  std::reverse(reversed.modules.begin(), reversed.modules.end());
  double count = differing(before, score(reversed), turned, std::vector<bool>(n, false));
  for (std::size_t v = 0; v < 3; ++v) {
    NodeTask other_data = task, other_modules = task;
    other_data.data.columns[v] = support::random_rows({4}, 60, 100 + v).columns[0];
    for (ParentSet set = 0; set < 4; ++set)
      other_modules.modules[v * 4 + set] = NodeTask::module(v, set, 1);
    std::vector<bool> hears, own;
    for (std::size_t f = 0; f < n; ++f) {
      hears.push_back(NodeTask::hears(f, v));
      own.push_back(f / 4 == v);
    }
    count += differing(before, score(other_data), same, hears);
    count += differing(before, score(other_modules), same, own);
  }
  return count;
}

TEST(Proposition4, ScoresOfANodeDependOnWhatItHearsAlone) {
  expect_law("P4f", 0, scores_changed_from_afar, backend_scorer,
             Planted{"momentum shared by all hypotheses", shared_momentum});
}

/// Entries of the gradient that feel the likelihoods of another node.
double gradients_changed_from_afar(const Gradient& gradient) {
  double count = 0;
  for (std::uint32_t run = 0; run < 20; ++run) {
    const EdgeCase c = random_case(3, run);
    const EdgeMatrix before = gradient(c.gamma, c.log_lik);
    for (std::size_t node = 0; node < 3; ++node) {
      EdgeCase other = c;
      for (std::size_t set = 0; set < 4; ++set) other.log_lik[node * 4 + set] += 0.5 * double(set);
      const EdgeMatrix after = gradient(other.gamma, other.log_lik);
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
          count += i != node && before.at(i, j) != after.at(i, j) ? 1 : 0;
    }
  }
  return count;
}

TEST(Proposition4, GradientsOfANodeDependOnItsOwnLikelihoodsAlone) {
  const Gradient coupled = [](const EdgeMatrix& gamma, std::span<const double> log_lik) {
    return acyclic_gradient(AcyclicGraphs(gamma.variables), gamma, log_lik);
  };
  expect_law("P4f", 0, gradients_changed_from_afar, Gradient(edge_gradient),
             Planted{"nodes coupled, as acyclic sums are", coupled});
}

}  // namespace
}  // namespace whence::test
