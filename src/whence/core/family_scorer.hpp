// What a posterior over graphs needs to know of the data: the evidence for each family.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "whence/core/knowledge.hpp"

namespace whence {

/// What happened to an environment as a whole.
enum class EnvironmentState : std::uint8_t {
  sparse,    // each mechanism changed or not, by itself
  all_soft,  // every mechanism was redrawn
  all_hard,  // every variable was cut off from its parents
};

/// What is assumed of all environments while families are scored.
struct EnvironmentRegime {
  bool quiet = false;  // no mechanism changed where the state is sparse
  std::vector<EnvironmentState> states;
  bool operator==(const EnvironmentRegime&) const = default;
};

/// How far estimated gains can be trusted.
struct EstimateQuality {
  double hopeless = -40;   // nats: what is estimated below this gains nothing
  bool by_regime = false;  // whether estimates depend on the regime
  bool last_word = true;   // what they call hopeless is never scored; else it is, in the end
};

/// Pure functions of the data, called from many threads at once. Parents are given in ascending
/// order. Priors over graphs and over regimes are not part of a score; the prior of a mechanism's
/// change within a sparse environment is.
class FamilyScorer {
 public:
  virtual ~FamilyScorer() = default;

  virtual std::size_t variables() const = 0;
  virtual std::size_t environments() const = 0;
  virtual std::size_t max_parents() const = 0;

  /// log P(the child's column | its parents' columns), summed over the sparse environments in which
  /// the child's mechanism may have changed. An environment that changed as a whole leaves the pool
  /// and is scored on its own.
  virtual double log_score(std::size_t child, std::span<const std::size_t> parents,
                           const EnvironmentRegime& regime) const = 0;

  /// The same of many families under one regime, each independent of the others: what threads,
  /// ranks or a device can share out. One by one unless a scorer knows better.
  struct Query {
    std::size_t child = 0;
    std::vector<std::size_t> parents;
  };
  virtual void log_scores(std::span<const Query> queries, const EnvironmentRegime& regime,
                          std::span<double> scores) const {
    for (std::size_t i = 0; i < queries.size(); ++i)
      scores[i] = log_score(queries[i].child, queries[i].parents, regime);
  }

  /// The same with environment `left_out` taken out of the data.
  virtual double log_score_without(std::size_t child, std::span<const std::size_t> parents,
                                   const EnvironmentRegime& regime, std::size_t left_out) const = 0;

  /// The evidence of an environment in which everything changed, on its own: what log_score adds
  /// for it. It need not be the same for all graphs of a Markov class.
  virtual double log_redrawn(std::size_t child, std::span<const std::size_t> parents,
                             std::size_t environment, EnvironmentState state) const = 0;

  /// P(the child's mechanism changed in each environment | family, regime): 1 where everything did.
  virtual void changed(std::size_t child, std::span<const std::size_t> parents,
                       const EnvironmentRegime& regime, std::span<double> probability) const = 0;

  /// Whether gains can be estimated at a fraction of the cost of scoring.
  virtual bool has_estimates() const { return false; }
  virtual EstimateQuality estimate_quality() const { return {}; }
  /// Where so: what adding each variable to the parents, or taking it from them, would gain. Close
  /// where it is far from zero; NaN for the child, and for what cannot be estimated.
  virtual void estimate_gains(std::size_t /*child*/, std::span<const std::size_t> /*parents*/,
                              const EnvironmentRegime& /*regime*/,
                              std::span<double> /*gains*/) const {}

  /// The same for some variables only, in their order.
  virtual void estimate_gains_of(std::size_t child, std::span<const std::size_t> parents,
                                 const EnvironmentRegime& regime,
                                 std::span<const std::size_t> candidates,
                                 std::span<double> gains) const {
    std::vector<double> all(variables());
    estimate_gains(child, parents, regime, all);
    for (std::size_t k = 0; k < candidates.size(); ++k) gains[k] = all[candidates[k]];
  }

  /// What log_score would gain, roughly, if everything had changed in an environment that is sparse
  /// in `regime`, for each of them; NaN where that cannot be said. False if there is no cheap way.
  virtual bool estimate_redrawn(std::size_t /*child*/, std::span<const std::size_t> /*parents*/,
                                const EnvironmentRegime& /*regime*/, std::span<double> /*soft*/,
                                std::span<double> /*hard*/) const {
    return false;
  }

  /// Whether graphs of one Markov class score alike when nothing changed. Where not, the posterior
  /// may not read a direction off a score alone.
  virtual bool likelihood_equivalent() const = 0;
};

}  // namespace whence
