#include "whence/evidence/categorical/categorical_family_scores.hpp"

#include <algorithm>
#include <limits>

#include "whence/evidence/categorical/conjugate_table.hpp"
#include "whence/math/special.hpp"

namespace whence {

namespace {

constexpr std::size_t nothing_left_out = std::numeric_limits<std::size_t>::max();
constexpr std::size_t most_looked_up = 1 << 16;
constexpr double impossible =
    -1e9;  // log P(environment | changed) where it is known that it did not

/// log P(counts) under Dirichlet(1, ..., 1).
double uniform_evidence(std::span<const std::uint32_t> counts) {
  FamilyCounts seen(1, counts.size());
  std::copy(counts.begin(), counts.end(), seen.cells.begin());
  return log_marginal_likelihood(seen, 1);
}

double half_and_half(double a, double b) { return log_add_exp(a, b) - std::log(2.0); }

}  // namespace

struct CategoricalFamilyScorer::Plan {
  bool quiet = false;
  std::vector<std::size_t> sparse, soft, hard, known;  // known: changed, one way or the other
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

KnownChange CategoricalFamilyScorer::known(std::size_t child, std::size_t environment) const {
  return options_.known.empty() ? KnownChange::unknown
                                : options_.known[child * environments() + environment];
}

CategoricalFamilyScorer::Plan CategoricalFamilyScorer::plan(std::size_t child,
                                                            const EnvironmentRegime& regime,
                                                            std::size_t left_out) const {
  Plan plan;
  plan.quiet = regime.quiet;
  for (std::size_t e : rows_.largest_first()) {
    if (e == left_out) continue;
    const EnvironmentState state =
        regime.states.empty() ? EnvironmentState::sparse : regime.states[e];
    if (state == EnvironmentState::all_soft)
      plan.soft.push_back(e);
    else if (state == EnvironmentState::all_hard)
      plan.hard.push_back(e);
    else if (known(child, e) == KnownChange::changed)
      plan.known.push_back(e);
    else
      plan.sparse.push_back(e);
  }
  return plan;
}

double CategoricalFamilyScorer::log_score(std::size_t child, Parents parents,
                                          const EnvironmentRegime& regime) const {
  return score(child, parents, plan(child, regime, nothing_left_out)).log_evidence;
}

double CategoricalFamilyScorer::log_score_without(std::size_t child, Parents parents,
                                                  const EnvironmentRegime& regime,
                                                  std::size_t left_out) const {
  return score(child, parents, plan(child, regime, left_out)).log_evidence;
}

double CategoricalFamilyScorer::log_redrawn(std::size_t child, Parents parents,
                                            std::size_t environment, EnvironmentState state) const {
  if (state == EnvironmentState::sparse) return 0;
  if (state == EnvironmentState::all_hard) return hard(child, environment);
  return soft(child, parents, environment);
}

void CategoricalFamilyScorer::changed(std::size_t child, Parents parents,
                                      const EnvironmentRegime& regime,
                                      std::span<double> probability) const {
  const Plan plan = this->plan(child, regime, nothing_left_out);
  const ChangeSum sum = score(child, parents, plan);
  std::fill(probability.begin(), probability.end(), 1.0);
  for (std::size_t t = 0; t < plan.sparse.size(); ++t) probability[plan.sparse[t]] = sum.changed[t];
}

/// Which kinds of mechanism a family has a score under.
CategoricalFamilyScorer::Kinds CategoricalFamilyScorer::kinds(std::size_t child,
                                                              Parents parents) const {
  double cells = double(rows_.levels(child));
  for (std::size_t p : parents) cells *= double(rows_.levels(p));
  const bool additive = options_.additive && AdditiveLogit::affordable(rows_, parents);
  return {!additive || parents.empty() || cells <= double(rows_.rows()), additive};
}

ChangeSum CategoricalFamilyScorer::score(std::size_t child, Parents parents,
                                         const Plan& plan) const {
  const Kinds kinds = this->kinds(child, parents);
  ChangeSum sum;
  if (kinds.table && kinds.additive) {
    sum = either(score_additive(child, parents, plan), score_tables(child, parents, plan));
    sum.log_evidence -= std::log(2.0);
  } else {
    sum = kinds.table ? score_tables(child, parents, plan) : score_additive(child, parents, plan);
  }
  for (std::size_t e : plan.soft) sum.log_evidence += soft(child, parents, e);
  for (std::size_t e : plan.hard) sum.log_evidence += hard(child, e);
  for (std::size_t e : plan.known)
    sum.log_evidence += half_and_half(hard(child, e), soft(child, parents, e));
  return sum;
}

/// log P(environment) under a mechanism of its own with these parents.
double CategoricalFamilyScorer::soft(std::size_t child, Parents parents,
                                     std::size_t environment) const {
  const Kinds kinds = this->kinds(child, parents);
  double table = 0, additive = 0;
  if (kinds.table)
    table = TablePool(rows_, child, parents, options_.ess, rising_).alone(environment);
  if (kinds.additive) additive = additive_alone(child, parents, environment);
  if (kinds.table && kinds.additive) return half_and_half(table, additive);
  return kinds.table ? table : additive;
}

double CategoricalFamilyScorer::additive_alone(std::size_t child, Parents parents,
                                               std::size_t environment) const {
  const std::span<const std::size_t> alone(&environment, 1);
  // With fewer rows than coefficients per level, nothing is learnt beyond the marginal.
  if (rows_.rows(environment) < AdditiveLogit::coefficients(rows_, parents))
    return hard(child, environment);
  AdditiveLogit fit(rows_, child, parents, rows_.largest_first(), alone, options_.additive_prior);
  return fit.log_evidence_of(alone, tolerance());
}

ChangeSum CategoricalFamilyScorer::score_tables(std::size_t child, Parents parents,
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
  for (std::size_t e : plan.sparse)
    fresh.push_back(known(child, e) == KnownChange::unchanged
                        ? impossible
                        : half_and_half(hard(child, e), pool.alone(e)));
  const ChangeCost cost(options_.change, options_.exact_environments);
  return ChangeSummation<TablePool>(pool, plan.sparse, fresh, cost).sum();
}

/// From the family's record. With many environments, one or some of which do not take part, what
/// they added is taken away again; if several make up much of the data, the fit is made anew.
ChangeSum CategoricalFamilyScorer::score_additive(std::size_t child, Parents parents,
                                                  const Plan& plan) const {
  const std::size_t n = plan.sparse.size();
  if (plan.quiet) {
    AdditiveLogit fit(rows_, child, parents, rows_.largest_first(), plan.sparse,
                      options_.additive_prior);
    return {fit.log_evidence_of(plan.sparse, tolerance()), std::vector<double>(n, 0.0)};
  }
  const std::shared_ptr<const AdditiveRecord> whole = record(child, parents);
  if (!whole->pools.empty()) return part_of_pools(child, *whole, plan);
  std::size_t kept_rows = 0, rows = 0;
  for (std::size_t e : plan.sparse) kept_rows += rows_.rows(e);
  for (std::size_t e : whole->environments) rows += rows_.rows(e);
  if (n + 1 < whole->environments.size() && 4 * kept_rows < 3 * rows) {
    const AdditiveRecord part = make_record(child, parents, plan.sparse);
    return part.pools.empty() ? part.sum : part_of_pools(child, part, plan);
  }
  ChangeSum sum{whole->sum.log_evidence, {}};
  for (std::size_t t = 0; t < whole->environments.size(); ++t) {
    const std::size_t next = sum.changed.size();
    if (next < n && plan.sparse[next] == whole->environments[t])
      sum.changed.push_back(whole->sum.changed[t]);
    else
      sum.log_evidence -= whole->shares[t];
  }
  return sum;
}

ChangeSum CategoricalFamilyScorer::part_of_pools(std::size_t child, const AdditiveRecord& record,
                                                 const Plan& plan) const {
  std::vector<std::size_t> places;
  std::vector<double> fresh;
  for (std::size_t e : plan.sparse) {
    const auto at = std::find(record.environments.begin(), record.environments.end(), e);
    places.push_back(std::size_t(at - record.environments.begin()));
    fresh.push_back(
        known(child, e) == KnownChange::unchanged
            ? impossible
            : half_and_half(hard(child, e), record.pools[std::size_t(1) << places.back()]));
  }
  return sum_of_pools(record, places, fresh, ChangeCost(options_.change, options_.exact_fits));
}

std::shared_ptr<const AdditiveRecord> CategoricalFamilyScorer::record(std::size_t child,
                                                                      Parents parents) const {
  std::vector<std::size_t> key(parents.begin(), parents.end());
  key.push_back(child);
  {
    const std::lock_guard lock(mutex_);
    const auto found = records_.find(key);
    if (found != records_.end()) return found->second;
  }
  const Plan all = plan(child, {}, nothing_left_out);
  auto made = std::make_shared<const AdditiveRecord>(make_record(child, parents, all.sparse));
  const std::lock_guard lock(mutex_);
  return records_.emplace(std::move(key), std::move(made)).first->second;
}

AdditiveRecord CategoricalFamilyScorer::make_record(
    std::size_t child, Parents parents, std::span<const std::size_t> environments) const {
  AdditiveLogit fit(rows_, child, parents, rows_.largest_first(), environments,
                    options_.additive_prior);
  std::vector<double> hard_evidence;
  for (std::size_t e : environments)
    hard_evidence.push_back(known(child, e) == KnownChange::unchanged ? impossible
                                                                      : hard(child, e));
  const auto alone = [&](std::size_t e) { return additive_alone(child, parents, e); };
  const ChangeCost cost(options_.change, options_.exact_fits);
  return AdditiveChanges(fit, environments, hard_evidence, alone, cost, tolerance()).record();
}

/// The scores of tables near one: by what the pool of its unchanged environments is worth, unless
/// that is too near the present score to decide.
class CategoricalFamilyScorer::TableEstimate {
 public:
  TableEstimate(const CategoricalFamilyScorer& scorer, std::size_t child, Parents parents,
                const Plan& plan)
      : scorer_(scorer), child_(child), plan_(plan) {
    if (!scorer.kinds(child, parents).table) return;
    const ChangeSum sum = scorer.score_tables(child, parents, plan);
    for (std::size_t t = 0; t < plan.sparse.size(); ++t)
      if (sum.changed[t] < 0.5) pool_.push_back(plan.sparse[t]);
    rest_ = sum.log_evidence - pooled(parents);
  }

