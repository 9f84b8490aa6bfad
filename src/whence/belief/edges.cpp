#include "whence/belief/edges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "whence/core/error.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

/// The same bits everywhere: sampling branches on it.
double portable_sigmoid(double x) { return 1 / (1 + portable_exp(-x)); }

/// Calls f(effect, cause) for every place off the diagonal.
template <class F>
void for_each_edge(std::size_t variables, const F& f) {
  for (std::size_t i = 0; i < variables; ++i)
    for (std::size_t j = 0; j < variables; ++j)
      if (i != j) f(i, j);
}

/// log of the sums over parent sets with and without one edge, its own prior left out.
double edge_evidence(const EdgeMatrix& gamma, std::span<const double> log_lik, std::size_t child,
                     std::size_t parent) {
  const std::size_t sets = parent_sets(gamma.variables), bit = parent_bit(child, parent);
  std::vector<double> with, without;
  for (std::size_t set = 0; set < sets; ++set) {
    const bool has = set >> bit & 1;
    const double own = log_sigmoid(has ? gamma.at(child, parent) : -gamma.at(child, parent));
    const double weight = log_prior(gamma, child, ParentSet(set)) - own;
    (has ? with : without).push_back(weight + log_lik[child * sets + set]);
  }
  return log_sum_exp(with) - log_sum_exp(without);
}

void require_samples(std::size_t samples) {
  if (samples >= 2) return;
  throw Error(ExitCode::bad_config, "E-CONFIG-K", "samples",
              samples == 1 ? "E[g]=0 for K=1: a single graph teaches nothing"
                           : "the estimator needs graphs to be drawn",
              "draw at least 2 graphs, or use the exact sum over parent sets");
}

}  // namespace

EdgeMatrix transposed(const EdgeMatrix& matrix) {
  EdgeMatrix result(matrix.variables);
  for (std::size_t i = 0; i < matrix.variables; ++i)
    for (std::size_t j = 0; j < matrix.variables; ++j) result.at(j, i) = matrix.at(i, j);
  return result;
}

double log_prior(const EdgeMatrix& gamma, std::size_t child, ParentSet set) {
  double sum = 0;
  for (std::size_t bit = 0; bit + 1 < gamma.variables; ++bit) {
    const double g = gamma.at(child, parent_of_bit(child, bit));
    sum += log_sigmoid(set >> bit & 1 ? g : -g);
  }
  return sum;
}

double edge_regret(const EdgeMatrix& gamma, std::span<const double> log_lik) {
  const std::size_t sets = parent_sets(gamma.variables);
  std::vector<double> terms(sets);
  double regret = 0;
  for (std::size_t i = 0; i < gamma.variables; ++i) {
    for (std::size_t set = 0; set < sets; ++set)
      terms[set] = log_prior(gamma, i, ParentSet(set)) + log_lik[i * sets + set];
    regret -= log_sum_exp(terms);
  }
  return regret;
}

EdgeMatrix edge_gradient(const EdgeMatrix& gamma, std::span<const double> log_lik) {
  EdgeMatrix gradient(gamma.variables);
  for_each_edge(gamma.variables, [&](std::size_t i, std::size_t j) {
    gradient.at(i, j) = sigmoid_difference(gamma.at(i, j), edge_evidence(gamma, log_lik, i, j));
  });
  return gradient;
}

std::vector<ParentSet> draw_parent_sets(const EdgeMatrix& gamma, int samples, Stream stream) {
  const std::size_t m = gamma.variables;
  std::vector<ParentSet> draws(std::size_t(samples) * m, 0);
  for (int k = 0; k < samples; ++k)
    for_each_edge(m, [&](std::size_t i, std::size_t j) {
      if (stream.uniform() < portable_sigmoid(gamma.at(i, j)))
        draws[std::size_t(k) * m + i] |= ParentSet(1) << parent_bit(i, j);
    });
  return draws;
}

