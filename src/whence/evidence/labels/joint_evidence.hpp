// How strongly variables depend on each other within the baseline, without a direction.
//
// F(S) is the log-evidence of the joint law of a set of variables: the best, over all orders, of
// conditional evidences multiplied along the order. Being a function of the set alone it gives all
// graphs of a Markov class the same score, so it can support a link but never a direction.
// Conditionals are flexible: polynomials, products and random waves of the given variables, noise
// whose scale follows the fit, and noise of any shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/core/variable_set.hpp"
#include "whence/evidence/labels/coded_columns.hpp"
#include "whence/evidence/labels/feature_kernel.hpp"
#include "whence/evidence/labels/flexible_features.hpp"
#include "whence/evidence/labels/shared_cache.hpp"

namespace whence {

class JointEvidence {
 public:
  JointEvidence(const CodedColumns& columns, const Dataset& data, std::size_t baseline,
                std::uint64_t seed, std::size_t most_rows, std::size_t waves);

  std::size_t rows() const { return codes_.rows(); }

  /// F(S).
  double joint(const VariableSet& set) const;
  /// log-evidence of variable i given the variables in `given`.
  double conditional(std::size_t i, const VariableSet& given) const;

  /// Nats per row that a linear regression of i on `given` gains by variable `more`.
  double linear_gain(std::size_t i, const VariableSet& given, std::size_t more) const;

  std::size_t sets() const { return conditional_cache_.size(); }

  /// What was worked out elsewhere from the same data (new_evidence.hpp). False where there are not
  /// as many values as there must be.
  bool learn_conditionals(const VariableSet& given, const std::vector<double>& values) const;
  void learn_level(const VariableSet& given, std::size_t variable, double value) const;

 private:
  /// The numbers that are predicted: per real coordinate the code under up to three monotone maps.
  struct Target {
    std::size_t variable;
    std::vector<float> values;  // standardised, stride long
    double log_jacobian = 0;    // of the map, summed over rows
  };

  void add_targets(const Dataset& data, std::size_t v, const std::vector<std::size_t>& rows,
                   std::uint64_t seed);
  void choose_maps();
  std::vector<double> all_conditionals(const VariableSet& given) const;
  double level_evidence(std::size_t v, const VariableSet& given) const;

  const CodedColumns& columns_;
  FlexibleFeatures features_, level_features_;  // of numbers, of levels
  FeatureColumns codes_;
  std::vector<std::vector<int>> levels_;  // by variable; empty for real ones
  std::vector<Target> targets_;
  std::vector<double> covariance_;  // of all coordinates
  mutable SharedCache<VariableSet, std::vector<double>, VariableSetHash> conditional_cache_;
  mutable SharedCache<VariableSet, double, VariableSetHash> joint_cache_;
  struct LevelKey {
    VariableSet given;
    std::size_t variable;
    bool operator==(const LevelKey&) const = default;
  };
  struct LevelHash {
    std::size_t operator()(const LevelKey& key) const {
      return key.given.hash() ^ key.variable * 0x9E3779B97F4A7C15ULL;
    }
  };
  mutable SharedCache<LevelKey, double, LevelHash> level_cache_;
};

}  // namespace whence
