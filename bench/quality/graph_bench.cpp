#include "bench/quality/graph_bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <sys/resource.h>

#include <fmt/format.h>

#include "bench/quality/graph_figures.hpp"
#include "bench/quality/graph_scale.hpp"
#include "whence/backends/threads.hpp"
#include "whence/core/error.hpp"
#include "whence/core/shared_work.hpp"
#include "whence/core/text.hpp"
#include "whence/discover/graph/graph_search_plan.hpp"
#include "whence/judge/summary.hpp"

namespace whence {

namespace {

// ---- what is run --------------------------------------------------------------------------------

bool is_named(const std::string& pattern, const std::string& name) {
  if (!pattern.empty() && pattern.back() == '*')
    return name.compare(0, pattern.size() - 1, pattern, 0, pattern.size() - 1) == 0;
  return pattern == name;
}

std::vector<GraphBenchRow> chosen_rows(const GraphBenchPlan& plan) {
  const auto& [scale, only, most_sets] = plan;
  std::vector<GraphBenchRow> rows = graph_bench_rows(scale);
  for (GraphBenchRow& row : rows)
    if (most_sets > 0) row.sets = std::min(row.sets, most_sets);
  if (only.empty()) return rows;
  std::vector<std::string> names;
  for (const GraphBenchRow& row : rows) names.push_back(row.name);
  for (const std::string& pattern : only) {
    const auto named = [&](const std::string& name) { return is_named(pattern, name); };
    if (std::any_of(names.begin(), names.end(), named)) continue;
    const std::string near = did_you_mean(pattern, names);
    throw Error(ExitCode::usage, "E-USAGE-CHOICE", "--only",
                "there is no row '" + excerpt(pattern) + "' in bench graphs at scale " + scale,
                near.empty() ? "one of: " + joined(names) : near);
  }
  std::erase_if(rows, [&](const GraphBenchRow& row) {
    return std::none_of(only.begin(), only.end(),
                        [&](const std::string& pattern) { return is_named(pattern, row.name); });
  });
  return rows;
}

/// The exact engines where the world is theirs, else what the data ask for.
GraphModel model_for(GraphMechanism mechanism) {
  if (is_node_mechanism(mechanism)) return GraphModel::automatic;
  return mechanism == GraphMechanism::categorical ? GraphModel::categorical : GraphModel::linear;
}

/// What the same data say before the table is damaged.
GraphResult find_undamaged(GraphBenchRow row, std::uint64_t seed, const GraphOptions& options) {
  row.world.typos = 0;
  row.world.noise_rows = 0;
  return find_graph(draw_graph_bench(row, seed).data, options);
}

/// Of the processor so far, and the most memory so far.
struct Used {
  double seconds = 0, megabytes = 0;
};
Used used_by_process() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); };
  return {seconds(used.ru_utime) + seconds(used.ru_stime), double(used.ru_maxrss) / 1000};
}

GraphOutcome run_one(const GraphBenchRow& row, std::uint64_t seed, int threads) {
  const GraphSimulation simulation = draw_graph_bench(row, seed);
  GraphOptions options;
  options.model = model_for(row.world.mechanism);
  options.seed = seed;
  options.baseline = 0;
  if (row.single_start) {  // as a plain Gaussian engine would do it
    options.restarts = options.chains = 1;
    options.robust = false;
  }
  const auto start = std::chrono::steady_clock::now();
  const double before = used_by_process().seconds;
  const GraphResult found = find_graph(simulation.data, options, {.threads = threads});
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  GraphOutcome outcome = judge_graph(found, simulation.truth);
  outcome.seconds = taken.count();
  outcome.processor_seconds = used_by_process().seconds - before;
  outcome.peak_megabytes = used_by_process().megabytes;
  if (found.search.left_out) {
    outcome.pairs_left_out = found.search.left_out->pairs;
    outcome.settled = found.search.left_out->settled;
  }
  if (row.figure == GraphFigure::damage)
    outcome.turned_round = turned_directions(find_undamaged(row, seed, options), found);
  outcome.score_gap = is_node_mechanism(row.world.mechanism) || found.variables.size() > 256
                          ? std::nan("")  // the engines' scores differ, or take as long again
                          : found.best_score - graph_score(simulation.data, simulation.truth.graph,
                                                           options, found.scale);
  return outcome;
}

