// What every two-variable experiment starts from: a ground truth A -> B, the four pre-trained
// modules of the two hypotheses, and episodes drawn under a shift.
#pragma once

#include <cstdint>
#include <vector>

#include "whence/backends/backend.hpp"
#include "whence/core/shift.hpp"
#include "whence/worlds/categorical_world.hpp"

namespace whence {

/// Names a stream of randomness: the seed of the whole run and the number of this part of it.
struct RunKey {
  std::uint64_t seed = 0;
  std::uint32_t run = 0;
};

struct PairTask {
  CategoricalWorld world;
  PairHypotheses pair = pair_hypotheses();
  std::vector<Module> modules;  // one per family of the pair

  /// Modules hold the exact conditionals of the world, causal or not.
  static PairTask exact(CategoricalWorld world);
  /// Modules are learnt from `rows` rows: counts with likelihood-equivalent smoothing.
  static PairTask counted(CategoricalWorld world, std::size_t rows, double equivalent_rows,
                          RunKey key);
};

/// Episodes laid one after the other in one data set.
struct EpisodeSet {
  Dataset data;
  std::vector<Episode> episodes;
};

/// `count` episodes, each under a fresh draw of the shift.
EpisodeSet draw_episodes(const CategoricalWorld& world, const Shift& shift, double concentration,
                         RunKey key, std::size_t count, int steps, int batch);

/// Rows of the world as it is.
Dataset draw_rows(const CategoricalWorld& world, std::size_t rows, Purpose purpose, RunKey key);

/// The Dirichlet concentration of a named prior: "dense" = 1, "sparse" = 1/N.
double concentration_of(std::string_view prior, int levels);

}  // namespace whence
