#include "bench/quality/real_bench.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include <fmt/format.h>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/judge/graph_outcome.hpp"
#include "whence/judge/summary.hpp"

namespace whence {

namespace {

enum class Control { none, pieces, shuffled };

std::string_view name_of(Control control) {
  switch (control) {
    case Control::none: return "as recorded";
    case Control::pieces: return "baseline in pieces";
    case Control::shuffled: return "shuffled within environments";
  }
  return "?";
}

/// One answer, judged.
struct RealRun {
  std::size_t folder = 0;
  std::uint32_t number = 0;
  Control control = Control::none;
  RealData data;  // without its rows
  GraphOutcome outcome;
  std::size_t rows = 0, naive_on_top = 0;
  std::vector<std::string> missed, wrong, hidden, false_changes;  // in words
  std::string problem;
};

std::string arrow(const RealData& data, std::size_t from, std::size_t to) {
  return data.truth.names[from] + " → " + data.truth.names[to];
}

/// Which of the largest standardised shifts are the targets.
std::size_t naive_targets(const RealData& data) {
  std::size_t found = 0;
  for (std::size_t e = 1; e < data.data.environments.size(); ++e) {
    const auto& targets = data.truth.targets[e];
    if (!data.knows_targets[e] || targets.size() == data.truth.names.size()) continue;
    const std::vector<double> shifts = standardised_shifts(data.data, e);
    for (std::size_t t : targets) {
      std::size_t ahead = 0;
      for (std::size_t v = 0; v < shifts.size(); ++v)
        ahead += !std::binary_search(targets.begin(), targets.end(), v) && shifts[v] >= shifts[t];
      found += ahead == 0;
    }
  }
  return found;
}

/// Environments whose targets are not known are not judged.
void drop_unknown(GraphResult& found, RealData& data) {
  for (std::size_t e = data.knows_targets.size(); e-- > 1;) {
    if (data.knows_targets[e]) continue;
    const auto at = std::ptrdiff_t(e);
    found.environments.erase(found.environments.begin() + at);
    data.truth.targets.erase(data.truth.targets.begin() + at);
  }
}

void list_mistakes(const GraphResult& found, const RealData& data, RealRun& run) {
  const std::size_t m = data.truth.names.size();
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      const bool there = data.truth.graph.edge(VariableId(i), VariableId(j));
      if (there && found.edges.at(i, j) <= 0.5) run.missed.push_back(arrow(data, i, j));
      if (i != j && !there && found.edges.at(i, j) > 0.95) run.wrong.push_back(arrow(data, i, j));
    }
  for (const auto& [a, b] : hidden_pairs(found))
    run.hidden.push_back(data.truth.names[a] + " - " + data.truth.names[b]);
  for (std::size_t e = 1; e < found.environments.size(); ++e) {
    const GraphEnvironment& environment = found.environments[e];
    const auto& targets = data.truth.targets[e];
    for (std::size_t v = 0; v < environment.changed.size(); ++v)
      if (environment.changed[v] > 0.95 && !std::binary_search(targets.begin(), targets.end(), v))
        run.false_changes.push_back(environment.name + ": " + data.truth.names[v]);
  }
}

void run_one(RealData data, const RunOptions& options, RealRun& run) {
  GraphOptions how;
  how.seed = options.seed + run.number;
  how.baseline = 0;
  run.rows = data.data.rows();
  run.naive_on_top = naive_targets(data);
  try {
    const auto start = std::chrono::steady_clock::now();
    GraphResult found = find_graph(data.data, how, {.threads = options.threads});
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    drop_unknown(found, data);
    run.outcome = judge_graph(found, data.truth);
    run.outcome.seconds = taken.count();
    list_mistakes(found, data, run);
  } catch (const Error& error) {
    run.problem = error.what();
  }
  data.data = {};
  run.data = std::move(data);
}

/// All answers, subsample after subsample; each uses all threads, so that seconds mean something.
std::vector<RealRun> run_all(const RealBenchPlan& plan, const std::vector<RealData>& folders,
                             const RunOptions& options) {
  const std::vector<Control> controls =
      plan.controls ? std::vector{Control::none, Control::pieces, Control::shuffled}
                    : std::vector{Control::none};
  std::vector<RealRun> runs;
  const double all = double(folders.size() * plan.subsamples * controls.size());
  for (std::size_t f = 0; f < folders.size(); ++f)
    for (std::uint32_t k = 0; k < plan.subsamples; ++k) {
      RealData whole = folders[f];
      if (plan.reorder) reorder_columns(whole, options.seed, k);
      const RealData drawn = subsample(whole, plan.rows, options.seed, k);
      for (Control control : controls) {
        RealRun& run = runs.emplace_back();
        run.folder = f;
        run.number = k;
        run.control = control;
        run_one(control == Control::pieces     ? baseline_in_pieces(whole, drawn, options.seed, k)
                : control == Control::shuffled ? shuffled_within(drawn, options.seed + k)
                                               : drawn,
                options, run);
        if (options.progress) options.progress(double(runs.size()) / all);
      }
    }
  return runs;
}

// ---- the report --------------------------------------------------------------------------------

std::string count_of(std::size_t part, std::size_t whole) {
  return whole == 0 ? "" : fmt::format("{} of {}", part, whole);
}

Table runs_table(const std::vector<RealRun>& runs) {
  Table table{"real",
              "Recorded data: what was stated, beside the largest shift of a mean and no graph",
              {"data", "subsample", "rows", "as", "edges > .95: right / wrong", "recall at .5",
               "precision at .5", "SHD (of no graph)", "targets on top", "by the largest shift",
               "false changes > .95", "hidden pairs: named / others", "all changed"},
              {}};
  for (const RealRun& run : runs) {
    const GraphOutcome& o = run.outcome;
    const bool edges = run.data.knows_edges;
    const std::size_t likely = o.likely_right + o.likely_wrong;
    const bool targets = o.ranked_targets > 0;
    table.rows.push_back(
        {run.data.name, std::to_string(run.number + 1), std::to_string(run.rows),
         std::string(name_of(run.control)),
         edges ? fmt::format("{} / {}", o.above_95.right, o.above_95.wrong())
               : fmt::format("{} stated", o.above_95.right + o.above_95.wrong()),
         edges ? count_of(o.likely_right, o.edges) : "",
         edges ? count_of(o.likely_right, likely) : "",
         edges ? fmt::format("{:.0f} ({})", o.best_shd, o.edges) : "",
         targets ? count_of(o.targets_on_top, o.ranked_targets) : "",
         targets ? count_of(run.naive_on_top, o.ranked_targets) : "",
         run.control == Control::shuffled ? "" : std::to_string(o.false_changes_95),
         fmt::format("{} of {} / {}", o.confounded_named, o.confounded, o.named_wrongly),
         count_of(o.flagged, o.shifted)});
  }
  return table;
}

/// What several subsamples have in common: each mistake with the number of runs that made it.
Table mistakes_table(const std::vector<RealRun>& runs) {
  Table table{"mistakes",
              "What was missed or wrong, and in how many subsamples",
              {"data", "as", "what", "which", "subsamples"},
              {}};
  using Key = std::tuple<std::size_t, Control, int, std::string>;
  std::map<Key, std::size_t> counts;
  constexpr const char* kinds[] = {"wrong edge above .95", "false change above .95",
                                   "hidden pair named", "edge missed"};
  for (const RealRun& run : runs) {
    const std::vector<std::string>* lists[] = {&run.wrong, &run.false_changes, &run.hidden,
                                               &run.missed};
    for (int k = 0; k < 4; ++k) {
      if (k == 3 && (run.control != Control::none || !run.data.knows_edges)) continue;
      if (k == 0 && run.control == Control::none && !run.data.knows_edges) continue;
      if (k == 1 && run.control == Control::shuffled) continue;  // effects of targets differ, too
      for (const std::string& which : *lists[k]) ++counts[{run.folder, run.control, k, which}];
    }
  }
  for (const auto& [key, n] : counts) {
    const auto& [folder, control, kind, which] = key;
    const auto run = std::find_if(runs.begin(), runs.end(),
                                  [f = folder](const RealRun& r) { return r.folder == f; });
    table.rows.push_back(
        {run->data.name, std::string(name_of(control)), kinds[kind], which, std::to_string(n)});
  }
  return table;
}

/// The runs of one folder under one control.
class Together {
 public:
  Together(const std::vector<RealRun>& runs, std::size_t folder, Control control) {
    for (const RealRun& run : runs)
      if (run.folder == folder && run.control == control && run.problem.empty())
        runs_.push_back(&run);
  }
  bool empty() const { return runs_.empty(); }
  const RealRun& first() const { return *runs_.front(); }
  std::size_t total(const auto& value) const {
    std::size_t sum = 0;
    for (const RealRun* run : runs_) sum += value(*run);
    return sum;
  }

