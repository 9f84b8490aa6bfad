#include "bench/quality/sensor_bench.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "bench/quality/sensor_judge.hpp"
#include "whence/backends/threads.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/judge/summary.hpp"
#include "whence/math/random.hpp"

namespace whence {

namespace {

constexpr std::uint32_t sensors_run = 13;  // cell of Purpose::sample, beside those of real_data.cpp

std::vector<std::size_t> places_of(const RealData& data, const std::vector<std::string>& names) {
  std::vector<std::size_t> places;
  for (const std::string& name : names) {
    const auto at = std::find(data.truth.names.begin(), data.truth.names.end(), name);
    if (at == data.truth.names.end())
      throw Error(ExitCode::bad_data, "E-DATA-COLUMNS", data.name,
                  fmt::format("there is no column '{}'", name),
                  "columns: " + joined(data.truth.names, ", "));
    places.push_back(std::size_t(at - data.truth.names.begin()));
  }
  return places;
}

/// The baseline, and environments that change hidden columns only.
std::vector<std::size_t> environments_of(const RealData& data,
                                         const std::vector<std::size_t>& hidden) {
  std::vector<std::size_t> kept = {0};
  for (std::size_t e = 1; e < data.truth.targets.size(); ++e) {
    const auto& targets = data.truth.targets[e];
    const auto is_hidden = [&](std::size_t t) {
      return std::find(hidden.begin(), hidden.end(), t) != hidden.end();
    };
    if (data.knows_targets[e] && !targets.empty() &&
        std::all_of(targets.begin(), targets.end(), is_hidden))
      kept.push_back(e);
  }
  if (kept.size() < 3)
    throw Error(ExitCode::bad_data, "E-DATA-ENVIRONMENTS", data.name,
                fmt::format("{} environments change hidden columns only", kept.size() - 1),
                "two at least are needed: truth.json must name the targets of environments");
  return kept;
}

struct Recorded {
  Dataset sensors;
  Matrix hidden;
};

Recorded picked(const RealData& data, const std::vector<std::size_t>& columns,
                const std::vector<std::size_t>& hidden,
                const std::vector<std::size_t>& environments) {
  Recorded out;
  out.sensors.columns.resize(columns.size());
  for (const std::size_t c : columns) out.sensors.variables.push_back(data.data.variables[c]);
  std::size_t end = 0;
  for (const std::size_t e : environments) {
    const Environment& from = data.data.environments[e];
    out.sensors.environments.push_back({from.name, end, end + from.rows()});
    end += from.rows();
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const std::vector<double>& values = data.data.columns[columns[j]].values;
      out.sensors.columns[j].values.insert(out.sensors.columns[j].values.end(),
                                           values.begin() + std::ptrdiff_t(from.begin),
                                           values.begin() + std::ptrdiff_t(from.end));
    }
  }
  out.hidden = Matrix(end, hidden.size());
  std::size_t row = 0;
  for (const std::size_t e : environments)
    for (std::size_t i = data.data.environments[e].begin; i < data.data.environments[e].end;
         ++i, ++row)
      for (std::size_t k = 0; k < hidden.size(); ++k)
        out.hidden(row, k) = data.data.columns[hidden[k]].values[i];
  return out;
}

/// So many of the sensors at random, in their order.
std::vector<std::size_t> chosen(const std::vector<std::size_t>& columns, std::size_t n,
                                std::uint64_t seed, std::uint32_t number) {
  if (n == 0 || n >= columns.size()) return columns;
  Stream stream(seed, Purpose::sample, {sensors_run, 0, number});
  std::vector<std::size_t> kept;
  for (std::size_t j = 0; j < columns.size(); ++j)  // each with the chance that n get in
    if (stream.uniform() * double(columns.size() - j) < double(n - kept.size()))
      kept.push_back(columns[j]);
  return kept;
}

std::string names_of(const Dataset& data) {
  std::vector<std::string> names;
  for (const Variable& v : data.variables) names.push_back(v.name);
  return joined(names, " ");
}

std::vector<std::string> row_of(const SensorTrial& trial, const std::string& sensors,
                                std::uint32_t number, const char* as) {
  const auto when = [](bool any, double value) { return any ? show(value, 3) : "–"; };
  return {std::to_string(number + 1),
          as,
          sensors,
          trial.verdict,
          joined(trial.rows, "; "),
          when(trial.named > 0, trial.correlation),
          when(trial.named > 0, trial.oracle),
          when(!trial.rows.empty(), trial.every),
          show(trial.oracle_mean, 3),
          show(trial.rivals[0], 3),
          show(trial.rivals[1], 3),
          show(trial.rivals[2], 3)};
}

double sum_of(const std::vector<SensorTrial>& trials, const auto& get) {
  double sum = 0;
  for (const SensorTrial& trial : trials) sum += double(get(trial));
  return sum;
}

void claim(Report& report, const std::string& id, const std::string& text,
           const std::string& measured, bool holds) {
  report.claims.push_back({"sensors/" + id, text, measured, holds, "", ClaimKind::aim});
}

void judge(Report& report, const std::vector<SensorTrial>& trials,
           const std::vector<SensorTrial>& pieces) {
  const double named = sum_of(trials, [](const SensorTrial& t) { return t.named; });
  const double ours =
      sum_of(trials, [](const SensorTrial& t) { return t.correlation * double(t.named); });
  const double best =
      sum_of(trials, [](const SensorTrial& t) { return t.oracle * double(t.named); });
  claim(report, "oracle", "named rows reach .97 of the best linear rows' correlation, or abstain",
        named > 0 ? fmt::format("{:.3f} of {:.3f}", ours / named, best / named) : "abstains",
        named == 0 || ours >= 0.97 * best);
  const double labels = sum_of(trials, [](const SensorTrial& t) { return t.labels; });
  const double wrong = sum_of(trials, [](const SensorTrial& t) { return t.wrong_labels; });
  claim(report, "labels", "at most 2 % of the rows called latent are not",
        fmt::format("{} of {}", wrong, labels), wrong <= 0.02 * labels);
  const double others = sum_of(trials, [](const SensorTrial& t) { return t.wrong; });
  claim(report, "names", "at most 5 % of the rows called latent or noise are below .9 of the best",
        fmt::format("{} of {}", others, named), others <= 0.05 * named);
  const double rows = sum_of(pieces, [](const SensorTrial& t) { return t.rows.size(); });
  claim(report, "nothing", "no row where nothing changed", fmt::format("{} rows", rows), rows == 0);
}

}  // namespace