SampledGradient sampled_edge_gradient(const EdgeMatrix& gamma, std::span<const ParentSet> draws,
                                      std::span<const double> log_lik) {
  const std::size_t m = gamma.variables, samples = draws.size() / m;
  require_samples(samples);
  SampledGradient result{EdgeMatrix(m), std::vector<double>(m, 0.0)};
  std::vector<double> weights(samples);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < samples; ++k) weights[k] = log_lik[k * m + i];
    const double total = log_sum_exp(weights);
    if (!std::isfinite(total)) {  // all impossible, or not a number
      result.rejected = true;
      continue;
    }
    double squares = 0;
    for (double& w : weights) {
      w = portable_exp(w - total);
      squares += w * w;
    }
    result.effective_samples[i] = 1 / squares;
    for (std::size_t bit = 0; bit + 1 < m; ++bit) {
      double posterior = 0;
      for (std::size_t k = 0; k < samples; ++k)
        if (draws[k * m + i] >> bit & 1) posterior += weights[k];
      const std::size_t j = parent_of_bit(i, bit);
      result.gradient.at(i, j) = portable_sigmoid(gamma.at(i, j)) - posterior;
    }
  }
  if (result.rejected) result.gradient = EdgeMatrix(m);
  return result;
}

namespace {

/// Edge probabilities, [effect][cause], diagonal 0.
EdgeMatrix probabilities(const EdgeMatrix& gamma) {
  EdgeMatrix p(gamma.variables);
  for_each_edge(gamma.variables,
                [&](std::size_t i, std::size_t j) { p.at(i, j) = sigmoid(gamma.at(i, j)); });
  return p;
}

EdgeMatrix product(const EdgeMatrix& a, const EdgeMatrix& b) {
  EdgeMatrix c(a.variables);
  for (std::size_t i = 0; i < a.variables; ++i)
    for (std::size_t k = 0; k < a.variables; ++k)
      for (std::size_t j = 0; j < a.variables; ++j) c.at(i, j) += a.at(i, k) * b.at(k, j);
  return c;
}

}  // namespace

double cycle_penalty(const EdgeMatrix& gamma) {
  const EdgeMatrix p = probabilities(gamma);
  EdgeMatrix power = p;
  double sum = 0, factorial = 1;
  for (std::size_t k = 2; k <= gamma.variables; ++k) {
    power = product(power, p);
    factorial *= double(k);
    for (std::size_t i = 0; i < gamma.variables; ++i) sum += power.at(i, i) / factorial;
  }
  return sum;
}

EdgeMatrix cycle_penalty_gradient(const EdgeMatrix& gamma) {
  // d tr(P^k)/dP = k (P^(k-1)) transposed, and dP/dgamma = P (1 - P).
  const EdgeMatrix p = probabilities(gamma);
  EdgeMatrix power = p, gradient(gamma.variables);
  double factorial = 1;  // (k - 1)!
  for (std::size_t k = 2; k <= gamma.variables; ++k) {
    for_each_edge(gamma.variables, [&](std::size_t i, std::size_t j) {
      gradient.at(i, j) += power.at(j, i) / factorial * p.at(i, j) * (1 - p.at(i, j));
    });
    power = product(power, p);
    factorial *= double(k);
  }
  return gradient;
}

AcyclicGraphs::AcyclicGraphs(std::size_t variables)
    : variables_(variables), graphs_(all_acyclic_graphs(variables)) {
  for (const Graph& graph : graphs_)
    for (std::size_t v = 0; v < variables; ++v)
      families_.push_back(v * parent_sets(variables) + parent_set(graph, VariableId(v)));
}

double AcyclicGraphs::log_lik(std::size_t g, std::span<const double> log_lik) const {
  double sum = 0;
  for (std::size_t v = 0; v < variables_; ++v) sum += log_lik[families_[g * variables_ + v]];
  return sum;
}