 private:
  std::vector<const RealRun*> runs_;
};

std::size_t stated(const RealRun& run) {
  return run.outcome.above_95.right + run.outcome.above_95.wrong();
}
std::size_t wrong(const RealRun& run) { return run.outcome.above_95.wrong(); }
std::size_t false_changes(const RealRun& run) { return run.outcome.false_changes_95; }

class RealClaims {
 public:
  explicit RealClaims(const std::vector<RealRun>& runs) : runs_(runs) {}

  std::vector<Claim> all(std::size_t folders) {
    for (std::size_t f = 0; f < folders; ++f) {
      about_answers(Together(runs_, f, Control::none));
      about_pieces(Together(runs_, f, Control::pieces));
    }
    return std::move(claims_);
  }

 private:
  void about_answers(const Together& runs) {
    if (runs.empty()) return;
    if (runs.first().data.knows_edges)
      none(runs, "wrong-edges", "no wrong edge above .95", runs.total(wrong));
    const auto targets = [](const RealRun& r) { return r.outcome.ranked_targets; };
    if (runs.total(targets) == 0) return;
    const std::size_t ours = runs.total([](const RealRun& r) { return r.outcome.targets_on_top; });
    const std::size_t naive = runs.total([](const RealRun& r) { return r.naive_on_top; });
    add(runs, "targets", "targets on top as often as by the largest shift of a mean",
        fmt::format("{} and {} of {}", ours, naive, runs.total(targets)), ours >= naive);
    none(runs, "false-changes", "no false change above .95", runs.total(false_changes));
  }

