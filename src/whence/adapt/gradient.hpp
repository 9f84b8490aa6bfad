// Gradient adaptation, as the paper describes it: score a mini-batch, then learn from it.
// This is the reference, in any scalar type and for every mechanism. Readable comes before fast.
#pragma once

#include <span>
#include <vector>

#include "whence/core/dataset.hpp"
#include "whence/math/optimizer.hpp"
#include "whence/mechanisms/mechanism.hpp"

namespace whence {

/// How a module learns during an episode.
struct GradientAdaptation {
  OptimizerSpec optimizer;
  bool reset = true;  // each episode starts from the pre-trained parameters
  // Otherwise an episode that leaves the finite numbers keeps scores that are not finite.
  bool must_stay_finite = true;
};

/// One episode. scores[t] = log P(mini-batch t | parameters before it has been seen), summed over
/// the batch; then one step down the gradient of the batch's mean negative log-likelihood. Scoring
/// first makes the sum of the scores a log-probability of the whole episode (errata E8).
template <Mechanism M>
void adapt(M& module, Optimizer<typename M::Scalar>& optimizer, const Dataset& data,
           const Family& family, const Episode& episode, std::span<typename M::Scalar> scores) {
  using T = typename M::Scalar;
  std::vector<T> gradient(module.parameters().size());
  for (int t = 0; t < episode.steps; ++t) {
    const std::size_t begin = episode.first_row + std::size_t(t) * std::size_t(episode.batch);
    const std::size_t end = begin + std::size_t(episode.batch);
    scores[std::size_t(t)] = T(0);
    gradient.assign(gradient.size(), T(0));
    for (std::size_t row = begin; row < end; ++row) {
      scores[std::size_t(t)] += module.log_prob(data, family, row);
      module.add_gradient(data, family, row, T(-1.0 / episode.batch), gradient);
    }
    optimizer.step(module.parameters(), std::span<const T>(gradient));
  }
}

}  // namespace whence
