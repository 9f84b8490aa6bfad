#include "whence/paper/run_sweep.hpp"

#include <exception>

#include <fmt/format.h>

#include "whence/backends/threads.hpp"
#include "whence/core/error.hpp"

namespace whence {

namespace {

/// The same error, its place led by the run's number.
Error in_run(std::size_t run, const Error& error) {
  const std::string number = fmt::format("run {}", run + 1);
  const bool named = error.place().starts_with(number);
  return {error.code(), error.id(), named ? error.place() : number + ", " + error.place(),
          error.what(), error.hint()};
}

}  // namespace

std::vector<FailedRun> run_each(std::size_t runs, int threads,
                                const std::function<void(std::size_t)>& job,
                                const Progress& progress) {
  std::vector<std::optional<Error>> errors(runs);
  parallel_for(
      runs, threads,
      [&](std::size_t run) {
        try {
          job(run);
        } catch (const Error& error) {
          if (error.code() != ExitCode::numerical) throw;
          errors[run].emplace(runs == 1 ? error : in_run(run, error));
        }
      },
      progress);
  std::vector<FailedRun> failed;
  for (std::size_t run = 0; run < runs; ++run)
    if (errors[run]) failed.push_back({run, errors[run]->place(), errors[run]->what()});
  if (runs > 0 && failed.size() == runs) throw *errors[0];
  return failed;
}

void tell_failed(const std::vector<FailedRun>& failed, Report& report) {
  report.failed_runs = failed.size();
  if (failed.empty()) return;
  Table table{"failed-runs", "Runs that are missing from all medians", {"place", "problem"}, {}};
  for (const FailedRun& run : failed) table.rows.push_back({run.place, run.problem});
  report.warnings.push_back(
      fmt::format("{} failed and {} left out: {}: {}",
                  failed.size() == 1 ? "one run" : fmt::format("{} runs", failed.size()),
                  failed.size() == 1 ? "is" : "are", failed[0].place, failed[0].problem));
  report.tables.push_back(std::move(table));
  report.numbers.push_back({"failed-runs", double(failed.size())});
}

}  // namespace whence
