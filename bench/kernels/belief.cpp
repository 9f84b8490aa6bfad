// The belief's scan over a thousand episodes, and the medians over runs behind a curve.
#include <vector>

#include <benchmark/benchmark.h>

#include "whence/belief/two_hypotheses.hpp"
#include "whence/judge/summary.hpp"
#include "whence/math/random.hpp"

namespace whence {
namespace {

std::vector<double> normals(std::size_t count, double mean, double sd) {
  Stream stream(0, Purpose::sample, {});
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(mean + sd * sample_normal(stream));
  return values;
}

void belief_scan(benchmark::State& state) {
  const std::vector<double> delta = normals(1000, 0.119, 0.089);
  for (auto _ : state) benchmark::DoNotOptimize(learn_belief(delta, 1, {}));
  state.SetItemsProcessed(state.iterations() * std::int64_t(delta.size()));
}
BENCHMARK(belief_scan);

void summarise_runs(benchmark::State& state) {
  const std::size_t points = 1000;
  std::vector<std::vector<double>> runs;
  for (std::int64_t r = 0; r < state.range(0); ++r)
    runs.push_back(normals(points, double(r % 7), 1));
  const std::vector<double> x(points);
  for (auto _ : state) benchmark::DoNotOptimize(summarise("id", "label", x, runs));
  state.SetItemsProcessed(state.iterations() * state.range(0) * std::int64_t(points));
}
BENCHMARK(summarise_runs)->Arg(100)->Arg(1000);

}  // namespace
}  // namespace whence
