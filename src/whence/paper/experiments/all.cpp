// The one list of experiments, in the order of the paper.
#include "whence/paper/experiments/all.hpp"

#include "whence/paper/experiment.hpp"

namespace whence {

std::span<const Experiment> experiments() {
  static constexpr Experiment list[] = {
      {"adaptation-curve", adaptation_curve},
      {"zero-gradient", zero_gradient},
      {"propositions", propositions},
      {"belief-discrete", belief_discrete},
      {"same-distribution", same_distribution},
      {"shift-controls", shift_controls},
      {"samples-continuous", samples_continuous},
      {"belief-mlp", belief_mlp},
      {"belief-continuous", belief_continuous},
      {"belief-linear-gaussian", belief_linear_gaussian},
      {"encoder-rotation", encoder_rotation},
  };
  return list;
}

}  // namespace whence
