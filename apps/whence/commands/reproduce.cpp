#include <filesystem>
#include <memory>
#include <new>
#include <span>

#include <CLI/CLI.hpp>

#include "apps/whence/commands.hpp"
#include "apps/whence/host.hpp"
#include "apps/whence/shared_run.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/core/claim_tally.hpp"
#include "whence/core/error.hpp"
#include "whence/core/quoting.hpp"
#include "whence/core/text.hpp"
#include "whence/paper/experiment.hpp"
#include "whence/report/report_bytes.hpp"
#include "whence/report/report_files.hpp"
#include "whence/report/result_json.hpp"
#include "whence/version.hpp"

namespace whence {
namespace {

struct ReproduceOptions {
  std::string name, scale = "full", profile = "paper", config, output, seed;
  std::string threads = "auto", max_memory = "4G";
  bool json = false;
  SharedOptions shared;
};

/// One experiment that is about to run.
struct Planned {
  const Experiment* experiment;
  Settings settings;
};

class Reproduction {
 public:
  Reproduction(const ReproduceOptions& options, Globals& globals)
      : options_(options),
        globals_(globals),
        config_(read_config(options, globals)),
        plan_(make_plan()),
        seed_(options.seed.empty() ? plan_[0].settings.seed().value_or(0) : seed_of(options.seed)),
        threads_(threads_of(options.threads, globals)),
        delivery_(folder(), command(true), threads_, globals) {}

  void run() {
    run_all();
    const bool all = options_.name == "all";
    Answer answer;
    answer.json = result_text(all ? result_json(reports_, failed_) : result_json(reports_[0]));
    answer.screen = summary();
    for (const Report& report : reports_)
      for (std::string& warning : warnings_of(report))
        answer.warnings.push_back(std::move(warning));
    for (const FailedExperiment& failed : failed_)
      answer.warnings.push_back(failed.experiment + " failed: " + failed.problem);
    answer.command = command(false);
    answer.files = [reports = reports_, again = shell_words(answer.command), all,
                    text = answer.json, words = lead()] {
      return all ? files_of_all(reports, again, text, words)
                 : report_files(reports[0], {reports[0].title, reports[0].summary, version(),
                                             revision(), again});
    };
    if (!failed_.empty()) globals_.exit_code = int(ExitCode::partial);
    delivery_.write({}, answer);
    delivery_.show(std::move(answer), options_.json);
  }

 private:
  static UserConfig read_config(const ReproduceOptions& options, const Globals& globals) {
    UserConfig config;
    config.max_memory = bytes_of(options.max_memory);
    if (options.config.empty()) return config;
    if (options.name == "all")
      throw Error(ExitCode::usage, "E-USAGE-CONFIG", "--config",
                  "a configuration belongs to one experiment", "name it instead of 'all'");
    config.file = options.config;
    config.text = text_named(options.config, globals);
    return config;
  }

  /// Everything that can be wrong with settings is found before the first experiment runs.
  std::vector<Planned> make_plan() {
    std::vector<Planned> plan;
    const bool all = options_.name == "all";
    const auto add = [&](const Experiment& experiment) {
      plan.push_back(
          {&experiment, Settings::of(experiment.name, options_.profile, options_.scale, config_)});
    };
    if (!all) add(find_experiment(options_.name));
    for (const Experiment& experiment : all ? experiments() : std::span<const Experiment>{}) {
      try {
        add(experiment);
      } catch (const Error& error) {
        if (!concerns_one(error)) throw;
        failed_.push_back({std::string(experiment.name), error.id(), error.what()});
      }
    }
    if (plan.empty())
      throw Error(ExitCode::resource, failed_[0].id, failed_[0].experiment, failed_[0].problem,
                  "raise --max-memory");
    return plan;
  }

  /// Of several experiments one may fail by its numbers or its size; the others still count.
  static bool concerns_one(const Error& error) {
    return error.code() == ExitCode::numerical || error.code() == ExitCode::resource;
  }

