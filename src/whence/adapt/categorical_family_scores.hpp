// Evidence for families of categorical variables, summed over where their mechanisms changed.
//
// Tables by BDeu: graphs of one Markov class get equal scores, so a direction is only ever read off
// a change. An environment in which a mechanism changed is explained half by a marginal without
// parents (hard), half by a table of its own (soft).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "whence/adapt/categorical_rows.hpp"
#include "whence/adapt/change_sum.hpp"
#include "whence/adapt/table_pool.hpp"
#include "whence/core/family_scorer.hpp"

namespace whence {

struct CategoricalScoreOptions {
  double change = 0;  // P(a mechanism changes in a sparse environment); 0: 1 / variables
  double ess = 0;     // equivalent sample size of tables; 0: by evidence, from the grid
  std::vector<double> ess_grid = {1, 3, 10, 30, 100, 300, 1000, 3000};
  std::size_t max_parents = 0;         // 0: all others
  std::size_t exact_environments = 6;  // so many sparse environments are summed exactly
};

class CategoricalFamilyScorer final : public FamilyScorer {
 public:
  explicit CategoricalFamilyScorer(const Dataset& data, CategoricalScoreOptions options = {});

  std::size_t variables() const override { return rows_.variables(); }
  std::size_t environments() const override { return rows_.environments(); }
  std::size_t max_parents() const override { return options_.max_parents; }
  bool likelihood_equivalent() const override { return true; }

  double log_score(std::size_t child, std::span<const std::size_t> parents,
                   const EnvironmentRegime& regime) const override;
  double log_score_without(std::size_t child, std::span<const std::size_t> parents,
                           const EnvironmentRegime& regime, std::size_t left_out) const override;
  double log_redrawn(std::size_t child, std::span<const std::size_t> parents,
                     std::size_t environment, EnvironmentState state) const override;
  void changed(std::size_t child, std::span<const std::size_t> parents,
               const EnvironmentRegime& regime, std::span<double> probability) const override;

  /// The equivalent sample size in use.
  double ess() const { return options_.ess; }

 private:
  struct Plan;  // which environments are pooled, summed over, or on their own
  Plan plan(const EnvironmentRegime& regime, std::size_t left_out) const;
  ChangeSum score(std::size_t child, std::span<const std::size_t> parents, const Plan& plan) const;
  ChangeSum score_tables(std::size_t child, std::span<const std::size_t> parents,
                         const Plan& plan) const;
  double hard(std::size_t child, std::size_t environment) const {
    return hard_[environment * variables() + child];
  }
  double forest_evidence(double ess) const;

  CategoricalRows rows_;
  CategoricalScoreOptions options_;
  RisingTables rising_;
  std::vector<double> hard_;  // [environment][child]: log evidence of a marginal of its own
};

}  // namespace whence
