// Adaptation of a conditional table: the belief's short episodes, and training with a test set.
#include <vector>

#include "kernels/each_target.hpp"
#include "whence/adapt/categorical_adapter.hpp"
#include "whence/worlds/categorical_world.hpp"

namespace whence {
namespace {

struct Example {
  int levels;
  OptimizerSpec optimizer;
  int steps, batch;
  std::size_t test_rows = 0;  // 0: no test set
};

/// Rows to learn from, and the exact P(B | A) to start from.
struct Prepared {
  explicit Prepared(const Example& example)
      : world(CategoricalWorld::draw_pair(example.levels, 1.0, 0, 0)),
        plan(world.conditional(family)) {
    const auto draw = [&](Purpose purpose, std::size_t rows) {
      Dataset out = make_dataset(world.variables(), rows);
      ShiftedWorld(world).sample(Stream(0, purpose, {}), out, 0, rows);
      return out;
    };
    data =
        draw(Purpose::sample, episodes * std::size_t(example.steps) * std::size_t(example.batch));
    test = draw(Purpose::test_set, example.test_rows);
  }

  static constexpr std::size_t episodes = 64;  // different data, as in a real run
  Family family{VariableId(1), {VariableId(0)}};
  CategoricalWorld world;
  TablePlan plan;
  Dataset data, test;
};

auto adapt_episodes(Example example) {
  return [example](benchmark::State& state) {
    const Prepared p(example);
    const auto cause = p.data.levels(VariableId(0)), effect = p.data.levels(VariableId(1));
    const TestCounts counts(p.plan, p.test, p.family, 0, example.test_rows);
    const TestCounts* test = example.test_rows > 0 ? &counts : nullptr;
    std::vector<double> scores(std::size_t(example.steps)), test_log_lik(scores);
    TableScratch scratch;
    std::size_t episode = 0;
    for (auto _ : state) {
      const std::size_t first =
          episode++ % Prepared::episodes * scores.size() * std::size_t(example.batch);
      scratch.restart(p.plan);
      adapt_table(p.plan, example.optimizer, example.batch, cause.data() + first,
                  effect.data() + first, scratch, scores, false, test, test_log_lik);
      benchmark::DoNotOptimize(scores.data());
    }
    state.SetItemsProcessed(state.iterations() * example.steps);
  };
}

bool register_all() {
  using Kind = OptimizerSpec::Kind;
  for (const int n : {10, 100})
    for (const auto& [kind, name] :
         {std::pair{Kind::sgd, "sgd"}, {Kind::rmsprop, "rmsprop"}, {Kind::adam, "adam"}}) {
      const OptimizerSpec optimizer{.kind = kind, .learning_rate = 0.1};
      const std::string tail = std::string("/") + name + "/N=" + std::to_string(n);
      for_each_target("adapt/episode" + tail, adapt_episodes({n, optimizer, 2, 10}));
      for_each_target("adapt/training" + tail, adapt_episodes({n, optimizer, 50, 100, 10000}));
    }
  return true;
}

const bool registered = register_all();

}  // namespace
}  // namespace whence
