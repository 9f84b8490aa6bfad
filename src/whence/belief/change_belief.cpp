#include "whence/belief/change_belief.hpp"

#include <cmath>

#include "whence/math/logspace.hpp"

namespace whence {

namespace {

/// A Dirichlet law of a redrawn distribution: its weight in examples, per level where it is even.
struct Redraw {
  double weight;
  bool even;
};
constexpr std::array redraws = {Redraw{3, false}, Redraw{12, false}, Redraw{0.3, true},
                                Redraw{1, true}};

/// log-likelihood of all rows, each predicted from those before it with the same cause.
double redrawn_log_lik(const Redraw& how, const Matrix& module, std::span<const int> cause,
                       std::span<const int> effect) {
  const std::size_t levels = module.columns;
  const double weight = how.even ? how.weight * double(levels) : how.weight;
  std::vector<double> seen(module.rows * levels, 0.0), rows(module.rows, 0.0);
  double sum = 0;
  for (std::size_t i = 0; i < effect.size(); ++i) {
    const std::size_t c = cause.empty() ? 0 : std::size_t(cause[i]);
    const auto x = std::size_t(effect[i]);
    const double expected = how.even ? 1 / double(levels) : portable_exp(module(c, x));
    double& count = seen[c * levels + x];
    sum += portable_log((weight * expected + count) / (weight + rows[c]));
    ++count;
    ++rows[c];
  }
  return sum;
}

Matrix logs_of(Matrix p) {
  for (double& x : p.values) x = portable_log(std::max(x, 1e-300));
  return p;
}

/// Rows divided by their sums.
Matrix conditional(const Matrix& joint) {
  Matrix out = joint;
  for (std::size_t i = 0; i < out.rows; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < out.columns; ++j) sum += joint(i, j);
    for (std::size_t j = 0; j < out.columns; ++j) out(i, j) /= std::max(sum, 1e-300);
  }
  return out;
}

Matrix row_sums(const Matrix& joint) {
  Matrix out(1, joint.rows);
  for (std::size_t i = 0; i < joint.rows; ++i)
    for (std::size_t j = 0; j < joint.columns; ++j) out(0, i) += joint(i, j);
  return out;
}

}  // namespace

PairModules modules_of(const Matrix& joint) {
  const Matrix turned = transposed(joint);
  return {logs_of(row_sums(joint)), logs_of(row_sums(turned)), logs_of(conditional(joint)),
          logs_of(conditional(turned))};
}

ChangeBelief::ChangeBelief(PairModules modules) : modules_(std::move(modules)) {}

ChangeBelief::Scores ChangeBelief::score(const Matrix& module, std::span<const int> cause,
                                         std::span<const int> effect) const {
  Scores scores;
  for (std::size_t i = 0; i < effect.size(); ++i)
    scores.trained += module(cause.empty() ? 0 : std::size_t(cause[i]), std::size_t(effect[i]));
  std::array<double, redraws.size()> ways{};
  for (std::size_t k = 0; k < redraws.size(); ++k)
    ways[k] = redrawn_log_lik(redraws[k], module, cause, effect);
  scores.redrawn = log_sum_exp(ways) - portable_log(double(ways.size()));
  return scores;
}

/// An episode changed nothing, the cause's mechanism, the effect's, or both; how often each changes
/// is learnt from the episodes before.
void ChangeBelief::count(Hypothesis& hypothesis, const Scores& cause, const Scores& effect,
                         double unchanged) {
  const auto rate = [&](std::size_t k) { return (hypothesis.changed[k] + 0.5) / (episodes_ + 1); };
  const double p = rate(0), q = rate(1);
  const std::array terms = {portable_log((1 - p) * (1 - q)) + unchanged,
                            portable_log(p * (1 - q)) + cause.redrawn + effect.trained,
                            portable_log((1 - p) * q) + cause.trained + effect.redrawn,
                            portable_log(p * q) + cause.redrawn + effect.redrawn};
  const double all = log_sum_exp(terms);
  hypothesis.log_evidence += all;
  hypothesis.still += unchanged;
  hypothesis.changed[0] += portable_exp(terms[1] - all) + portable_exp(terms[3] - all);
  hypothesis.changed[1] += portable_exp(terms[2] - all) + portable_exp(terms[3] - all);
}

void ChangeBelief::see(std::span<const int> a, std::span<const int> b) {
  const Scores first = score(modules_.first, {}, a), second = score(modules_.second, {}, b);
  const Scores forward = score(modules_.second_given_first, a, b);
  const Scores backward = score(modules_.first_given_second, b, a);
  // Both directions' modules stand for one distribution: the mean of what they say.
  const double unchanged =
      (first.trained + forward.trained + second.trained + backward.trained) / 2;
  count(hypotheses_[0], first, forward, unchanged);
  count(hypotheses_[1], second, backward, unchanged);
  count(hypotheses_[2], first, second, first.trained + second.trained);
  ++episodes_;
}

std::array<double, pair_graphs> ChangeBelief::graphs() const {
  std::array<double, pair_graphs> p{};
  for (std::size_t k = 0; k < pair_graphs; ++k)
    p[k] = log_sum_exp(std::array{hypotheses_[k].log_evidence, hypotheses_[k].still});
  const double all = log_sum_exp(p);
  for (double& x : p) x = portable_exp(x - all);
  return p;
}

std::array<double, 2> ChangeBelief::change_rates(std::size_t graph) const {
  const double n = std::max(episodes_, 1.0);
  return {hypotheses_[graph].changed[0] / n, hypotheses_[graph].changed[1] / n};
}

}  // namespace whence
