// Scores of families that a test makes up.
#pragma once

#include <atomic>
#include <cmath>
#include <functional>
#include <vector>

#include "whence/core/dag.hpp"
#include "whence/core/family_scorer.hpp"

namespace whence::support {

/// Scores that know nothing of environments, except which mechanisms changed in environment 1.
class MadeUpScores : public FamilyScorer {
 public:
  using Score = std::function<double(std::size_t child, std::span<const std::size_t> parents)>;

  MadeUpScores(std::size_t variables, std::size_t environments, Score score)
      : variables_(variables), environments_(environments), score_(std::move(score)) {}

  std::vector<std::size_t> targets;  // in environment 1
  bool estimates = false;            // the differences of scores; what loses is hopeless

  std::size_t variables() const override { return variables_; }
  std::size_t environments() const override { return environments_; }
  std::size_t max_parents() const override { return variables_ - 1; }
  double log_score(std::size_t child, std::span<const std::size_t> parents,
                   const EnvironmentRegime&) const override {
    ++scored_;
    return score_(child, parents);
  }
  double log_score_without(std::size_t child, std::span<const std::size_t> parents,
                           const EnvironmentRegime&, std::size_t) const override {
    return score_(child, parents);
  }
  double log_redrawn(std::size_t, std::span<const std::size_t>, std::size_t,
                     EnvironmentState) const override {
    return 0;
  }
  void changed(std::size_t child, std::span<const std::size_t>, const EnvironmentRegime&,
               std::span<double> probability) const override {
    for (double& p : probability) p = 0;
    for (std::size_t t : targets)
      if (t == child) probability[1] = 1;
  }
  bool has_estimates() const override { return estimates; }
  EstimateQuality estimate_quality() const override { return {0, false, true}; }
  void estimate_gains(std::size_t child, std::span<const std::size_t> parents,
                      const EnvironmentRegime&, std::span<double> gains) const override {
    VariableSet set;
    for (std::size_t p : parents) set.insert(p);
    for (std::size_t v = 0; v < variables_; ++v)
      gains[v] = v == child ? std::nan("")
                            : score_(child, set.flipped(v).members()) - score_(child, parents);
  }
  bool likelihood_equivalent() const override { return false; }
  std::size_t scored() const { return scored_; }

 private:
  std::size_t variables_, environments_;
  Score score_;
  mutable std::atomic<std::size_t> scored_{0};
};

}  // namespace whence::support
