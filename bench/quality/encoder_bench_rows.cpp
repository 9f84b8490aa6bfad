#include "bench/quality/encoder_bench_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "whence/core/error.hpp"
#include "whence/core/text.hpp"

namespace whence {
namespace {

MixedSpec rotation(MixedShift shift, CauseLaw::Kind law, std::size_t environments, std::size_t rows,
                   std::size_t baseline) {
  MixedSpec spec;
  spec.shift = shift;
  spec.law = law;
  spec.environments = environments;
  spec.rows = rows;
  spec.baseline_rows = baseline;
  return spec;
}

std::vector<EncoderBenchRow> rotation_kinds() {
  using enum CauseLaw::Kind;
  std::vector<EncoderBenchRow> kinds;
  for (const auto& [environments, rows] :
       {std::pair<std::size_t, std::size_t>{20, 1000}, {50, 400}})
    for (const CauseLaw::Kind law : {gaussian, laplace, bimodal})
      kinds.push_back({.name = fmt::format("cause, {}, {} x {}", name_of(law), environments, rows),
                       .spec = rotation(MixedShift::cause, law, environments, rows, 10 * rows),
                       .rate = 0.95,
                       .coverage = true,
                       .seconds = 0.2});
  const auto add = [&](const char* name, const MixedSpec& spec) -> EncoderBenchRow& {
    kinds.push_back({.name = name, .spec = spec});
    return kinds.back();
  };
  const auto add_told = [&](const char* name, const MixedSpec& spec) {
    EncoderBenchRow& kind = add(name, spec);
    kind.rate = 0.95;
    kind.abstain_most = 0.1;
  };
  add_told("effect, 10 x 1000", rotation(MixedShift::effect, gaussian, 10, 1000, 10000));
  add_told("mixed, 10 x 1000", rotation(MixedShift::mixed, gaussian, 10, 1000, 10000));
  add_told("some, 20 x 400", rotation(MixedShift::some, gaussian, 20, 400, 4000));
  add("no shift, 20 x 1000", rotation(MixedShift::none, gaussian, 20, 1000, 10000)).abstain_least =
      0.95;
  add("everything, 10 x 400", rotation(MixedShift::both, gaussian, 10, 400, 4000)).abstain_least =
      0.95;
  EncoderBenchRow& tiny =
      add("cause, bimodal, 100 x 100", rotation(MixedShift::cause, bimodal, 100, 100, 1000));
  tiny.rate = 0.95;
  tiny.warned = true;
  return kinds;
}

MixedSpec matrix(std::size_t latents, bool splines, MixedShift shift, std::size_t least,
                 std::size_t most, std::size_t others) {
  MixedSpec spec;
  spec.mixing = Mixing::linear;
  spec.shift = shift;
  spec.latents = latents;
  spec.splines = splines;
  spec.least = least;
  spec.most = most;
  spec.unchanged = spec.double_targets = others;
  spec.rows = 1000;
  spec.baseline_rows = 2000;
  return spec;
}

std::vector<EncoderBenchRow> matrix_kinds() {
  using enum MixedShift;
  std::vector<EncoderBenchRow> kinds;
  for (const bool splines : {false, true})
    kinds.push_back({.name = fmt::format("d = 3, hard, {}", splines ? "splines" : "lines"),
                     .spec = matrix(3, splines, hard, 2, 4, 2),
                     .rate = 0.95,
                     .targets = 0.93,
                     .seconds = 1});
  for (const bool splines : {false, true})
    kinds.push_back({.name = fmt::format("d = 5, hard, {}", splines ? "splines" : "lines"),
                     .spec = matrix(5, splines, hard, 2, 4, 2),
                     .rate = 0.9,
                     .targets = 0.93,
                     .seconds = 3});
  kinds.push_back({.name = "d = 10, hard, lines, two each",
                   .spec = matrix(10, false, hard, 2, 2, 0),
                   .rate = 0.9,
                   .seconds = 10,
                   .share = 0.2});
  kinds.push_back(
      {.name = "d = 5, hard, one each", .spec = matrix(5, false, hard, 1, 1, 0), .honest = true});
  kinds.push_back(
      {.name = "d = 5, soft, lines", .spec = matrix(5, false, soft, 1, 3, 2), .honest = true});
  kinds.push_back({.name = "d = 5, no change",
                   .spec = matrix(5, false, none, 2, 2, 2),
                   .abstain_least = 1,
                   .honest = true});
  return kinds;
}

/// Five sensors of three independent latents, each changed once or twice; and nothing changed.
std::vector<EncoderBenchRow> sensor_kinds() {
  std::vector<EncoderBenchRow> kinds;
  const auto add = [&](const std::string& name, SensorKind sensors,
                       std::size_t times) -> EncoderBenchRow& {
    MixedSpec spec = matrix(3, false, MixedShift::hard, times, times, 0);
    spec.links = 0;
    spec.columns = 5;
    spec.sensors = sensors;
    kinds.push_back({.name = name, .spec = spec, .honest = true, .say_latents = true});
    return kinds.back();
  };
  for (const SensorKind sensors : all_sensor_kinds)
    if (sensors != SensorKind::exact) {
      add(fmt::format("{}, one each", name_of(sensors)), sensors, 1);
      add(fmt::format("{}, two each", name_of(sensors)), sensors, 2);
    }
  EncoderBenchRow& linked = add("additive, linked, three each", SensorKind::additive, 3);
  linked.spec.links = 0.5;
  EncoderBenchRow& still = add("additive, no change", SensorKind::additive, 2);
  still.spec.shift = MixedShift::none;
  still.abstain_least = 1;
  return kinds;
}

/// "cause*" means all rows that begin so.
bool named_by(const std::string& word, const std::string& name) {
  return word.ends_with('*') ? name.starts_with(word.substr(0, word.size() - 1)) : name == word;
}

}  // namespace

std::vector<EncoderBenchRow> encoder_bench_rows(const std::vector<std::string>& only) {
  std::vector<EncoderBenchRow> kinds = rotation_kinds();
  for (EncoderBenchRow& kind : matrix_kinds()) kinds.push_back(std::move(kind));
  for (EncoderBenchRow& kind : sensor_kinds()) kinds.push_back(std::move(kind));
  if (only.empty()) return kinds;
  std::vector<std::string> names;
  for (const EncoderBenchRow& kind : kinds) names.push_back(kind.name);
  for (const std::string& word : only)
    if (std::none_of(names.begin(), names.end(),
                     [&](const std::string& name) { return named_by(word, name); }))
      throw Error(ExitCode::usage, "E-USAGE-CHOICE", "--only",
                  "there is no row '" + excerpt(word) + "'", "rows: " + joined(names, "; "));
  std::erase_if(kinds, [&](const EncoderBenchRow& kind) {
    return std::none_of(only.begin(), only.end(),
                        [&](const std::string& word) { return named_by(word, kind.name); });
  });
  return kinds;
}

}  // namespace whence