  std::filesystem::path folder() const {
    if (!options_.output.empty()) return options_.output;
    const std::string name = plan_[0].settings.run_name();
    return std::filesystem::path("whence-out") / "reproduce" /
           (name.empty() ? options_.name : name);
  }

  /// The command that gives the same results again; of paths only the last part.
  std::vector<std::string> command(bool with_threads) const {
    std::vector<std::string> words = {"whence",       "reproduce",      options_.name,
                                      "--profile",    options_.profile, "--scale",
                                      options_.scale, "--seed",         std::to_string(seed_)};
    const auto file = [](const std::string& path) {
      return printable(std::filesystem::path(path).filename().string());
    };
    if (!options_.config.empty()) words.insert(words.end(), {"--config", file(options_.config)});
    if (with_threads) words.insert(words.end(), {"--threads", std::to_string(threads_)});
    return words;
  }

  /// Experiments as units, several of them on several ranks. One that fails leaves its reason.
  void run_shared(SharedWork& work) {
    ProgressShow shown(options_.name, globals_);
    const auto done = work.results(
        "experiments", plan_.size(), 1,
        [&](std::size_t i) {
          stop_if_asked(globals_);
          RunOptions run;
          run.seed = seed_;
          run.threads = threads_;
          try {
            return "+" + report_bytes(run_experiment(*plan_[i].experiment, plan_[i].settings, run));
          } catch (const Error& error) {
            if (!concerns_one(error)) throw;
            return "-" + ByteWriter()
                             .put(error.code())
                             .put_text(error.id())
                             .put_text(error.place())
                             .put_text(error.what())
                             .put_text(error.hint())
                             .take();
          }
        },
        [&](double share) { shown.show(share); });
    for (std::size_t i = 0; i < done.size(); ++i) {
      const std::string_view bytes = done[i];
      if (bytes.starts_with('+')) {
        reports_.push_back(report_of_bytes(bytes.substr(1)));
        continue;
      }
      ByteReader reader(bytes.substr(std::min<std::size_t>(1, bytes.size())));
      const auto code = reader.get<ExitCode>();
      const std::string id = reader.get_text(), at = reader.get_text(), what = reader.get_text();
      set_aside(plan_[i], Error(code, id, at, what, reader.get_text()));
    }
    delivery_.record().timed(options_.name, delivery_.record().elapsed());
  }

  void run_all() {
    std::vector<SharedFact> facts = facts_of(command(false));
    facts.push_back({"configuration", config_.text});
    SharedRun shared(options_.shared, std::move(facts));
    if (shared.work() != nullptr) return run_shared(*shared.work());
    const double share = 1.0 / double(plan_.size());
    ProgressShow shown(options_.name, globals_);
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      const double before = delivery_.record().elapsed();
      RunOptions run;
      run.seed = seed_;
      run.threads = threads_;
      run.progress = [&](double done) { shown.show((double(i) + done) * share); };
      stop_if_asked(globals_);
      try {
        reports_.push_back(run_experiment(*plan_[i].experiment, plan_[i].settings, run));
      } catch (const Error& error) {
        set_aside(plan_[i], error);
      } catch (const std::bad_alloc&) {
        set_aside(plan_[i], Error(ExitCode::resource, "E-LIMIT-MEMORY", "", "memory ran out"));
      }
      RunRecord& record = delivery_.record();
      record.timed(std::string(plan_[i].experiment->name), record.elapsed() - before);
    }
    stop_if_asked(globals_);
  }

  void set_aside(const Planned& planned, const Error& error) {
    const bool last_hope = reports_.empty() && &planned == &plan_.back();
    if (options_.name != "all" || !concerns_one(error) || last_hope) throw error;
    failed_.push_back({std::string(planned.experiment->name), error.id(), error.what()});
  }

