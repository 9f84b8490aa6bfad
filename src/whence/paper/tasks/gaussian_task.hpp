// What every linear Gaussian experiment starts from: a ground truth A -> B of vectors, the four
// exact modules of the two hypotheses, and episodes drawn under a shift.
#pragma once

#include <vector>

#include "whence/paper/tasks/pair_task.hpp"
#include "whence/worlds/linear_gaussian_world.hpp"

namespace whence {

struct GaussianTask {
  LinearGaussianWorld world;
  PairHypotheses pair = pair_hypotheses();
  std::vector<Module> modules;  // one per family of the pair

  /// Modules hold the exact conditionals of the world, causal or not.
  static GaussianTask exact(LinearGaussianWorld world);
};

/// Episodes [first, first + count) of a run, each under a fresh draw of the shift; which are drawn
/// together does not change them.
EpisodeSet draw_episodes(const LinearGaussianWorld& world, ShiftKind shift,
                         const LinearGaussianPrior& prior, RunKey key, std::size_t first,
                         std::size_t count, int steps, int batch);

}  // namespace whence