  double of(Parents parents, double present) const {
    constexpr double near = 150;  // nats
    if (!pool_.empty()) {
      const double estimate = rest_ + pooled(parents);
      if (std::abs(estimate - present) > near) return estimate;
    }
    return scorer_.score_tables(child_, parents, plan_).log_evidence;
  }

 private:
  double pooled(Parents parents) const {
    return table_evidence(scorer_.rows_, child_, parents, pool_, scorer_.options_.ess,
                          scorer_.rising_);
  }

  const CategoricalFamilyScorer& scorer_;
  std::size_t child_;
  const Plan& plan_;
  std::vector<std::size_t> pool_;  // empty: there is no table to start from
  double rest_ = 0;                // of the table's score, beside its pool
};

void CategoricalFamilyScorer::estimate_gains(std::size_t child, Parents parents,
                                             const EnvironmentRegime& /*regime*/,
                                             std::span<double> gains) const {
  std::fill(gains.begin(), gains.end(), std::nan(""));
  if (!kinds(child, parents).additive) return;
  Plan all = plan(child, {}, nothing_left_out);
  all.known.clear();  // what is known to have changed says about the same with any parents
  const double additive = score_additive(child, parents, all).log_evidence;
  const double present = score(child, parents, all).log_evidence;
  const TableEstimate tables(*this, child, parents, all);
  const std::vector<double> estimates = additive_gains(child, parents);
  std::vector<std::size_t> other;
  for (std::size_t v = 0; v < variables(); ++v) {
    if (std::isnan(estimates[v])) continue;
    other.assign(parents.begin(), parents.end());
    const auto at = std::lower_bound(other.begin(), other.end(), v);
    if (at != other.end() && *at == v)
      other.erase(at);
    else
      other.insert(at, v);
    const Kinds kinds = this->kinds(child, other);
    double score = additive + estimates[v];
    if (!kinds.additive) score = score_tables(child, other, all).log_evidence;
    if (kinds.additive && kinds.table) score = half_and_half(score, tables.of(other, present));
    gains[v] = score - present;
  }
}

/// From a rough fit to the environments that are thought unchanged.
std::vector<double> CategoricalFamilyScorer::additive_gains(std::size_t child,
                                                            Parents parents) const {
  const std::shared_ptr<const AdditiveRecord> whole = record(child, parents);
  std::vector<std::size_t> pool;
  for (std::size_t t = 0; t < whole->environments.size(); ++t)
    if (!whole->pools.empty() || whole->sum.changed[t] < 0.5)
      pool.push_back(whole->environments[t]);
  if (pool.empty()) pool = whole->environments;
  const AdditivePrior& prior = options_.additive_prior;
  AdditiveLogit fit(rows_, child, parents, rows_.largest_first(), pool, prior);
  if (whole->coefficients.empty())
    fit.log_evidence_of(pool, 5 * tolerance());
  else
    fit.resume(pool, whole->coefficients);
  return fit.gains(rows_.largest_first(), prior);
}

}  // namespace whence
