#include "apps/whence/commands/bench_graphs.hpp"

#include <optional>

#include <fmt/format.h>

#include "apps/whence/commands/simulate.hpp"
#include "apps/whence/results.hpp"
#include "apps/whence/terminal.hpp"
#include "apps/whence/text_table.hpp"
#include "bench/quality/graph_bench.hpp"
#include "whence/backends/ranks.hpp"
#include "whence/core/text.hpp"
#include "whence/report/report_files.hpp"
#include "whence/report/result_json.hpp"
#include "whence/version.hpp"

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

/// What was found, and beside it, in a folder of its own, what depends on the machine.
std::vector<OutputFile> files_of(const GraphBenchmark& bench, const std::string& command) {
  const auto files = [&](const Report& report, const std::string& folder) {
    return report_files(report, {report.title, report.summary, version(), revision(), command},
                        folder);
  };
  std::vector<OutputFile> all = files(bench.report, "");
  for (OutputFile& file : files(bench.speed, "speed/")) all.push_back(std::move(file));
  return all;
}

std::string in_words(const GraphBenchmark& bench) {
  constexpr std::size_t all_rows = 100;
  std::string out;
  for (const Report* report : {&bench.report, &bench.speed}) {
    out += for_locale(report->title) + "\n\n";
    for (const Table& table : report->tables) out += for_locale(text_table(table, all_rows)) + "\n";
    out += claims_in_words(*report) + "\n";
  }
  return out;
}

}  // namespace

void bench_graphs(const GraphsBenchOptions& options, const Globals& globals) {
  const int threads = threads_of(options.threads, globals);
  const std::vector<std::string> command = command_of(options);
  std::optional<OutputDirectory> place;  // of rank 0, unless it has only a part to tell
  if (rank() == 0 && options.shared.shard.empty())
    place.emplace(options.output.empty() ? "whence-out/bench-graphs" : options.output);
  SharedRun shared(options.shared, facts_of(command));
  RunRecord record(command, threads);
  const GraphBenchmark bench = run(options, globals, threads, shared.work());
  if (!place) return globals.quiet ? void() : print(shared.part_in_words());
  OutputDirectory& directory = *place;
  record.timed("bench-graphs", record.elapsed());
  publish(directory, files_of(bench, joined(command, " ")), record);
  print_warnings(bench.report, globals);
  if (options.json)
    print(result_text(result_json(std::vector<Report>{bench.report, bench.speed}, {})));
  else if (!globals.quiet)
    print(in_words(bench) + "page: " + shown_path(directory.path() / "index.html") + "\n");
}

}  // namespace whence
