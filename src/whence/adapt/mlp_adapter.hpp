// Gradient adaptation of categorical MLPs, fast: agrees with gradient.hpp to rounding.
//
// Inputs are one-hot, so all examples of a mini-batch with the same parents take the same way
// through the network: they are counted first and computed once. A module without parents is
// one pass however large the batch. Sums over hidden units, levels and groups run in index order
// and vectors lie across independent outputs, so results are the same bits on every instruction
// set.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "whence/adapt/gradient.hpp"
#include "whence/mechanisms/categorical_mlp.hpp"

namespace whence {

/// The constant part: pre-trained parameters, rows padded to a multiple of eight.
struct MlpPlan {
  explicit MlpPlan(const CategoricalMlp<double>& mlp);

  Activation activation;
  std::size_t inputs, hidden, levels;        // input units; hidden units; levels of the child
  std::size_t hidden_stride, levels_stride;  // padded
  std::vector<std::size_t> first_unit;       // of each parent
  std::vector<double> weight1;               // [input unit][hidden_stride]
  std::vector<double> bias1;                 // [hidden_stride]
  std::vector<double> weight2;               // [hidden][levels_stride]
  std::vector<double> bias2;                 // [levels_stride]; padding: log 0
};

/// A mini-batch: examples that share their parents' levels are one group.
struct MlpBatch {
  std::size_t listened = 0;          // parents that are not masked
  std::vector<std::uint32_t> units;  // [group][listened]: input units that are on
  std::vector<double> totals;        // [group]: examples
  std::vector<double> counts;        // [group][levels_stride]: examples of each level
  double size = 0;                   // examples in all
  std::size_t groups() const { return totals.size(); }
};

/// Groups rows [first, first + rows) of the data, in the order of the parents' levels.
MlpBatch group_rows(const MlpPlan& plan, const std::vector<bool>& mask, const Dataset& data,
                    const Family& family, std::size_t first, std::size_t rows);

/// The mutable part: parameters as they are learnt, and the optimizer's state.
class MlpScratch {
 public:
  /// Forgets everything learnt: back to the plan's parameters, and a fresh optimizer.
  void restart(const MlpPlan& plan);
  /// Back to the plan's parameters with the optimizer as it is. (The released code does that
  /// between configurations; errata E16.)
  void restore_parameters(const MlpPlan& plan);

  struct Layer {
    std::vector<double> theta, first, second;  // parameters; the optimizer's moments
  };
  Layer weight1, bias1, weight2, bias2;
  std::vector<std::uint32_t> touched;    // rows of weight1 that have moved since the restart
  std::vector<std::uint8_t> is_touched;  // [input unit]
  int step = 0;                          // optimizer steps since the restart
  std::vector<double> active, back, slope, transposed, weight1_gradient, row, coefficients;
  std::vector<std::uint32_t> in_batch, indices;
};

/// log P(batch) before anything is learnt from it; then, when it is to `learn`, one optimizer step
/// down the mean negative log-likelihood.
double score_mlp(const MlpPlan& plan, const MlpBatch& batch, const OptimizerSpec& optimizer,
                 MlpScratch& scratch, bool learn);

/// One episode, from where the scratch stands: like adapt(). Unless the learner `goes_on` (is not
/// restarted next), nothing is learnt from the last mini-batch.
void adapt_mlp(const MlpPlan& plan, const std::vector<bool>& mask, const OptimizerSpec& optimizer,
               const Dataset& data, const Family& family, const Episode& episode,
               MlpScratch& scratch, std::span<double> scores, bool goes_on = false);

/// What the scratch has learnt, as a mechanism of the same shape and mask as `start`.
CategoricalMlp<double> learnt(const CategoricalMlp<double>& start, const MlpScratch& scratch);

}  // namespace whence
