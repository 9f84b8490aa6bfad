// whence disentangle: the variables behind columns that mix them.
#include <memory>

#include <CLI/CLI.hpp>

#include "apps/whence/commands.hpp"
#include "apps/whence/commands/simulate.hpp"
#include "apps/whence/data_options.hpp"
#include "apps/whence/host.hpp"
#include "apps/whence/terminal.hpp"
#include "apps/whence/text_table.hpp"
#include "whence/core/error.hpp"
#include "whence/core/quoting.hpp"
#include "whence/core/text.hpp"
#include "whence/core/variable_set.hpp"
#include "whence/report/encoder_report.hpp"
#include "whence/report/remark_words.hpp"
#include "whence/report/report_files.hpp"
#include "whence/report/result_json.hpp"
#include "whence/version.hpp"

namespace whence {
namespace {

struct DisentangleCommand {
  DataOptions data;
  std::string mixing, latents, output = "whence-out/disentangle", threads = "auto";
  bool json = false;
};

EncoderOptions options_of(const DisentangleCommand& command, const Globals& globals) {
  EncoderOptions options;
  if (!command.mixing.empty())
    options.mixing = command.mixing == "rotation" ? Mixing::rotation : Mixing::linear;
  if (!command.latents.empty()) options.latents = count_of("--latents", command.latents, 1, 1000);
  options.threads = threads_of(command.threads, globals);
  options.max_memory = bytes_of(command.data.max_memory);
  options.pulse = [&globals] { stop_if_asked(globals); };
  return options;
}

GivenOptions given_options(const DisentangleCommand& command) {
  GivenOptions given({"whence", "disentangle"});
  add_given(given, command.data);
  given.value("--mixing", value_or(command.mixing, "auto"), "auto");
  given.value("--latents", value_or(command.latents, "auto"), "auto");
  return given;
}

/// Words and numbers that are no numbers are read as categories: said here, before any arithmetic.
LoadedData load(const DisentangleCommand& command) {
  LoadedData loaded = load_data(command.data, std::nullopt, most_variables);
  if (!loaded.baseline)
    throw Error(ExitCode::usage, "E-USAGE-MISSING", "--baseline",
                "an environment must be the one that is unchanged",
                "--baseline base.csv, or --baseline NAME of a long table");
  return loaded;
}

std::string on_screen(const EncoderAnswer& answer, const Report& report) {
  const int width = terminal_width();
  const auto words = [&](const std::string& text) {
    return wrapped(for_locale(printable(text)), 0, width) + "\n";
  };
  std::string out = words(in_words(answer)) + "\n";
  out += text_table(report.tables[0]) + "\n" + text_table(report.tables[1], 10) + "\n";
  if (const std::string advice = advice_in_words(answer.verdict); !advice.empty())
    out += words(advice);
  return out + "latents.csv holds the latents of every row\n";
}

/// All that the files are made of.
struct DisentangleFiles {
  LoadedData loaded;
  EncoderAnswer answer;
  Report report;
  std::string command;

  std::vector<OutputFile> make(const std::string& text) const {
    const GraphView view = encoder_view(answer);
    std::vector<OutputFile> files = answer_files(
        text, report, {report.title, report.summary, version(), revision(), command, false, &view});
    files.push_back({"latents.csv", latents_csv(answer, loaded.data)});
    return files;
  }
};

void run(const DisentangleCommand& command, Globals& globals) {
  EncoderOptions options = options_of(command, globals);
  refuse_to_overwrite(input_paths(command.data), command.output);
  LoadedData loaded = load(command);
  options.baseline = *loaded.baseline;
  const GivenOptions given = given_options(command);
  Delivery delivery(command.output, given.words, options.threads, globals);
  stop_if_asked(globals);

  EncoderAnswer found = find_encoder(loaded.data, options);
  stop_if_asked(globals);
  Report report = encoder_report(found, loaded.data);
  report.warnings = all_warnings(loaded.warnings, found.remarks);
  report.settings_json = given.json.dump();
  Answer answer;
  answer.json = result_text(
      encoder_json(found, {loaded.data.variables, loaded.sources, given.json, loaded.warnings}));
  answer.screen = on_screen(found, report);
  answer.notes = reading_notes(loaded);
  answer.warnings = report.warnings;
  answer.command = given.words;
  const auto parts = std::make_shared<DisentangleFiles>(DisentangleFiles{
      std::move(loaded), std::move(found), std::move(report), shell_words(answer.command)});
  answer.files = [parts, text = answer.json] { return parts->make(text); };
  delivery.write("disentangle", answer);
  delivery.show(std::move(answer), command.json);
}

}  // namespace

void add_disentangle(CLI::App& root, Globals& globals) {
  CLI::App* app =
      root.add_subcommand("disentangle", "your data: the variables behind columns that mix them");
  app->group("Your data");
  const auto command = std::make_shared<DisentangleCommand>();
  add_data_options(*app, command->data, globals);
  add_value(*app, "--mixing", command->mixing, "rotation|linear",
            "what the columns are of the variables behind them")
      ->default_str("rotation of two columns, linear for more");
  add_value(*app, "--latents", command->latents, "K", "at most so many variables are behind them")
      ->default_str("as many as columns");
  add_value(*app, "--threads", command->threads, "N", "threads; results do not depend on it")
      ->default_str("as many as this process may use");
  add_value(*app, "-o,--output", command->output, "DIR", "where the results go, all at once");
  app->add_flag("--json", command->json, "print result.json to stdout and nothing else");
  app->footer(
      "Examples:\n"
      "  whence simulate mixed --shift mixed -o raw\n"
      "  whence disentangle --baseline raw/baseline.csv --shifted raw/shifted_01.csv \\\n"
      "    --shifted raw/shifted_02.csv --shifted raw/shifted_03.csv -o found\n"
      "  whence disentangle sensors.csv --environment day --baseline monday --mixing linear");
  app->callback([command, &globals] { run(*command, globals); });
}

}  // namespace whence
