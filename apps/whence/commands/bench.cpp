// whence bench: our own work timed against contenders that do the same work, in the same
// invocation. Nothing is timed before it agrees.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "apps/whence/commands.hpp"
#include "apps/whence/commands/bench_direction.hpp"
#include "apps/whence/commands/bench_encoders.hpp"
#include "apps/whence/commands/bench_graphs.hpp"
#include "apps/whence/commands/bench_invariance.hpp"
#include "apps/whence/commands/bench_real.hpp"
#include "apps/whence/commands/bench_tables.hpp"
#include "apps/whence/machine.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/backends/simd.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/json/json.hpp"
#include "whence/io/json/json_reader.hpp"
#include "whence/judge/summary.hpp"
#include "whence/paper/experiment.hpp"
#include "whence/version.hpp"

namespace whence {
namespace {

struct BenchOptions {
  std::string name = "all", contender = "both", threads = "auto", repeat;
  bool json = false, quick = false;
  GraphsBenchOptions graphs;
  RealBenchOptions real;
  EncodersBenchOptions encoders;
};

/// A piece of work: settings laid over an experiment's own, so that it runs as `reproduce` runs it.
struct Work {
  std::string name, experiment, profile, unit;
  int units_per_run;    // of what one more run adds
  std::string timed;    // settings of a timed pass; {runs} is chosen by its time
  std::string checked;  // settings of the runs that contenders are held against
  int checked_runs;
};

std::vector<Work> all_work() {
  const auto belief = [](int n) {
    return Work{fmt::format("belief-discrete/N={}", n),
                "belief-discrete",
                "paper",
                "episode",
                1000,
                fmt::format(R"("levels": [{}], "runs": {{runs}})", n),
                fmt::format(R"("levels": [{}], "runs": {{runs}}, "episodes": 20)", n),
                2000};
  };
  const auto adaptation = [](std::string name, std::string profile) {
    return Work{std::move(name),
                "adaptation-curve",
                std::move(profile),
                "run",
                100,
                R"("training_distributions": {runs}, "transfer_distributions": 100)",
                R"("training_distributions": {runs}, "transfer_distributions": 1, "steps": 21)",
                2000};
  };
  // The long training is another experiment: it is kept as short as the settings allow.
  const auto same = [](int n, int steps, int runs) {
    const std::string sizes =
        fmt::format(R"("levels": [{}], "runs": {{runs}}, "long_steps": 10, "long_runs": 1)", n);
    return Work{fmt::format("same-distribution/N={}", n),
                "same-distribution",
                "paper",
                "step",
                1000,
                sizes,
                sizes + fmt::format(R"(, "steps": {})", steps),
                runs};
  };
  const auto gaussian = [](int d, const char* rate, int runs, int episodes) {
    const std::string one_rule = fmt::format(
        R"("dimensions": [{}], "optimizers": ["adam"], "learning_rates": [{}], "control_episodes": 1)",
        d, rate);
    return Work{fmt::format("belief-linear-gaussian/d={}", d),
                "belief-linear-gaussian",
                "paper",
                "episode",
                200,
                one_rule + R"(, "runs": {runs})",
                one_rule + fmt::format(R"(, "runs": {{runs}}, "episodes": {})", episodes),
                runs};
  };
  // Modules are hardly trained here: a pass is episodes, not training. Marginals are scored in the
  // one way that contenders know.
  const auto continuous = [](const char* training, int episodes) {
    return fmt::format(
        R"("splines": ["cubic-10"], "marginals_scored": ["released"], "control_episodes": 1, )"
        R"("training_steps": {}, "episodes": {}, "runs": {{runs}})",
        training, episodes);
  };
  const auto encoder = [](int iterations) {
    return fmt::format(
        R"("recipes": ["printed"], "angles": 1, "long_runs": 1, "long_steps": 1, "episodes": 1, "online_worlds": 1, "online_episodes": 1, "online_rows": 20, "online_training_rows": 20, "meta_steps": {}, "runs": {{runs}})",
        iterations);
  };
  const auto mlp = [](int n, int episodes, int checked_episodes, int runs) {
    const auto settings = [n](int training, int length) {
      return fmt::format(
          R"("levels": [{}], "rows": ["released"], "episodes": {}, "runs": {{runs}}, "large_runs": 1000, )"
          R"("released": {{"training_steps": {}, "belief": {{"learning_rate": 0.01}}}})",
          n, length, training);
    };
    return Work{fmt::format("belief-mlp/N={}", n),
                "belief-mlp",
                "paper",
                "episode",
                episodes,
                settings(1, episodes),
                settings(20, checked_episodes),
                runs};
  };
  return {belief(10),
          belief(100),
          adaptation("adaptation-curve", "released-code"),
          adaptation("adaptation-curve/paper", "paper"),
          same(10, 20, 200),
          same(100, 10, 100),
          gaussian(10, "1e-3", 400, 10),
          gaussian(100, "1e-5", 40, 4),
          {"belief-continuous", "belief-continuous", "released-code", "episode", 20,
           continuous("1", 20), continuous("100", 10), 60},
          {"encoder-rotation", "encoder-rotation", "released-code", "iteration", 10, encoder(10),
           encoder(8), 60},
          mlp(10, 10, 12, 200),
          mlp(100, 2, 2, 12)};
}

Settings settings_of(const Work& work, const std::string& overlay, int runs) {
  UserConfig config;
  config.file = "bench";
  config.text = "{" + overlay + "}";
  const std::string mark = "{runs}";
  config.text.replace(config.text.find(mark), mark.size(), std::to_string(runs));
  return Settings::of(work.experiment, work.profile, "full", config);
}

double median_of(const std::vector<double>& values) { return quantile(values, 0.5); }

struct Timing {
  int runs = 0;
  double seconds = 0;  // median over repetitions
};

/// Enough runs to be timed, then the median of `repeat` passes.
Timing time_work(const Work& work, int threads, int repeat, double at_least) {
  const Experiment& experiment = find_experiment(work.experiment);
  RunOptions options;
  options.threads = threads;
  options.progress = [](double) { stop_if_interrupted(); };
  const auto pass = [&](int runs) {
    const Settings settings = settings_of(work, work.timed, runs);
    const auto start = std::chrono::steady_clock::now();
    run_experiment(experiment, settings, options);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  int runs = 2 * threads;
  for (double seconds; (seconds = pass(runs)) < at_least;) {
    const double factor = std::clamp(1.3 * at_least / seconds, 1.5, 20.0);
    const int per_thread = int(std::ceil(factor * runs / threads));
    runs = per_thread * threads;  // no thread idles at the end
  }
  std::vector<double> seconds;
  seconds.reserve(std::size_t(repeat));
  for (int i = 0; i < repeat; ++i) seconds.push_back(pass(runs));
  return {runs, median_of(seconds)};
}

Report checked_report(const Work& work, int threads) {
  RunOptions options;
  options.threads = threads;
  options.seed = 1;  // other draws than the timed ones
  return run_experiment(find_experiment(work.experiment),
                        settings_of(work, work.checked, work.checked_runs), options);
}

/// A contender: a script and the interpreter that runs it.
struct Contender {
  std::string name, script;
  std::vector<std::string> arguments;
};

std::vector<Contender> contenders_of(const std::string& choice) {
  const std::vector<Contender> all = {{"torch-loop", "torch_loop.py", {}},
                                      {"torch-batched", "torch_batched.py", {}},
                                      {"torch-loop-table", "torch_loop.py", {"--table"}}};
  std::vector<Contender> chosen;
  for (const Contender& contender : all)
    if (choice == contender.name || choice == "all" ||
        (choice == "both" && contender.arguments.empty()))
      chosen.push_back(contender);
  return chosen;
}

/// bench/contenders beside or above the binary, where the source tree is.
std::optional<std::filesystem::path> contenders_folder() {
  std::error_code failed;
  const auto binary = std::filesystem::read_symlink("/proc/self/exe", failed);
  for (auto folder = binary.parent_path(); !failed; folder = folder.parent_path()) {
    const auto found = folder / "bench" / "contenders";
    if (std::filesystem::is_directory(found, failed)) return found;
    failed.clear();
    if (folder == folder.parent_path()) break;
  }
  return {};
}

class Torch {
 public:
  /// Looks for an interpreter that has torch, and for the scripts.
  Torch() : folder_(contenders_folder()) {
    const char* own = std::getenv("WHENCE_PYTHON");
    for (const std::string& python :
         {std::string(own ? own : ""), find_tool("python3"), std::string("/usr/bin/python3")}) {
      if (python.empty()) continue;
      const auto version = run_tool({python, "-c", "import torch; print(torch.__version__)"}, "");
      stop_if_interrupted();
      if (!version) continue;
      python_ = python;
      version_ = version->substr(0, version->find('\n'));
      return;
    }
  }

  bool found() const { return folder_ && !python_.empty(); }
  const std::string& version() const { return version_; }
  std::string why_not() const {
    if (!folder_)
      return "contenders are left out: they are in bench/contenders of the source tree; run the "
             "command built there (./whence bench)";
    return "contenders are left out: no Python with torch was found; install it (apt install "
           "python3-torch) or name an interpreter that has it in WHENCE_PYTHON";
  }

  Json run(const Contender& contender, const Work& work, std::vector<std::string> more) const {
    std::vector<std::string> command = {python_, (*folder_ / contender.script).string(), work.name};
    command.insert(command.end(), contender.arguments.begin(), contender.arguments.end());
    command.insert(command.end(), more.begin(), more.end());
    const auto output = run_tool(command, "");
    stop_if_interrupted();
    if (!output)
      throw Error(ExitCode::internal, "E-BENCH-CONTENDER", contender.name, "failed on " + work.name,
                  "run it alone: python3 bench/contenders/" + contender.script + " " + work.name);
    return read_json(*output, contender.script);
  }

 private:
  std::optional<std::filesystem::path> folder_;
  std::string python_, version_;
};

const Curve& curve_of(const Report& report, const std::string& id) {
  for (const Curve& curve : report.curves)
    if (curve.id == id) return curve;
  throw Error(ExitCode::internal, "E-BENCH-CURVE", id, "a contender names an unknown curve");
}

/// By how many standard errors a contender's median differs from ours. Both have the same law if
/// they do the same work, so our many runs say how far one run spreads.
double deviation(const Report& report, int runs, const Json& statistic) {
  const Curve& curve = curve_of(report, statistic.find("curve")->text);
  const double x = statistic.find("x")->as_double();
  const auto at = std::size_t(std::find(curve.x.begin(), curve.x.end(), x) - curve.x.begin());
  if (at == curve.x.size())
    throw Error(ExitCode::internal, "E-BENCH-CURVE", curve.id, "a contender names an unknown x");
  std::vector<double> values;
  for (const Json& value : statistic.find("values")->items) values.push_back(value.as_double());
  // Of a normal law: sd = quartile range / 1.349; the median's standard error is 1.2533 sd / sqrt
  // n.
  const double sd = (curve.q75[at] - curve.q25[at]) / 1.349;
  const double error = 1.2533 * sd * std::sqrt(1.0 / runs + 1.0 / double(values.size()));
  return (median_of(values) - curve.median[at]) / error;
}

/// Of a normal law, chance exceeds it once in a million times; medians of few runs have wider
/// tails.
constexpr double most_standard_errors = 5;

/// The largest deviation; throws when it is no chance.
double check_agreement(const Work& work, const Contender& contender, const Report& report,
                       const Json& checked) {
  double worst = 0;
  for (const Json& statistic : checked.find("statistics")->items) {
    const double d = std::abs(deviation(report, work.checked_runs, statistic));
    worst = std::max(worst, d);
    if (d <= most_standard_errors) continue;
    throw Error(
        ExitCode::numerical, "E-BENCH-DISAGREES", work.name,
        fmt::format("{} does other work: {} at {} differs by {:.1f} standard errors",
                    contender.name, statistic.find("curve")->text, statistic.find("x")->text, d),
        "nothing is timed before it agrees");
  }
  return worst;
}

/// One line of the result.
struct Measured {
  const Work* work;
  Timing own;
  std::string contender;  // empty: nothing to compare with
  double contender_seconds_per_unit = 0;
  double deviation = 0;

  double units() const { return double(own.runs) * work->units_per_run; }
  double seconds_per_unit() const { return own.seconds / units(); }
  double ratio() const { return contender_seconds_per_unit / seconds_per_unit(); }
};

/// "1.17 ms"
std::string shown_time(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} us", seconds * 1e6);
}

class Bench {
 public:
  Bench(const BenchOptions& options, const Globals& globals)
      : options_(options),
        globals_(globals),
        threads_(threads_of(options.threads, globals)),
        repeat_(options.repeat.empty() ? (options.quick ? 3 : 5) : repeat_of(options.repeat)) {}

