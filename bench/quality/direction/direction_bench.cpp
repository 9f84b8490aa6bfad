#include "bench/quality/direction/direction_bench.hpp"

#include <array>

#include <fmt/format.h>

#include "bench/quality/direction/direction_bench_cases.hpp"
#include "bench/quality/direction/direction_bench_claims.hpp"
#include "bench/quality/direction/direction_bench_rates.hpp"
#include "bench/quality/direction/direction_episodes.hpp"
#include "bench/quality/direction/direction_honesty.hpp"
#include "bench/quality/direction/direction_speed.hpp"

namespace whence {

DirectionBenchmark bench_direction(const std::string& scale, const RunOptions& options) {
  using namespace direction_bench;
  const Sizes sizes = Sizes::of(scale);
  // By their share of the time.
  double done = 0;
  const auto part = [&](double weight) -> Progress {
    const double before = done;
    done += weight;
    return [&options, before, weight](double share) {
      if (options.progress) options.progress(before + weight * share);
    };
  };
  std::vector<Group> discrete = discrete_cells(sizes), real = real_cells(sizes),
                     controls = control_cells(sizes);
  run_cells(discrete, 0, options, part(0.3));
  run_cells(real, 1, options, part(0.5));
  run_cells(controls, 2, options, part(0.1));
  const auto needed = episodes_needed(sizes.episodes, options, part(0.05));
  const Reliability prior = prior_reliability(sizes.prior, options, part(0.05));
  const Reliability shifts = shift_reliability(
      discrete, [](const Group& c) { return small_tables(c) && c.training >= 1000; });

  DirectionBenchmark bench;
  Report& report = bench.report;
  report.experiment = "bench-direction";
  report.title = "How often whence direction is right, and how often it says so";
  report.scale = scale;
  report.seed = options.seed;
  report.tables = {summary_table(discrete, real),
                   episodes_table(needed),
                   control_table(controls),
                   confounded_table(discrete, real),
                   honesty_table(direction_honesty(sizes.honesty, true, options),
                                 direction_honesty(sizes.honesty, false, options)),
                   prior.table("reliability-prior", "Data drawn from the stated prior"),
                   shifts.table("reliability-shifts",
                                "One mechanism shifts, 1000 training rows or more, N = 2, 10"),
                   grid_table("discrete", "Categorical pairs",
                              {"tables", "training rows", "shifted rows"}, discrete),
                   grid_table("real", "Real pairs", {"moves", "shifted rows"}, real)};
  report.numbers = {{"prior-brier", prior.brier()},
                    {"prior-expected-calibration-error", prior.expected_error()},
                    {"shifts-brier", shifts.brier()},
                    {"shifts-expected-calibration-error", shifts.expected_error()}};
  draw_reliability(report, prior, shifts);
  if (scale == "full") {
    claim_episodes(report, needed);
    claim_prior(report, prior);
    claim_discrete(report, discrete, shifts);
    claim_controls(report, controls);
    claim_real(report, real);
  } else {
    report.warnings.push_back(
        "smoke scale: too few data sets for any of these rates to be trusted");
  }
  report.summary = fmt::format(
      "Decided means a belief above {}. Every rate stands beside the rate at which a direction is "
      "decided when nothing shifts.",
      decided_belief);
  const std::array<const std::vector<Group>*, 3> parts = {&discrete, &real, &controls};
  bench.time = time_table(parts);
  bench.speed = direction_speed(scale, options);
  bench.cases = sizes.prior;
  for (const auto* cells : parts)
    for (const Group& cell : *cells) bench.cases += cell.cases;
  return bench;
}

}  // namespace whence