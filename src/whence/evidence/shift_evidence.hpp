// Which mechanisms changed between the baseline and an environment, by evidence from labels.
//
// T_e(S) is the log-evidence of a logistic regression that guesses, from the variables in S,
// whether a row is from environment e or from the baseline. T_e(P + i) - T_e(P) is then the
// evidence that the law of i given P differs between the two. No density of the data is modelled:
// where labels do not depend on the data there is no signal, whatever the data look like.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/core/shared_cache.hpp"
#include "whence/core/variable_set.hpp"
#include "whence/evidence/coded_columns.hpp"
#include "whence/evidence/feature_kernel.hpp"

namespace whence {

/// How far every mechanism may drift from run to run without counting as changed, in residual
/// standard deviations of its baseline.
inline constexpr std::array drift_scales = {0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.6, 3.2};

/// Evidence for a change beyond drift, one number for each of drift_scales.
struct DriftedChange {
  std::array<float, drift_scales.size()> log_odds{};
};

struct ShiftRows {
  std::size_t of_environment = 500, of_baseline = 1000;
};

class ShiftEvidence {
 public:
  ShiftEvidence(const CodedColumns& columns, const Dataset& data, std::size_t baseline,
                std::uint64_t seed, const ShiftRows& most = {});

  /// Environments other than the baseline, in the data's order.
  std::size_t environments() const { return labelled_.size(); }
  std::size_t rows(std::size_t e) const { return labelled_[e].ours; }
  std::size_t variables() const { return columns_.variables(); }

  /// T_e(S).
  double labels(const VariableSet& set, std::size_t e) const;
  /// T_e(P + i) - T_e(P): positive where the mechanism seems to have changed.
  double change(std::size_t child, const VariableSet& parents, std::size_t e) const {
    return labels(parents.with(child), e) - labels(parents, e);
  }
  /// T_e({v}) - T_e({}): whether the variable's own law differs.
  double moved(std::size_t v, std::size_t e) const { return change(v, {}, e); }
  /// The same evidence when mechanisms may drift.
  const DriftedChange& drifted(std::size_t child, const VariableSet& parents, std::size_t e) const;

  std::size_t fits() const { return label_cache_.size(); }

 private:
  /// Rows of one environment, then rows of the baseline: all coordinates, and the labels.
  struct Labelled {
    FeatureColumns codes;
    AlignedFloats labels;
    std::size_t ours;
  };
  struct Key {
    VariableSet set;
    std::uint32_t environment, child;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return key.set.hash() ^ (std::size_t(key.environment) * 0x9E3779B97F4A7C15ULL) ^
             (std::size_t(key.child) * 0xC2B2AE3D27D4EB4FULL);
    }
  };
  /// The child's coordinate regressed on its parents' in the baseline.
  struct BaselineFit {
    std::vector<double> weights;
    double spread = 1;
  };

  double fit_labels(const VariableSet& set, std::size_t e) const;
  double fit_with(const VariableSet& parents, std::size_t child, const std::vector<float>& column,
                  std::size_t e) const;
  const BaselineFit& baseline_fit(std::size_t child, const VariableSet& parents) const;
  DriftedChange beyond_drift(std::size_t child, const VariableSet& parents, std::size_t e,
                             double plain) const;
  FeatureColumns mean_features(const FeatureColumns& codes, std::size_t first, std::size_t rows,
                               const VariableSet& parents) const;

  const CodedColumns& columns_;
  std::vector<Labelled> labelled_;
  FeatureColumns baseline_codes_;
  mutable SharedCache<Key, double, KeyHash> label_cache_;
  mutable SharedCache<Key, DriftedChange, KeyHash> drift_cache_;
  mutable SharedCache<Key, BaselineFit, KeyHash> fit_cache_;
};

}  // namespace whence