  void run() {
    std::vector<Contender> contenders = contenders_of(options_.contender);
    if (!contenders.empty()) {
      torch_.emplace();
      if (!torch_->found()) contenders.clear();
    }
    for (const Work& work : work_)
      if (options_.name == "all" || options_.name == work.name) measure(work, contenders);
    print(options_.json ? as_json().dump(2) + "\n" : for_locale(in_words()));
    if (torch_ && !torch_->found()) print_note(torch_->why_not());
  }

 private:
  static int repeat_of(const std::string& text) {
    const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
    const int value = digits && text.size() < 5 ? std::stoi(text) : 0;
    if (value < 1)
      throw Error(ExitCode::usage, "E-USAGE-VALUE", "--repeat",
                  "'" + excerpt(text) + "' is not a whole number from 1 to 9999");
    return value;
  }

  void say(const std::string& text) const {
    if (!globals_.quiet) print_stderr("bench: " + text + "\n");
  }

  void measure(const Work& work, const std::vector<Contender>& contenders) {
    const std::vector<double> deviations = check(work, contenders);
    say(work.name + ": timing whence");
    const Timing own = time_work(work, threads_, repeat_, options_.quick ? 0.05 : 0.3);
    if (contenders.empty()) measured_.push_back({&work, own, {}});
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      say(work.name + ": timing " + contenders[i].name);
      const Json timed =
          torch_->run(contenders[i], work, with_quick({"--repeat", std::to_string(repeat_)}));
      measured_.push_back({&work, own, contenders[i].name,
                           timed.find("seconds")->as_double() / timed.find("units")->as_double(),
                           deviations[i]});
    }
  }

