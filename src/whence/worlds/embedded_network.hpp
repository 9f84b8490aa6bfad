// P(V | parents) as ENCO draws it: an embedding per parent and level, one hidden layer, a softmax.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "whence/math/random.hpp"

namespace whence {

/// A matrix [row][column] whose columns, or rows where there are fewer, are orthogonal vectors of
/// length `gain`, uniform among all such.
std::vector<double> draw_orthogonal(std::size_t rows, std::size_t columns, double gain,
                                    Stream& stream);

/// Embeddings of 4 numbers ~ N(0,1), 48 hidden units (LeakyReLU .1, orthogonal weights of gain 2.5,
/// biases U(-.5, .5)), orthogonal output weights of gain 2.5. Without parents: softmax of N(0,1).
class EmbeddedNetwork {
 public:
  static EmbeddedNetwork draw(std::span<const int> parent_levels, int levels, Stream& stream);

  int levels() const { return levels_; }
  /// Cumulative probabilities of the child's levels, given the parents' levels in their order.
  void cumulative(std::span<const std::int32_t> parents, std::span<double> out) const;

 private:
  int levels_ = 0;
  std::vector<double> bias_;                 // [hidden]; empty without parents
  std::vector<std::vector<double>> inputs_;  // [parent]: [level][hidden], embedding and weights
  std::vector<double> outputs_;              // [level][hidden]; the logits without parents
};

}  // namespace whence
