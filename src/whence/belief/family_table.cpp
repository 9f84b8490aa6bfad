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

namespace {

CandidateParents all_others(std::size_t variables) {
  CandidateParents lists(variables);
  for (std::size_t child = 0; child < variables; ++child)
    for (std::size_t v = 0; v < variables; ++v)
      if (v != child) lists[child].push_back(v);
  return lists;
}

}  // namespace

FamilyTable::FamilyTable(const FamilyScorer& scorer, EdgeKnowledge knowledge, RegimePrior prior,
                         CandidateParents candidates)
    : scorer_(scorer),
      knowledge_(std::move(knowledge)),
      prior_(std::move(prior)),
      restricted_(!candidates.empty()),
      candidates_(restricted_ ? std::move(candidates) : all_others(scorer.variables())) {
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
  note(key);
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
    note(key);
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

void FamilyTable::learn(std::size_t regime, std::size_t child, const VariableSet& parents,
                        double score) const {
  remembered(&Shard::scores, Key{regime, child, parents}, [&] { return score; });
}

bool FamilyTable::is_candidate(std::size_t child, std::size_t v) const {
  if (!restricted_) return v != child;
  return std::binary_search(candidates_[child].begin(), candidates_[child].end(), v);
}

bool FamilyTable::are_candidates(std::size_t child, const VariableSet& parents) const {
  bool all = true;
  if (restricted_) parents.each([&](std::size_t v) { all = all && is_candidate(child, v); });
  return all;
}

const std::vector<double>* FamilyTable::estimates(std::size_t regime, std::size_t child,
                                                  const VariableSet& parents) const {
  if (!scorer_.has_estimates() || parents.size() > scorer_.max_parents()) return nullptr;
  const Key key{scorer_.estimate_quality().by_regime ? regime : 0, child, parents};
  return &remembered(&Shard::estimates, key, [&] {
    std::vector<double> all(candidates_[child].size());
    scorer_.estimate_gains_of(child, parents.members(), this->regime(regime), candidates_[child],
                              all);
    return all;
  });
}

double FamilyTable::with_prior(double gain, const VariableSet& parents, std::size_t v) const {
  const std::size_t count = parents.size(), toggled = parents.has(v) ? count - 1 : count + 1;
  if (toggled > scorer_.max_parents()) return std::nan("");
  return gain + (log_set_prior_[toggled] - log_set_prior_[count]);
}

double FamilyTable::estimated_gain(std::size_t regime, std::size_t child,
                                   const VariableSet& parents, std::size_t v) const {
  const std::vector<double>* gains = estimates(regime, child, parents);
  if (gains == nullptr) return std::nan("");
  const auto& list = candidates_[child];
  const auto at = std::lower_bound(list.begin(), list.end(), v);
  if (at == list.end() || *at != v) return -std::numeric_limits<double>::infinity();
  return with_prior((*gains)[std::size_t(at - list.begin())], parents, v);
}

void FamilyTable::estimated_gains(std::size_t regime, std::size_t child, const VariableSet& parents,
                                  std::span<double> result) const {
  const std::vector<double>* gains = estimates(regime, child, parents);
  for (std::size_t k = 0; k < result.size(); ++k)
    result[k] =
        gains == nullptr ? std::nan("") : with_prior((*gains)[k], parents, candidates_[child][k]);
}

std::vector<double> FamilyTable::all_estimated_gains(std::size_t regime, std::size_t child,
                                                     const VariableSet& parents) const {
  std::vector<std::size_t> others;
  for (std::size_t v = 0; v < variables(); ++v)
    if (v != child) others.push_back(v);
  std::vector<double> gains(others.size());
  scorer_.estimate_gains_of(child, parents.members(), this->regime(regime), others, gains);
  for (std::size_t k = 0; k < others.size(); ++k)
    gains[k] = with_prior(gains[k], parents, others[k]);
  return gains;
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

namespace {

thread_local FamilyTable::Notes* present_notes = nullptr;

/// SplitMix64's finalizer: counts of families must not suffer from collisions.
std::uint64_t mixed(std::uint64_t h, std::uint64_t value) {
  h += value * 0x9E3779B97F4A7C15ULL;
  h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9ULL;
  h = (h ^ h >> 27) * 0x94D049BB133111EBULL;
  return h ^ h >> 31;
}

}  // namespace

FamilyTable::Notes::Notes() : outer_(present_notes) { present_notes = this; }
FamilyTable::Notes::~Notes() { present_notes = outer_; }

std::vector<std::uint64_t> FamilyTable::Notes::families() const {
  std::vector<std::uint64_t> list(asked_.begin(), asked_.end());
  std::sort(list.begin(), list.end());
  return list;
}

/// Regimes by what they are: their numbers depend on the order of calls.
std::uint64_t FamilyTable::number_of_family(const Key& key) const {
  const EnvironmentRegime regime = this->regime(key.regime);
  std::uint64_t h = mixed(0, key.child + 1);
  key.parents.each([&](std::size_t v) { h = mixed(h, v + 1); });
  constexpr std::size_t beyond = most_variables + 1;  // what no variable is
  if (regime.quiet) h = mixed(h, beyond);
  for (std::size_t e = 0; e < regime.states.size(); ++e)
    if (regime.states[e] != EnvironmentState::sparse)
      h = mixed(h, beyond + 4 * (e + 1) + std::uint64_t(regime.states[e]));
  return h;
}

void FamilyTable::note(const Key& key) const {
  if (present_notes != nullptr) present_notes->asked_.insert(number_of_family(key));
}

void FamilyTable::count_as_scored(std::span<const std::uint64_t> families) const {
  const std::lock_guard lock(regime_mutex_);
  elsewhere_.insert(families.begin(), families.end());
}

std::size_t FamilyTable::scored() const {
  std::size_t n = 0;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    n += shard.scores.size();
  }
  if (elsewhere_.empty()) return n;
  std::unordered_set<std::uint64_t> all = elsewhere_;
  for (const Shard& shard : shards_)
    for (const auto& [key, score] : shard.scores) all.insert(number_of_family(key));
  return all.size();
}

}  // namespace whence