  std::vector<double> check(const Work& work, const std::vector<Contender>& contenders) const {
    std::vector<double> deviations;
    if (contenders.empty()) return deviations;
    const Report report = checked_report(work, threads_);
    for (const Contender& contender : contenders) {
      say(work.name + ": does " + contender.name + " agree?");
      const Json checked = torch_->run(contender, work, with_quick({"--check"}));
      deviations.push_back(check_agreement(work, contender, report, checked));
    }
    return deviations;
  }

  std::vector<std::string> with_quick(std::vector<std::string> arguments) const {
    if (options_.quick) arguments.emplace_back("--quick");
    return arguments;
  }

  std::string machine() const {
    std::string text = fmt::format("whence {} ({}), {}, {}: {} thread{}, {}, on {}\n", version(),
                                   revision(), compiler(), build_type(), threads_,
                                   threads_ == 1 ? "" : "s", simd_target(), cpu_name());
    if (torch_ && torch_->found())
      text += fmt::format("contenders: torch {}, 1 thread; each was first checked to agree\n",
                          torch_->version());
    return text;
  }

  std::string in_words() const {
    std::string out = machine();
    out += fmt::format("median of {} passes, per unit of the same work\n\n", repeat_);
    out += fmt::format("{:<25} {:<8} {:>10}  {:<17} {:>10} {:>8}\n", "work", "unit", "whence",
                       "contender", "takes", "ratio");
    for (const Measured& m : measured_) {
      out += fmt::format("{:<25} {:<8} {:>10}", m.work->name, m.work->unit,
                         shown_time(m.seconds_per_unit()));
      if (!m.contender.empty())
        out += fmt::format("  {:<17} {:>10} {:>7.0f}x", m.contender,
                           shown_time(m.contender_seconds_per_unit), m.ratio());
      out += "\n";
    }
    return out;
  }

