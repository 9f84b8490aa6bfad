#include "whence/discover/mlp_task.hpp"

#include <algorithm>

namespace whence {

CategoricalMlp<double> train_mlp(const CategoricalMlp<double>& start, const Dataset& data,
                                 const Family& family, const MlpTraining& how) {
  const MlpPlan plan(start);
  MlpScratch scratch;
  scratch.restart(plan);
  const auto rows = how.batch > 0 ? std::size_t(how.batch) : data.rows();
  MlpBatch batch = group_rows(plan, start.mask(), data, family, 0, rows);
  for (int t = 0; t < how.steps; ++t) {
    const std::size_t first = std::size_t(t) * rows % (data.rows() - rows + 1);
    if (how.batch > 0 && t > 0) batch = group_rows(plan, start.mask(), data, family, first, rows);
    OptimizerSpec now = how.optimizer;
    const double left = 2 * (1 - double(t) / how.steps);
    if (how.anneal) now.learning_rate *= std::min(1.0, left);
    score_mlp(plan, batch, now, scratch, true);
  }
  return learnt(start, scratch);
}

EpisodeSet draw_episodes(const MlpWorld& world, EpisodeShift::Kind shift, const MlpDraw& how,
                         RunKey key, std::size_t count, int steps, int batch) {
  using Kind = EpisodeShift::Kind;
  EpisodeSet set;
  const std::size_t rows = Episode{0, steps, batch}.rows();
  set.data = make_dataset(world.variables(), count * rows);
  ShiftedMlpWorld shifted(world);
  const int variables = int(world.variables().size());
  for (std::size_t e = 0; e < count; ++e) {
    const Cell cell{key.run, std::uint32_t(e), 0};
    Stream stream(key.seed, Purpose::shift, cell);
    // Which variable: the first, or one drawn evenly; the graph's order puts causes first.
    const VariableId which(shift == Kind::cause || shift == Kind::none
                               ? 0
                               : std::size_t(sample_index(stream, variables)));
    if (shift == Kind::forced)
      shifted.force(which, stream);
    else
      shifted.shift({shift == Kind::none ? ShiftKind::none : ShiftKind::cause, which, which}, how,
                    stream);
    shifted.sample(Stream(key.seed, Purpose::sample, cell), set.data, e * rows, rows);
    set.episodes.push_back({e * rows, steps, batch});
  }
  return set;
}

Dataset draw_rows(const MlpWorld& world, std::size_t rows, Purpose purpose, RunKey key) {
  Dataset data = make_dataset(world.variables(), rows);
  ShiftedMlpWorld(world).sample(Stream(key.seed, purpose, {key.run, 0, 0}), data, 0, rows);
  return data;
}

}  // namespace whence
