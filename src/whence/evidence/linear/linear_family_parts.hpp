// What the sources of LinearFamilyScorer share; not for others.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "whence/evidence/linear/linear_family_scores.hpp"
#include "whence/math/logspace.hpp"

namespace whence {

namespace linear_noise {

/// The laws of noise that are mixed, each with its share. Freedom 0 stands for the Gaussian, which
/// has most of it: heavy tails show in the data anyway, and Gaussian data without any change keep
/// their equivalent scores. With less than one degree of freedom a sharp mode of skewed noise
/// passes for an edge.
struct Noise {
  double freedom, share;
};
inline constexpr Noise noises[] = {{0, 0.9}, {4, 0.05}, {2, 0.025}, {1.2, 0.025}};
inline constexpr std::size_t gaussian = 0;

}  // namespace linear_noise

using RegressionTriangle = std::array<double, packed(largest_order, 0)>;
inline constexpr RegressionTriangle no_rows{};

/// One family's Gram matrices.
class LinearFamilyScorer::Family {
 public:
  Family(const LinearFamilyScorer& scorer, std::size_t child, std::span<const std::size_t> parents)
      : child_(child), parents_(parents.size()), columns_{0} {
    if (parents.size() > scorer.max_parents())  // nothing below has room for it
      throw std::length_error("a family has more parents than its scorer takes");
    for (std::size_t parent : parents) columns_.push_back(1 + parent);
    columns_.push_back(1 + child);
    for (std::size_t r = 0; r < columns_.size(); ++r)
      for (std::size_t c = 0; c <= r; ++c)
        entries_[packed(r, c)] = scorer.gram(columns_[r], columns_[c]);
    grams_ = {columns_.size(),
              scorer.stride_,
              {entries_, packed(columns_.size(), 0)},
              scorer.columns_->counts};
  }
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;

  std::size_t child() const { return child_; }
  std::size_t parents() const { return parents_; }
  std::span<const std::size_t> columns() const { return columns_; }
  const FamilyGrams& grams() const { return grams_; }

 private:
  std::size_t child_, parents_;
  std::vector<std::size_t> columns_;
  const double* entries_[packed(largest_order, 0)];
  FamilyGrams grams_;
};

/// What is asked of one family.
struct LinearFamilyScorer::Question {
  const Family& family;
  const EnvironmentRegime& regime;
  std::size_t left_out;
  std::vector<double> redrawn;  // per environment, where any was
  bool wants_changes;
};

/// The sum over changes with noise of one kind.
struct LinearFamilyScorer::Summed {
  double log_sum = 0;
  std::vector<bool> unchanged;      // environments of the heaviest term
  std::vector<double> log_changed;  // log P(changed) per environment, if that was asked
  std::vector<double> soft;         // evidence of each environment for a mechanism of its own
  std::vector<PoolChoice> choices;
};

/// The sums of all kinds of noise that count, the Gaussian last.
struct LinearFamilyScorer::Mixture {
  struct Part {
    std::size_t kind;
    Summed summed;
    double log_weight;  // with its share of the prior
  };
  std::vector<Part> parts;
  double log_sum = 0;

  /// log of the weighted mean over kinds of exp(value(part)).
  template <class Value>
  double log_mean(const Value& value) const {
    std::vector<double> terms;
    for (const Part& part : parts) terms.push_back(part.log_weight - log_sum + value(part.summed));
    return log_sum_exp(terms);
  }
};

/// Weighs the rows of the pool by the pool's fit, those of each other environment by the fit of the
/// pool with that one: what it would be like to have it in.
void weigh_rows(StudentFamily& family, RegressionPool& pool, const RegressionPrior& prior,
                const std::vector<bool>& unchanged, int times);

}  // namespace whence