/// A data set of a row; a row that fails is listed, and the others still count.
class Runs {
 public:
  Runs(std::vector<GraphBenchResult>& results, const RunOptions& options)
      : results_(results), options_(options) {
    for (std::size_t r = 0; r < results.size(); ++r) {
      results[r].outcomes.resize(results[r].row.sets);
      problems_.emplace_back(results[r].row.sets);
      auto& jobs = results[r].row.speed ? timed_ : counted_;
      for (std::size_t s = 0; s < results[r].row.sets; ++s) jobs.push_back({r, s});
    }
    // The longest first, so that no thread idles at the end.
    std::stable_sort(counted_.begin(), counted_.end(),
                     [&](const Job& a, const Job& b) { return weight(a) > weight(b); });
  }

  void run() {
    const double all = double(counted_.size() + timed_.size());
    const auto tell = [&](double done) {
      if (options_.progress) options_.progress(done / all);
    };
    const auto tell_counted = [&](double share) { tell(share * double(counted_.size())); };
    const auto tell_timed = [&](double share) {
      tell(double(counted_.size()) + share * double(timed_.size()));
    };
    if (options_.work != nullptr) {
      share("counted", counted_, options_.threads, 1, tell_counted);
      share("timed", timed_, 1, options_.threads, tell_timed);
    } else {
      parallel_for(
          counted_.size(), options_.threads, [&](std::size_t j) { run(counted_[j], 1); },
          tell_counted);
      for (std::size_t j = 0; j < timed_.size(); ++j) {
        run(timed_[j], options_.threads);
        tell_timed(double(j + 1) / double(timed_.size()));
      }
    }
    for (std::size_t r = 0; r < results_.size(); ++r)
      for (const std::string& problem : problems_[r])
        if (!problem.empty() && results_[r].problem.empty()) {
          results_[r].problem = problem;
          results_[r].outcomes.clear();
        }
  }

 private:
  struct Job {
    std::size_t row, set;
  };

  /// The same with other processes, or with what was done before.
  void share(const std::string& stage, const std::vector<Job>& jobs, int at_once, int threads_each,
             const Progress& progress) {
    const auto done = options_.work->results(
        stage, jobs.size(), at_once,
        [&](std::size_t j) {
          run(jobs[j], threads_each);
          return bytes_of_value(results_[jobs[j].row].outcomes[jobs[j].set]) +
                 problems_[jobs[j].row][jobs[j].set];
        },
        progress);
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const std::string_view bytes = done[j];
      const std::size_t size = std::min(bytes.size(), sizeof(GraphOutcome));
      results_[jobs[j].row].outcomes[jobs[j].set] =
          value_of_bytes<GraphOutcome>(bytes.substr(0, size));
      problems_[jobs[j].row][jobs[j].set] = bytes.substr(size);
    }
  }

  double weight(const Job& job) const {
    const GraphWorldSpec& world = results_[job.row].row.world;
    const double m = double(world.environments);
    return m * m * m * (world.mechanism == GraphMechanism::categorical ? 10 : 1);
  }

  void run(const Job& job, int threads) {
    const GraphBenchRow& row = results_[job.row].row;
    try {
      results_[job.row].outcomes[job.set] =
          run_one(row, graph_bench_seed(options_.seed, row, job.set), threads);
    } catch (const Error& error) {
      problems_[job.row][job.set] = error.what();
    }
  }

  std::vector<GraphBenchResult>& results_;
  const RunOptions& options_;
  std::vector<std::vector<std::string>> problems_;  // [row][set]
  std::vector<Job> counted_, timed_;
};

// ---- the report --------------------------------------------------------------------------------

std::string shown(double value, int digits = 3) {
  return std::isfinite(value) ? show(value, digits) : "";
}

