// Beliefs over the edges of a graph: the paper's matrix gamma, its regret and gradient, and the
// exact posterior over small acyclic graphs beside it.
//
// All functions read one episode as log L of every family, in the order of all_families(): entry
// child * parent_sets(m) + set. gamma follows the paper, [effect][cause]; whatever is handed out as
// a result is [cause][effect], and `transposed` is the one place where the two meet (errata E17).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "whence/core/graph.hpp"
#include "whence/core/scores.hpp"
#include "whence/math/optimizer.hpp"
#include "whence/math/random.hpp"

namespace whence {

/// A square matrix over variables; the diagonal is not used. Which index comes first is said where
/// a matrix is declared.
struct EdgeMatrix {
  explicit EdgeMatrix(std::size_t m = 0, double value = 0) : variables(m), values(m * m, value) {}
  double& at(std::size_t row, std::size_t column) { return values[row * variables + column]; }
  double at(std::size_t row, std::size_t column) const { return values[row * variables + column]; }
  bool operator==(const EdgeMatrix&) const = default;

  std::size_t variables;
  std::vector<double> values;
};

/// [effect][cause] <-> [cause][effect].
EdgeMatrix transposed(const EdgeMatrix& matrix);

/// log P(B_i) of a parent set, edges independent Bernoulli(sigmoid(gamma_ij)) (errata E12).
double log_prior(const EdgeMatrix& gamma, std::size_t child, ParentSet set);

/// R = -sum_i log sum_{B_i} P(B_i) L_{B_i} (Proposition 4): exact, over all parent sets.
double edge_regret(const EdgeMatrix& gamma, std::span<const double> log_lik);

/// dR/dgamma_ij = P(B_ij) - P(B_ij | episode), [effect][cause]: prior minus posterior per edge.
EdgeMatrix edge_gradient(const EdgeMatrix& gamma, std::span<const double> log_lik);

/// K graphs, node by node: draws[k * m + i] is the parent set of variable i in graph k.
std::vector<ParentSet> draw_parent_sets(const EdgeMatrix& gamma, int samples, Stream stream);

struct SampledGradient {
  EdgeMatrix gradient;                    // [effect][cause]
  std::vector<double> effective_samples;  // per node: 1 / sum of squared weights
  bool rejected = false;  // a node has no finite likelihood: the gradient is 0 and means nothing
};

/// The paper's estimator g_ij from K draws; log_lik[k * m + i] is log L of draws[k * m + i]. Its
/// mean is 0 for K = 1 whatever the data, so K < 2 throws E-CONFIG-K (errata E7).
SampledGradient sampled_edge_gradient(const EdgeMatrix& gamma, std::span<const ParentSet> draws,
                                      std::span<const double> log_lik);

/// Whether, and how, cycles are kept out.
enum class Acyclicity {
  none,     // the paper: edges are independent, and both directions may be believed at once
  exact,    // all sums run over acyclic graphs only
  penalty,  // weight * sum_k tr(P^k) / k!, k = 2 ... m, is added to the regret
};

constexpr std::string_view name_of(Acyclicity acyclicity) {
  switch (acyclicity) {
    case Acyclicity::none: return "none";
    case Acyclicity::exact: return "exact";
    case Acyclicity::penalty: return "penalty";
  }
  return "?";
}

/// sum_k tr(P^k) / k! of the edge probabilities, and its slope in gamma: 0 iff P has no cycle.
double cycle_penalty(const EdgeMatrix& gamma);
EdgeMatrix cycle_penalty_gradient(const EdgeMatrix& gamma);

/// All acyclic graphs over few variables, as rows of families.
class AcyclicGraphs {
 public:
  explicit AcyclicGraphs(std::size_t variables);

  std::size_t variables() const { return variables_; }
  std::size_t size() const { return graphs_.size(); }
  const Graph& graph(std::size_t g) const { return graphs_[g]; }

  /// log of the sum of L over a graph's families.
  double log_lik(std::size_t g, std::span<const double> log_lik) const;
  /// log P(G), not normalised, for independent edges that happen to be acyclic.
  std::vector<double> log_priors(const EdgeMatrix& gamma) const;
  /// log of (weight with the edge / weight without), [effect][cause]; finite whenever all are.
  EdgeMatrix edge_log_odds(std::span<const double> log_weights) const;

