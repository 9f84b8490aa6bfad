#include "apps/whence/commands/bench_encoders.hpp"

#include <fmt/format.h>

#include "apps/whence/results.hpp"
#include "apps/whence/terminal.hpp"
#include "apps/whence/text_table.hpp"
#include "bench/quality/encoder_bench.hpp"
#include "whence/core/text.hpp"
#include "whence/report/report_files.hpp"
#include "whence/report/result_json.hpp"
#include "whence/version.hpp"

namespace whence {

void bench_encoders(const EncodersBenchOptions& options, const Globals& globals) {
  RunOptions run;
  run.seed = seed_of(options.seed);
  run.threads = threads_of(options.threads, globals);
  OutputDirectory directory(options.output.empty() ? "whence-out/bench-encoders" : options.output);
  const std::vector<std::string> command = {
      "whence", "bench", "encoders", "--scale", options.scale, "--seed", std::to_string(run.seed)};
  RunRecord record(command, run.threads);
  EncoderBenchmark bench;
  {
    ProgressBar bar("bench encoders", ProgressBar::wanted(globals.quiet));
    run.progress = bar.callback();
    bench = bench_encoders(options.scale, run);
  }
  record.timed("encoders", record.elapsed());
  for (const auto& row : bench.time.rows)
    record.note(
        fmt::format("{}: {} s of the processor per world, at most {}", row[0], row[1], row[2]));
  publish(directory,
          report_files(bench.report, {bench.report.title, bench.report.summary, version(),
                                      revision(), joined(command, " ")}),
          record);
  if (options.json) return print(result_text(result_json(bench.report)));
  if (globals.quiet) return;
  std::string out = for_locale(bench.report.title) + "\n\n";
  for (const Table& table : bench.report.tables) out += for_locale(text_table(table, 60)) + "\n";
  out += text_table(bench.time, 60) + "\n";
  if (!bench.report.claims.empty()) out += claims_in_words(bench.report) + "\n";
  out += fmt::format("{} worlds in {:.1f} s on {} threads\n", bench.worlds, record.elapsed(),
                     run.threads);
  print(out + "page: " + shown_path(directory.path() / "index.html") + "\n");
}

}  // namespace whence
