// Scores of families under assumptions about environments, computed once and kept.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "whence/core/dag.hpp"
#include "whence/core/family_scorer.hpp"
#include "whence/core/knowledge.hpp"

namespace whence {

/// How likely each regime is before the data. Quiet: 1/2. Otherwise the number of environments in
/// which everything changed is beta-binomial, and each of those is soft or hard with 1/2.
struct RegimePrior {
  double quiet = 0.5;
  double all_changed_alpha = 1, all_changed_beta = 9;
  std::vector<bool> fixed;  // environments that cannot have changed as a whole; empty: none

  bool is_fixed(std::size_t e) const { return !fixed.empty() && fixed[e]; }
  double log_prior(const EnvironmentRegime& regime) const;
};

/// For each variable the others that are looked at as its parents, in ascending order. If A is
/// a candidate of B, B is one of A: an edge can always be turned.
using CandidateParents = std::vector<std::vector<std::size_t>>;

/// Thread-safe; what it returns does not depend on the order of calls. Regimes get numbers.
class FamilyTable {
 public:
  /// Without `candidates` all others are.
  FamilyTable(const FamilyScorer& scorer, EdgeKnowledge knowledge = {}, RegimePrior prior = {},
              CandidateParents candidates = {});

  std::size_t variables() const { return scorer_.variables(); }
  const FamilyScorer& scorer() const { return scorer_; }
  const EdgeKnowledge& knowledge() const { return knowledge_; }
  const RegimePrior& regime_prior() const { return prior_; }

  /// Whether some pairs are never looked at.
  bool restricted() const { return restricted_; }
  const std::vector<std::size_t>& candidates(std::size_t child) const { return candidates_[child]; }
  bool is_candidate(std::size_t child, std::size_t v) const;
  bool are_candidates(std::size_t child, const VariableSet& parents) const;

  /// log P(child's column | parents') + log P(parent set): 1 / (m - 1 over the number of parents)
  /// each, constant within a Markov class. -infinity for sets against what is known.
  double score(std::size_t regime, std::size_t child, const VariableSet& parents) const;
  /// The same of many parent sets of one child; those that are not known yet go to the scorer
  /// together.
  std::vector<double> scores(std::size_t regime, std::size_t child,
                             std::span<const VariableSet> sets) const;

  /// A score that was computed elsewhere, priors included.
  void learn(std::size_t regime, std::size_t child, const VariableSet& parents, double score) const;

  /// What adding `v` to the parents, or taking it from them, would gain, cheaply; NaN where there
  /// is no cheap way. It settles what is far from zero, as the scorer's EstimateQuality says.
  double estimated_gain(std::size_t regime, std::size_t child, const VariableSet& parents,
                        std::size_t v) const;
  /// The same of all candidates, in their order.
  void estimated_gains(std::size_t regime, std::size_t child, const VariableSet& parents,
                       std::span<double> gains) const;
  /// The same of every variable but the child, candidate or not, in ascending order; not kept.
  std::vector<double> all_estimated_gains(std::size_t regime, std::size_t child,
                                          const VariableSet& parents) const;
  /// Whether scores cost so much that what estimates rule out is never scored.
  bool scores_are_dear() const {
    return scorer_.has_estimates() && (restricted_ || scorer_.estimate_quality().last_word);
  }
  /// What an estimate may come to at best: it is somewhat wrong.
  static double at_best(double estimate) { return estimate + 10 + 0.3 * std::abs(estimate); }

  /// P(the child's mechanism changed) per environment.
  const std::vector<double>& changed(std::size_t regime, std::size_t child,
                                     const VariableSet& parents) const;

  /// What the graph's score would gain, roughly, if everything had changed (`state`) in an
  /// environment that is sparse in `regime`, priors included; NaN where there is no cheap
  /// estimate.
  double estimated_redraw(std::size_t regime, const Dag& dag, std::size_t environment,
                          EnvironmentState state) const;
  static constexpr double redraw_error = 20;  // nats: more than it is ever off by

  /// Numbers are handed out in the order of asking: keep them within one thread's work, or ask for
  /// all before threads start.
  std::size_t number_of(const EnvironmentRegime& regime) const;
  EnvironmentRegime regime(std::size_t number) const;
  double log_prior(std::size_t regime) const;

  /// Whether nothing in the graph is against what is known.
  bool allows(const Dag& dag) const;

  /// Everybody's score and the regime's prior.
  double total(std::size_t regime, const Dag& dag) const;

  std::size_t scored() const;  // families computed so far, here or elsewhere

  /// While it lives, families that this thread asks the scores of are noted, by numbers that depend
  /// on nothing but the family and the regime: another process may then count them too.
  class Notes {
   public:
    Notes();
    ~Notes();
    Notes(const Notes&) = delete;
    Notes& operator=(const Notes&) = delete;
    std::vector<std::uint64_t> families() const;  // ascending

   private:
    friend class FamilyTable;
    std::unordered_set<std::uint64_t> asked_;
    Notes* outer_;
  };
  /// Families that were scored elsewhere.
  void count_as_scored(std::span<const std::uint64_t> families) const;

 private:
  struct Key {
    std::size_t regime, child;
    VariableSet parents;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return key.parents.hash() ^ (key.child * 0x9E3779B97F4A7C15ULL) ^
             (key.regime * 0xD1B54A32D192ED03ULL);
    }
  };
  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<Key, double, Hash> scores;
    std::unordered_map<Key, std::vector<double>, Hash> changes, estimates, redraws;
  };
  Shard& shard_of(const Key& key) const { return shards_[Hash()(key) >> 20 & 63]; }
  /// What a table holds for a key; computed outside the lock by the first caller, never changed
  /// after.
  template <class Map, class Compute>
  const typename Map::mapped_type& remembered(Map Shard::*map, const Key& key,
                                              const Compute& compute) const;
  /// [soft, hard][environment], or empty.
  const std::vector<double>& redraws(std::size_t regime, std::size_t child,
                                     const VariableSet& parents) const;
  bool against_knowledge(std::size_t child, const VariableSet& parents) const;
  /// Estimates of the candidates; null where there is no cheap way.
  const std::vector<double>* estimates(std::size_t regime, std::size_t child,
                                       const VariableSet& parents) const;
  double with_prior(double gain, const VariableSet& parents, std::size_t toggled) const;

  std::uint64_t number_of_family(const Key& key) const;
  void note(const Key& key) const;

  const FamilyScorer& scorer_;
  EdgeKnowledge knowledge_;
  RegimePrior prior_;
  bool restricted_ = false;
  CandidateParents candidates_;
  std::vector<double> log_set_prior_;  // by number of parents
  mutable std::array<Shard, 64> shards_;
  mutable std::mutex regime_mutex_;
  mutable std::vector<EnvironmentRegime> regimes_;
  mutable std::unordered_set<std::uint64_t> elsewhere_;
};

}  // namespace whence
