// whence bench direction: how often the answer is right, on data whose truth is known.
#include "apps/whence/commands/bench_direction.hpp"

#include <memory>
#include <optional>

#include <fmt/format.h>

#include "apps/whence/results.hpp"
#include "apps/whence/terminal.hpp"
#include "apps/whence/text_table.hpp"
#include "bench/quality/direction/direction_bench.hpp"
#include "whence/backends/ranks.hpp"
#include "whence/core/text.hpp"
#include "whence/report/report_files.hpp"
#include "whence/report/result_json.hpp"
#include "whence/version.hpp"

namespace whence {

void bench_direction(const DirectionBenchOptions& options, const Globals& globals) {
  RunOptions run;
  run.seed = seed_of(options.seed);
  run.threads = threads_of(options.threads, globals);
  const std::vector<std::string> command = {
      "whence", "bench", "direction", "--scale", options.scale, "--seed", std::to_string(run.seed)};
  std::optional<OutputDirectory> place;  // of rank 0, unless it has only a part of the units
  if (rank() == 0 && options.shared.shard.empty())
    place.emplace(options.output.empty() ? "whence-out/bench-direction" : options.output);
  SharedRun shared(options.shared, facts_of(command));
  run.work = shared.work();
  RunRecord record(command, run.threads);
  DirectionBenchmark bench;
  {
    ProgressBar bar("bench direction", ProgressBar::wanted(globals.quiet));
    run.progress = bar.callback();
    bench = bench_direction(options.scale, run);
  }
  if (!place) return globals.quiet ? void() : print(shared.part_in_words());
  OutputDirectory& directory = *place;
  record.timed("direction", record.elapsed());
  for (const auto& row : bench.time.rows)
    record.note(
        fmt::format("{}, {}: {} ms per data set, at most {}", row[0], row[1], row[2], row[3]));
  for (const auto& row : bench.speed.rows)
    record.note(fmt::format("{}, {}: {}, {} of the processor", row[0], row[1], row[2], row[3]));
  publish(directory,
          report_files(bench.report, {bench.report.title, bench.report.summary, version(),
                                      revision(), joined(command, " ")}),
          record);
  print_warnings(bench.report, globals);
  if (options.json) return print(result_text(result_json(bench.report)));
  if (globals.quiet) return;
  std::string out = for_locale(bench.report.title) + "\n\n";
  for (std::size_t i = 0; i < 6; ++i)
    out += for_locale(text_table(bench.report.tables[i], 60)) + "\n";
  out += text_table(bench.time, 60) + "\n" + text_table(bench.speed) + "\n";
  if (!bench.report.claims.empty()) out += claims_in_words(bench.report) + "\n";
  out += fmt::format("{} data sets in {:.1f} s on {} threads\n", bench.cases, record.elapsed(),
                     run.threads);
  print(out + "page: " + shown_path(directory.path() / "index.html") + "\n");
}

}  // namespace whence