  static Json as_json(const Measured& m, int threads) {
    const bool alone = m.contender.empty();
    const Json nothing;
    Json out = Json::object({{"name", m.work->name},
                             {"contender", alone ? nothing : Json(m.contender)},
                             {"seconds", m.own.seconds}});
    const double theirs = m.contender_seconds_per_unit * m.units();
    out.set("contender_seconds", alone ? nothing : Json(theirs));
    out.set("ratio", alone ? nothing : Json(m.ratio()));
    out.set("unit", m.work->unit);
    out.set("units", m.units());
    out.set("seconds_per_unit", m.seconds_per_unit());
    out.set("contender_seconds_per_unit", alone ? nothing : Json(m.contender_seconds_per_unit));
    out.set("threads", threads);
    out.set("contender_threads", alone ? nothing : Json(1));
    if (!alone)
      out.set("agreement",
              Json::object({{"standard_errors", m.deviation}, {"allowed", most_standard_errors}}));
    return out;
  }

  Json as_json() const {
    Json list = Json::list();
    for (const Measured& m : measured_) list.items.push_back(as_json(m, threads_));
    return Json::object({{"version", version()},
                         {"revision", revision()},
                         {"compiler", compiler()},
                         {"build_type", build_type()},
                         {"cpu", cpu_name()},
                         {"instruction_set", simd_target()},
                         {"threads", threads_},
                         {"torch", torch_ && torch_->found() ? Json(torch_->version()) : Json()},
                         {"repeat", repeat_},
                         {"benchmarks", std::move(list)}});
  }

