#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "apps/whence/commands.hpp"
#include "apps/whence/data_options.hpp"
#include "apps/whence/host.hpp"
#include "apps/whence/terminal.hpp"
#include "apps/whence/text_table.hpp"
#include "whence/core/error.hpp"
#include "whence/core/quoting.hpp"
#include "whence/core/text.hpp"
#include "whence/io/graph/graph_formats.hpp"
#include "whence/io/json/json_list.hpp"
#include "whence/paper/graph_transfer.hpp"
#include "whence/paper/meta_learn_report.hpp"
#include "whence/report/report_files.hpp"
#include "whence/report/result_json.hpp"
#include "whence/report/result_parts.hpp"
#include "whence/version.hpp"

namespace whence {
namespace {

struct MetaLearnOptions {
  DataOptions data;
  std::string config, output, seed, threads = "auto";
  bool json = false;

  bool has_data() const { return !input_paths(data).empty(); }
};

/// The command that gives the same results again; of paths only the last part.
std::vector<std::string> command(const MetaLearnOptions& options, std::uint64_t seed) {
  GivenOptions given({"whence", "meta-learn"});
  given.word("--config", std::filesystem::path(options.config).filename().string());
  add_given(given, options.data);
  given.word("--seed", std::to_string(seed));
  return given.words;
}

std::filesystem::path folder(const MetaLearnOptions& options, const std::string& name) {
  if (!options.output.empty()) return options.output;
  return std::filesystem::path("whence-out") / "meta-learn" / (name.empty() ? "run" : name);
}

/// What every report of this command is shown as; more files may be added.
Answer answer_of(const std::shared_ptr<Report>& report, const Json& json,
                 const std::vector<std::string>& again, std::vector<OutputFile> more = {}) {
  Answer answer;
  answer.json = result_text(json);
  answer.screen = wrapped(for_locale(report->summary), 0, terminal_width()) + "\n";
  answer.warnings = warnings_of(*report);
  answer.command = again;
  answer.files = [report, again, text = answer.json, more = std::move(more)] {
    std::vector<OutputFile> files = answer_files(
        text, *report, {report->title, report->summary, version(), revision(), shell_words(again)});
    files.insert(files.end(), more.begin(), more.end());
    return files;
  };
  return answer;
}

/// Algorithm 1 on the user's files: a belief per edge.
void run_on_data(const MetaLearnOptions& options, Globals& globals) {
  const LoadedData loaded = load_data(options.data, std::nullopt, most_transfer_variables);
  TransferOptions how;
  how.seed = options.seed.empty() ? 0 : seed_of(options.seed);
  how.baseline = loaded.baseline;
  const int threads = threads_of(options.threads, globals);
  const std::vector<std::string> again = command(options, how.seed);
  const std::filesystem::path output = folder(options, "data");
  refuse_to_overwrite(input_paths(options.data), output);
  Delivery delivery(output, again, threads, globals);

  ProgressShow shown("meta-learn", globals);
  const auto watched = [&](double done) { shown.show(done); };
  const TransferResult result = learn_graph_by_transfer(loaded.data, how, {threads, watched});
  const auto report = std::make_shared<Report>(transfer_report(result));
  report->seed = how.seed;
  GivenOptions given;
  add_given(given, options.data);
  given.json.set("inputs", listed(loaded.sources, input_json));
  given.json.set("left_out", left_out_json(loaded));
  report->settings_json = given.json.dump();
  report->warnings.insert(report->warnings.begin(), loaded.warnings.begin(), loaded.warnings.end());
  const NamedGraph graph{result.variables, result.graph, result.edges.values};
  Answer answer = answer_of(report, result_json(*report), again,
                            {{"graph.dot", write_graph(graph, GraphFormat::dot)},
                             {"graph.json", write_graph(graph, GraphFormat::json)}});
  answer.notes = reading_notes(loaded);
  answer.screen += text_table(report->tables[0]);
  delivery.write("meta-learn", answer);
  delivery.show(std::move(answer), options.json);
}

/// Algorithm 1 on worlds that are drawn.
void run_on_worlds(const MetaLearnOptions& options, Globals& globals) {
  UserConfig config;
  config.max_memory = bytes_of(options.data.max_memory);
  config.file = options.config;
  config.text = text_named(options.config, globals);
  const Settings settings = meta_learning_settings(config);
  RunOptions how;
  how.seed = options.seed.empty() ? settings.seed().value_or(0) : seed_of(options.seed);
  how.threads = threads_of(options.threads, globals);
  const std::vector<std::string> again = command(options, how.seed);
  Delivery delivery(folder(options, settings.run_name()), again, how.threads, globals);

  ProgressShow shown("meta-learn", globals);
  how.progress = [&](double done) { shown.show(done); };
  const auto report = std::make_shared<Report>(meta_learning_report(settings, how));
  Answer answer = answer_of(report, result_json(*report), again);
  delivery.write("meta-learn", answer);
  if (report->failed_runs > 0) globals.exit_code = int(ExitCode::partial);
  delivery.show(std::move(answer), options.json);
}

void run(const MetaLearnOptions& options, Globals& globals) {
  if (options.config.empty() != options.has_data())
    throw Error(ExitCode::usage, "E-USAGE-DATA", "",
                options.config.empty() ? "neither a world nor data are given"
                                       : "a world and data are given",
                "one of: --config FILE, or the files of --baseline and --shifted");
  if (options.has_data())
    run_on_data(options, globals);
  else
    run_on_worlds(options, globals);
}

}  // namespace

void add_meta_learn(CLI::App& root, Globals& globals) {
  CLI::App* app =
      root.add_subcommand("meta-learn", "Algorithm 1 on a world of your choice, or on your data");
  app->group("Start here");
  const auto options = std::make_shared<MetaLearnOptions>();
  add_value(*app, "--config", options->config, "FILE", "a JSON object: world, shift, every switch")
      ->default_str("");
  add_data_options(*app, options->data, globals);
  add_value(*app, "--seed", options->seed, "N", "seed of all random numbers, 0 to 2^64-1")
      ->default_str("0, or that of --config");
  add_value(*app, "--threads", options->threads, "N", "threads; results do not depend on it")
      ->default_str("as many as this process may use");
  add_value(*app, "-o,--output", options->output, "DIR", "where the results go, all at once")
      ->default_str("whence-out/meta-learn/NAME");
  app->add_flag("--json", options->json, "print result.json to stdout and nothing else");
  app->footer(
      "Example of a configuration:\n"
      "  {\"world\": \"linear-gaussian\", \"dimension\": 5, \"shift\": \"cause\",\n"
      "   \"steps\": 10, \"adaptation\": {\"optimizer\": \"adam\", \"learning_rate\": 0.01}}\n"
      "\nExamples:\n"
      "  whence meta-learn --config my-world.json\n"
      "  whence meta-learn --config my-world.json --seed 3 -o results --json\n"
      "  whence meta-learn --baseline base.csv --shifted a.csv     (2 to 5 categorical columns)");
  app->callback([options, &globals] { run(*options, globals); });
}

}  // namespace whence
