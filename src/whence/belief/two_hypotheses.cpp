#include "whence/belief/two_hypotheses.hpp"

#include <algorithm>
#include <cmath>

#include "whence/math/logspace.hpp"

namespace whence {

double regret(double gamma, double log_lik1, double log_lik2) {
  return -log_add_exp(log_sigmoid(gamma) + log_lik1, log_sigmoid(-gamma) + log_lik2);
}

double regret_gradient(double gamma, double delta) { return sigmoid_difference(gamma, delta); }

double printed_regret_gradient(double gamma, double delta) {
  return -sigmoid_difference(gamma, -delta);
}

namespace {

double episode_gradient(double gamma, std::span<const double> delta, const BeliefLearning& how) {
  double gradient = 0;
  // An exact tie sent both halves of the subgradient to the second hypothesis.
  if (how.tie_artefact && gamma == 0 && std::abs(delta[0]) < 1e-9) gradient += 0.5;
  double total = 0;
  for (double d : delta) {
    if (how.objective == BeliefObjective::per_step) gradient += regret_gradient(gamma, d);
    total += d;
  }
  if (how.objective == BeliefObjective::mixture) gradient += regret_gradient(gamma, total);
  if (how.objective == BeliefObjective::printed) gradient += printed_regret_gradient(gamma, total);
  return gradient;
}

double clamp_gamma(double gamma, int& clamped) {
  if (std::abs(gamma) > gamma_limit) ++clamped;
  return std::clamp(gamma, -gamma_limit, gamma_limit);
}

}  // namespace

double BeliefLearner::step(std::span<const double> delta) {
  const double gradient = episode_gradient(gamma_, delta, how_);
  optimizer_.step({&gamma_, 1}, {&gradient, 1});
  return gamma_ = clamp_gamma(gamma_, clamped_);
}

BeliefTrajectory learn_belief(std::span<const double> delta, std::size_t steps,
                              const BeliefLearning& how) {
  BeliefTrajectory trajectory;
  BeliefLearner learner(how);
  for (std::size_t e = 0; e < delta.size(); e += steps)
    trajectory.gamma.push_back(learner.step(delta.subspan(e, steps)));
  trajectory.clamped = learner.clamped();
  return trajectory;
}

BeliefTrajectory bayes_belief(std::span<const double> delta, std::size_t steps, double gamma0) {
  BeliefTrajectory trajectory;
  double gamma = gamma0;
  for (std::size_t e = 0; e < delta.size(); e += steps) {
    for (double d : delta.subspan(e, steps)) gamma += d;
    gamma = clamp_gamma(gamma, trajectory.clamped);
    trajectory.gamma.push_back(gamma);
  }
  return trajectory;
}

std::vector<double> step_log_odds(const Scores& scores, const Hypothesis& h1,
                                  const Hypothesis& h2) {
  std::vector<double> delta;
  delta.reserve(scores.episodes() * scores.steps());
  for (std::size_t e = 0; e < scores.episodes(); ++e)
    for (std::size_t t = 0; t < scores.steps(); ++t)
      delta.push_back(scores.log_lik(EpisodeId(e), h1, t) - scores.log_lik(EpisodeId(e), h2, t));
  return delta;
}

double limit_belief(std::span<const double> delta) {
  if (delta.empty()) return 0.5;
  std::vector<double> negated(delta.begin(), delta.end());
  for (double& d : negated) d = -d;
  const bool to_one = log_mean_exp(negated) <= 0, to_zero = log_mean_exp(delta) <= 0;
  if (to_one && to_zero) return 0.5;  // every delta is 0: nothing moves
  if (to_one) return 1;
  if (to_zero) return 0;
  // The mean regret is convex in p, so its slope changes sign once: bisection on gamma.
  double low = -700, high = 700;
  while (high - low > 1e-12 * std::max(1.0, std::abs(low))) {
    const double gamma = (low + high) / 2;
    if (gamma == low || gamma == high) break;
    double slope = 0;
    for (double d : delta) slope += regret_gradient(gamma, d);
    (slope < 0 ? low : high) = gamma;
  }
  return sigmoid((low + high) / 2);
}

BeliefDiagnostics diagnose(std::span<const double> delta) {
  BeliefDiagnostics result;
  if (delta.empty()) return result;
  const double n = double(delta.size());
  std::vector<double> negated;
  double sum = 0, squares = 0;
  for (double d : delta) {
    sum += d;
    result.win_rate += (d > 0 ? 1.0 : d == 0 ? 0.5 : 0.0) / n;
    negated.push_back(-d);
  }
  result.mean = sum / n;
  for (double d : delta) squares += (d - result.mean) * (d - result.mean);
  result.standard_error = n > 1 ? std::sqrt(squares / (n - 1) / n) : 0;
  result.log_mean_exp_plus = log_mean_exp(delta);
  result.log_mean_exp_minus = log_mean_exp(negated);
  result.p_star = limit_belief(delta);
  using Verdict = BeliefDiagnostics::Verdict;
  constexpr double rounding = 1e-9;  // equal models differ by less: that is no evidence
  if (n < 2 || std::abs(result.mean) <= std::max(3 * result.standard_error, rounding))
    result.verdict = Verdict::undecided;
  else
    result.verdict =
        result.p_star == 0 || result.p_star == 1 ? Verdict::direction : Verdict::conflicting;
  return result;
}

}  // namespace whence