  /// result.json first.
  static std::vector<OutputFile> files_of_all(const std::vector<Report>& reports,
                                              const std::string& again, const std::string& text,
                                              const std::string& lead) {
    std::vector<OutputFile> files;
    files.push_back({"result.json", text});
    const std::string title = "The figures of the paper";
    files.push_back(
        {"index.html", report_page(reports, {title, lead, version(), revision(), again})});
    for (const Report& report : reports) {
      const PageInfo page{report.title, report.summary, version(), revision(), again};
      for (OutputFile& file : report_files(report, page, report.experiment + "/"))
        files.push_back(std::move(file));
    }
    return files;
  }

  std::string lead() const {
    std::string text =
        std::to_string(reports_.size()) + " experiments: " + ClaimTally(reports_).in_words() + ".";
    for (const FailedExperiment& failed : failed_)
      text += " " + failed.experiment + " failed: " + failed.problem + ".";
    return text;
  }

  std::string summary() const {
    std::string out;
    const int width = terminal_width();
    for (const Report& report : reports_) {
      out += report.experiment + " (" + report.profile + ", " + report.scale + ", seed " +
             std::to_string(report.seed) + "): " + for_locale(report.title) + "\n";
      if (!report.summary.empty()) out += wrapped(for_locale(report.summary), 2, width) + "\n";
      out += claims_in_words(report) + "\n";
    }
    if (reports_.size() > 1) out += for_locale(lead()) + "\n";
    if (options_.scale == "smoke")
      out += "a quick look, too few runs to judge; --scale full uses the paper's own counts\n";
    return out;
  }

  const ReproduceOptions& options_;
  Globals& globals_;
  UserConfig config_;
  std::vector<FailedExperiment> failed_;
  std::vector<Planned> plan_;
  std::uint64_t seed_;
  int threads_;
  Delivery delivery_;
  std::vector<Report> reports_;
};

std::string experiment_choices() {
  std::vector<std::string> names = {"all"};
  for (const Experiment& experiment : experiments()) names.emplace_back(experiment.name);
  return "NAME:" + joined(names, "|");
}

std::string experiment_list() {
  std::string out = "Experiments:\n";
  for (const Experiment& experiment : experiments()) {
    const std::string name(experiment.name);
    out += "  " + name + std::string(20 - std::min<std::size_t>(18, name.size()), ' ') +
           Settings::of(name, "paper", "full").title() + "\n";
  }
  return out;
}

}  // namespace

void add_reproduce(CLI::App& root, Globals& globals) {
  CLI::App* app = root.add_subcommand("reproduce", "the paper's figures again, with what holds");
  app->group("Start here");
  const auto options = std::make_shared<ReproduceOptions>();
  app->add_option("NAME", options->name, "an experiment, or all of them")
      ->required()
      ->type_name(experiment_choices());
  add_value(*app, "--scale", options->scale, "smoke|full",
            "full: the paper's own counts, in minutes; smoke: the same in seconds");
  add_value(*app, "--profile", options->profile, "paper|released-code",
            "settings of the paper's text, or of the code its authors released");
  add_value(*app, "--config", options->config, "FILE",
            "a JSON object with settings of your own, laid over the others");
  add_value(*app, "--seed", options->seed, "N", "seed of all random numbers, 0 to 2^64-1")
      ->default_str("0, or that of --config");
  add_value(*app, "--threads", options->threads, "N", "threads; results do not depend on it")
      ->default_str("as many as this process may use");
  add_value(*app, "--max-memory", options->max_memory, "SIZE",
            "refuse settings whose tables need more");
  add_value(*app, "--checkpoint", options->shared.checkpoint, "FILE",
            "experiments that are done go there; the same command goes on from it")
      ->default_str("none");
  add_value(*app, "-o,--output", options->output, "DIR", "where the results go, all at once")
      ->default_str("whence-out/reproduce/NAME");
  app->add_flag("--json", options->json, "print result.json to stdout and nothing else");
  app->footer(experiment_list() +
              "\nExamples:\n"
              "  whence reproduce belief-discrete --scale smoke\n"
              "  whence reproduce adaptation-curve --profile released-code -o results\n"
              "  whence reproduce all --json | jq '.experiments[].claims[]'");
  app->callback([options, &globals] { Reproduction(*options, globals).run(); });
}

}  // namespace whence
