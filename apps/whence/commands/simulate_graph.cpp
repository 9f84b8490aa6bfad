#include <fmt/format.h>

#include "apps/whence/commands/simulate.hpp"
#include "apps/whence/data_options.hpp"
#include "apps/whence/host.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/io/graph/bif.hpp"
#include "whence/judge/graph_truth.hpp"
#include "whence/report/result_json.hpp"
#include "whence/worlds/random_graph.hpp"

namespace whence {
namespace {

GraphShift graph_shift(const std::string& name) {
  for (const GraphShift shift : all_graph_shifts)
    if (name_of(shift) == name) return shift;
  refuse_choice("--shift", name, "none, hard, soft, two-hard, all-soft, all-hard, weak, zero-mean");
}

GraphMechanism mechanism_of(const std::string& name) {
  for (const GraphMechanism mechanism : all_graph_mechanisms)
    if (name_of(mechanism) == name) return mechanism;
  std::vector<std::string> names;
  for (const GraphMechanism mechanism : all_graph_mechanisms)
    names.emplace_back(name_of(mechanism));
  refuse_choice("--mechanism", name, joined(names));
}

/// Rows of the baseline and of each shifted environment, where nothing else is asked for.
std::pair<const char*, const char*> usual_rows(GraphMechanism mechanism) {
  if (mechanism == GraphMechanism::categorical) return {"5000", "200"};
  const bool protocol =
      mechanism == GraphMechanism::linear_gaussian || mechanism == GraphMechanism::dense_network;
  return protocol ? std::pair("100", "10") : std::pair("2000", "500");
}

NoiseFamily noise_of(const std::string& name) {
  for (const NoiseFamily noise : all_noise_families)
    if (name_of(noise) == name) return noise;
  return NoiseFamily::gaussian;
}

/// The network's structure, and its tables where they are wanted.
void take_network(const DiscreteNetwork& network, GraphWorldSpec& spec) {
  spec.graph = network.graph;
  if (spec.mechanism == GraphMechanism::categorical) {
    spec.variables = network.variables;
    for (std::size_t v = 0; v < network.variables.size(); ++v) {
      std::vector<double> logs = network.tables[v];
      for (double& p : logs) p = portable_log(p);
      spec.tables.emplace_back(network.variables[v].levels, std::move(logs));
    }
  } else {
    for (const Variable& v : network.variables)
      spec.variables.push_back({v.name, Variable::Kind::real});
  }
}

/// A file, or a text that names a graph.
void take_graph(const SimulateCommand& command, GraphWorldSpec& spec, std::uint64_t seed,
                std::vector<std::string>& warnings, const Globals& globals) {
  const std::string text = value_or(command.graph, "er:20:40");
  const auto format = graph_format_of(std::filesystem::path(text));
  if (format == GraphFormat::bif) {
    const DiscreteNetwork network = read_bif(text);
    warnings = network.warnings;
    return take_network(network, spec);
  }
  if (!format) {
    spec.graph = draw_named_graph(text, Stream(seed, Purpose::world, {2, 0, 0}));
    return;
  }
  const NamedGraph graph = graph_named(text, globals);
  require_acyclic(graph, printable(text));
  spec.graph = graph.graph;
  const bool real = spec.mechanism != GraphMechanism::categorical;
  for (const std::string& name : graph.names) {
    Variable variable{name, real ? Variable::Kind::real : Variable::Kind::categorical};
    for (int k = 0; !real && k < spec.levels; ++k)
      variable.level_names.push_back("k" + std::to_string(k));
    variable.levels = int(variable.level_names.size());
    spec.variables.push_back(std::move(variable));
  }
}

GraphWorldSpec spec_of(const SimulateCommand& command, std::uint64_t seed,
                       std::vector<std::string>& warnings, const Globals& globals) {
  refuse_given({{"--truth", command.truth}}, "simulate pair");
  refuse_given(mixed_only(command), "simulate mixed");
  GraphWorldSpec spec{Graph()};
  spec.mechanism = mechanism_of(value_or(command.kind, "linear-gaussian"));
  if (spec.mechanism != GraphMechanism::linear_gaussian)
    refuse_given({{"--noise", command.noise}, {"--weights", command.weights}},
                 "--mechanism linear-gaussian");
  spec.shift = graph_shift(value_or(command.shift, "hard"));
  spec.noise = noise_of(value_or(command.noise, "gaussian"));
  spec.normal_weights = command.weights == "normal";
  spec.levels = int(count_of("--levels", command.levels, 2, 1000));
  spec.hidden = count_of("--hidden", value_or(command.hidden, "0"), 0, 1000);
  spec.drift = number_of("--drift", value_or(command.drift, "0"), 0, 10);
  spec.typos = count_of("--typos", value_or(command.typos, "0"), 0, 1'000'000);
  spec.noise_rows = number_of("--noise-rows", value_or(command.noise_rows, "0"), 0, 1);
  const auto [baseline, shifted] = usual_rows(spec.mechanism);
  spec.rows = count_of("--rows", value_or(command.rows, shifted), 2, 1'000'000);
  spec.baseline_rows =
      count_of("--baseline-rows", value_or(command.baseline_rows, baseline), 2, 100'000'000);
  take_graph(command, spec, seed, warnings, globals);
  spec.environments =
      count_of("--environments",
               value_or(command.environments, std::to_string(spec.graph.variables())), 0, 9999);
  require_memory(command, spec.environments * spec.rows + spec.baseline_rows,
                 spec.graph.variables());
  return spec;
}

/// What may be said of a graph's world beside its structure and sizes.
OptionValues world_options(const SimulateCommand& command) {
  return {{"--noise", command.noise},   {"--weights", command.weights},
          {"--hidden", command.hidden}, {"--drift", command.drift},
          {"--typos", command.typos},   {"--noise-rows", command.noise_rows}};
}

std::vector<std::string> command_words(const SimulateCommand& c, const GraphWorldSpec& spec) {
  std::vector<std::string> words = {"whence",
                                    "simulate",
                                    "graph",
                                    "--graph",
                                    printable(value_or(c.graph, "er:20:40")),
                                    "--mechanism",
                                    std::string(name_of(spec.mechanism)),
                                    "--shift",
                                    std::string(name_of(spec.shift)),
                                    "--environments",
                                    std::to_string(spec.environments),
                                    "--rows",
                                    std::to_string(spec.rows),
                                    "--baseline-rows",
                                    std::to_string(spec.baseline_rows),
                                    "--seed",
                                    c.seed};
  if (spec.mechanism == GraphMechanism::categorical) add_given(words, {{"--levels", c.levels}});
  add_given(words, world_options(c));
  return words;
}

}  // namespace

OptionValues graph_only(const SimulateCommand& command) {
  OptionValues options = world_options(command);
  options.emplace_back("--graph", command.graph);
  return options;
}

void simulate_graph_files(const SimulateCommand& command, Globals& globals) {
  const std::uint64_t seed = seed_of(command.seed);
  std::vector<std::string> warnings;
  const GraphWorldSpec spec = spec_of(command, seed, warnings, globals);
  if (std::error_code none; std::filesystem::exists(command.graph, none))
    refuse_to_overwrite({command.graph}, command.output);
  Delivery delivery(command.output, command_words(command, spec), 1, globals);
  GraphSimulation simulation = simulate_graph(spec, seed);
  stop_if_asked(globals);
  const std::string named =
      std::filesystem::path(value_or(command.graph, "er:20:40")).filename().string();
  const Json truth = graph_truth_json(spec, simulation, named, seed);
  GraphData data;
  data.loaded.data = std::move(simulation.data);
  data.loaded.baseline = 0;
  Answer answer;
  answer.json = result_text(truth);
  answer.screen =
      fmt::format("{} variables, {} edges; {} shifted data sets of {} rows, a baseline of {}: ",
                  spec.graph.variables(), spec.graph.edge_count(), spec.environments, spec.rows,
                  spec.baseline_rows);
  answer.warnings = warnings;
  answer.command = command_words(command, spec);
  answer.files = [files = simulation_files(data, truth)] { return files; };
  delivery.write({}, answer);
  delivery.show(std::move(answer), command.json, ".");
}

}  // namespace whence
