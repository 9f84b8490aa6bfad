// Which mechanisms changed between the baseline and an environment, by evidence from labels.
//
// A logistic regression guesses, from a set P of variables, whether a row is from environment e or
// from the baseline: T_e(P) is its log-evidence. The mechanism of i given P changed if what P
// leaves unexplained of i improves the guess. That remainder is taken with respect to a flexible
// regression on the baseline, so that it does not depend on P as long as the mechanism is the same,
// and a guess from P that could be better gains nothing by it. No density of the data is modelled:
// where labels do not depend on the data there is no signal, whatever the data look like.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/core/variable_set.hpp"
#include "whence/evidence/labels/coded_columns.hpp"
#include "whence/evidence/labels/feature_kernel.hpp"
#include "whence/evidence/labels/flexible_features.hpp"
#include "whence/evidence/labels/logistic_evidence.hpp"
#include "whence/evidence/labels/recent_cache.hpp"
#include "whence/evidence/labels/shared_cache.hpp"

namespace whence {

/// How far every mechanism may drift from run to run without counting as changed, in residual
/// standard deviations of its baseline.
inline constexpr std::array drift_scales = {0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.6, 3.2};

/// The scale of two independent drifts together, rounded up to the list. Both are indices into it.
std::size_t combined_drift(std::size_t a, std::size_t b);

/// Evidence for a change beyond drift, one number for each of drift_scales: against no more drift
/// than that, and against drift of that scale in every second run. The second grows where nothing
/// moved: a mechanism that changed once and stays where it is otherwise does not drift.
struct DriftedChange {
  std::array<float, drift_scales.size()> log_odds{}, at_times{};
};

/// How far an environment's rows are from where the baseline's regression expects them, in residual
/// standard deviations, and the variance of that number if the mechanism is the same.
struct Displacement {
  double offset = 0, variance = 1;

  /// Evidence for a change of about one standard deviation beyond a drift of scale tau.
  double log_odds(double tau) const;
};

struct ShiftRows {
  std::size_t of_environment = 300, of_baseline = 600, fitted = 1500;
};

class ShiftEvidence {
 public:
  ShiftEvidence(const CodedColumns& columns, const Dataset& data, std::size_t baseline,
                std::uint64_t seed, const ShiftRows& most = {});
  ~ShiftEvidence();

  /// Environments other than the baseline, in the data's order.
  std::size_t environments() const { return windows_.size(); }
  std::size_t rows(std::size_t e) const { return windows_[e].own.rows(); }
  std::size_t variables() const { return columns_.variables(); }

  /// T_e(P).
  double labels(const VariableSet& set, std::size_t e) const { return fit(set, e).log_evidence; }
  /// The share of what can be known of the labels that a set tells.
  double given_away(const VariableSet& set, std::size_t e) const {
    return 1 - labels(set, e) / labels({}, e);
  }
  /// log-evidence that the mechanism of the child, given these parents, changed in environment e.
  double change(std::size_t child, const VariableSet& parents, std::size_t e) const;
  /// The same where parents may have been read with noise: never more. A regression on noisy
  /// readings is too flat, so a child that moves further than it expects, in the direction in which
  /// its parents moved, need not have changed.
  double change_beyond_noise(std::size_t child, const VariableSet& parents, std::size_t e) const;
  /// `change` without the handful of rows that say most.
  double change_beyond_few(std::size_t child, const VariableSet& parents, std::size_t e) const;
  /// By what share of the way that its parents should have taken it the child went further, where
  /// their values in e are new and only a regression can tell; 0 elsewhere.
  double overshoot(std::size_t child, const VariableSet& parents, std::size_t e) const;
  /// Whether the variable's own law differs.
  double moved(std::size_t v, std::size_t e) const { return change(v, {}, e); }
  /// The same evidence when mechanisms may drift.
  const DriftedChange& drifted(std::size_t child, const VariableSet& parents, std::size_t e) const {
    return drifts(child, parents)[e];
  }

  std::size_t fits() const { return change_cache_.size(); }

  /// What was worked out elsewhere from the same data (new_evidence.hpp); the number stands for a
  /// child and an environment.
  void learn_change(const VariableSet& parents, std::size_t number, float value) const {
    change_cache_.get({parents, number}, [&] { return value; });
  }

 private:
  /// Rows of one environment, and rows of the baseline that it is compared with.
  struct Window {
    FeatureColumns own, both;  // codes of its rows; of its rows and then those of the baseline
    AlignedFloats labels;
    std::size_t reference;  // the first of the baseline's rows
  };
  struct Key {
    VariableSet set;
    std::size_t number;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return key.set.hash() ^ (key.number * 0x9E3779B97F4A7C15ULL);
    }
  };
  /// What may explain that a child is not where its parents' regression expects it.
  enum class Allowed { nothing, few_rows, noisy_parents, drift };
  struct Regressions;  // of a child on its parents, in the baseline

  const LogisticFit& fit(const VariableSet& set, std::size_t e) const;
  /// By environment; takes up to three times as long as `change` of each.
  const std::vector<DriftedChange>& drifts(std::size_t child, const VariableSet& parents) const;
  std::shared_ptr<const Regressions> regressions(std::size_t child,
                                                 const VariableSet& parents) const;
  Regressions regress(std::size_t child, const VariableSet& parents) const;
  struct Remainder;  // of one environment
  Remainder remainder(std::size_t child, const VariableSet& parents, std::size_t e) const;
  DriftedChange compare(std::size_t child, const VariableSet& parents, std::size_t e,
                        Allowed allowed) const;

  const CodedColumns& columns_;
  FlexibleFeatures features_;
  FeatureColumns baseline_;     // codes of the rows that regressions are fitted to
  std::vector<double> signal_;  // [coordinate]: no less of its readings is signal
  std::vector<Window> windows_;
  mutable SharedCache<Key, LogisticFit, KeyHash> fit_cache_;
  mutable SharedCache<Key, float, KeyHash> change_cache_, noise_cache_;
  mutable SharedCache<Key, std::vector<DriftedChange>, KeyHash> drift_cache_;
  mutable RecentCache<Key, Regressions> recent_{64};
};

}  // namespace whence
