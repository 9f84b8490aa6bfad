#include <filesystem>
#include <memory>

#include "apps/whence/commands.hpp"
#include "apps/whence/host.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/core/error.hpp"
#include "whence/core/quoting.hpp"
#include "whence/core/text.hpp"
#include "whence/paper/meta_learn_report.hpp"
#include "whence/report/report_files.hpp"
#include "whence/report/result_json.hpp"
#include "whence/version.hpp"

namespace whence {
namespace {

struct MetaLearnOptions {
  std::string config, output, seed, threads = "auto", max_memory = "4G";
  bool json = false;
};

/// The command that gives the same results again; of paths only the last part.
std::vector<std::string> command(const MetaLearnOptions& options, std::uint64_t seed) {
  const auto file = std::filesystem::path(options.config).filename().string();
  return {"whence", "meta-learn", "--config", printable(file), "--seed", std::to_string(seed)};
}

std::filesystem::path folder(const MetaLearnOptions& options, const Settings& settings) {
  if (!options.output.empty()) return options.output;
  const std::string name = settings.run_name();
  return std::filesystem::path("whence-out") / "meta-learn" / (name.empty() ? "run" : name);
}

void run(const MetaLearnOptions& options, Globals& globals) {
  UserConfig config;
  config.max_memory = bytes_of(options.max_memory);
  config.file = options.config;
  config.text = text_named(options.config, globals);
  const Settings settings = meta_learning_settings(config);
  RunOptions how;
  how.seed = options.seed.empty() ? settings.seed().value_or(0) : seed_of(options.seed);
  how.threads = threads_of(options.threads, globals);
  const std::vector<std::string> again = command(options, how.seed);
  Delivery delivery(folder(options, settings), again, how.threads, globals);

  ProgressShow shown("meta-learn", globals);
  how.progress = [&](double done) { shown.show(done); };
  const auto report = std::make_shared<Report>(meta_learning_report(settings, how));
  Answer answer;
  answer.json = result_text(result_json(*report));
  answer.screen = wrapped(for_locale(report->summary), 0, terminal_width()) + "\n";
  answer.warnings = warnings_of(*report);
  answer.command = again;
  answer.files = [report, again] {
    return report_files(
        *report, {report->title, report->summary, version(), revision(), shell_words(again)});
  };
  delivery.write("meta-learn", answer);
  if (report->failed_runs > 0) globals.exit_code = int(ExitCode::partial);
  delivery.show(std::move(answer), options.json);
}

}  // namespace

void add_meta_learn(CLI::App& root, Globals& globals) {
  CLI::App* app = root.add_subcommand("meta-learn", "Algorithm 1 on a world of your choice");
  app->group("Start here");
  const auto options = std::make_shared<MetaLearnOptions>();
  add_value(*app, "--config", options->config, "FILE", "a JSON object: world, shift, every switch")
      ->required();
  add_value(*app, "--seed", options->seed, "N", "seed of all random numbers, 0 to 2^64-1")
      ->default_str("0, or that of --config");
  add_value(*app, "--threads", options->threads, "N", "threads; results do not depend on it")
      ->default_str("as many as this process may use");
  add_value(*app, "--max-memory", options->max_memory, "SIZE",
            "refuse settings whose tables need more");
  add_value(*app, "-o,--output", options->output, "DIR", "where the results go, all at once")
      ->default_str("whence-out/meta-learn/NAME");
  app->add_flag("--json", options->json, "print result.json to stdout and nothing else");
  app->footer(
      "Example of a configuration:\n"
      "  {\"world\": \"linear-gaussian\", \"dimension\": 5, \"shift\": \"cause\",\n"
      "   \"steps\": 10, \"adaptation\": {\"optimizer\": \"adam\", \"learning_rate\": 0.01}}\n"
      "\nExamples:\n"
      "  whence meta-learn --config my-world.json\n"
      "  whence meta-learn --config my-world.json --seed 3 -o results --json");
  app->callback([options, &globals] { run(*options, globals); });
}

}  // namespace whence
