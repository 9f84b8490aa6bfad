#include "apps/whence/commands/simulate.hpp"

#include <charconv>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "apps/whence/commands.hpp"
#include "apps/whence/host.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/table/formats/csv_writer.hpp"
#include "whence/judge/graph_truth.hpp"
#include "whence/report/result_json.hpp"
#include "whence/worlds/simulate_pair.hpp"

namespace whence {
namespace {

ShiftKind shift_of(const std::string& name) {
  for (const ShiftKind kind : all_shift_kinds)
    if (name_of(kind) == name) return kind;
  refuse_choice("--shift", name, "cause, effect, mechanism, row, both, none");
}

PairSimulation simulation_of(const SimulateCommand& command) {
  refuse_given(graph_only(command), "simulate graph");
  refuse_given(mixed_only(command), "simulate mixed");
  if (!command.kind.empty() && command.kind != "categorical" && command.kind != "linear-gaussian" &&
      command.kind != "spline")
    refuse_choice("--kind", command.kind, "categorical, linear-gaussian, spline");
  PairSimulation what;
  what.kind = command.kind == "linear-gaussian" ? PairSimulation::Kind::linear_gaussian
              : command.kind == "spline"        ? PairSimulation::Kind::spline
                                                : PairSimulation::Kind::categorical;
  what.truth = command.truth == "none"       ? PairSimulation::Truth::no_link
               : command.truth == "backward" ? PairSimulation::Truth::backward
                                             : PairSimulation::Truth::forward;
  what.shift = shift_of(value_or(command.shift, "cause"));
  if (what.shift == ShiftKind::row && what.kind != PairSimulation::Kind::categorical)
    throw Error(ExitCode::usage, "E-USAGE-VALUE", "--shift",
                "a real mechanism has no rows of which one could change",
                "choose --shift mechanism, or --kind categorical");
  what.levels = int(count_of("--levels", command.levels, 2, 1000));
  what.environments = count_of("--environments", value_or(command.environments, "10"), 1, 9999);
  what.rows = count_of("--rows", value_or(command.rows, "100"), 2, 1'000'000);
  what.baseline_rows =
      count_of("--baseline-rows", value_or(command.baseline_rows, "1000"), 2, 100'000'000);
  what.seed = seed_of(command.seed);
  require_memory(command, what.environments * what.rows + what.baseline_rows, 2);
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
  const std::string kind = value_or(c.kind, "categorical");
  std::vector<std::string> words = {"whence",
                                    "simulate",
                                    "pair",
                                    "--kind",
                                    kind,
                                    "--shift",
                                    value_or(c.shift, "cause"),
                                    "--truth",
                                    value_or(c.truth, "forward"),
                                    "--environments",
                                    value_or(c.environments, "10"),
                                    "--rows",
                                    value_or(c.rows, "100"),
                                    "--baseline-rows",
                                    value_or(c.baseline_rows, "1000"),
                                    "--seed",
                                    c.seed};
  if (kind == "categorical") words.insert(words.end(), {"--levels", c.levels});
  return words;
}

void simulate_pair_files(const SimulateCommand& command, Globals& globals) {
  const PairSimulation what = simulation_of(command);
  Delivery delivery(command.output, command_words(command), 1, globals);
  const Dataset data = simulate_pair(what);
  std::vector<OutputFile> files;
  for (const Environment& environment : data.environments) {
    stop_if_asked(globals);
    files.push_back({environment.name + ".csv", environment_csv(data, environment)});
  }
  const std::string truth = result_text(pair_truth_json(what));
  files.push_back({"truth.json", truth});
  Answer answer{truth,
                fmt::format("{} shifted data sets of {} rows, a baseline of {}: ",
                            what.environments, what.rows, what.baseline_rows),
                {},
                {},
                command_words(command),
                [files = std::move(files)] { return files; }};
  delivery.write({}, answer);
  delivery.show(std::move(answer), command.json, ".");
}

void run(const SimulateCommand& command, Globals& globals) {
  if (command.what == "pair") return simulate_pair_files(command, globals);
  const bool by_option = command.what.empty() && !command.graph.empty();
  if (command.what == "graph" || by_option) return simulate_graph_files(command, globals);
  if (command.what == "mixed") return simulate_mixed_files(command, globals);
  if (command.what.empty())
    throw Error(ExitCode::usage, "E-USAGE-MISSING", "", "simulate needs WHAT",
                "whence simulate pair, or whence simulate graph --graph er:20:40");
  refuse_choice("WHAT", command.what, "pair, graph, mixed");
}

}  // namespace

void require_memory(const SimulateCommand& command, std::size_t rows, std::size_t columns) {
  constexpr double bytes_per_value = 32;  // the number, and its digits
  const double bytes = bytes_per_value * double(rows) * double(columns);
  if (bytes <= double(bytes_of(command.max_memory))) return;
  throw Error(
      ExitCode::resource, "E-LIMIT-MEMORY", "--rows",
      fmt::format("{} rows of {} columns in all take about {:.1f} GB", rows, columns, bytes / 1e9),
      "fewer rows or environments, or a larger --max-memory");
}

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

double number_of(const std::string& option, const std::string& text, double least, double most) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !(value >= least && value <= most))
    throw Error(ExitCode::usage, "E-USAGE-VALUE", option,
                fmt::format("'{}' is not a number from {} to {}", excerpt(text), least, most));
  return value;
}

