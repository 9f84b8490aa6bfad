#include <charconv>
#include <memory>

#include <fmt/format.h>

#include "apps/whence/commands.hpp"
#include "apps/whence/results.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/discover/simulate_pair.hpp"
#include "whence/io/csv_writer.hpp"
#include "whence/io/result_json.hpp"

namespace whence {
namespace {

struct SimulateCommand {
  std::string what, kind = "categorical", shift = "cause", truth = "forward", levels = "10";
  std::string environments = "10", rows = "100", baseline_rows = "1000", seed = "0";
  std::string output = "whence-out/simulate";
  bool json = false;
};

std::size_t count_of(const std::string& option, const std::string& text, std::size_t least,
                     std::size_t most) {
  std::size_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || value < least || value > most)
    throw Error(
        ExitCode::usage, "E-USAGE-VALUE", option,
        fmt::format("'{}' is not a whole number from {} to {}", excerpt(text), least, most));
  return value;
}

ShiftKind shift_of(const std::string& name) {
  for (const ShiftKind kind : all_shift_kinds)
    if (name_of(kind) == name) return kind;
  return ShiftKind::none;
}

PairSimulation simulation_of(const SimulateCommand& command) {
  if (command.what != "pair")
    throw Error(ExitCode::usage, "E-USAGE-CHOICE", "",
                "there is no WHAT '" + excerpt(command.what) + "'", "one of: pair");
  PairSimulation what;
  what.kind = command.kind == "categorical" ? PairSimulation::Kind::categorical
                                            : PairSimulation::Kind::linear_gaussian;
  what.truth = command.truth == "forward"    ? PairSimulation::Truth::forward
               : command.truth == "backward" ? PairSimulation::Truth::backward
                                             : PairSimulation::Truth::no_link;
  what.shift = shift_of(command.shift);
  what.levels = int(count_of("--levels", command.levels, 2, 1000));
  what.environments = count_of("--environments", command.environments, 1, 9999);
  what.rows = count_of("--rows", command.rows, 2, 1'000'000);
  what.baseline_rows = count_of("--baseline-rows", command.baseline_rows, 2, 100'000'000);
  what.seed = seed_of(command.seed);
  constexpr std::size_t most = 200'000'000;
  if (what.environments * what.rows > most)
    throw Error(ExitCode::resource, "E-LIMIT-MEMORY", "--rows", "that is too many rows in all",
                fmt::format("at most {}", most));
  return what;
}

std::string cell(const Variable& variable, const Column& column, std::size_t row) {
  if (variable.kind == Variable::Kind::real) return shortest(column.values[row]);
  return variable.level_names[std::size_t(column.levels[row])];
}

std::string environment_csv(const Dataset& data, const Environment& environment) {
  std::string out = data.variables[0].name + "," + data.variables[1].name + "\n";
  for (std::size_t row = environment.begin; row < environment.end; ++row)
    out += cell(data.variables[0], data.columns[0], row) + "," +
           cell(data.variables[1], data.columns[1], row) + "\n";
  return out;
}

std::vector<std::string> command_words(const SimulateCommand& c) {
  std::vector<std::string> words = {
      "whence", "simulate",        c.what,          "--kind",         c.kind,         "--shift",
      c.shift,  "--truth",         c.truth,         "--environments", c.environments, "--rows",
      c.rows,   "--baseline-rows", c.baseline_rows, "--seed",         c.seed};
  if (c.kind == "categorical") words.insert(words.end(), {"--levels", c.levels});
  return words;
}

void run(const SimulateCommand& command, const Globals& globals) {
  const PairSimulation what = simulation_of(command);
  OutputDirectory directory(command.output);
  RunRecord record(command_words(command), 1);
  const SimulatedPair pair = simulate_pair(what);
  std::vector<OutputFile> files;
  for (const Environment& environment : pair.data.environments) {
    stop_if_interrupted();
    files.push_back({environment.name + ".csv", environment_csv(pair.data, environment)});
  }
  const std::string truth = result_text(pair.truth);
  files.push_back({"truth.json", truth});
  publish(directory, std::move(files), record);
  if (command.json) return print(truth);
  if (!globals.quiet)
    print(fmt::format("{} shifted data sets of {} rows, a baseline of {}: {}\n", what.environments,
                      what.rows, what.baseline_rows, shown_path(directory.path())));
}

}  // namespace

void add_simulate(CLI::App& root, Globals& globals) {
  CLI::App* app = root.add_subcommand("simulate", "data sets with a known truth");
  app->group("Your data");
  const auto command = std::make_shared<SimulateCommand>();
  app->add_option("WHAT", command->what, "what to simulate: pair, a cause X and its effect Y")
      ->required()
      ->type_name("WHAT");
  add_value(*app, "--kind", command->kind, "categorical|linear-gaussian", "what the columns hold");
  add_value(*app, "--truth", command->truth, "forward|backward|none",
            "X causes Y, Y causes X, or no link");
  add_value(*app, "--shift", command->shift, "cause|effect|mechanism|row|both|none",
            "what is drawn anew in every shifted environment; effect: it no longer listens");
  add_value(*app, "--levels", command->levels, "N", "levels of both variables, if categorical");
  add_value(*app, "--environments", command->environments, "N", "shifted environments");
  add_value(*app, "--rows", command->rows, "N", "rows of each");
  add_value(*app, "--baseline-rows", command->baseline_rows, "N", "rows of the baseline");
  add_value(*app, "--seed", command->seed, "N", "seed of all random numbers, 0 to 2^64-1");
  add_value(*app, "-o,--output", command->output, "DIR",
            "gets baseline.csv, shifted_01.csv, ... and truth.json");
  app->add_flag("--json", command->json, "print truth.json to stdout and nothing else");
  app->footer(
      "Example:\n"
      "  whence simulate pair --shift mechanism --environments 3 -o data\n"
      "  whence direction --baseline data/baseline.csv --shifted data/shifted_01.csv \\\n"
      "    --shifted data/shifted_02.csv --shifted data/shifted_03.csv -o found\n"
      "  whence evaluate found/result.json data/truth.json");
  app->callback([command, &globals] { run(*command, globals); });
}

}  // namespace whence
