// Uniforms, Dirichlet draws and samples of a shifted world.
#include "whence/math/random.hpp"

#include <vector>

#include "kernels/each_target.hpp"
#include "whence/worlds/categorical_world.hpp"

namespace whence {
namespace {

void philox_blocks(benchmark::State& state) {
  std::uint32_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(philox({0, 0, 0, i++}, 1));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(philox_blocks);

/// `items` uniforms at a time: 40 are one belief episode, 20,000 a test set.
auto fill(std::size_t items) {
  return [items](benchmark::State& state) {
    std::vector<double> u(items);
    std::uint32_t episode = 0;
    for (auto _ : state) {
      Stream(0, Purpose::sample, {0, episode++, 0}).fill(u);
      benchmark::DoNotOptimize(u.data());
    }
    state.SetItemsProcessed(state.iterations() * std::int64_t(items));
  };
}

auto dirichlet(std::size_t levels, double concentration) {
  return [levels, concentration](benchmark::State& state) {
    std::vector<double> log_p(levels), cumulative(levels);
    std::uint32_t episode = 0;
    for (auto _ : state) {
      Stream stream(0, Purpose::shift, {0, episode++, 0});
      sample_log_dirichlet(stream, concentration, log_p, cumulative);
      benchmark::DoNotOptimize(cumulative.data());
    }
    state.SetItemsProcessed(state.iterations() * std::int64_t(levels));
  };
}

/// Rows of a pair of variables under a shifted cause; the shift itself is not drawn again.
auto sample_rows(int levels, std::size_t rows) {
  return [levels, rows](benchmark::State& state) {
    const auto world = CategoricalWorld::draw_pair(levels, 1.0, 0, 0);
    ShiftedWorld shifted(world);
    shifted.shift({ShiftKind::cause}, 1.0, Stream(0, Purpose::shift, {}));
    Dataset data = make_dataset(world.variables(), rows);
    std::uint32_t episode = 0;
    for (auto _ : state) {
      shifted.sample(Stream(0, Purpose::sample, {0, episode++, 0}), data, 0, rows);
      benchmark::DoNotOptimize(data.columns[1].levels.data());
    }
    state.SetItemsProcessed(state.iterations() * std::int64_t(rows));
  };
}

const bool registered = for_each_target("fill/40", fill(40)) &&
                        for_each_target("fill/20000", fill(20000)) &&
                        for_each_target("dirichlet(1)/N=10", dirichlet(10, 1.0)) &&
                        for_each_target("dirichlet(1)/N=100", dirichlet(100, 1.0)) &&
                        for_each_target("dirichlet(0.1)/N=10", dirichlet(10, 0.1)) &&
                        for_each_target("sample/N=10/rows=20", sample_rows(10, 20)) &&
                        for_each_target("sample/N=100/rows=20", sample_rows(100, 20)) &&
                        for_each_target("sample/N=100/rows=100000", sample_rows(100, 100000));

}  // namespace
}  // namespace whence