/// "0.91 (1.18)": the median, and the mean behind it.
std::string both(const GraphBenchResult& result, double GraphOutcome::*value) {
  const double middle = median_of(result, value);
  if (!std::isfinite(middle)) return "";
  return shown(middle) + " (" + shown(mean_of(result, value)) + ")";
}

double most_of(const GraphBenchResult& result, double GraphOutcome::*value) {
  double most = -std::numeric_limits<double>::infinity();
  for (const GraphOutcome& outcome : result.outcomes) most = std::max(most, outcome.*value);
  return most;
}

ConfidentEdges claims_of(const GraphBenchResult& result, ConfidentEdges GraphOutcome::*claims) {
  ConfidentEdges all;
  for (const GraphOutcome& outcome : result.outcomes) all.add(outcome.*claims);
  return all;
}

/// "-126.6 (7), 0.0": where the search ended lowest, by data set, and the median.
std::string score_text(const GraphBenchResult& result) {
  const auto lower = [](const GraphOutcome& a, const GraphOutcome& b) {
    return a.score_gap < b.score_gap;
  };
  const auto& all = result.outcomes;
  if (!std::isfinite(median_of(result, &GraphOutcome::score_gap))) return "";
  const auto least = std::min_element(all.begin(), all.end(), lower);
  const auto tenths = [](double x) { return std::round(10 * x) / 10 + 0.0; };  // no -0.0
  return fmt::format("{:.1f} ({}), {:.1f}", tenths(least->score_gap), least - all.begin(),
                     tenths(median_of(result, &GraphOutcome::score_gap)));
}

Table accuracy_table(const std::vector<GraphBenchResult>& results) {
  Table table{
      "accuracy",
      "Distance from the truth: medians over data sets (means)",
      {"row", "data", "sets", "expected SHD", "expected SID", "SHD of best", "AP edges",
       "AP targets", "score above truth: least (in set), median", "starts differ", "chains differ"},
      {}};
  for (const GraphBenchResult& r : results)
    table.rows.push_back(
        {r.row.name, r.row.title, std::to_string(r.outcomes.size()),
         both(r, &GraphOutcome::expected_shd), both(r, &GraphOutcome::expected_sid),
         both(r, &GraphOutcome::best_shd), both(r, &GraphOutcome::edge_precision),
         both(r, &GraphOutcome::target_precision), score_text(r),
         both(r, &GraphOutcome::search_spread), both(r, &GraphOutcome::chain_spread)});
  return table;
}

/// "1234 / 0+1": right / not adjacent + reversed.
std::string shown(const ConfidentEdges& claims) {
  return fmt::format("{} / {}+{}", claims.right, claims.not_adjacent, claims.reversed);
}

std::string share_of(std::size_t part, std::size_t whole) {
  return whole == 0 ? "" : fmt::format("{:.3f}", double(part) / double(whole));
}

Table honesty_table(const std::vector<GraphBenchResult>& results) {
  Table table{"honesty",
              "What was said with confidence, in all data sets together",
              {"row", "edges > .95: right / not adjacent + reversed", "edges > .99",
               "undirected in the class: edges, directed right / wrong", "false changes > .95",
               "> .99", "pairs", "targets found", "environments flagged as all changed",
               "confounded pairs joined", "edges suspected of a hidden cause: rightly / wrongly"},
              {}};
  for (const GraphBenchResult& r : results) {
    const auto total = [&](std::size_t GraphOutcome::*value) { return total_of(r, value); };
    table.rows.push_back(
        {r.row.name, shown(claims_of(r, &GraphOutcome::above_95)),
         shown(claims_of(r, &GraphOutcome::above_99)),
         fmt::format("{}, {} / {}", total(&GraphOutcome::undirected),
                     total(&GraphOutcome::directed_right), total(&GraphOutcome::directed_wrong)),
         std::to_string(total(&GraphOutcome::false_changes_95)),
         std::to_string(total(&GraphOutcome::false_changes_99)),
         std::to_string(total(&GraphOutcome::pairs)),
         fmt::format("{} of {}", total(&GraphOutcome::targets_found),
                     total(&GraphOutcome::targets)),
         share_of(total(&GraphOutcome::flagged), total(&GraphOutcome::shifted)),
         share_of(total(&GraphOutcome::confounded_joined), total(&GraphOutcome::confounded)),
         fmt::format("{} / {}", total(&GraphOutcome::confounded_named),
                     total(&GraphOutcome::named_wrongly))});
  }
  return table;
}

