// whence simulate mixed: latents behind a rotation or a matrix.
#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "apps/whence/commands/simulate.hpp"
#include "apps/whence/host.hpp"
#include "apps/whence/terminal.hpp"
#include "whence/core/error.hpp"
#include "whence/core/text.hpp"
#include "whence/judge/encoder_evaluation.hpp"
#include "whence/report/result_json.hpp"
#include "whence/worlds/mixed_world.hpp"

namespace whence {
namespace {

MixedShift mixed_shift(const std::string& name) {
  for (const MixedShift shift : all_mixed_shifts)
    if (name_of(shift) == name) return shift;
  refuse_choice("--shift", name,
                "none, cause, effect, mixed, some, both; linear: hard, soft, none");
}

CauseLaw::Kind law_of(const std::string& name) {
  for (const auto kind :
       {CauseLaw::Kind::gaussian, CauseLaw::Kind::laplace, CauseLaw::Kind::bimodal})
    if (name_of(kind) == name) return kind;
  refuse_choice("--law", name, "gaussian, laplace, bimodal");
}

SensorKind sensors_of(const std::string& name) {
  for (const SensorKind kind : all_sensor_kinds)
    if (name_of(kind) == name) return kind;
  refuse_choice("--sensors", name,
                "exact, additive, multiplicative, saturating, quantised, heavy-tailed, crosstalk");
}

/// "3" or "2-4".
std::pair<std::size_t, std::size_t> range_of(const std::string& text) {
  const std::size_t dash = text.find('-');
  const std::size_t low = count_of("--per-latent", text.substr(0, dash), 1, 100);
  if (dash == std::string::npos) return {low, low};
  return {low, count_of("--per-latent", text.substr(dash + 1), low, 100)};
}

/// Those of linear mixtures alone.
OptionValues matrix_only(const SimulateCommand& command) {
  return {{"--latents", command.latents},     {"--per-latent", command.per_latent},
          {"--unchanged", command.unchanged}, {"--doubles", command.doubles},
          {"--links", command.links},         {"--sensors", command.sensors},
          {"--columns", command.columns}};
}

MixedSpec spec_of(const SimulateCommand& command) {
  refuse_given({{"--truth", command.truth}}, "simulate pair");
  refuse_given(graph_only(command), "simulate graph");
  MixedSpec spec;
  const std::string mixing = value_or(command.mixing, "rotation");
  spec.mixing = mixing == "linear" ? Mixing::linear : Mixing::rotation;
  const bool rotation = spec.mixing == Mixing::rotation;
  if (rotation)
    refuse_given(matrix_only(command), "--mixing linear");
  else
    refuse_given({{"--environments", command.environments}}, "--mixing rotation");
  const std::string kind = value_or(command.kind, "spline");
  if (kind != "spline" && kind != "linear") refuse_choice("--mechanism", kind, "spline, linear");
  spec.splines = kind == "spline";
  spec.shift = mixed_shift(value_or(command.shift, rotation ? "cause" : "hard"));
  spec.law = law_of(value_or(command.law, "gaussian"));
  spec.latents = rotation ? 2 : count_of("--latents", value_or(command.latents, "3"), 2, 50);
  spec.links = number_of("--links", value_or(command.links, "0.5"), 0, 1);
  spec.sensors = sensors_of(value_or(command.sensors, "exact"));
  spec.columns = count_of("--columns", value_or(command.columns, std::to_string(spec.latents)),
                          spec.latents, 200);
  std::tie(spec.least, spec.most) = range_of(value_or(command.per_latent, "2-4"));
  spec.unchanged = count_of("--unchanged", value_or(command.unchanged, "2"), 0, 100);
  spec.double_targets = count_of("--doubles", value_or(command.doubles, "2"), 0, 100);
  spec.environments = count_of("--environments", value_or(command.environments, "20"), 1, 9999);
  spec.rows = count_of("--rows", value_or(command.rows, "1000"), 2, 1'000'000);
  spec.baseline_rows =
      count_of("--baseline-rows", value_or(command.baseline_rows, rotation ? "10000" : "2000"), 2,
               10'000'000);
  const std::size_t environments =
      rotation ? spec.environments
               : spec.latents * spec.most + spec.unchanged + spec.double_targets;
  require_memory(command, environments * spec.rows + spec.baseline_rows,
                 std::max(spec.latents, spec.columns));
  return spec;
}

std::vector<std::string> command_words(const SimulateCommand& c, const MixedSpec& spec) {
  std::vector<std::string> words = {"whence",
                                    "simulate",
                                    "mixed",
                                    "--mixing",
                                    std::string(name_of(spec.mixing)),
                                    "--shift",
                                    std::string(name_of(spec.shift)),
                                    "--mechanism",
                                    spec.splines ? "spline" : "linear",
                                    "--law",
                                    std::string(name_of(spec.law)),
                                    "--rows",
                                    std::to_string(spec.rows),
                                    "--baseline-rows",
                                    std::to_string(spec.baseline_rows),
                                    "--seed",
                                    c.seed};
  add_given(words, {{"--environments", c.environments}});
  add_given(words, matrix_only(c));
  return words;
}

std::string numbers_csv(const Dataset& data, const Environment& environment) {
  std::string out;
  for (std::size_t j = 0; j < data.variables.size(); ++j)
    out += (j ? "," : "") + data.variables[j].name;
  out += "\n";
  for (std::size_t row = environment.begin; row < environment.end; ++row) {
    for (std::size_t j = 0; j < data.variables.size(); ++j)
      out += (j ? "," : "") + shortest(data.columns[j].values[row]);
    out += "\n";
  }
  return out;
}

}  // namespace

OptionValues mixed_only(const SimulateCommand& command) {
  OptionValues options = {{"--mixing", command.mixing}, {"--law", command.law}};
  for (auto& option : matrix_only(command)) options.push_back(std::move(option));
  return options;
}

void simulate_mixed_files(const SimulateCommand& command, Globals& globals) {
  const std::uint64_t seed = seed_of(command.seed);
  const MixedSpec spec = spec_of(command);
  Delivery delivery(command.output, command_words(command, spec), 1, globals);
  const MixedWorld world = draw_mixed_world(spec, seed, 0);
  std::vector<OutputFile> files;
  for (const Environment& environment : world.data.environments) {
    stop_if_asked(globals);
    files.push_back({environment.name + ".csv", numbers_csv(world.data, environment)});
  }
  const std::string truth = result_text(mixed_truth_json(spec, world, seed));
  files.push_back({"truth.json", truth});
  Answer answer{
      truth,
      fmt::format("{} latents behind a {}; {} shifted data sets of {} rows, a baseline of {}: ",
                  spec.latents, spec.mixing == Mixing::rotation ? "rotation" : "matrix",
                  world.targets.size() - 1, spec.rows, spec.baseline_rows),
      {},
      {},
      command_words(command, spec),
      [files = std::move(files)] { return files; }};
  delivery.write({}, answer);
  delivery.show(std::move(answer), command.json, ".");
}

}  // namespace whence
