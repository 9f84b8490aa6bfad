#include "whence/paper/tasks/gaussian_task.hpp"

#include <utility>

namespace whence {

GaussianTask GaussianTask::exact(LinearGaussianWorld world) {
  GaussianTask task{std::move(world), pair_hypotheses(), {}};
  for (const Family& family : task.pair.families)
    task.modules.push_back({family, task.world.conditional(family)});
  return task;
}

EpisodeSet draw_episodes(const LinearGaussianWorld& world, ShiftKind shift,
                         const LinearGaussianPrior& prior, RunKey key, std::size_t first,
                         std::size_t count, int steps, int batch) {
  EpisodeSet set;
  const std::size_t rows = Episode{0, steps, batch}.rows();
  set.data = make_real_dataset(world.variables(), count * rows);
  for (std::size_t e = 0; e < count; ++e) {
    const Cell cell{key.run, std::uint32_t(first + e), 0};
    const GaussianPair shifted =
        world.shifted(shift, prior, Stream(key.seed, Purpose::shift, cell));
    sample_pair(shifted, Stream(key.seed, Purpose::sample, cell), set.data, e * rows, rows);
    set.episodes.push_back({e * rows, steps, batch});
  }
  return set;
}

}  // namespace whence