void refuse_given(const OptionValues& options, const std::string& belongs_to) {
  for (const auto& [option, value] : options)
    if (!value.empty())
      throw Error(ExitCode::usage, "E-USAGE-OPTION", option, "it belongs to " + belongs_to,
                  "leave it out");
}

void add_given(std::vector<std::string>& words, const OptionValues& options) {
  for (const auto& [option, value] : options)
    if (!value.empty()) words.insert(words.end(), {option, value});
}

void refuse_choice(const std::string& option, const std::string& given,
                   const std::string& choices) {
  throw Error(ExitCode::usage, "E-USAGE-CHOICE", "",
              "there is no " + option + " '" + excerpt(given) + "'", "one of: " + choices);
}

void add_simulate(CLI::App& root, Globals& globals) {
  CLI::App* app = root.add_subcommand("simulate", "data sets with a known truth");
  app->group("Your data");
  const auto command = std::make_shared<SimulateCommand>();
  app->add_option(
         "WHAT", command->what,
         "what to simulate: pair, a cause X and its effect Y; graph, many variables; or mixed, "
         "variables seen through a mixture")
      ->type_name("WHAT");
  add_value(
      *app, "--graph", command->graph, "GRAPH",
      "of simulate graph: chain8 and other presets, 0->1->2, er:VARIABLES:EDGES (random; so many "
      "edges on average), sf:VARIABLES:LINKS (scale-free), or a file such as asia.bif or "
      "g.dot")
      ->default_str("er:20:40");
  add_value(*app, "--kind,--mechanism", command->kind,
            "KIND:categorical|linear-gaussian|spline|linear|network|square|sine|multiplicative|"
            "heteroscedastic|count|mixed|dense-network",
            "what the columns hold. Pairs: categorical, linear-gaussian or spline (a curve and "
            "noise); graphs: categorical (ENCO's protocol), linear-gaussian and dense-network "
            "(BaCaDI's), or linear, network (5 sigmoid units), square, sine, multiplicative (noise "
            "in proportion), heteroscedastic, count, mixed (half of the columns categories)")
      ->default_str("categorical; graphs: linear-gaussian");
  add_value(*app, "--truth", command->truth, "forward|backward|none",
            "of a pair: X causes Y, Y causes X, or no link")
      ->default_str("forward");
  add_value(
      *app, "--shift", command->shift,
      "SHIFT:cause|effect|mechanism|row|both|none|hard|soft|two-hard|all-soft|all-hard|weak|"
      "zero-mean|mixed|some",
      "what is drawn anew in every shifted environment. Pairs: cause, effect (it no longer "
      "listens), mechanism, row, both or none; graphs: hard (one variable no longer "
      "listens), soft (one mechanism), two-hard, all-soft, all-hard, weak, zero-mean or none; "
      "behind a rotation: cause, effect, mixed (either), some (30 % nothing, 20 % both), both "
      "or none; behind a matrix: hard, soft or none")
      ->default_str("cause; graphs, matrices: hard");
  add_value(*app, "--levels", command->levels, "N", "levels of all variables, if categorical");
  add_value(*app, "--noise", command->noise, "gaussian|t2.5|t5|laplace|lognormal",
            "of linear graphs: the law of the noise, always of variance U(.05, .15)")
      ->default_str("gaussian");
  add_value(*app, "--weights", command->weights, "uniform|normal",
            "of linear graphs: weights +-U(.5, 2) or N(0, 1)")
      ->default_str("uniform");
  add_value(*app, "--hidden", command->hidden, "N",
            "of graphs: variables nobody sees, each a cause of two others")
      ->default_str("0");
  add_value(*app, "--drift", command->drift, "TAU",
            "of graphs: every mechanism differs in every shifted environment, by about so many "
            "standard deviations of its noise; not of categorical and linear-gaussian ones")
      ->default_str("0");
  add_value(*app, "--typos", command->typos, "N",
            "of graphs: single cells that are 10 to 100 times too large")
      ->default_str("0");
  add_value(*app, "--noise-rows", command->noise_rows, "SHARE",
            "of graphs: this share of the rows, from 0 to 1, holds nothing but noise")
      ->default_str("0");
  add_value(*app, "--mixing", command->mixing, "rotation|linear",
            "of simulate mixed: how the columns come from the variables behind them")
      ->default_str("rotation");
  add_value(*app, "--latents", command->latents, "N", "of linear mixtures: variables behind them")
      ->default_str("3");
  add_value(*app, "--law", command->law, "gaussian|laplace|bimodal",
            "of simulate mixed: the law of the cause, or of the noises behind a matrix")
      ->default_str("gaussian");
  add_value(*app, "--per-latent", command->per_latent, "N or N-M",
            "of linear mixtures: environments that change one latent")
      ->default_str("2-4");
  add_value(*app, "--unchanged", command->unchanged, "N",
            "of linear mixtures: environments that change nothing")
      ->default_str("2");
  add_value(*app, "--doubles", command->doubles, "N",
            "of linear mixtures: environments that change two latents")
      ->default_str("2");
  add_value(*app, "--links", command->links, "SHARE",
            "of linear mixtures: how often a latent listens to an earlier one, from 0 to 1")
      ->default_str("0.5");
  add_value(*app, "--sensors", command->sensors,
            "exact|additive|multiplicative|saturating|quantised|heavy-tailed|crosstalk",
            "of linear mixtures: what the columns show of them")
      ->default_str("exact");
  add_value(*app, "--columns", command->columns, "N",
            "of linear mixtures: sensors, no fewer than latents")
      ->default_str("as many as latents");
  add_value(*app, "--environments", command->environments, "N", "shifted environments")
      ->default_str("10; graphs: one per variable; rotations: 20");
  add_value(*app, "--rows", command->rows, "N", "rows of each")
      ->default_str("100; graphs: 10, categorical 200, other kinds 500; mixtures: 1000");
  add_value(*app, "--baseline-rows", command->baseline_rows, "N", "rows of the baseline")
      ->default_str(
          "1000; graphs: 100, categorical 5000, other kinds 2000; mixtures: 10000 or 2000");
  add_value(*app, "--seed", command->seed, "N", "seed of all random numbers, 0 to 2^64-1");
  add_value(*app, "--max-memory", command->max_memory, "SIZE", "refuse data that need more");
  add_value(*app, "-o,--output", command->output, "DIR",
            "gets baseline.csv, shifted_01.csv, ... and truth.json");
  app->add_flag("--json", command->json, "print truth.json to stdout and nothing else");
  app->footer(
      "Examples:\n"
      "  whence simulate pair --shift mechanism --environments 3 -o data\n"
      "  whence direction --baseline data/baseline.csv --shifted data/shifted_01.csv \\\n"
      "    --shifted data/shifted_02.csv --shifted data/shifted_03.csv -o found\n"
      "  whence evaluate found/result.json data/truth.json\n"
      "  whence simulate graph --graph sf:50:2 --shift soft -o many\n"
      "  whence simulate graph --graph er:10:15 --mechanism network --hidden 1 --drift .2 -o hard");
  app->callback([command, &globals] { run(*command, globals); });
}

}  // namespace whence
