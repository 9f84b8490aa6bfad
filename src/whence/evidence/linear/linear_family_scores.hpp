// Evidence of linear families over environments in which mechanisms may have changed.
//
// Noise is Gaussian, or one of a Gaussian and some Student laws, each with its share of the prior.
// The prior is that of a normal-inverse-Wishart law of all variables (BGe) in its local form, so
// without a change all graphs of a Markov class score alike as far as noise is Gaussian; nor do
// they differ where everything changed. Columns enter in units of what the others do not explain of
// them (column_units.hpp): the units of the data do not matter.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/core/family_scorer.hpp"
#include "whence/evidence/linear/column_units.hpp"
#include "whence/evidence/linear/pool_sum.hpp"
#include "whence/evidence/linear/regression_pools.hpp"
#include "whence/evidence/linear/student_family.hpp"

namespace whence {

struct LinearScoreOptions {
  double scale = 1;                     // t: prior variance and slope precision, in squared units
  double mean_weight = 0.1;             // precision of an intercept
  double hard_mean_weight = 0.01;       // of the mean of a variable that is cut off
  double hard_scale = 0.1;              // its prior variance, in squared spreads of the column
  double redrawn_scale = 4;             // t where everything changed
  double change_probability = 0;        // of a mechanism in a sparse environment; 0: 1 / variables
  double hard_share = 0.5;              // of the changes: cut off from its parents
  bool robust = false;                  // noise may have heavy tails
  std::vector<char> plain = {};         // [variable]: 1 where even so it is taken for Gaussian
  std::vector<KnownChange> known = {};  // [variable][environment]; empty: nothing is known
};

/// What scores need of the rows; the same for every prior.
struct LinearColumns {
  LinearColumns(const Dataset& data, bool with_rows);
  /// Takes the rows out of the data, one column after the other. That saves memory where rows can
  /// be read again.
  LinearColumns(Dataset&& data, bool with_rows);

  std::size_t variables = 0, environments = 0, stride = 0, reference = 0;
  std::vector<ColumnUnit> units;
  std::vector<double> counts;  // [stride]
  std::vector<double> grams;   // [packed over 1 + variables][stride]; 0 is the constant
  RowPieces rows;              // the same columns; empty where they were not asked for

 private:
  void multiply(const Dataset& data);
  void add_constant(const Dataset& data);
  void add_rows(const Dataset& data, std::size_t variable);
};

class LinearFamilyScorer final : public FamilyScorer {
 public:
  /// All variables are real, of one number each.
  explicit LinearFamilyScorer(const Dataset& data, LinearScoreOptions options = {});
  /// Of columns made before; with rows where `options.robust` asks for them.
  LinearFamilyScorer(std::shared_ptr<const LinearColumns> columns, LinearScoreOptions options);
  /// The same data under another scale of the prior, and with other columns taken for Gaussian: the
  /// rows are not read again.
  LinearFamilyScorer(const LinearFamilyScorer& other, double scale, std::vector<char> plain);

  std::size_t variables() const override { return variables_; }
  std::size_t environments() const override { return environments_; }
  std::size_t max_parents() const override { return most_parents; }
  double log_score(std::size_t child, std::span<const std::size_t> parents,
                   const EnvironmentRegime& regime) const override;
  double log_score_without(std::size_t child, std::span<const std::size_t> parents,
                           const EnvironmentRegime& regime, std::size_t left_out) const override;
  double log_redrawn(std::size_t child, std::span<const std::size_t> parents,
                     std::size_t environment, EnvironmentState state) const override;
  void changed(std::size_t child, std::span<const std::size_t> parents,
               const EnvironmentRegime& regime, std::span<double> probability) const override;
  bool likelihood_equivalent() const override { return true; }
  bool has_estimates() const override { return true; }
  EstimateQuality estimate_quality() const override { return {-4, true, false}; }
  void estimate_gains(std::size_t child, std::span<const std::size_t> parents,
                      const EnvironmentRegime& regime, std::span<double> gains) const override;
  void estimate_gains_of(std::size_t child, std::span<const std::size_t> parents,
                         const EnvironmentRegime& regime, std::span<const std::size_t> candidates,
                         std::span<double> gains) const override;
  bool estimate_redrawn(std::size_t child, std::span<const std::size_t> parents,
                        const EnvironmentRegime& regime, std::span<double> soft,
                        std::span<double> hard) const override;

  const LinearScoreOptions& options() const { return options_; }
  /// Whether noise with heavy tails explains the family about as well as any.
  bool has_tails(std::size_t child, std::span<const std::size_t> parents,
                 const EnvironmentRegime& regime) const;

 private:
  class Family;
  class StudentSum;
  class GainEstimates;
  struct Question;
  struct Summed;
  struct Mixture;
  struct Priors {
    RegressionPrior equivalent;  // of what is pooled
    RegressionPrior changed;     // of one mechanism's change that keeps its parents
    RegressionPrior redrawn;     // of each mechanism where everything changed
  };
  RegressionPrior equivalent_prior(std::size_t parents) const;
  RegressionPrior equivalent_prior(std::size_t parents, double scale) const;
  Priors priors(std::size_t parents, double variance) const;
  const double* gram(std::size_t a, std::size_t b) const {
    return &columns_->grams[packed(std::max(a, b), std::min(a, b)) * stride_];
  }
  const double* hard(std::size_t kind, std::size_t variable) const {
    return &hard_[(kind * variables_ + variable) * stride_];
  }
  double reference_variance(const Family& family) const;
  std::vector<double> redrawn(const Family& family, bool tails = true) const;
  std::vector<PoolChoice> choices(const Question& question, std::size_t kind,
                                  std::span<const double> soft) const;
  static constexpr std::size_t no_environment = std::size_t(-1);
  Question question(const Family& family, const EnvironmentRegime& regime, std::size_t left_out,
                    bool wants_changes) const;
  Summed gaussian_sum(const Question& question) const;
  Mixture mixture(const Question& question) const;
  double summed(std::size_t child, std::span<const std::size_t> parents,
                const EnvironmentRegime& regime, std::size_t left_out,
                std::span<double> probability) const;
  void tabulate_hard_changes();

  bool robust_for(std::size_t child) const {
    return options_.robust && (options_.plain.empty() || !options_.plain[child]);
  }

  std::shared_ptr<const LinearColumns> columns_;
  std::size_t variables_ = 0, environments_ = 0, stride_ = 0, reference_ = 0;
  LinearScoreOptions options_;
  // Evidence of an environment on its own, cut off from its parents, per kind of noise and of all:
  std::vector<double> hard_;       // [kind][variable][stride]
  std::vector<double> hard_each_;  // [variable][stride]
};

}  // namespace whence
