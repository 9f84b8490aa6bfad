#include "whence/adapt/categorical_family_scores.hpp"

#include <algorithm>
#include <limits>

#include "whence/math/special.hpp"

namespace whence {

namespace {

constexpr std::size_t nothing_left_out = std::numeric_limits<std::size_t>::max();
constexpr std::size_t most_looked_up = 1 << 16;

/// log P(counts) under Dirichlet(1, ..., 1).
double uniform_evidence(std::span<const std::uint32_t> counts) {
  double sum = 0, total = 0;
  for (std::uint32_t n : counts) {
    sum += log_rising(1, n);
    total += n;
  }
  return sum - log_rising(double(counts.size()), total);
}

double half_and_half(double a, double b) { return log_add_exp(a, b) - std::log(2.0); }

}  // namespace

struct CategoricalFamilyScorer::Plan {
  bool quiet = false;
  std::vector<std::size_t> sparse, soft, hard;  // sparse: the largest first
};

CategoricalFamilyScorer::CategoricalFamilyScorer(const Dataset& data,
                                                 CategoricalScoreOptions options)
    : rows_(data), options_(std::move(options)), rising_(std::min(rows_.rows(), most_looked_up)) {
  const std::size_t m = variables();
  if (options_.max_parents == 0 || options_.max_parents + 1 > m)
    options_.max_parents = m > 0 ? m - 1 : 0;
  if (options_.change == 0)
    options_.change = std::min(0.5, 1.0 / double(std::max<std::size_t>(1, m)));
  for (std::size_t e = 0; e < environments(); ++e)
    for (std::size_t v = 0; v < m; ++v) hard_.push_back(uniform_evidence(rows_.counts(v, e)));
  if (options_.ess == 0) {
    double best = -std::numeric_limits<double>::infinity();
    for (double ess : options_.ess_grid) {
      const double evidence = forest_evidence(ess);
      if (evidence > best) best = evidence, options_.ess = ess;
    }
  }
}

/// The evidence of the best forest of pairs, all rows pooled: what an equivalent sample size is
/// judged by. Score equivalence makes links undirected, so the forest is a spanning one (Prim).
double CategoricalFamilyScorer::forest_evidence(double ess) const {
  const std::size_t m = variables();
  std::vector<std::vector<double>> counts(m);
  std::vector<double> alone(m, 0.0), gain(m, 0.0);
  double sum = 0;
  for (std::size_t v = 0; v < m; ++v) {
    counts[v].assign(rows_.levels(v), 0.0);
    for (std::size_t e = 0; e < environments(); ++e)
      for (std::size_t l = 0; l < rows_.levels(v); ++l) counts[v][l] += rows_.counts(v, e)[l];
    for (double n : counts[v]) alone[v] += log_rising(ess / double(rows_.levels(v)), n);
    sum += alone[v] - log_rising(ess, double(rows_.rows()));
  }
  const auto link = [&](std::size_t a, std::size_t b) {
    const auto cells = rows_.pair_counts(std::min(a, b), std::max(a, b));
    const auto rising = rising_.of(ess / double(cells.size()));
    double joint = log_rising(ess, double(rows_.rows())) - alone[a] - alone[b];
    for (std::uint32_t n : cells) joint += (*rising)(n);
    return joint;
  };
  std::vector<bool> done(m, false);
  for (std::size_t next = 0; next < m;) {
    done[next] = true;
    sum += gain[next];
    std::size_t best = m;
    for (std::size_t v = 0; v < m; ++v) {
      if (done[v]) continue;
      gain[v] = std::max(gain[v], link(next, v));
      if (best == m || gain[v] > gain[best]) best = v;
    }
    next = best;
  }
  return sum;
}

CategoricalFamilyScorer::Plan CategoricalFamilyScorer::plan(const EnvironmentRegime& regime,
                                                            std::size_t left_out) const {
  Plan plan;
  plan.quiet = regime.quiet;
  for (std::size_t e : rows_.largest_first()) {
    if (e == left_out) continue;
    const EnvironmentState state =
        regime.quiet || regime.states.empty() ? EnvironmentState::sparse : regime.states[e];
    switch (state) {
      case EnvironmentState::sparse: plan.sparse.push_back(e); break;
      case EnvironmentState::all_soft: plan.soft.push_back(e); break;
      case EnvironmentState::all_hard: plan.hard.push_back(e); break;
    }
  }
  return plan;
}

double CategoricalFamilyScorer::log_score(std::size_t child, std::span<const std::size_t> parents,
                                          const EnvironmentRegime& regime) const {
  return score(child, parents, plan(regime, nothing_left_out)).log_evidence;
}

double CategoricalFamilyScorer::log_score_without(std::size_t child,
                                                  std::span<const std::size_t> parents,
                                                  const EnvironmentRegime& regime,
                                                  std::size_t left_out) const {
  return score(child, parents, plan(regime, left_out)).log_evidence;
}

double CategoricalFamilyScorer::log_redrawn(std::size_t child, std::span<const std::size_t> parents,
                                            std::size_t environment, EnvironmentState state) const {
  if (state == EnvironmentState::all_hard) return hard(child, environment);
  return TablePool(rows_, child, parents, options_.ess, rising_).alone(environment);
}

void CategoricalFamilyScorer::changed(std::size_t child, std::span<const std::size_t> parents,
                                      const EnvironmentRegime& regime,
                                      std::span<double> probability) const {
  const Plan plan = this->plan(regime, nothing_left_out);
  const ChangeSum sum = score(child, parents, plan);
  std::fill(probability.begin(), probability.end(), 1.0);
  for (std::size_t t = 0; t < plan.sparse.size(); ++t) probability[plan.sparse[t]] = sum.changed[t];
}

ChangeSum CategoricalFamilyScorer::score(std::size_t child, std::span<const std::size_t> parents,
                                         const Plan& plan) const {
  ChangeSum sum = score_tables(child, parents, plan);
  for (std::size_t e : plan.hard) sum.log_evidence += hard(child, e);
  return sum;
}

ChangeSum CategoricalFamilyScorer::score_tables(std::size_t child,
                                                std::span<const std::size_t> parents,
                                                const Plan& plan) const {
  TablePool pool(rows_, child, parents, options_.ess, rising_);
  ChangeSum sum{0, std::vector<double>(plan.sparse.size(), 0.0)};
  if (plan.quiet) {
    for (std::size_t e : plan.sparse) {
      sum.log_evidence += pool.predictive(e);
      pool.add(e);
    }
    return sum;
  }
  std::vector<double> fresh;
  for (std::size_t e : plan.sparse) fresh.push_back(half_and_half(hard(child, e), pool.alone(e)));
  const ChangeCost cost(options_.change, options_.exact_environments);
  sum = ChangeSummation<TablePool>(pool, plan.sparse, fresh, cost).sum();
  for (std::size_t e : plan.soft) sum.log_evidence += pool.alone(e);
  return sum;
}

}  // namespace whence