Table calibration_table(const std::string& what, Reliability GraphOutcome::*bins,
                        const std::vector<GraphBenchResult>& results) {
  Table table{
      "calibration-" + what, "Calibration of " + what + ": stated → observed (cases)", {"row"}, {}};
  for (const Reliability::Bin& bin : Reliability(Reliability::narrow_ends).bins())
    table.columns.push_back(fmt::format("{:.2g}-{:.2g}", bin.low, bin.high));
  for (const GraphBenchResult& r : results) {
    std::vector<std::string> row = {r.row.name};
    for (const Reliability::Bin& bin : bins_of(r, bins).bins())
      row.push_back(bin.cases == 0
                        ? ""
                        : fmt::format("{:.3f} → {:.3f} ({})", bin.stated, bin.observed, bin.cases));
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_figures(const std::vector<GraphBenchResult>& results, Report& report) {
  std::vector<GraphBenchResult> figures;
  for (const GraphBenchResult& r : results)
    if (r.row.figure != GraphFigure::none) figures.push_back(r);
  if (figures.empty()) return;
  report.tables.insert(report.tables.begin(), graph_figures_table(figures));
  for (Claim& claim : graph_figure_claims(figures)) report.claims.push_back(std::move(claim));
}

void add_numbers(const GraphBenchResult& r, Report& report) {
  const auto add = [&](const char* what, double value) {
    if (std::isfinite(value)) report.numbers.push_back({what + ("/" + r.row.name), value});
  };
  const auto add_both = [&](const std::string& what, double GraphOutcome::*value) {
    add((what + "-median").c_str(), median_of(r, value));
    add((what + "-mean").c_str(), mean_of(r, value));
  };
  add_both("expected-shd", &GraphOutcome::expected_shd);
  add_both("expected-sid", &GraphOutcome::expected_sid);
  add_both("best-shd", &GraphOutcome::best_shd);
  add_both("edge-average-precision", &GraphOutcome::edge_precision);
  add_both("target-average-precision", &GraphOutcome::target_precision);
  add_both("score-above-truth", &GraphOutcome::score_gap);
  add("wrong-edges-95", double(claims_of(r, &GraphOutcome::above_95).wrong()));
  add("wrong-edges-99", double(claims_of(r, &GraphOutcome::above_99).wrong()));
  add("undirected-directed-wrong", double(total_of(r, &GraphOutcome::directed_wrong)));
  add("false-changes-95-per-1000", 1000 * double(total_of(r, &GraphOutcome::false_changes_95)) /
                                       double(total_of(r, &GraphOutcome::pairs)));
  add("flagged-share",
      double(total_of(r, &GraphOutcome::flagged)) / double(total_of(r, &GraphOutcome::shifted)));
  add("chain-spread-most", most_of(r, &GraphOutcome::chain_spread));
}

Report make_report(const std::vector<GraphBenchResult>& results) {
  Report report;
  report.tables = {accuracy_table(results), honesty_table(results),
                   calibration_table("edges", &GraphOutcome::edge_bins, results),
                   calibration_table("changes", &GraphOutcome::target_bins, results)};
  for (const GraphBenchResult& r : results) add_numbers(r, report);
  report.claims = graph_bench_claims(results);
  add_figures(results, report);
  report.title = "Graphs from shifts with hidden targets, on data whose truth is known";
  report.assumptions = {
      "The baseline is named; which variables changed in the other environments is hidden.",
      fmt::format(
          "Undirected: edges that the Markov class of the true graph leaves open, confident "
          "when one direction has more than .95 of the probability of an edge; wrongly so if "
          "that direction is not the truth's and its share of the class's members is lower "
          "by more than {} (near 1: three quarters of what is left). In a chain of 25 the "
          "first edge points backward in 24 of 25 members.",
          GraphOutcome::class_margin),
      "Shuffled within environments, targets and whatever they cause count as changed."};
  return report;
}

Report make_speed_report(const std::vector<GraphBenchResult>& results) {
  Table table{
      "seconds",
      "Seconds per data set: time-* one at a time on all threads, others on one thread each "
      "while others run beside",
      {"row", "data", "sets", "median", "mean", "most", "SHD of best"},
      {}};
  for (const GraphBenchResult& r : results)
    table.rows.push_back(
        {r.row.name, r.row.title, std::to_string(r.outcomes.size()),
         shown(median_of(r, &GraphOutcome::seconds)), shown(mean_of(r, &GraphOutcome::seconds)),
         shown(most_of(r, &GraphOutcome::seconds)), both(r, &GraphOutcome::best_shd)});
  Report report;
  report.title = "Time of graphs from shifts";
  report.tables = {std::move(table)};
  report.claims = graph_speed_claims(results);
  return report;
}

std::string summary_of(const Report& report) {
  const auto hold = std::count_if(report.claims.begin(), report.claims.end(),
                                  [](const Claim& claim) { return claim.holds; });
  return fmt::format("{} of {} figures are reached.", hold, report.claims.size());
}

std::vector<double> finite_values(const GraphBenchResult& result, double GraphOutcome::*value) {
  std::vector<double> values;
  for (const GraphOutcome& outcome : result.outcomes)
    if (std::isfinite(outcome.*value)) values.push_back(outcome.*value);
  return values;
}

}  // namespace

double median_of(const GraphBenchResult& result, double GraphOutcome::*value) {
  const std::vector<double> values = finite_values(result, value);
  return values.empty() ? std::nan("") : median(values);
}

double mean_of(const GraphBenchResult& result, double GraphOutcome::*value) {
  const std::vector<double> values = finite_values(result, value);
  return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

std::size_t total_of(const GraphBenchResult& result, std::size_t GraphOutcome::*value) {
  std::size_t total = 0;
  for (const GraphOutcome& outcome : result.outcomes) total += outcome.*value;
  return total;
}

Reliability bins_of(const GraphBenchResult& result, Reliability GraphOutcome::*bins) {
  Reliability all(Reliability::narrow_ends);
  for (const GraphOutcome& outcome : result.outcomes) all.add(outcome.*bins);
  return all;
}

GraphBenchmark bench_graphs(const GraphBenchPlan& plan, const RunOptions& options) {
  std::vector<GraphBenchResult> results;
  for (GraphBenchRow& row : chosen_rows(plan)) results.push_back({std::move(row), {}, {}});
  Runs(results, options).run();

  std::vector<std::string> warnings;
  for (const GraphBenchResult& r : results)
    if (!r.problem.empty()) warnings.push_back(r.row.name + ": " + r.problem);
  std::erase_if(results, [](const GraphBenchResult& r) { return !r.problem.empty(); });
  std::vector<GraphBenchResult> counted;
  std::copy_if(results.begin(), results.end(), std::back_inserter(counted),
               [](const GraphBenchResult& r) { return !r.row.speed; });

  GraphBenchmark benchmark{make_report(counted), make_speed_report(results)};
  benchmark.report.experiment = "bench-graphs";
  benchmark.speed.experiment = "bench-graphs-speed";
  benchmark.report.warnings = std::move(warnings);
  if (plan.scale == "large") add_graph_scale(results, benchmark.speed);
  for (Report* report : {&benchmark.report, &benchmark.speed}) {
    report->profile = "whence";
    report->scale = plan.scale;
    report->seed = options.seed;
    report->settings_json = "{}";
    report->summary = summary_of(*report);
  }
  return benchmark;
}

}  // namespace whence
