#include "whence/paper/tasks/pair_task.hpp"

#include <utility>

namespace whence {

PairTask PairTask::exact(CategoricalWorld world) {
  PairTask task{std::move(world), pair_hypotheses(), {}};
  const std::vector<double> joint = task.world.log_joint();
  for (const Family& family : task.pair.families)
    task.modules.push_back({family, task.world.conditional(family, joint)});
  return task;
}

PairTask PairTask::counted(CategoricalWorld world, std::size_t rows, double equivalent_rows,
                           RunKey key) {
  PairTask task{std::move(world), pair_hypotheses(), {}};
  const Dataset data = draw_rows(task.world, rows, Purpose::training, key);
  for (const Family& family : task.pair.families)
    task.modules.push_back({family, fit_counts(data, 0, rows, family, equivalent_rows)});
  return task;
}

EpisodeSet draw_episodes(const CategoricalWorld& world, const Shift& shift, double concentration,
                         RunKey key, std::size_t count, int steps, int batch) {
  EpisodeSet set;
  const std::size_t rows = Episode{0, steps, batch}.rows();
  set.data = make_dataset(world.variables(), count * rows);
  ShiftedWorld shifted(world);
  for (std::size_t e = 0; e < count; ++e) {
    const Cell cell{key.run, std::uint32_t(e), 0};
    shifted.shift(shift, concentration, Stream(key.seed, Purpose::shift, cell));
    shifted.sample(Stream(key.seed, Purpose::sample, cell), set.data, e * rows, rows);
    set.episodes.push_back({e * rows, steps, batch});
  }
  return set;
}

Dataset draw_rows(const CategoricalWorld& world, std::size_t rows, Purpose purpose, RunKey key) {
  Dataset data = make_dataset(world.variables(), rows);
  ShiftedWorld(world).sample(Stream(key.seed, purpose, {key.run, 0, 0}), data, 0, rows);
  return data;
}

double concentration_of(std::string_view prior, int levels) {
  return prior == "sparse" ? 1.0 / levels : 1.0;
}

}  // namespace whence
