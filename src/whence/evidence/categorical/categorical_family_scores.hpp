// Evidence for families of categorical variables, summed over where their mechanisms changed.
//
// Tables by BDeu: graphs of one Markov class get equal scores, so a direction is only ever read off
// a change. They cannot have many parents. Additive logits can, at the price of that equality; with
// both, a mechanism is of either kind with even odds as long as its table has fewer cells than
// there are rows, and additive beyond. An environment in which a mechanism changed is explained
// half by a marginal without parents (hard), half by a mechanism of its own (soft).
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "whence/core/family_scorer.hpp"
#include "whence/evidence/categorical/additive_changes.hpp"
#include "whence/evidence/categorical/categorical_rows.hpp"
#include "whence/evidence/categorical/change_sum.hpp"
#include "whence/evidence/categorical/table_pool.hpp"

namespace whence {

struct CategoricalScoreOptions {
  double change = 0;  // P(a mechanism changes in a sparse environment); 0: 1 / variables
  double ess = 0;     // equivalent sample size of tables; 0: by evidence, from the grid
  std::vector<double> ess_grid = {1, 3, 10, 30, 100, 300, 1000, 3000};
  std::size_t max_parents = 0;          // 0: all others
  std::vector<KnownChange> known = {};  // [variable][environment]; empty: nothing is known
  std::size_t exact_environments = 6;   // so many sparse environments are summed exactly
  bool additive = true;                 // additive mechanisms beside tables
  AdditivePrior additive_prior = {};
  std::size_t exact_fits = 3;  // the same for additive mechanisms
  double tolerance = 2e-4;     // nats per row below their mode at which fits may end
};

class CategoricalFamilyScorer final : public FamilyScorer {
 public:
  explicit CategoricalFamilyScorer(const Dataset& data, CategoricalScoreOptions options = {});

  std::size_t variables() const override { return rows_.variables(); }
  std::size_t environments() const override { return rows_.environments(); }
  std::size_t max_parents() const override { return options_.max_parents; }
  bool likelihood_equivalent() const override { return !options_.additive; }

  double log_score(std::size_t child, std::span<const std::size_t> parents,
                   const EnvironmentRegime& regime) const override;
  double log_score_without(std::size_t child, std::span<const std::size_t> parents,
                           const EnvironmentRegime& regime, std::size_t left_out) const override;
  double log_redrawn(std::size_t child, std::span<const std::size_t> parents,
                     std::size_t environment, EnvironmentState state) const override;
  void changed(std::size_t child, std::span<const std::size_t> parents,
               const EnvironmentRegime& regime, std::span<double> probability) const override;

  bool has_estimates() const override { return options_.additive; }
  /// All environments being sparse, whatever the regime.
  void estimate_gains(std::size_t child, std::span<const std::size_t> parents,
                      const EnvironmentRegime& regime, std::span<double> gains) const override;

  /// The equivalent sample size in use.
  double ess() const { return options_.ess; }

 private:
  using Parents = std::span<const std::size_t>;
  struct Plan;  // which environments are pooled, summed over, or on their own
  class TableEstimate;
  struct Kinds {
    bool table, additive;
  };
  Plan plan(std::size_t child, const EnvironmentRegime& regime, std::size_t left_out) const;
  KnownChange known(std::size_t child, std::size_t environment) const;
  Kinds kinds(std::size_t child, Parents parents) const;
  ChangeSum score(std::size_t child, Parents parents, const Plan& plan) const;
  ChangeSum score_tables(std::size_t child, Parents parents, const Plan& plan) const;
  ChangeSum score_additive(std::size_t child, Parents parents, const Plan& plan) const;
  ChangeSum part_of_pools(std::size_t child, const AdditiveRecord& record, const Plan& plan) const;
  std::vector<double> additive_gains(std::size_t child, Parents parents) const;
  std::shared_ptr<const AdditiveRecord> record(std::size_t child, Parents parents) const;
  AdditiveRecord make_record(std::size_t child, Parents parents,
                             std::span<const std::size_t> environments) const;
  double additive_alone(std::size_t child, Parents parents, std::size_t environment) const;
  double hard(std::size_t child, std::size_t environment) const {
    return hard_[environment * variables() + child];
  }
  double soft(std::size_t child, Parents parents, std::size_t environment) const;
  double tolerance() const { return 0.02 + options_.tolerance * double(rows_.rows()); }
  double forest_evidence(double ess) const;

  CategoricalRows rows_;
  CategoricalScoreOptions options_;
  RisingTables rising_;
  std::vector<double> hard_;  // [environment][child]: log evidence of a marginal of its own
  mutable std::mutex mutex_;
  mutable std::map<std::vector<std::size_t>, std::shared_ptr<const AdditiveRecord>> records_;
};

}  // namespace whence
