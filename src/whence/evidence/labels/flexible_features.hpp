// Features for flexible regressions on a set of variables: of second and third order, and random
// waves of all of them together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "whence/core/variable_set.hpp"
#include "whence/evidence/labels/coded_columns.hpp"
#include "whence/evidence/labels/feature_kernel.hpp"

namespace whence {

/// Random waves of a set of coordinates: weights of each, and phases.
struct RandomWaves {
  std::vector<std::vector<float>> weights;
  std::vector<float> phases;
};

class FlexibleFeatures {
 public:
  FlexibleFeatures(const CodedColumns& columns, std::size_t waves, std::uint64_t seed)
      : columns_(columns), waves_(waves), seed_(seed) {}

  /// Precisions of the coefficients in units of the noise; those of linear features are negative.
  /// They are to be taken as positive, and not to be shrunk with the others.
  std::vector<float> precisions(const VariableSet& given) const;

  /// The same waves whenever they are asked for.
  RandomWaves waves(const VariableSet& given) const;

  /// Fills the first precisions(given).size() columns of x, which may have more.
  void fill(const VariableSet& given, const FeatureColumns& codes, FeatureColumns& x) const {
    fill(given, waves(given), codes, x);
  }
  void fill(const VariableSet& given, const RandomWaves& waves, const FeatureColumns& codes,
            FeatureColumns& x) const;

 private:
  const CodedColumns& columns_;
  std::size_t waves_;
  std::uint64_t seed_;
};

}  // namespace whence
