// Belief over two hypotheses: the structural parameter gamma of the paper, and what it can be
// expected to do. belief = sigmoid(gamma) = P(h1); delta = log L_h1 - log L_h2 of an episode.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "whence/core/scores.hpp"
#include "whence/math/optimizer.hpp"

namespace whence {

/// What gamma descends.
enum class BeliefObjective {
  mixture,   // -log[s L1 + (1-s) L2] of the whole episode: the paper's equation
  printed,   // log[s e^R1 + (1-s) e^R2], as the continuous appendix prints it (errata E2)
  per_step,  // one mixture per step, summed: the released code
};

constexpr std::string_view name_of(BeliefObjective objective) {
  switch (objective) {
    case BeliefObjective::mixture: return "mixture";
    case BeliefObjective::printed: return "printed";
    case BeliefObjective::per_step: return "per-step";
  }
  return "?";
}

/// R = -log[sigmoid(gamma) L1 + (1 - sigmoid(gamma)) L2].
double regret(double gamma, double log_lik1, double log_lik2);

/// dR/dgamma = sigmoid(gamma) - sigmoid(gamma + delta): prior minus posterior (Proposition 2).
double regret_gradient(double gamma, double delta);

/// The same of the printed form: sigmoid(gamma - delta) - sigmoid(gamma).
double printed_regret_gradient(double gamma, double delta);

/// How gamma is learnt.
struct BeliefLearning {
  double gamma0 = 0;
  OptimizerSpec optimizer{.kind = OptimizerSpec::Kind::rmsprop, .learning_rate = 0.01};
  BeliefObjective objective = BeliefObjective::mixture;
  bool tie_artefact = false;  // the released code's half step at an exact tie (torch 1.0)
};

/// gamma never leaves +-40: beyond it a belief is absorbed and no evidence can move it.
inline constexpr double gamma_limit = 40;

/// gamma, learnt one episode at a time.
class BeliefLearner {
 public:
  explicit BeliefLearner(const BeliefLearning& how)
      : how_(how), optimizer_(how.optimizer, 1), gamma_(how.gamma0) {}

  /// One gradient step on the deltas of an episode's steps; returns gamma after it.
  double step(std::span<const double> delta);

  double gamma() const { return gamma_; }
  int clamped() const { return clamped_; }  // how often the limit was hit

 private:
  BeliefLearning how_;
  Optimizer<double> optimizer_;
  double gamma_;
  int clamped_ = 0;
};

struct BeliefTrajectory {
  std::vector<double> gamma;  // after each episode
  int clamped = 0;            // how often the limit was hit
};

/// One gradient step per episode. `delta` is [episode][step]; steps are added up unless the
/// objective is per step.
BeliefTrajectory learn_belief(std::span<const double> delta, std::size_t steps,
                              const BeliefLearning& how);

/// The exact Bayes update: gamma += delta.
BeliefTrajectory bayes_belief(std::span<const double> delta, std::size_t steps, double gamma0 = 0);

/// delta per episode and step, for learn_belief.
std::vector<double> step_log_odds(const Scores& scores, const Hypothesis& h1, const Hypothesis& h2);

/// What the episodes say together (errata E3): the limit of gradient descent on the mean regret,
/// which is decided by means of e^{+-delta} and not by the mean of delta.
struct BeliefDiagnostics {
  enum class Verdict {
    direction,    // p* is 0 or 1
    conflicting,  // p* lies inside: the episodes contradict each other
    undecided,    // mean delta within 3 standard errors of 0, or as small as rounding
  };
  double mean = 0, standard_error = 0;  // of delta
  double win_rate = 0;                  // share of delta > 0, ties counting half
  double log_mean_exp_plus = 0, log_mean_exp_minus = 0;
  double p_star = 0.5;  // the minimiser of the mean regret over p
  Verdict verdict = Verdict::undecided;
};

constexpr std::string_view name_of(BeliefDiagnostics::Verdict verdict) {
  switch (verdict) {
    case BeliefDiagnostics::Verdict::direction: return "direction";
    case BeliefDiagnostics::Verdict::conflicting: return "conflicting";
    case BeliefDiagnostics::Verdict::undecided: return "undecided";
  }
  return "?";
}

/// `delta` per episode.
BeliefDiagnostics diagnose(std::span<const double> delta);

/// The p in [0, 1] that minimises the mean of -log[p e^delta + 1 - p]: 1 iff mean e^-delta <= 1,
/// 0 iff mean e^delta <= 1, else where the mean posterior equals the prior.
double limit_belief(std::span<const double> delta);

}  // namespace whence