 private:
  std::size_t variables_;
  std::vector<Graph> graphs_;
  std::vector<std::size_t> families_;  // [graph][variable]: index into log_lik
};

/// The same regret and gradient with the sums restricted to acyclic graphs, and P(G) normalised
/// over them.
double acyclic_regret(const AcyclicGraphs& graphs, const EdgeMatrix& gamma,
                      std::span<const double> log_lik);
EdgeMatrix acyclic_gradient(const AcyclicGraphs& graphs, const EdgeMatrix& gamma,
                            std::span<const double> log_lik);

/// How gamma is learnt.
struct EdgeLearning {
  OptimizerSpec optimizer{.kind = OptimizerSpec::Kind::adam, .learning_rate = 0.1};
  Acyclicity acyclicity = Acyclicity::none;
  double penalty_weight = 0.5;
  int samples = 0;    // K of the paper's estimator; 0: the exact sum over parent sets
  double limit = 40;  // |gamma| never exceeds it
};

/// The state of the belief, one episode at a time.
class EdgeBelief {
 public:
  /// gamma0 is [effect][cause]. Throws E-CONFIG-K for one sample, E-LIMIT-GRAPHS for too many
  /// variables to be exactly acyclic, E-CONFIG-CHOICE for samples from acyclic sums.
  EdgeBelief(const EdgeMatrix& gamma0, const EdgeLearning& how);

  /// One gradient step. `stream` draws the sampled graphs, where there are any.
  void update(std::span<const double> log_lik, Stream stream);
  /// The same from a gradient, [effect][cause], computed elsewhere.
  void step(const EdgeMatrix& gradient);

  const EdgeMatrix& gamma() const { return gamma_; }  // [effect][cause]
  /// log-odds that each edge exists, [cause][effect]: gamma itself where edges are independent, the
  /// margins over acyclic graphs where they are not.
  EdgeMatrix log_odds() const;

  int clamped() const { return clamped_; }
  int rejected() const { return rejected_; }
  /// Per node, of every episode that was learnt from by sampling.
  const std::vector<std::vector<double>>& effective_samples() const { return effective_; }

 private:
  void sampled_update(std::span<const double> log_lik, Stream stream);

  EdgeLearning how_;
  EdgeMatrix gamma_;
  Optimizer<double> optimizer_;
  std::vector<AcyclicGraphs> graphs_;  // one, when the sums are acyclic
  std::vector<std::vector<double>> effective_;
  int clamped_ = 0, rejected_ = 0;
};

/// The exact posterior over acyclic graphs: every episode multiplies the weights by its
/// likelihoods.
class GraphPosterior {
 public:
  explicit GraphPosterior(std::size_t variables);  // all acyclic graphs equally likely

  /// An episode that gives no graph a finite likelihood, or any an undefined one, is left out.
  void update(std::span<const double> log_lik);
  int rejected() const { return rejected_; }

  const AcyclicGraphs& graphs() const { return graphs_; }
  double log_probability(std::size_t g) const;
  EdgeMatrix log_odds() const;  // of each edge, [cause][effect]

 private:
  AcyclicGraphs graphs_;
  std::vector<double> log_weights_;
  int rejected_ = 0;
};

/// log(e^frozen / 2 + e^adapted / 2): a family either changed in this episode or it did not.
double frozen_or_adapting(double frozen, double adapted);

/// log L of every family in one episode, summed over its steps.
std::vector<double> episode_log_lik(const Scores& scores, EpisodeId episode);

/// Mean over off-diagonal entries of the cross-entropy of the edge beliefs to the truth, in bits.
/// `log_odds` is [cause][effect].
double cross_entropy_bits(const EdgeMatrix& log_odds, const Graph& truth);

/// Structural Hamming distance of the edges believed with more than 1/2.
struct HammingDistance {
  int missing = 0, extra = 0, reversed = 0;
  int total() const { return missing + extra + reversed; }
};
HammingDistance hamming_distance(const EdgeMatrix& log_odds, const Graph& truth);

}  // namespace whence