std::vector<double> AcyclicGraphs::log_priors(const EdgeMatrix& gamma) const {
  const std::size_t sets = parent_sets(variables_);
  std::vector<double> of_family(variables_ * sets);
  for (std::size_t f = 0; f < of_family.size(); ++f)
    of_family[f] = log_prior(gamma, f / sets, ParentSet(f % sets));
  std::vector<double> priors(size());
  for (std::size_t g = 0; g < size(); ++g) priors[g] = log_lik(g, of_family);
  return priors;
}

EdgeMatrix AcyclicGraphs::edge_log_odds(std::span<const double> log_weights) const {
  EdgeMatrix odds(variables_);
  std::vector<double> with, without;
  for_each_edge(variables_, [&](std::size_t i, std::size_t j) {
    with.clear();
    without.clear();
    for (std::size_t g = 0; g < size(); ++g)
      (graphs_[g].edge(VariableId(j), VariableId(i)) ? with : without).push_back(log_weights[g]);
    odds.at(i, j) = log_sum_exp(with) - log_sum_exp(without);
  });
  return odds;
}

namespace {

/// log P(G) + log L_G of every graph.
std::vector<double> posterior_weights(const AcyclicGraphs& graphs, std::span<const double> priors,
                                      std::span<const double> log_lik) {
  std::vector<double> weights(graphs.size());
  for (std::size_t g = 0; g < weights.size(); ++g)
    weights[g] = priors[g] + graphs.log_lik(g, log_lik);
  return weights;
}

}  // namespace

double acyclic_regret(const AcyclicGraphs& graphs, const EdgeMatrix& gamma,
                      std::span<const double> log_lik) {
  const std::vector<double> priors = graphs.log_priors(gamma);
  return log_sum_exp(priors) - log_sum_exp(posterior_weights(graphs, priors, log_lik));
}

EdgeMatrix acyclic_gradient(const AcyclicGraphs& graphs, const EdgeMatrix& gamma,
                            std::span<const double> log_lik) {
  const std::vector<double> priors = graphs.log_priors(gamma);
  const EdgeMatrix before = graphs.edge_log_odds(priors);
  const EdgeMatrix after = graphs.edge_log_odds(posterior_weights(graphs, priors, log_lik));
  EdgeMatrix gradient(gamma.variables);
  for_each_edge(gamma.variables, [&](std::size_t i, std::size_t j) {
    gradient.at(i, j) = sigmoid_difference(before.at(i, j), after.at(i, j) - before.at(i, j));
  });
  return gradient;
}

EdgeBelief::EdgeBelief(const EdgeMatrix& gamma0, const EdgeLearning& how)
    : how_(how), gamma_(gamma0), optimizer_(how.optimizer, gamma0.values.size()) {
  if (how.samples != 0) require_samples(std::size_t(std::max(how.samples, 0)));
  if (how.acyclicity != Acyclicity::exact) return;
  if (how.samples != 0)
    throw Error(ExitCode::bad_config, "E-CONFIG-CHOICE", "acyclicity",
                "graphs cannot be sampled edge by edge when they must be acyclic",
                "use the exact sum, or acyclicity none or penalty");
  graphs_.emplace_back(gamma0.variables);
}

void EdgeBelief::update(std::span<const double> log_lik, Stream stream) {
  if (how_.samples != 0) return sampled_update(log_lik, stream);
  const EdgeMatrix gradient = how_.acyclicity == Acyclicity::exact
                                  ? acyclic_gradient(graphs_[0], gamma_, log_lik)
                                  : edge_gradient(gamma_, log_lik);
  for (double g : gradient.values)
    if (!std::isfinite(g)) {
      ++rejected_;
      return;
    }
  step(gradient);
}

void EdgeBelief::sampled_update(std::span<const double> log_lik, Stream stream) {
  const std::size_t m = gamma_.variables, sets = parent_sets(m);
  const std::vector<ParentSet> draws = draw_parent_sets(gamma_, how_.samples, stream);
  std::vector<double> drawn(draws.size());
  for (std::size_t d = 0; d < draws.size(); ++d) drawn[d] = log_lik[d % m * sets + draws[d]];
  const SampledGradient sampled = sampled_edge_gradient(gamma_, draws, drawn);
  if (sampled.rejected) {
    ++rejected_;
    return;
  }
  effective_.push_back(sampled.effective_samples);
  step(sampled.gradient);
}

