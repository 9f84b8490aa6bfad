// Two-family models for Pooling: how each structure scores an environment of a pair.
#pragma once

#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "whence/belief/change_prior.hpp"
#include "whence/core/dataset.hpp"
#include "whence/evidence/categorical/conjugate_table.hpp"
#include "whence/evidence/linear/conjugate_gaussian.hpp"

namespace whence {

/// The same counts with rows and levels exchanged.
FamilyCounts transposed(const FamilyCounts& table);

/// How often each pair of levels occurs in each environment (rows: X, levels: Y).
/// `share`: what a row of each environment is worth; empty: 1.
std::vector<FamilyCounts> joint_counts(const Dataset& data, int threads = 1,
                                       std::span<const double> share = {});

/// One environment of a categorical pair, factorised with one variable first, with the scores
/// that depend on nothing else: of mechanisms that are new in this environment. Each new table is
/// dense (Dirichlet(1)) or sparse (Dirichlet(1/levels)), which one being unknown.
struct PairTable {
  FamilyCounts second;                     // a row per level of the first
  Tally first, second_marginal, by_first;  // by_first: of `second`
  double first_fresh = 0, second_hard = 0, second_fresh = 0;
  // Of the rows that by_first touches: the log of their share of the examples, and the score of
  // each under a row of its own.
  std::vector<double> log_share, row_fresh;
};

/// All environments, factorised with either variable first; shared by all structures and priors.
struct PairCounts {
  std::array<std::vector<PairTable>, 2> told;  // [first variable][environment]
  std::vector<double> both_fresh;              // everything new: the mean of both factorisations

  static PairCounts of(const Dataset& data, int threads = 1, std::span<const double> share = {});
  /// From tables of counts per environment (rows: X, levels: Y), which may be fractional.
  static PairCounts of(std::span<const FamilyCounts> joint, int threads = 1);
};

/// Imaginary rows per cell of the pooled joint, from sparse tables (about one over N) to dense
/// ones; which one is unknown.
std::array<double, 4> cell_weights(std::size_t levels_x, std::size_t levels_y);

/// Dirichlet tables. A cell of the pooled joint weighs `cell` imaginary rows: the same joint prior
/// for every structure (BDe). "Everything changed" says nothing about a direction: its score is the
/// same for both. The row that changed is the row of a random example, so that changes that cannot
/// be seen weigh little.
class CategoricalPair {
 public:
  using Pool = LearntTable;
  struct Growth {
    double pooled = 0, row = -INFINITY;
    TallyScore scored;
  };
  CategoricalPair(const PairCounts& counts, Structure structure, double cell);

  Pool empty_first() const { return {1, shape_.rows, first_cell_}; }
  Pool empty_second() const { return {link_ ? shape_.rows : 1, shape_.levels, second_cell_}; }
  Growth first_pooled(const Pool& pool, std::size_t e) const;
  Growth second_pooled(const Pool& pool, std::size_t e) const;
  double first_fresh(std::size_t e) const { return tables_[e].first_fresh; }
  double second_fresh(std::size_t e) const {
    return link_ ? tables_[e].second_fresh : tables_[e].second_hard;
  }
  double second_hard(std::size_t e) const { return tables_[e].second_hard; }
  double both_fresh(std::size_t e) const {
    return link_ ? both_fresh_[e] : tables_[e].first_fresh + tables_[e].second_hard;
  }
  Pool add_first(const Pool& pool, std::size_t e, const Growth& growth) const {
    return learn(pool, tables_[e].first, growth.scored);
  }
  Pool add_second(const Pool& pool, std::size_t e, const Growth& growth) const {
    return learn(pool, second(e), growth.scored);
  }

 private:
  const Tally& second(std::size_t e) const {
    return link_ ? tables_[e].by_first : tables_[e].second_marginal;
  }

  bool link_;
  const std::vector<PairTable>& tables_;
  const std::vector<double>& both_fresh_;
  const FamilyCounts& shape_;
  double first_cell_, second_cell_;
};

/// Moments of every environment after centring and scaling; X's coordinates come first.
struct PairMoments {
  std::array<std::size_t, 2> dimension{};
  std::vector<Moments> environments;

  static PairMoments of(const Dataset& data, std::span<const double> share = {});
};

/// Linear Gaussian vectors under one normal-inverse-Wishart prior of the joint (BGe).
class GaussianPairModel {
 public:
  struct Pool {
    Moments moments;
    double log_lik = 0;  // of all its rows
  };
  struct Growth {
    double pooled = 0, row = -INFINITY;
    Pool grown;
  };
  /// `noise_only`: a mechanism that changes keeps its slope, as that of a variable does whose own
  /// noise shifts while a hidden cause ties it to the other one.
  GaussianPairModel(const PairMoments& moments, Structure structure, double scale,
                    bool noise_only = false);

  Pool empty_first() const { return pool_of(&GaussianPairModel::first); }
  Pool empty_second() const { return pool_of(&GaussianPairModel::second); }
  Growth first_pooled(const Pool& pool, std::size_t e) const {
    return grown(pool, e, &GaussianPairModel::first);
  }
  Growth second_pooled(const Pool& pool, std::size_t e) const {
    return grown(pool, e, &GaussianPairModel::second);
  }
  double first_fresh(std::size_t e) const { return first_fresh_[e]; }
  double second_fresh(std::size_t e) const { return second_fresh_[e]; }
  double second_hard(std::size_t e) const { return second_hard_[e]; }
  double both_fresh(std::size_t e) const { return both_fresh_[e]; }
  Pool add_first(const Pool&, std::size_t, const Growth& growth) const { return growth.grown; }
  Pool add_second(const Pool&, std::size_t, const Growth& growth) const { return growth.grown; }

 private:
  using Score = double (GaussianPairModel::*)(const Moments&) const;
  Pool pool_of(Score score) const;
  Growth grown(const Pool& pool, std::size_t e, Score score) const;
  double first(const Moments& m) const;
  double second(const Moments& m) const;

  const PairMoments& moments_;
  Structure structure_;
  GaussianPrior prior_;
  std::vector<double> first_fresh_, second_fresh_, second_hard_, both_fresh_;
};

}  // namespace whence
