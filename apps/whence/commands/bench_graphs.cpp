#include "apps/whence/commands/bench_graphs.hpp"

#include <optional>

#include "apps/whence/commands/simulate.hpp"
#include "apps/whence/results.hpp"
#include "apps/whence/terminal.hpp"
#include "bench/quality/graph_bench.hpp"
#include "whence/backends/ranks.hpp"
#include "whence/core/text.hpp"
#include "whence/report/result_json.hpp"

namespace whence {

namespace {

std::vector<std::string> command_of(const GraphsBenchOptions& options) {
  std::vector<std::string> words = {"whence",      "bench",  "graphs",    "--scale",
                                    options.scale, "--seed", options.seed};
  if (!options.only.empty()) words.insert(words.end(), {"--only", options.only});
  if (!options.sets.empty()) words.insert(words.end(), {"--sets", options.sets});
  return words;
}

GraphBenchmark run(const GraphsBenchOptions& options, const Globals& globals, int threads,
                   SharedWork* work) {
  RunOptions how;
  how.work = work;
  how.seed = seed_of(options.seed);
  how.threads = threads;
  ProgressBar bar("bench graphs", ProgressBar::wanted(globals.quiet));
  how.progress = bar.callback();
  GraphBenchPlan plan{options.scale, {}, 0};
  if (!options.only.empty()) plan.only = split(options.only, ',');
  if (!options.sets.empty()) plan.most_sets = count_of("--sets", options.sets, 1, 100'000);
  return bench_graphs(plan, how);
}

}  // namespace

void bench_graphs(const GraphsBenchOptions& options, const Globals& globals) {
  const int threads = threads_of(options.threads, globals);
  const std::vector<std::string> command = command_of(options);
  std::optional<OutputDirectory> place;  // of rank 0, unless it has only a part of the units
  if (rank() == 0 && options.shared.shard.empty())
    place.emplace(options.output.empty() ? "whence-out/bench-graphs" : options.output);
  SharedRun shared(options.shared, facts_of(command));
  RunRecord record(command, threads);
  const GraphBenchmark bench = run(options, globals, threads, shared.work());
  if (!place) return globals.quiet ? void() : print(shared.part_in_words());
  OutputDirectory& directory = *place;
  record.timed("bench-graphs", record.elapsed());
  publish(directory, benchmark_files(bench.report, bench.speed, command), record);
  print_warnings(bench.report, globals);
  if (options.json)
    print(result_text(result_json(std::vector<Report>{bench.report, bench.speed}, {})));
  else if (!globals.quiet)
    print(benchmark_in_words(bench.report, bench.speed) +
          "page: " + shown_path(directory.path() / "index.html") + "\n");
}

}  // namespace whence