  void about_pieces(const Together& runs) {
    if (runs.empty()) return;
    none(runs, "pieces-directions", "no direction above .95 where nothing changes",
         runs.total(stated));
    none(runs, "pieces-changes", "no change above .95 where nothing changes",
         runs.total(false_changes));
  }

  void none(const Together& runs, const char* id, const char* text, std::size_t n) {
    add(runs, id, text, std::to_string(n), n == 0);
  }

  void add(const Together& runs, const char* id, const char* text, std::string measured,
           bool holds) {
    const std::string& name = runs.first().data.name;
    claims_.push_back(
        {name + "/" + id, fmt::format("{}: {}", name, text), std::move(measured), holds, ""});
  }

  const std::vector<RealRun>& runs_;
  std::vector<Claim> claims_;
};

Report make_report(const std::vector<RealRun>& runs, std::size_t folders) {
  Report report;
  report.title = "Recorded data with a known truth";
  report.tables = {runs_table(runs), mistakes_table(runs)};
  report.claims = RealClaims(runs).all(folders);
  for (const RealRun& run : runs)
    if (!run.problem.empty())
      report.warnings.push_back(
          fmt::format("{}, {}: {}", run.data.name, name_of(run.control), run.problem));
  report.assumptions = {
      "The baseline is named; which variables changed in the other environments is hidden.",
      "Targets on top: among the environment's likeliest changes, as many as it has targets; "
      "beside it the same for the largest differences of means in baseline deviations.",
      "Baseline in pieces: its rows at random, so that nothing changes. Shuffled within "
      "environments: no column depends on another, but each keeps its law, so that edges seen in "
      "shifts alone may stay."};
  return report;
}

Report make_speed_report(const std::vector<RealRun>& runs) {
  Report report;
  report.title = "Time on recorded data";
  Table table{"seconds", "Seconds of each answer", {"data", "subsample", "as", "seconds"}, {}};
  for (const RealRun& run : runs)
    table.rows.push_back({run.data.name, std::to_string(run.number + 1),
                          std::string(name_of(run.control)), show(run.outcome.seconds, 3)});
  report.tables = {std::move(table)};
  return report;
}

}  // namespace

RealBenchmark sealed(RealBenchmark benchmark, std::uint64_t seed) {
  const auto hold = std::count_if(benchmark.report.claims.begin(), benchmark.report.claims.end(),
                                  [](const Claim& claim) { return claim.holds; });
  benchmark.report.summary =
      fmt::format("{} of {} figures are reached.", hold, benchmark.report.claims.size());
  for (Report* report : {&benchmark.report, &benchmark.speed}) {
    report->profile = "whence";
    report->scale = "full";
    report->seed = seed;
    report->settings_json = "{}";
  }
  return benchmark;
}

RealBenchmark bench_real(const RealBenchPlan& plan, const RunOptions& options) {
  std::vector<RealData> folders;
  for (const auto& folder : plan.folders) folders.push_back(read_real_data(folder));
  const std::vector<RealRun> runs = run_all(plan, folders, options);
  RealBenchmark benchmark{make_report(runs, folders.size()), make_speed_report(runs)};
  benchmark.report.experiment = "bench-real";
  benchmark.speed.experiment = "bench-real-speed";
  return sealed(std::move(benchmark), options.seed);
}

}  // namespace whence