  const BenchOptions& options_;
  const Globals& globals_;
  int threads_, repeat_;
  std::vector<Work> work_ = all_work();
  std::optional<Torch> torch_;
  std::vector<Measured> measured_;
};

std::string work_choices() {
  std::vector<std::string> names = {"all"};
  for (const Work& work : all_work()) names.push_back(work.name);
  names.insert(names.end(), {"direction", "graphs", "encoders", "real", "tables", "invariance"});
  return "NAME:" + joined(names, "|");
}

}  // namespace

/// Times of one machine are not shared out.
static void refuse_sharing(const SharedOptions& shared) {
  if (!is_shared(shared)) return;
  throw Error(ExitCode::usage, "E-USAGE-SHARD", "bench",
              "only bench graphs and bench direction run on several ranks, in shards or with a "
              "checkpoint",
              "start it as one process, without --shard and --checkpoint");
}

void add_bench(CLI::App& root, Globals& globals) {
  CLI::App* app = root.add_subcommand(
      "bench",
      "speed beside PyTorch's; direction, graphs, encoders, real, tables: how often it is right");
  app->group("Tools");
  const auto options = std::make_shared<BenchOptions>();
  app->add_option(
         "NAME", options->name,
         "a piece of work, or all of them; direction, graphs, encoders: accuracy, honesty and time "
         "of whence direction, of graphs from shifts and of whence disentangle on data whose truth "
         "is known; real: the first two on recorded data; tables: on tables of which something is "
         "known; invariance: how much order, names, "
         "units, copies and single rows change the answers")
      ->default_str("all")
      ->type_name(work_choices());
  app->add_option("DIR", options->real.folders,
                  "of real and encoders: folders with CSV files (baseline.csv and others, or one "
                  "table) and a truth.json; of tables: files with a list; see bench/README.md")
      ->type_name("DIR");
  add_value(*app, "--columns", options->encoders.columns, "NAMES",
            "of encoders DIR: the recorded sensors, joined by commas");
  add_value(*app, "--hidden", options->encoders.hidden, "NAMES",
            "of encoders DIR: the columns behind them, which the engine does not see");
  add_value(*app, "--choose", options->encoders.choose, "N",
            "of encoders DIR: so many of the sensors, at random in each subsample")
      ->default_str("all");
  app->add_flag("--count-unknown", options->encoders.count_unknown,
                "of encoders DIR: do not tell the engine how many columns are hidden");
  add_real_options(*app, options->real);
  add_value(*app, "--contender", options->contender,
            "both|torch-loop|torch-batched|torch-loop-table|all|none",
            "whom to compare with: the plain loop, the same vectorised over runs, both; the loop "
            "with each table normalised once; all three; or nobody");
  add_value(*app, "--threads", options->threads, "N", "threads of whence; contenders have one");
  add_value(*app, "--repeat", options->repeat, "N", "passes; the median counts")
      ->default_str("5, with --quick 3");
  app->add_flag(
      "--quick", options->quick,
      "shorter passes and smaller checks: rough figures; of encoders: 20 worlds of each kind");
  app->add_flag("--json", options->json, "print one JSON object");
  add_value(
      *app, "--scale", options->graphs.scale, "smoke|full|large",
      "of direction, graphs and encoders: as many data sets as the rates need, or a few; large: "
      "graphs of up to 1,000 variables");
  add_value(
      *app, "--only", options->graphs.only, "NAMES",
      "of graphs: these rows of its tables, joined by commas ('shuffled*': all that begin so); of "
      "encoders: joined by semicolons")
      ->default_str("all");
  add_value(*app, "--sets", options->graphs.sets, "N",
            "of graphs: at most so many data sets of each row; of encoders: so many worlds")
      ->default_str("as many as the row's figures need");
  add_value(*app, "--seed", options->graphs.seed, "N",
            "of direction, graphs, encoders and real: seed of all random numbers, 0 to 2^64-1");
  add_value(*app, "-o,--output", options->graphs.output, "DIR",
            "of direction, graphs, encoders and real: where the page and the tables go")
      ->default_str("whence-out/bench-NAME");
  add_value(*app, "--checkpoint", options->graphs.shared.checkpoint, "FILE",
            "of direction and graphs: what is done goes there; the same command goes on from it")
      ->default_str("none");
  add_value(*app, "--shard", options->graphs.shared.shard, "I/N",
            "of direction and graphs: do part I of N, into --checkpoint; whence merge joins them")
      ->default_str("all of it");
  app->footer(
      "The contenders are the scripts of bench/contenders. They need torch (Debian: "
      "python3-torch),\n"
      "in python3 or in the interpreter that WHENCE_PYTHON names. Nothing is timed before it "
      "agrees.");
  app->callback([options, &globals] {
    GraphsBenchOptions& graphs = options->graphs;
    graphs.threads = options->threads;
    graphs.json = options->json;
    if (graphs.scale == "large" && options->name != "graphs")
      throw Error(ExitCode::usage, "E-USAGE-CHOICE", "--scale", "only bench graphs has it",
                  "--scale smoke or full");
    if (options->name != "direction" && options->name != "graphs") refuse_sharing(graphs.shared);
    options->real.take(graphs);
    if (options->name == "real") return bench_real(options->real, globals);
    if (options->name == "tables") return bench_tables(options->real, globals);
    if (options->name == "encoders") {
      EncodersBenchOptions& encoders = options->encoders;
      encoders.scale = options->quick ? "quick" : graphs.scale;
      encoders.output = graphs.output;
      encoders.seed = graphs.seed;
      encoders.threads = graphs.threads;
      encoders.only = graphs.only;
      encoders.sets = graphs.sets;
      encoders.json = graphs.json;
      return bench_encoders(encoders, options->real, globals);
    }
    if (!options->real.folders.empty())
      throw Error(ExitCode::usage, "E-USAGE-EXTRA", "",
                  "'" + excerpt(options->real.folders[0]) + "' is one argument too many",
                  "folders go with whence bench real and encoders, lists with whence bench tables");
    if (options->name == "direction")
      return bench_direction(
          {graphs.scale, graphs.output, graphs.seed, graphs.threads, graphs.json, graphs.shared},
          globals);
    if (options->name == "graphs") return bench_graphs(graphs, globals);
    if (options->name == "invariance")
      return bench_invariance({graphs.scale, graphs.seed, graphs.threads, graphs.json}, globals);
    Bench(*options, globals).run();
  });
}

}  // namespace whence
