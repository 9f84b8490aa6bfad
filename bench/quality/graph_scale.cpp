#include "bench/quality/graph_scale.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace whence {

namespace {

/// 7 edges for 4 variables; a tenth as many environments as variables, each of 200 rows.
GraphBenchRow scale_row(std::size_t variables) {
  GraphBenchRow row;
  row.name = fmt::format("large-{}", variables);
  row.title = fmt::format("ER, {} variables, hard shifts with hidden targets", variables);
  row.graph = fmt::format("er:{}:{}", variables, variables * 7 / 4);
  row.world.environments = variables / 10;
  row.world.rows = 200;
  row.world.baseline_rows = 2000;
  row.sets = 1;
  row.speed = true;
  return row;
}

GraphBenchRow control_row(std::size_t variables, const std::string& name,
                          const std::string& title) {
  GraphBenchRow row = scale_row(variables);
  row.name += "-" + name;
  row.title = fmt::format("the same {} variables, {}", variables, title);
  return row;
}

bool is_control(const GraphBenchRow& row) {
  return row.shuffle || row.world.shift == GraphShift::none;
}

Claim claim_about(const GraphBenchResult& r, const std::string& what, bool holds,
                  const std::string& measured) {
  return {r.row.name + "/" + what, r.row.name + ": " + what, measured, holds, {}, ClaimKind::aim};
}

void add_claims(const GraphBenchResult& r, Report& report) {
  const GraphOutcome& o = r.outcomes[0];
  const auto add = [&](const std::string& what, bool holds, const std::string& measured) {
    report.claims.push_back(claim_about(r, what, holds, measured));
  };
  add("no false change above .99", o.false_changes_99 == 0, fmt::format("{}", o.false_changes_99));
  if (is_control(r.row)) {
    add("no confidently wrong edge", o.above_99.wrong() == 0,
        fmt::format("{} above .99", o.above_99.wrong()));
    return;
  }
  add("SHD at most 1 % of the edges, without directions that no shift can tell",
      o.decidable_shd <= 0.01 * double(o.edges),
      fmt::format("{} of {} edges ({} with them)", o.decidable_shd, o.edges, o.best_shd));
  add("all targets found", o.targets_found == o.targets,
      fmt::format("{} of {}", o.targets_found, o.targets));
  if (r.row.name == "large-1000") {
    add("below 10 minutes", o.seconds < 600, fmt::format("{:.0f} s", o.seconds));
    add("below 4 GB", o.peak_megabytes < 4000, fmt::format("{:.0f} MB", o.peak_megabytes));
  }
}

}  // namespace

std::vector<GraphBenchRow> graph_scale_rows() {
  std::vector<GraphBenchRow> rows;
  const auto add_with_controls = [&](std::size_t variables) {
    rows.push_back(scale_row(variables));
    rows.push_back(control_row(variables, "no-shift", "nothing changes"));
    rows.back().world.shift = GraphShift::none;
    rows.push_back(control_row(variables, "shuffled", "columns shuffled over all rows"));
    rows.back().shuffle = Shuffle::all_rows;
  };
  for (const std::size_t variables : {50, 100}) rows.push_back(scale_row(variables));
  for (const std::size_t variables : {200, 500}) add_with_controls(variables);
  rows.push_back(scale_row(1000));
  return rows;
}

void add_graph_scale(const std::vector<GraphBenchResult>& results, Report& report) {
  Table table{"scale",
              "Many variables, one data set each: 2000 rows and 200 of each environment. Memory is "
              "the most that the process has had so far",
              {"row", "variables", "edges", "environments", "seconds", "of the processor", "MB",
               "SHD", "of these decidable", "targets found", "edges > .95: right / wrong",
               "false changes > .99", "pairs left out", "settled"},
              {}};
  Curve seconds{"scale/processor", "seconds of the processor", {}, {}, {}, {}};
  Curve memory{"scale/memory", "MB", {}, {}, {}, {}};
  for (const GraphBenchResult& r : results) {
    if (r.outcomes.empty()) continue;
    const GraphOutcome& o = r.outcomes[0];
    const double variables = double(10 * r.row.world.environments);
    table.rows.push_back(
        {r.row.name, fmt::format("{}", variables), fmt::format("{}", o.edges),
         fmt::format("{}", r.row.world.environments), fmt::format("{:.1f}", o.seconds),
         fmt::format("{:.1f}", o.processor_seconds), fmt::format("{:.0f}", o.peak_megabytes),
         fmt::format("{}", o.best_shd), fmt::format("{}", o.decidable_shd),
         fmt::format("{} of {}", o.targets_found, o.targets),
         fmt::format("{} / {}", o.above_95.right, o.above_95.wrong()),
         fmt::format("{}", o.false_changes_99), fmt::format("{}", o.pairs_left_out),
         fmt::format("{}", o.settled)});
    add_claims(r, report);
    if (is_control(r.row)) continue;
    for (Curve* curve : {&seconds, &memory}) {
      const double value = curve == &seconds ? o.processor_seconds : o.peak_megabytes;
      curve->x.push_back(variables);
      for (auto* line : {&curve->median, &curve->q25, &curve->q75}) line->push_back(value);
    }
  }
  report.tables.push_back(std::move(table));
  if (seconds.x.size() < 2) return;
  report.figures.push_back({"scale",
                            "How time and memory grow",
                            "variables",
                            "seconds of the processor; MB",
                            {seconds.id, memory.id},
                            "one data set of each size",
                            true,
                            true});
  report.curves.push_back(std::move(seconds));
  report.curves.push_back(std::move(memory));
}

}  // namespace whence
