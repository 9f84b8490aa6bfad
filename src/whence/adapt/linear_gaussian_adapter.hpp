// Gradient adaptation of linear Gaussian modules, fast: agrees with gradient.hpp to rounding.
//
// With v = (1, x, z), one recurrence gives everything: z_i = (y_i - sum over c < 1 + p + i of
// row_i[c] v_c) / L_ii, and the gradient of row i is w_i v. The recurrences run on vectors over the
// examples of a mini-batch, the gradient and the update on vectors over the columns of a row, so no
// sum ever crosses lanes: the same bits on every instruction set.
#pragma once

#include <span>
#include <vector>

#include "whence/adapt/gradient.hpp"
#include "whence/mechanisms/linear_gaussian.hpp"

namespace whence {

/// The constant part: the pre-trained rows (b0, B, strict lower L, log diagonal), padded.
struct GaussianPlan {
  explicit GaussianPlan(const LinearGaussian<double>& module);

  std::size_t dimension, inputs, stride;
  std::vector<double> rows;  // [dimension][stride]
};

/// The mutable part: one learner. One per thread and plan shape.
class GaussianScratch {
 public:
  /// Forget everything learnt: back to the plan's parameters.
  void restart(const GaussianPlan& plan, const OptimizerSpec& optimizer);

  int step = 0;                             // optimizer steps since the restart
  std::vector<double> rows, first, second;  // [dimension][stride]
  std::vector<double> diagonal, inverse;    // e^{+-log L_ii}
  std::vector<double> examples;             // v of each example: [example][stride]
  std::vector<double> across;               // the same the other way round: [column][padded batch]
  std::vector<double> child, weighed;       // y and w: [row][padded batch]
  std::vector<double> squares;              // z^T z of each example
};

/// Scores `scores.size()` mini-batches of `batch` examples, learning from each after it is scored;
/// x is [example][inputs], y is [example][dimension]. Unless the learner `goes_on` (is not
/// restarted next), nothing is learnt from the last mini-batch. A learner that leaves the finite
/// numbers gets scores that are not finite.
void adapt_gaussian(const GaussianPlan& plan, const OptimizerSpec& optimizer, int batch,
                    const double* x, const double* y, GaussianScratch& scratch,
                    std::span<double> scores, bool goes_on = false);

}  // namespace whence