SensorBenchmark bench_sensors(const SensorBenchPlan& plan, const RunOptions& options) {
  const RealData all = read_real_data(plan.folder);
  const std::vector<std::size_t> columns = places_of(all, plan.columns),
                                 hidden = places_of(all, plan.hidden);
  const std::vector<std::size_t> environments = environments_of(all, hidden);
  std::vector<std::size_t> in_order(environments.size());
  std::iota(in_order.begin(), in_order.end(), 0);
  std::vector<SensorTrial> trials(plan.subsamples), pieces(plan.subsamples);
  std::vector<std::string> sensors(plan.subsamples);
  parallel_for(
      plan.subsamples, options.threads,
      [&](std::size_t k) {
        const auto number = std::uint32_t(k);
        const std::vector<std::size_t> used = chosen(columns, plan.choose, options.seed, number);
        const RealData drawn = subsample(all, plan.rows, options.seed, number);
        const std::size_t latents =
            plan.say_latents ? std::min(hidden.size(), used.size()) : std::size_t(0);
        const Recorded seen = picked(drawn, used, hidden, environments);
        sensors[k] = names_of(seen.sensors);
        trials[k] = judge_sensors(seen.sensors, seen.hidden, plan.hidden, latents);
        RealData like = drawn;
        like.data.environments.resize(environments.size());
        const Recorded still =
            picked(baseline_in_pieces(all, like, options.seed, number), used, hidden, in_order);
        pieces[k] = judge_sensors(still.sensors, still.hidden, plan.hidden, latents);
      },
      options.progress);
  SensorBenchmark bench;
  Report& report = bench.report;
  report.experiment = "bench-sensors";
  report.title = "Recorded sensors: what is behind them, beside the best linear rows";
  report.seed = options.seed;
  report.scale = "full";
  report.profile = "whence";
  report.settings_json = "{}";
  report.tables = {{"sensors",
                    "Mean correlation with the hidden columns, in the baseline",
                    {"subsample", "as", "sensors", "verdict", "rows", "named rows", "best there",
                     "all rows", "best linear", "FastICA", "PCA", "random"},
                    {}}};
  bench.time = {"time", "Processor time, seconds", {"subsample", "seconds"}, {}};
  for (std::uint32_t k = 0; k < plan.subsamples; ++k) {
    report.tables[0].rows.push_back(row_of(trials[k], sensors[k], k, "as recorded"));
    report.tables[0].rows.push_back(row_of(pieces[k], sensors[k], k, "baseline in pieces"));
    bench.time.rows.push_back({std::to_string(k + 1), fmt::format("{:.3f}", trials[k].seconds)});
  }
  judge(report, trials, pieces);
  report.summary =
      fmt::format("{} subsamples of {}, seed {}.", plan.subsamples, all.name, options.seed);
  report.warnings = all.warnings;
  report.assumptions = {
      "Only environments whose targets are all hidden columns are given, and which those are is "
      "not.",
      "FastICA and PCA have as many rows as sensors, found in the baseline or in all environments "
      "together, whichever does better; the best of them for each hidden column count. Best "
      "linear: least squares with the hidden "
      "columns known."};
  return bench;
}

}  // namespace whence
