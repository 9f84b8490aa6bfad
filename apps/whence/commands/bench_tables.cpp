#include "apps/whence/commands/bench_tables.hpp"

#include "apps/whence/commands/simulate.hpp"
#include "apps/whence/data_options.hpp"
#include "bench/quality/table_bench.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"

namespace whence {
namespace {

std::vector<std::string> tables_command(const RealBenchOptions& options) {
  std::vector<std::string> words = {"whence", "bench", "tables"};
  for (const std::string& list : options.folders)
    words.push_back(printable(std::filesystem::path(list).filename().string()));
  words.insert(words.end(), {"--subsamples", options.subsamples, "--seed", options.seed});
  if (options.no_controls) words.emplace_back("--no-controls");
  return words;
}

TableBenchPlan tables_plan(const RealBenchOptions& options) {
  if (options.folders.empty())
    throw Error(ExitCode::usage, "E-USAGE-MISSING", "", "bench tables needs LIST.json",
                "tables and what is known of them: see bench/README.md");
  TableBenchPlan plan;
  for (const std::string& list : options.folders)
    for (ListedTable& table : read_table_list(list)) plan.tables.push_back(std::move(table));
  plan.reading = usual_read_options();
  plan.draws = std::uint32_t(count_of("--subsamples", options.subsamples, 1, 100));
  plan.controls = !options.no_controls;
  return plan;
}

}  // namespace

void bench_tables(const RealBenchOptions& options, const Globals& globals) {
  const TableBenchPlan plan = tables_plan(options);
  deliver_benchmark(
      "tables", options, tables_command(options),
      [&](const RunOptions& how) { return bench_tables(plan, how); }, globals);
}

}  // namespace whence
