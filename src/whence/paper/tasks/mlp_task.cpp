#include "whence/paper/tasks/mlp_task.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "whence/worlds/random_graph.hpp"

namespace whence {

Graph graph_of(const Settings& settings, std::uint64_t seed) {
  const std::string name = settings.text("graph");
  if (name == "chain") return read_graph(fmt::format("chain{}", settings.integer("variables")));
  constexpr std::uint32_t no_run = 0xffffffff;
  return draw_named_graph(name, Stream(seed, Purpose::world, {no_run, 0, 0}));
}

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

std::vector<Module> trained_networks(const MlpWorld& world, int hidden, std::size_t rows,
                                     const MlpTraining& how, RunKey key) {
  const Dataset data = draw_rows(world, rows, Purpose::training, key);
  std::vector<Module> modules;
  for (const Family& family : all_families(world.variables().size())) {
    CategoricalMlp<double> mlp(mlp_shape(world.variables(), family, hidden));
    Stream stream(key.seed, Purpose::initialise, {key.run, 0, std::uint32_t(modules.size())});
    initialise(mlp, MlpInitialisation::one_hot(family.parents.size(), hidden, 0.5), stream);
    modules.push_back({family, train_mlp(mlp, data, family, how)});
  }
  return modules;
}

void draw_episode(ShiftedMlpWorld& world, EpisodeShift::Kind shift, const MlpDraw& how, RunKey key,
                  std::size_t episode, Dataset& data, std::size_t first, std::size_t rows) {
  using Kind = EpisodeShift::Kind;
  const Cell cell{key.run, std::uint32_t(episode), 0};
  Stream stream(key.seed, Purpose::shift, cell);
  // Which variable: the first, or one drawn evenly; the graph's order puts causes first.
  const VariableId which(shift == Kind::cause || shift == Kind::none
                             ? 0
                             : std::size_t(sample_index(stream, int(data.variables.size()))));
  if (shift == Kind::forced)
    world.force(which, stream);
  else
    world.shift({shift == Kind::none ? ShiftKind::none : ShiftKind::cause, which, which}, how,
                stream);
  world.sample(Stream(key.seed, Purpose::sample, cell), data, first, rows);
}

EpisodeSet draw_episodes(const MlpWorld& world, EpisodeShift::Kind shift, const MlpDraw& how,
                         RunKey key, std::size_t count, int steps, int batch) {
  EpisodeSet set;
  const std::size_t rows = Episode{0, steps, batch}.rows();
  set.data = make_dataset(world.variables(), count * rows);
  ShiftedMlpWorld shifted(world);
  for (std::size_t e = 0; e < count; ++e) {
    draw_episode(shifted, shift, how, key, e, set.data, e * rows, rows);
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
