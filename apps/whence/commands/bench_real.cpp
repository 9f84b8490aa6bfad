#include "apps/whence/commands/bench_real.hpp"

#include <CLI/CLI.hpp>

#include "apps/whence/commands/simulate.hpp"
#include "apps/whence/results.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/report/result_json.hpp"

namespace whence {

namespace {

/// Names of folders only: a page does not show where its reader keeps files.
std::vector<std::string> real_command(const RealBenchOptions& options) {
  std::vector<std::string> words = {"whence", "bench", "real"};
  for (const std::string& folder : options.folders)
    words.push_back(printable(std::filesystem::path(folder).filename().string()));
  if (!options.rows.empty()) words.insert(words.end(), {"--rows", options.rows});
  words.insert(words.end(), {"--subsamples", options.subsamples, "--seed", options.seed});
  if (options.shuffle_columns) words.emplace_back("--shuffle-columns");
  if (options.no_controls) words.emplace_back("--no-controls");
  return words;
}

RealBenchPlan real_plan(const RealBenchOptions& options) {
  if (options.folders.empty())
    throw Error(ExitCode::usage, "E-USAGE-MISSING", "", "bench real needs DIR",
                "folders with tables and a truth.json: see bench/README.md");
  RealBenchPlan plan;
  for (const std::string& folder : options.folders) plan.folders.emplace_back(folder);
  plan.rows = row_limits_of(options.rows);
  plan.subsamples = std::uint32_t(count_of("--subsamples", options.subsamples, 1, 10'000));
  plan.reorder = options.shuffle_columns;
  plan.controls = !options.no_controls;
  return plan;
}

}  // namespace

RowLimits row_limits_of(const std::string& text) {
  if (text.empty()) return {};
  const auto parts = split(text, ',');
  if (parts.size() != 2)
    throw Error(ExitCode::usage, "E-USAGE-VALUE", "--rows",
                "'" + excerpt(text) + "' should be two whole numbers", "--rows 2000,500");
  return {count_of("--rows", parts[0], 10, 100'000'000),
          count_of("--rows", parts[1], 2, 100'000'000)};
}

void add_real_options(CLI::App& app, RealBenchOptions& options) {
  add_value(app, "--rows", options.rows, "BASE,SHIFTED",
            "of real and recorded sensors: at most so many rows, at random, of the baseline and of "
            "each other environment")
      ->default_str("all");
  add_value(
      app, "--subsamples", options.subsamples, "N",
      "of real and recorded sensors: how many times rows are drawn; of tables: how many times "
      "labels are shuffled and each mistake is made");
  app.add_flag("--shuffle-columns", options.shuffle_columns,
               "of real: the columns of each subsample in a random order");
  app.add_flag("--no-controls", options.no_controls,
               "of real: leave out the baseline in pieces and the shuffled columns; of tables: the "
               "shuffled labels and the mistakes");
}

void deliver_benchmark(const std::string& name, const RealBenchOptions& options,
                       const std::vector<std::string>& command,
                       const std::function<RealBenchmark(const RunOptions&)>& bench,
                       const Globals& globals) {
  const int threads = threads_of(options.threads, globals);
  OutputDirectory directory(options.output.empty() ? "whence-out/bench-" + name : options.output);
  RunRecord record(command, threads);
  RunOptions how;
  how.seed = seed_of(options.seed);
  how.threads = threads;
  ProgressBar bar("bench " + name, ProgressBar::wanted(globals.quiet));
  how.progress = bar.callback();
  const RealBenchmark result = bench(how);
  record.timed("bench-" + name, record.elapsed());
  publish(directory, benchmark_files(result.report, result.speed, command), record);
  print_warnings(result.report, globals);
  if (options.json)
    print(result_text(result_json(std::vector<Report>{result.report, result.speed}, {})));
  else if (!globals.quiet)
    print(benchmark_in_words(result.report, result.speed) +
          "page: " + shown_path(directory.path() / "index.html") + "\n");
}

void bench_real(const RealBenchOptions& options, const Globals& globals) {
  const RealBenchPlan plan = real_plan(options);
  deliver_benchmark(
      "real", options, real_command(options),
      [&](const RunOptions& how) { return bench_real(plan, how); }, globals);
}

}  // namespace whence