void EdgeBelief::step(const EdgeMatrix& gradient) {
  EdgeMatrix slope = gradient;
  if (how_.acyclicity == Acyclicity::penalty) {
    const EdgeMatrix penalty = cycle_penalty_gradient(gamma_);
    for (std::size_t e = 0; e < slope.values.size(); ++e)
      slope.values[e] += how_.penalty_weight * penalty.values[e];
  }
  optimizer_.step(gamma_.values, std::span<const double>(slope.values));
  for (double& g : gamma_.values) {
    if (std::abs(g) > how_.limit) ++clamped_;
    g = std::clamp(g, -how_.limit, how_.limit);
  }
}

EdgeMatrix EdgeBelief::log_odds() const {
  if (graphs_.empty()) return transposed(gamma_);
  return transposed(graphs_[0].edge_log_odds(graphs_[0].log_priors(gamma_)));
}

GraphPosterior::GraphPosterior(std::size_t variables)
    : graphs_(variables), log_weights_(graphs_.size(), 0.0) {}

void GraphPosterior::update(std::span<const double> log_lik) {
  std::vector<double> weights = log_weights_;
  double best = minus_infinity;
  bool defined = true;
  for (std::size_t g = 0; g < weights.size(); ++g) {
    weights[g] += graphs_.log_lik(g, log_lik);
    defined = defined && !std::isnan(weights[g]);
    best = std::max(best, weights[g]);
  }
  // An episode that no graph could have produced, or that has no value, says nothing.
  if (!defined || !std::isfinite(best)) {
    ++rejected_;
    return;
  }
  // Relative to the best: sums over thousands of episodes keep their low digits.
  for (double& w : weights) w -= best;
  log_weights_ = std::move(weights);
}

double GraphPosterior::log_probability(std::size_t g) const {
  return log_weights_[g] - log_sum_exp(log_weights_);
}

EdgeMatrix GraphPosterior::log_odds() const {
  return transposed(graphs_.edge_log_odds(log_weights_));
}

double frozen_or_adapting(double frozen, double adapted) {
  return log_add_exp(frozen, adapted) - portable_log(2.0);
}

std::vector<double> episode_log_lik(const Scores& scores, EpisodeId episode) {
  std::vector<double> sums(scores.families(), 0.0);
  for (std::size_t f = 0; f < sums.size(); ++f)
    for (double step : scores.of(episode, FamilyId(f))) sums[f] += step;
  return sums;
}

double cross_entropy_bits(const EdgeMatrix& log_odds, const Graph& truth) {
  const std::size_t m = truth.variables();
  double sum = 0;
  for_each_edge(m, [&](std::size_t i, std::size_t j) {
    const double l = log_odds.at(i, j);
    sum -= log_sigmoid(truth.edge(VariableId(i), VariableId(j)) ? l : -l);
  });
  return sum / (portable_log(2.0) * double(m * (m - 1)));
}

HammingDistance hamming_distance(const EdgeMatrix& log_odds, const Graph& truth) {
  HammingDistance distance;
  for (std::size_t i = 0; i < truth.variables(); ++i)
    for (std::size_t j = i + 1; j < truth.variables(); ++j) {
      const bool here[] = {log_odds.at(i, j) > 0, log_odds.at(j, i) > 0};
      const bool there[] = {truth.edge(VariableId(i), VariableId(j)),
                            truth.edge(VariableId(j), VariableId(i))};
      if (here[0] == there[1] && here[1] == there[0] && here[0] != here[1] && here[0] != there[0]) {
        ++distance.reversed;
        continue;
      }
      for (int d = 0; d < 2; ++d) {
        distance.missing += there[d] && !here[d];
        distance.extra += here[d] && !there[d];
      }
    }
  return distance;
}

}  // namespace whence
