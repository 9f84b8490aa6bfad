// What every experiment with neural modules starts from: a ground truth of networks, trained
// modules for every family, and episodes drawn under a shift.
#pragma once

#include <cstdint>
#include <vector>

#include "whence/adapt/mlp_adapter.hpp"
#include "whence/backends/backend.hpp"
#include "whence/paper/settings.hpp"
#include "whence/paper/tasks/pair_task.hpp"
#include "whence/worlds/mlp_world.hpp"

namespace whence {

/// The graph that the keys `graph` and `variables` name; a random one is the same for all runs of a
/// seed.
Graph graph_of(const Settings& settings, std::uint64_t seed);

/// How a network learns the training distribution: optimizer steps on mini-batches of `batch` rows,
/// or on all rows at once (batch = 0), the step size falling linearly to zero over the second half
/// where it `anneals`.
struct MlpTraining {
  OptimizerSpec optimizer{.kind = OptimizerSpec::Kind::adam, .learning_rate = 0.01};
  int steps = 1000;
  int batch = 0;
  bool anneal = true;
};

/// `start` trained on rows of the data with its mask.
CategoricalMlp<double> train_mlp(const CategoricalMlp<double>& start, const Dataset& data,
                                 const Family& family, const MlpTraining& how);

/// A network of its own for every family over the world's variables, trained on `rows` rows.
std::vector<Module> trained_networks(const MlpWorld& world, int hidden, std::size_t rows,
                                     const MlpTraining& how, RunKey key);

/// What changes from episode to episode: a shift of the edge cause -> effect (which of its two
/// variables is drawn each time when on `either`), or the released code's intervention on a
/// variable drawn evenly.
struct EpisodeShift {
  enum class Kind { none, cause, either, mechanism, forced };
  Kind kind = Kind::cause;
};

/// Fills rows [first, first + rows) with one episode under a fresh draw of the shift.
void draw_episode(ShiftedMlpWorld& world, EpisodeShift::Kind shift, const MlpDraw& how, RunKey key,
                  std::size_t episode, Dataset& data, std::size_t first, std::size_t rows);

EpisodeSet draw_episodes(const MlpWorld& world, EpisodeShift::Kind shift, const MlpDraw& how,
                         RunKey key, std::size_t count, int steps, int batch);

/// Rows of the world as it is.
Dataset draw_rows(const MlpWorld& world, std::size_t rows, Purpose purpose, RunKey key);

}  // namespace whence
