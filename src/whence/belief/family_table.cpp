#include "whence/belief/family_table.hpp"

#include <algorithm>
#include <limits>

#include "whence/math/special.hpp"

namespace whence {

double RegimePrior::log_prior(const EnvironmentRegime& regime) const {
  if (regime.quiet) return std::log(quiet);
  double open = 0, all = 0;
  for (std::size_t e = 0; e < regime.states.size(); ++e) {
    if (is_fixed(e)) continue;
    open += 1;
    all += regime.states[e] == EnvironmentState::sparse ? 0 : 1;
  }
  const double a = all_changed_alpha, b = all_changed_beta;
  return std::log1p(-quiet) + log_gamma(a + all) + log_gamma(b + open - all) -
         log_gamma(a + b + open) - log_gamma(a) - log_gamma(b) + log_gamma(a + b) -
         all * std::log(2.0);
}

FamilyTable::FamilyTable(const FamilyScorer& scorer, EdgeKnowledge knowledge, RegimePrior prior)
    : scorer_(scorer), knowledge_(std::move(knowledge)), prior_(std::move(prior)) {
  const double m = double(scorer.variables());
  for (double k = 0; k < m; k += 1)
    log_set_prior_.push_back(log_gamma(k + 1) + log_gamma(m - k) - log_gamma(m));
}

bool FamilyTable::against_knowledge(std::size_t child, const VariableSet& parents) const {
  if (knowledge_.words.empty()) return false;
  for (std::size_t v = 0; v < variables(); ++v) {
    const EdgeKnowledge::Word word = knowledge_.of(variables(), v, child);
    if (word == EdgeKnowledge::Word::forbidden && parents.has(v)) return true;
    if (word == EdgeKnowledge::Word::required && !parents.has(v)) return true;
  }
  return false;
}

template <class Map, class Compute>
const typename Map::mapped_type& FamilyTable::remembered(Map Shard::*map, const Key& key,
                                                         const Compute& compute) const {
  Shard& shard = shard_of(key);
  {
    const std::lock_guard lock(shard.mutex);
    const auto found = (shard.*map).find(key);
    if (found != (shard.*map).end()) return found->second;
  }
  auto value = compute();
  const std::lock_guard lock(shard.mutex);
  return (shard.*map).emplace(key, std::move(value)).first->second;
}

double FamilyTable::score(std::size_t regime, std::size_t child, const VariableSet& parents) const {
  const std::size_t count = parents.size();
  if (count > scorer_.max_parents() || against_knowledge(child, parents))
    return -std::numeric_limits<double>::infinity();
  const Key key{regime, child, parents};
  return remembered(&Shard::scores, key, [&] {
    return scorer_.log_score(child, parents.members(), this->regime(regime)) +
           log_set_prior_[count];
  });
}

std::vector<double> FamilyTable::scores(std::size_t regime, std::size_t child,
                                        std::span<const VariableSet> sets) const {
  std::vector<double> values(sets.size(), -std::numeric_limits<double>::infinity());
  std::vector<FamilyScorer::Query> queries;
  std::vector<std::size_t> places;  // of the queries in `sets`
  for (std::size_t k = 0; k < sets.size(); ++k) {
    if (sets[k].size() > scorer_.max_parents() || against_knowledge(child, sets[k])) continue;
    const Key key{regime, child, sets[k]};
    Shard& shard = shard_of(key);
    const std::lock_guard lock(shard.mutex);
    if (const auto found = shard.scores.find(key); found != shard.scores.end()) {
      values[k] = found->second;
    } else {
      queries.push_back({child, sets[k].members()});
      places.push_back(k);
    }
  }
  std::vector<double> fresh(queries.size());
  if (!queries.empty()) scorer_.log_scores(queries, this->regime(regime), fresh);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const VariableSet& set = sets[places[i]];
    const double score = fresh[i] + log_set_prior_[set.size()];
    values[places[i]] = remembered(&Shard::scores, Key{regime, child, set}, [&] { return score; });
  }
  return values;
}

double FamilyTable::estimated_gain(std::size_t regime, std::size_t child,
                                   const VariableSet& parents, std::size_t v) const {
  const std::size_t count = parents.size(), toggled = parents.has(v) ? count - 1 : count + 1;
  if (!scorer_.has_estimates() || std::max(count, toggled) > scorer_.max_parents())
    return std::nan("");
  const double prior = log_set_prior_[toggled] - log_set_prior_[count];
  const Key key{scorer_.estimate_quality().by_regime ? regime : 0, child, parents};
  const std::vector<double>& gains = remembered(&Shard::estimates, key, [&] {
    std::vector<double> all(variables());
    scorer_.estimate_gains(child, parents.members(), this->regime(regime), all);
    return all;
  });
  return gains[v] + prior;
}

const std::vector<double>& FamilyTable::changed(std::size_t regime, std::size_t child,
                                                const VariableSet& parents) const {
  const Key key{regime, child, parents};
  return remembered(&Shard::changes, key, [&] {
    std::vector<double> probability(scorer_.environments());
    if (parents.size() <= scorer_.max_parents())  // else the family has no probability at all
      scorer_.changed(child, parents.members(), this->regime(regime), probability);
    return probability;
  });
}

const std::vector<double>& FamilyTable::redraws(std::size_t regime, std::size_t child,
                                                const VariableSet& parents) const {
  const Key key{regime, child, parents};
  return remembered(&Shard::redraws, key, [&] {
    const std::size_t environments = scorer_.environments();
    std::vector<double> gains(2 * environments);
    const std::span<double> all(gains);
    if (parents.size() > scorer_.max_parents() ||
        !scorer_.estimate_redrawn(child, parents.members(), this->regime(regime),
                                  all.first(environments), all.last(environments)))
      gains.clear();
    return gains;
  });
}

double FamilyTable::estimated_redraw(std::size_t regime, const Dag& dag, std::size_t environment,
                                     EnvironmentState state) const {
  EnvironmentRegime next = this->regime(regime);
  const double before = prior_.log_prior(next);
  next.states[environment] = state;
  double sum = prior_.log_prior(next) - before;
  const std::size_t offset = state == EnvironmentState::all_soft ? 0 : scorer_.environments();
  for (std::size_t v = 0; v < dag.variables() && !std::isnan(sum); ++v) {
    const std::vector<double>& gains = redraws(regime, v, dag.parents(v));
    sum += gains.empty() ? std::nan("") : gains[offset + environment];
  }
  return sum;
}

std::size_t FamilyTable::number_of(const EnvironmentRegime& regime) const {
  const std::lock_guard lock(regime_mutex_);
  const auto found = std::find(regimes_.begin(), regimes_.end(), regime);
  if (found != regimes_.end()) return std::size_t(found - regimes_.begin());
  regimes_.push_back(regime);
  return regimes_.size() - 1;
}

EnvironmentRegime FamilyTable::regime(std::size_t number) const {
  const std::lock_guard lock(regime_mutex_);
  return regimes_[number];
}

double FamilyTable::log_prior(std::size_t number) const { return prior_.log_prior(regime(number)); }

bool FamilyTable::allows(const Dag& dag) const {
  for (std::size_t v = 0; v < dag.variables(); ++v)
    if (against_knowledge(v, dag.parents(v))) return false;
  return true;
}

double FamilyTable::total(std::size_t regime, const Dag& dag) const {
  double sum = log_prior(regime);
  for (std::size_t v = 0; v < dag.variables(); ++v) sum += score(regime, v, dag.parents(v));
  return sum;
}

std::size_t FamilyTable::scored() const {
  std::size_t n = 0;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    n += shard.scores.size();
  }
  return n;
}

}  // namespace whence
