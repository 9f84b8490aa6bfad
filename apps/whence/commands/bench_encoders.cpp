#include "apps/whence/commands/bench_encoders.hpp"

#include <fmt/format.h>

#include "apps/whence/commands/simulate.hpp"
#include "apps/whence/results.hpp"
#include "apps/whence/terminal.hpp"
#include "apps/whence/text_table.hpp"
#include "bench/quality/encoder_bench.hpp"
#include "bench/quality/sensor_bench.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/report/report_files.hpp"
#include "whence/report/result_json.hpp"
#include "whence/version.hpp"

namespace whence {

namespace {

/// What both kinds of benches are made of.
struct Told {
  Report report;
  Table time;
  std::size_t worlds = 0;
};

/// Names of folders only: a page does not show where its reader keeps files.
std::vector<std::string> command_of(const EncodersBenchOptions& options,
                                    const RealBenchOptions& real) {
  std::vector<std::string> words = {"whence", "bench", "encoders"};
  for (const std::string& folder : real.folders)
    words.push_back(printable(std::filesystem::path(folder).filename().string()));
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  if (real.folders.empty()) {
    add("--scale", options.scale);
    add("--only", options.only);
    add("--sets", options.sets);
  } else {
    add("--columns", options.columns);
    add("--hidden", options.hidden);
    add("--choose", options.choose);
    add("--rows", real.rows);
    add("--subsamples", real.subsamples);
    if (options.count_unknown) words.emplace_back("--count-unknown");
  }
  add("--seed", options.seed);
  return words;
}

Told simulated(const EncodersBenchOptions& options, const RunOptions& run) {
  EncoderBenchPlan plan{options.scale, {}, 0};
  if (!options.only.empty()) plan.only = split(options.only, ';');
  if (!options.sets.empty()) plan.worlds = count_of("--sets", options.sets, 1, 100'000);
  EncoderBenchmark bench = bench_encoders(plan, run);
  return {std::move(bench.report), std::move(bench.time), bench.worlds};
}

Told recorded(const EncodersBenchOptions& options, const RealBenchOptions& real,
              const RunOptions& run) {
  if (real.folders.size() != 1 || options.columns.empty() || options.hidden.empty())
    throw Error(ExitCode::usage, "E-USAGE-MISSING", "",
                "recorded sensors need one DIR, --columns and --hidden",
                "whence bench encoders DIR --columns SENSORS --hidden CAUSES");
  SensorBenchPlan plan;
  plan.folder = real.folders[0];
  plan.columns = split(options.columns, ',');
  plan.hidden = split(options.hidden, ',');
  if (!options.choose.empty())
    plan.choose = count_of("--choose", options.choose, 2, plan.columns.size());
  plan.say_latents = !options.count_unknown;
  plan.rows = row_limits_of(real.rows);
  plan.subsamples = std::uint32_t(count_of("--subsamples", real.subsamples, 1, 10'000));
  SensorBenchmark bench = bench_sensors(plan, run);
  return {std::move(bench.report), std::move(bench.time), plan.subsamples};
}

}  // namespace

void bench_encoders(const EncodersBenchOptions& options, const RealBenchOptions& real,
                    const Globals& globals) {
  RunOptions run;
  run.seed = seed_of(options.seed);
  run.threads = threads_of(options.threads, globals);
  const bool on_sensors = !real.folders.empty() || options.recorded();
  OutputDirectory directory(options.output.empty() ? "whence-out/bench-encoders" : options.output);
  const std::vector<std::string> command = command_of(options, real);
  RunRecord record(command, run.threads);
  Told told;
  {
    ProgressBar bar("bench encoders", ProgressBar::wanted(globals.quiet));
    run.progress = bar.callback();
    told = on_sensors ? recorded(options, real, run) : simulated(options, run);
  }
  record.timed("encoders", record.elapsed());
  for (const auto& row : told.time.rows)
    record.note(fmt::format("{}: {} s of the processor", row[0], row[1]));
  publish(directory,
          report_files(told.report, {told.report.title, told.report.summary, version(), revision(),
                                     joined(command, " ")}),
          record);
  print_warnings(told.report, globals);
  if (options.json) return print(result_text(result_json(told.report)));
  if (globals.quiet) return;
  std::string out = for_locale(told.report.title) + "\n\n";
  for (const Table& table : told.report.tables)
    if (!table.rows.empty()) out += for_locale(text_table(table, 60)) + "\n";
  out += text_table(told.time, 60) + "\n";
  if (!told.report.claims.empty()) out += claims_in_words(told.report) + "\n";
  out += fmt::format("{} {} in {:.1f} s on {} threads\n", told.worlds,
                     on_sensors ? "subsamples" : "worlds", record.elapsed(), run.threads);
  print(out + "page: " + shown_path(directory.path() / "index.html") + "\n");
}

}  // namespace whence
